"""Games as data: one compressed CSV file per published table, which stores read and add to.

A folder of game files has:

    pairings.csv            one line per pairing: id, game, agents, budgets, seed, opening, seating
    PAPER-TABLE.csv.gz      one row per game: the columns of `COLUMNS`

The files contain no moves: the pairing and the index of a game determine them, and `graven replay`
plays it again. Equal games give equal files: rows are sorted, and the compressed files contain no
time. A game that the files have stays as it is, so folders of different people can be merged.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from graven.core.errors import GravenError, UsageError
from graven.core.file_replacement import replace_bytes
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import SEATINGS, Pairing, spec_from_store
from graven.lab.store.store import Store
from graven.search.budget import Budget

PAIRINGS_FILE = "pairings.csv"
SUFFIX = ".csv.gz"
ALL_GAMES = 1 << 62
SECONDS_DIGITS = 3
# Files may come from other people: no value is larger than the store takes, no file than memory.
MOST = (1 << 62) - 1
MOST_BYTES = 1 << 28
FINGERPRINT = re.compile(r"[0-9a-f]{12}")
VERSION = re.compile(r"[\w.+-]{1,100}", re.ASCII)
COLUMNS = (
    "pairing",
    "index",
    "seed",
    "seats",
    "scores",
    "plies",
    "playouts",
    "seconds",
    "version",
    "fingerprint",
)
PAIRING_COLUMNS = (
    "pairing",
    "game",
    "first",
    "second",
    "first_playouts",
    "first_seconds",
    "second_playouts",
    "second_seconds",
    "seed",
    "opening_plies",
    "seating",
)

# A pairing with its fingerprint, and the index of a game: what identifies a game in all files.
GameKey = tuple[Pairing, int]
Games = dict[GameKey, GameResult]


class GameFileError(GravenError):
    """A game file that cannot be read, or a row that does not fit its pairing."""


@dataclass
class MergeCount:
    """What happened to the games of a merge.

    `contradicting` counts those that the target has with another result, which stays.
    """

    new: int = 0
    known: int = 0
    contradicting: int = 0

    @property
    def games(self) -> int:
        """All games that were merged."""
        return self.new + self.known + self.contradicting

    def __add__(self, more: MergeCount) -> MergeCount:
        return MergeCount(
            self.new + more.new,
            self.known + more.known,
            self.contradicting + more.contradicting,
        )

    def add_known(self, ours: GameResult, theirs: GameResult) -> None:
        """Count a game that the target has."""
        same = (ours.scores, ours.plies) == (theirs.scores, theirs.plies)
        self.known += same
        self.contradicting += not same


def pairing_id(pairing: Pairing) -> str:
    """Return the id of a pairing in game files: see `Pairing.id`."""
    return pairing.id


def import_games(folder: Path, store: Store) -> MergeCount:
    """Add the games of a folder to a store: all of a file, or none if a row is invalid."""
    count = MergeCount()
    for games in read_folder(folder).values():
        by_pairing: dict[Pairing, list[GameResult]] = defaultdict(list)
        for (pairing, _), result in games.items():
            by_pairing[pairing].append(result)
        with store.transaction():
            for pairing, results in by_pairing.items():
                stored = {result.index: result for result in store.results(pairing, ALL_GAMES)}
                number = store.pairing_id(pairing)
                for result in results:
                    if result.index in stored:
                        count.add_known(stored[result.index], result)
                    else:
                        count.new += store.add(number, result)
    return count


def write_games(store: Store, folder: Path, file_of: Callable[[Pairing], str | None]) -> MergeCount:
    """Add the games of a store to the files of a folder, which may be missing.

    `file_of` names the file of a pairing, without suffix; None if its games are not written. Games
    without a search fingerprint are not written.
    """
    has_files = any(folder.glob(f"*{SUFFIX}"))
    files = read_folder(folder) if has_files else {}
    count = MergeCount()
    for summary in store.summaries():
        pairing = summary.pairing
        name = file_of(pairing)
        if name is None or not pairing.search_fingerprint:
            continue
        games = files.setdefault(name, {})
        for result in store.results(pairing, ALL_GAMES):
            known = games.get((pairing, result.index))
            if known is None:
                games[pairing, result.index] = result
                count.new += 1
            else:
                count.add_known(known, result)
    folder.mkdir(parents=True, exist_ok=True)
    # Pairings first: if the program dies, no game lacks its pairing.
    pairings = {pairing.settings for games in files.values() for pairing, _ in games}
    _write(folder / PAIRINGS_FILE, _pairings_text(pairings), compress=False)
    for name, games in files.items():
        _write(folder / f"{name}{SUFFIX}", _table_text(games), compress=True)
    return count


def check_folder(folder: Path) -> None:
    """Raise `GameFileError` if games cannot be added to a folder, before any are played."""
    if any(folder.glob(f"*{SUFFIX}")):
        read_folder(folder)
    parent = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise GameFileError(
            f"games cannot be written to {str(folder)!r}: {parent} is not writable."
        )


def read_folder(folder: Path) -> dict[str, Games]:
    """Read all files of a folder, by name without suffix; raise `GameFileError` if one is bad."""
    if folder.is_file():
        raise GameFileError(f"{str(folder)!r} is a file: name its folder, {str(folder.parent)!r}.")
    if not folder.is_dir():
        raise GameFileError(f"there is no folder {str(folder)!r} with game files.")
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    if not paths:
        below = sorted({path.parent for path in folder.glob(f"*/*{SUFFIX}")})
        hint = f" Did you mean {str(below[0])!r}?" if below else ""
        raise GameFileError(
            f"the folder {str(folder)!r} has no game files, such as cazenave2015-6{SUFFIX}.{hint}"
        )
    pairings = {pairing_id(pairing): pairing for pairing in _read_pairings(folder / PAIRINGS_FILE)}
    return {path.name.removesuffix(SUFFIX): _read_table(path, pairings) for path in paths}


def _read_pairings(path: Path) -> Iterator[Pairing]:
    for line, row in _rows(path, PAIRING_COLUMNS, compressed=False):
        try:
            pairing = Pairing(
                game=row["game"],
                agents=(spec_from_store(row["first"]), spec_from_store(row["second"])),
                budgets=(_read_budget(row, "first"), _read_budget(row, "second")),
                seed=_whole_number(row, "seed", least=-math.inf, most=math.inf),
                opening_plies=_whole_number(row, "opening_plies"),
                seating=row["seating"],
            )
            if pairing.seating not in SEATINGS:
                raise ValueError(f"unknown seating {row['seating']!r}")
        except (ValueError, UsageError) as error:
            raise _invalid(path, line, str(error)) from None
        if pairing_id(pairing) != row["pairing"]:
            raise _invalid(
                path,
                line,
                f"{row['pairing']!r} is not the id of this pairing, which is {pairing_id(pairing)}",
            )
        yield pairing


def _read_table(path: Path, pairings: Mapping[str, Pairing]) -> Games:
    games: Games = {}
    for line, row in _rows(path, COLUMNS, compressed=True):
        if row["pairing"] not in pairings:
            raise _invalid(path, line, f"{PAIRINGS_FILE} has no pairing {row['pairing']!r}")
        try:
            result = _read_result(row)
        except ValueError as error:
            raise _invalid(path, line, str(error)) from None
        pairing = replace(
            pairings[row["pairing"]],
            players=len(result.seats),
            search_fingerprint=row["fingerprint"],
        )
        if result.seed != pairing.game_seed(result.index):
            raise _invalid(path, line, f"{result.seed} is not the seed of game {result.index}")
        if result.seats != pairing.seats(result.index):
            raise _invalid(path, line, f"game {result.index} has other seats than {row['seats']}")
        first = games.setdefault((pairing, result.index), result)
        if (first.scores, first.plies) != (result.scores, result.plies):
            raise _invalid(path, line, f"game {result.index} is there twice with different results")
    return games


def _read_result(row: Mapping[str, str]) -> GameResult:
    seats, scores = row["seats"], row["scores"]
    result = GameResult(
        index=_whole_number(row, "index"),
        seats=tuple(int(side) for side in seats if side in "01"),
        seed=_whole_number(row, "seed", most=math.inf),
        scores=tuple(_number(score, "scores") for score in scores.split()),
        moves=(),
        playouts=_whole_number(row, "playouts"),
        seconds=_number(row["seconds"], "seconds"),
        version=row["version"],
        plies=_whole_number(row, "plies"),
    )
    if not all(0 <= score <= 1 for score in result.scores):
        raise ValueError(f"scores must be from 0 to 1, got {scores!r}")
    if len(result.seats) != len(seats) or set(result.seats) != {0, 1}:
        raise ValueError(f"seats must be of both agents, 0 and 1, got {seats!r}")
    if len(result.scores) != len(result.seats):
        raise ValueError(f"each of the seats {seats!r} has a score, got {scores!r}")
    if not 0 <= result.seconds < math.inf:
        raise ValueError(f"seconds must be at least 0 and finite, got {row['seconds']!r}")
    if not FINGERPRINT.fullmatch(row["fingerprint"]):
        raise ValueError(
            f"a search fingerprint has 12 hexadecimal digits, got {row['fingerprint'][:40]!r}"
        )
    if not VERSION.fullmatch(result.version):
        raise ValueError(f"a version is such as 0.1.0+01234567, got {result.version[:40]!r}")
    return result


def _whole_number(
    row: Mapping[str, str], column: str, *, least: float = 0, most: float = MOST
) -> int:
    """Read a whole number; raise a ValueError that names its column."""
    text = row[column]
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 40 and least <= int(text) <= most:
        return int(text)
    raise ValueError(f"{column} must be a whole number in range, got {text[:40]!r}")


def _number(text: str, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{column} must be numbers, got {text[:40]!r}") from None


def _rows(
    path: Path, columns: tuple[str, ...], compressed: bool
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV file with their line numbers."""
    try:
        content = _unpacked(path) if compressed else path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, EOFError, ValueError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error).removesuffix(".")
        raise GameFileError(
            f"{path} cannot be read: {reason}. Get the file again, or take it out of the folder."
        ) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        if (found := tuple(reader.fieldnames or ())) != columns:
            raise GameFileError(
                f"{path}: the columns must be {', '.join(columns)}, got "
                f"{', '.join(map(str, found))[:200] or 'none'}. Another version of graven may have "
                "written the file."
            )
        for row in reader:
            if None in row or None in row.values():
                raise _invalid(path, reader.line_num, f"a row has {len(columns)} values")
            yield reader.line_num, row
    except csv.Error as error:
        raise _invalid(path, reader.line_num + 1, str(error)) from None


