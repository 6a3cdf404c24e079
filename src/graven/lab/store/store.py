"""The store: one SQLite file that remembers every game, and is the only memory of the laboratory.

A row is one game, written in one transaction when it ends, so that nothing finished is lost
whenever and however a run ends; a cell and a number name a game, so that nothing counts twice.
Files that are damaged, from a newer graven, or something else are refused and left as they are.

The file is in WAL mode: any number of processes may read while one writes, and several may write
in turn. It should lie on a local disk; WAL does not work over a network.
"""

from __future__ import annotations

import json
import os
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

from graven.agents.spec import migrate_spec
from graven.core.bounded_json import read_json
from graven.core.errors import GravenError, UsageError
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing, migrate_key
from graven.lab.stats.intervals import Score

DEFAULT_PATH = "graven.db"
PATH_VARIABLE = "GRAVEN_DB"
IN_MEMORY = ":memory:"

APPLICATION = 0x67726176  # "grav"
SCHEMA_VERSION = 1
BUSY_SECONDS = 60.0
MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100

# Apart from the games, so that an older graven can go on with a newer one's store.
EVALUATIONS = """
CREATE TABLE IF NOT EXISTS evaluation (
    game INTEGER PRIMARY KEY REFERENCES game (id),
    scores TEXT NOT NULL            -- what was believed of each move, or null, as JSON
) STRICT;
"""
SCHEMA = f"""
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,       -- everything that decides the games, as JSON
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    first_playouts INTEGER,         -- budgets a move
    first_seconds REAL,
    second_playouts INTEGER,
    second_seconds REAL,
    seed TEXT NOT NULL,             -- in decimal: seeds need not fit into 63 bits
    openings INTEGER NOT NULL,
    seating TEXT NOT NULL
) STRICT;
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    cell INTEGER NOT NULL REFERENCES cell (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    outcome REAL NOT NULL CHECK (outcome IN (0, 0.5, 1)),  -- for the first agent
    plies INTEGER NOT NULL,
    playouts INTEGER NOT NULL,
    seconds REAL NOT NULL,          -- spent searching
    ended TEXT NOT NULL,            -- when, in UTC
    version TEXT NOT NULL,
    machine TEXT NOT NULL,
    seed TEXT NOT NULL,
    seats TEXT NOT NULL,            -- which side, 0 or 1, had each seat, as JSON
    scores TEXT NOT NULL,           -- of each seat, as JSON
    moves TEXT NOT NULL,            -- as JSON
    UNIQUE (cell, number)
) STRICT;
{EVALUATIONS}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_COLUMNS = (
    "number",
    "seats",
    "seed",
    "scores",
    "moves",
    "playouts",
    "seconds",
    "version",
    "machine",
)


class StoreError(GravenError):
    """A store that cannot be used as it is."""


@dataclass(frozen=True)
class Summary:
    """What a cell's games add up to, from the first agent's point of view.

    `versions` and `machines` say what played them.
    """

    pairing: Pairing
    score: Score
    plies: int = 0
    playouts: int = 0
    seconds: float = 0.0
    versions: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.score.games

    @property
    def mean_plies(self) -> float:
        """The mean length of a game."""
        return self.plies / max(1, self.games)

    @property
    def playouts_per_second(self) -> float:
        """Playouts for each second of searching: the rate of one worker, not of all together."""
        return self.playouts / self.seconds if self.seconds else 0.0


def default_path() -> str:
    """Where the store is if nobody says otherwise."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


class Store:
    """An open store. Use it as a context manager, or close it."""

    def __init__(self, path: str | os.PathLike[str] = IN_MEMORY, write: bool = True) -> None:
        """Open the store at `path`, which is made if it is to be written and is not there yet."""
        self.path = str(path)
        self._db = _opened(self.path, write)
        # A result of a match keeps its store, and nobody closes a result.
        weakref.finalize(self, self._db.close)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def pairing_id(self, pairing: Pairing) -> int:
        """Return the id of a pairing in this store; add the pairing if it is new."""
        first, second = pairing.budgets
        values = (
            pairing.key,
            pairing.game,
            *pairing.agents,
            first.playouts,
            first.seconds,
            second.playouts,
            second.seconds,
            str(pairing.seed),
            pairing.opening_plies,
            pairing.stored_seating,
        )
        find = "SELECT id FROM cell WHERE current_key(key) = ?"
        with _told(self.path):
            if stored := self._db.execute(find, (pairing.key,)).fetchone():
                return int(stored[0])
            self._db.execute(
                "INSERT INTO cell (key, game, first, second, first_playouts, first_seconds, "
                "second_playouts, second_seconds, seed, openings, seating) "
                f"VALUES ({_marks(values)}) ON CONFLICT (key) DO NOTHING",
                values,
            )
            (found,) = self._db.execute(find, (pairing.key,)).fetchone()
        return int(found)

    def add(self, pairing_id: int, result: GameResult) -> bool:
        """Record a game of a cell; says whether it was new."""
        values = (
            pairing_id,
            result.index,
            result.outcome,
            result.plies,
            result.playouts,
            result.seconds,
            datetime.now(UTC).isoformat(timespec="seconds"),
            result.version,
            result.machine,
            str(result.seed),
            _written(result.seats),
            _written(result.scores),
            _written(result.moves),
        )
        with _told(self.path), self._whole():
            done = self._db.execute(
                "INSERT INTO game (cell, number, outcome, plies, playouts, seconds, ended, "
                "version, machine, seed, seats, scores, moves) "
                f"VALUES ({_marks(values)}) ON CONFLICT (cell, number) DO NOTHING",
                values,
            )
            new = done.rowcount == 1
            if new and any(value is not None for value in result.values):
                self._db.execute(
                    "INSERT OR REPLACE INTO evaluation VALUES (?, ?)",
                    (done.lastrowid, _written(result.values)),
                )
        return new

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """A transaction, unless there is one already: all of it is recorded, or nothing."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Many games in one transaction: all of them are recorded in the end, or none."""
        self._db.execute("BEGIN")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        with _told(self.path):
            self._db.execute("COMMIT")

    def numbers(self, pairing: Pairing, games: int) -> set[int]:
        """Which of a cell's first games have been played."""
        return set(self.outcomes(pairing, games))

    def outcomes(self, pairing: Pairing, games: int) -> dict[int, float]:
        """The outcomes of those of a cell's first games that have been played, by number."""
        with _told(self.path):
            rows = self._db.execute(
                "SELECT number, outcome FROM game JOIN cell ON cell.id = game.cell "
                "WHERE current_key(key) = ? AND number < ? ORDER BY number",
                (pairing.key, games),
            )
            return {int(number): float(outcome) for number, outcome in rows}

    def results(self, pairing: Pairing, games: int, start: int = 0) -> Iterator[GameResult]:
        """Those of a cell's first games that have been played, from `start` on, in order."""
        with _told(self.path):
            believed, joined = ("NULL", "")
            if self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'evaluation'").fetchone():
                believed = "evaluation.scores"
                joined = "LEFT JOIN evaluation ON evaluation.game = game.id "
            columns = ", ".join(f"game.{name}" for name in _COLUMNS)
            rows = self._db.execute(
                f"SELECT {believed}, {columns} FROM game JOIN cell ON cell.id = game.cell {joined}"
                "WHERE current_key(key) = ? AND number >= ? AND number < ? ORDER BY number",
                (pairing.key, start, games),
            )
            for values, number, seats, seed, scores, moves, *spent in rows:
                playouts, seconds, version, machine = spent
                taken, results = tuple(_list(seats)), tuple(_list(scores))
                if len(taken) != len(results) or not all(_is_score(each) for each in results):
                    raise ValueError(f"the results of game {number}")
                yield GameResult(
                    int(number),
                    taken,
                    int(seed),
                    results,
                    tuple(_list(moves)),
                    playouts,
                    seconds,
                    version,
                    machine,
                    tuple(_list(values)) if values else (),
                )

    def summary(self, pairing: Pairing, games: int) -> Summary:
        """What a cell's first games add up to."""
        found = list(
            self._summaries("WHERE current_key(key) = ? AND number < ?", (pairing.key, games))
        )
        # A pairing from a key lacks the number of players, the argument has it.
        return Summary(pairing, *_parts(found[0])) if found else Summary(pairing, Score())

    def summaries(self) -> list[Summary]:
        """What every cell's games add up to, in the order in which the cells were begun."""
        return list(self._summaries("", ()))

    def _summaries(self, where: str, values: tuple[Any, ...]) -> Iterator[Summary]:
        with _told(self.path):
            rows = self._db.execute(
                "SELECT key, SUM(outcome = 1), SUM(outcome = 0), SUM(outcome = 0.5), SUM(plies), "
                "SUM(playouts), SUM(game.seconds), GROUP_CONCAT(DISTINCT version), "
                "JSON_GROUP_ARRAY(DISTINCT machine) "
                f"FROM game JOIN cell ON cell.id = game.cell {where} GROUP BY cell.id",
                values,
            )
            for key, wins, losses, draws, plies, playouts, seconds, versions, machines in rows:
                yield Summary(
                    Pairing.from_key(key),
                    Score(wins, losses, draws),
                    plies,
                    playouts,
                    seconds,
                    tuple(versions.split(",")),
                    tuple(read_json(machines)),
                )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every game with its cell, as plain values; seats, scores and moves are lists."""
        with _told(self.path):
            found = self._db.execute(
                "SELECT cell.game, first, second, first_playouts, first_seconds, second_playouts, "
                "second_seconds, cell.seed AS cell_seed, openings, seating, number, outcome, "
                "seats, scores, plies, playouts, game.seconds, game.seed, ended, version, machine, "
                "moves FROM game JOIN cell ON cell.id = game.cell ORDER BY cell.id, number"
            )
            names = [column[0] for column in found.description]
            for values in found:
                row = dict(zip(names, values, strict=True))
                specs = {name: migrate_spec(row[name]) for name in ("first", "second")}
                yield (
                    row | specs | {name: _list(row[name]) for name in ("seats", "scores", "moves")}
                )

    def lengths(self) -> dict[str, dict[int, int]]:
        """For every game (as in go, not as in the third one): how many games had how many plies."""
        with _told(self.path):
            rows = self._db.execute(
                "SELECT cell.game, plies, COUNT(*) FROM game JOIN cell ON cell.id = game.cell "
                "GROUP BY cell.game, plies ORDER BY cell.game, plies"
            )
            found: dict[str, dict[int, int]] = {}
            for game, plies, count in rows:
                found.setdefault(str(game), {})[int(plies)] = int(count)
            return found


def _parts(summary: Summary) -> tuple[Any, ...]:
    return (
        summary.score,
        summary.plies,
        summary.playouts,
        summary.seconds,
        summary.versions,
        summary.machines,
    )


def _marks(values: Any) -> str:
    return ", ".join("?" for _ in values)


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _list(text: str) -> list[Any]:
    values = read_json(text)
    if not isinstance(values, list):
        raise ValueError(f"{text[:40]!r} is no list")
    return values


def _opened(path: str, write: bool) -> sqlite3.Connection:
    """A connection to a store that has been looked through and may be trusted."""
    if path == IN_MEMORY:
        db = _connect(IN_MEMORY)
        db.executescript(SCHEMA)
        return db
    if not Path(path).exists():
        if not write:
            raise UsageError(
                f"there is no store {path!r} yet: play something first, or name another file with "
                f"--db or {PATH_VARIABLE}."
            )
        _create(Path(path))
    _check_header(Path(path))
    with _told(path):
        # Looked through by a reader first, who could not change it if he wanted to.
        reader = _reader(path)
        try:
            _check_pages(reader, path)
        except BaseException:
            reader.close()
            raise
        if not write:
            return reader
        reader.close()
        writer = _connect(_uri(path, "rw"))
        try:
            writer.execute("PRAGMA journal_mode = WAL")
            # A crash of the program loses nothing; a power cut may lose the last games, whole.
            writer.execute("PRAGMA synchronous = NORMAL")
            writer.execute(EVALUATIONS)
        except BaseException:
            writer.close()
            raise
        return writer


def _written(values: tuple[Any, ...]) -> str:
    return json.dumps(values, separators=(",", ":"))


def _uri(path: str | os.PathLike[str], mode: str) -> str:
    return f"file:{quote(str(Path(path).absolute()))}?mode={mode}"


def _connect(address: str) -> sqlite3.Connection:
    # Experiments run in a thread beside the one that watches the terminal, one call at a time.
    db = sqlite3.connect(
        address,
        uri=address != IN_MEMORY,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    # Keys that an older version wrote have the former names of search options in them.
    db.create_function("current_key", 1, _current_key, deterministic=True)
    return db


@lru_cache(maxsize=1 << 14)
def _current_key(key: str) -> str:
    try:
        return migrate_key(key)
    except (ValueError, KeyError, TypeError, RecursionError, GravenError):
        return key  # not a key: reading the pairing reports it


def _reader(path: str | os.PathLike[str]) -> sqlite3.Connection:
    # WAL needs a file beside the store: where none can be made, nobody can be writing either.
    if not os.access(Path(path).absolute().parent, os.W_OK) and not Path(f"{path}-wal").exists():
        return _connect(_uri(path, "ro") + "&immutable=1")
    return _connect(_uri(path, "ro"))


def _create(path: Path) -> None:
    """Make a new store under another name, and give it its own in one step."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to put a store into.")
    draft = path.with_name(f".{path.name}.{token_hex(8)}")
    with _told(str(path)):
        try:
            db = sqlite3.connect(draft, isolation_level=None)
            db.executescript(f"BEGIN; {SCHEMA} COMMIT; PRAGMA journal_mode = WAL;")
            db.close()
            # Unlike a renaming, this fails where another process has just made one: all the better.
            with suppress(FileExistsError):
                os.link(draft, path)
        except OSError as error:
            raise StoreError(f"no store can be made at {str(path)!r}: {error.strerror}.") from None
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _check_header(path: Path) -> None:
    """Refuse what is no store of ours, or a newer one, from its first bytes: nothing is opened."""
    try:
        with path.open("rb") as file:
            header = file.read(HEADER_BYTES)
    except OSError as error:
        raise StoreError(f"the store {str(path)!r} cannot be read: {error.strerror}.") from None
    ours = int.from_bytes(header[68:72], "big") == APPLICATION
    if len(header) < HEADER_BYTES or not header.startswith(MAGIC) or not ours:
        raise StoreError(
            f"{str(path)!r} is not a store of graven's, or it is damaged: nothing in it was "
            "changed. Name another file with --db."
        )
    version = int.from_bytes(header[60:64], "big")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{str(path)!r} was written by a newer graven (store version {version}, this one "
            f"knows {SCHEMA_VERSION}): nothing in it was changed. Update graven, or name another "
            "file with --db."
        )


def _check_pages(db: sqlite3.Connection, path: str) -> None:
    """Refuse a store that SQLite finds anything wrong with."""
    if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("malformed")
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"cell", "game"} <= names:
        raise sqlite3.DatabaseError("malformed")


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Say in a sentence what SQLite says in its own words."""
    try:
        yield
    except sqlite3.Error as error:
        said = str(error)
        kept = "All games recorded before are safe."
        if "full" in said or "disk I/O" in said:
            why = f"cannot be written: the disk is full or failing ({said}). {kept}"
        elif "readonly" in said or "unable to open" in said:
            why = f"cannot be written or opened here ({said})."
        elif "locked" in said or "busy" in said:
            why = f"has been locked by another program for {BUSY_SECONDS:g} s. {kept}"
        elif "malformed" in said or "not a database" in said or "corrupt" in said:
            why = "is damaged: nothing in it was changed. Name another file with --db."
        else:
            why = f"cannot be used: {said}."
        raise StoreError(f"the store {path!r} {why}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            f"the store {path!r} holds something that is no record: {error}."
        ) from None