def _unpacked(path: Path) -> bytes:
    with gzip.open(path) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES >> 20} MiB")
    return content


def _invalid(path: Path, line: int, reason: str) -> GameFileError:
    return GameFileError(f"{path}, line {line}: {reason.removesuffix('.')}.")


def _table_text(games: Games) -> str:
    rows = sorted(
        (pairing_id(pairing), pairing.search_fingerprint, index, result)
        for (pairing, index), result in games.items()
    )
    return _csv_text(
        COLUMNS,
        (
            (
                identity,
                index,
                result.seed,
                "".join(map(str, result.seats)),
                " ".join(f"{score!r}".removesuffix(".0") for score in result.scores),
                result.plies,
                result.playouts,
                round(result.seconds, SECONDS_DIGITS),
                result.version,
                fingerprint,
            )
            for identity, fingerprint, index, result in rows
        ),
    )


def _pairings_text(pairings: Iterable[Pairing]) -> str:
    rows = sorted(((pairing_id(pairing), pairing) for pairing in pairings), key=lambda row: row[0])
    return _csv_text(
        PAIRING_COLUMNS,
        (
            (
                identity,
                pairing.game,
                *pairing.stored_agents,
                *(n for budget in pairing.budgets for n in (budget.playouts, budget.seconds)),
                pairing.seed,
                pairing.opening_plies,
                pairing.seating,
            )
            for identity, pairing in rows
        ),
    )


def _csv_text(columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _read_budget(row: Mapping[str, str], side: str) -> Budget:
    playouts, seconds = row[f"{side}_playouts"], row[f"{side}_seconds"]
    return Budget(int(playouts) if playouts else None, float(seconds) if seconds else None)


def _write(path: Path, text: str, *, compress: bool) -> None:
    """Write a file in one step, unless it has this text already."""
    content = text.encode()
    if path.exists():
        present = path.read_bytes()
        if (gzip.decompress(present) if compress else present) == content:
            return
    replace_bytes(path, gzip.compress(content, mtime=0) if compress else content)
