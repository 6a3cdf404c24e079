"""The store: one SQLite file with every finished game, the only memory of the laboratory.

A game is one row, written in one transaction when the game ends, so a run can be interrupted at any
time without losing finished games. The pairing and the number of a game identify it, so no game
counts twice.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from graven.core.status import check_scores
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.store.checksums import GameChecksums
from graven.lab.store.move_rows import select_move_rows
from graven.lab.store.schema import has_evaluations
from graven.lab.store.store_file import IN_MEMORY, open_database, store_errors
from graven.lab.store.stored_texts import former_keys, read_list, write_list
from graven.lab.store.summaries import (
    Summary,
    count_lengths,
    select_rows,
    select_summaries,
)

_RESULT_COLUMNS = (
    "number",
    "seats",
    "seed",
    "scores",
    "moves",
    "playouts",
    "seconds",
    "version",
    "machine",
    "plies",
)


class Store:
    """An open store. Use it as a context manager, or close it."""

    def __init__(self, path: str | os.PathLike[str] = IN_MEMORY, write: bool = True) -> None:
        """Open the store at `path`; create a missing file unless `write` is False."""
        self.path = str(path)
        self._db = open_database(self.path, write)
        self._checksums = GameChecksums(self._db)
        self._former_keys: dict[str, list[str]] | None = None
        # The result of a match keeps its store, and results are never closed.
        weakref.finalize(self, self._db.close)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def pairing_id(self, pairing: Pairing) -> int:
        """Return the id of a pairing in this store; add the pairing if it is new."""
        with store_errors(self.path):
            keys = self._stored_keys(pairing)
            find = f"SELECT id FROM cell WHERE key IN ({_marks(keys)}) ORDER BY id"
            stored = self._db.execute(find, keys).fetchone()
            if stored is None:
                first, second = pairing.budgets
                self._insert(
                    "cell",
                    "key",
                    {
                        "key": pairing.key,
                        "game": pairing.game,
                        "first": pairing.stored_agents[0],
                        "second": pairing.stored_agents[1],
                        "first_playouts": first.playouts,
                        "first_seconds": first.seconds,
                        "second_playouts": second.playouts,
                        "second_seconds": second.seconds,
                        "seed": str(pairing.seed),
                        "openings": pairing.opening_plies,
                        "seating": pairing.stored_seating,
                    },
                )
                stored = self._db.execute(find, keys).fetchone()
        return int(stored[0])

    def add(self, pairing_id: int, result: GameResult) -> bool:
        """Record a game of a pairing; return whether it was new."""
        check_scores(f"game {result.index}", result.scores)
        with store_errors(self.path), self.transaction():
            game_id = self._insert(
                "game",
                "cell, number",
                {
                    "cell": pairing_id,
                    "number": result.index,
                    "outcome": result.outcome,
                    "plies": result.plies,
                    "playouts": result.playouts,
                    "seconds": result.seconds,
                    "ended": datetime.now(UTC).isoformat(timespec="seconds"),
                    "version": result.version,
                    "machine": result.machine,
                    "seed": str(result.seed),
                    "seats": write_list(result.seats),
                    "scores": write_list(result.scores),
                    "moves": write_list(result.moves),
                },
            )
            if game_id is not None:
                self._add_plies(game_id, result)
                self._checksums.seal(game_id)
        return game_id is not None

    def remove(self, pairing_id: int, index: int) -> None:
        """Remove a game, which may be wrong."""
        with store_errors(self.path), self.transaction():
            find = "SELECT id FROM game WHERE cell = ? AND number = ?"
            for (game_id,) in self._db.execute(find, (pairing_id, index)).fetchall():
                for table in ("checksum", "evaluation", "move_search"):
                    self._db.execute(f"DELETE FROM {table} WHERE game = ?", (game_id,))
                self._db.execute("DELETE FROM game WHERE id = ?", (game_id,))

    def _add_plies(self, game_id: int, result: GameResult) -> None:
        """Record values and searches of a game's moves; replace those of a removed game."""
        for table in ("evaluation", "move_search"):
            self._db.execute(f"DELETE FROM {table} WHERE game = ?", (game_id,))
        if any(value is not None for value in result.values):
            self._db.execute(
                "INSERT INTO evaluation VALUES (?, ?)", (game_id, write_list(result.values))
            )
        if result.searches:
            columns = (write_list(column) for column in zip(*result.searches, strict=True))
            self._db.execute("INSERT INTO move_search VALUES (?, ?, ?, ?)", (game_id, *columns))

    def _insert(self, table: str, unique: str, values: dict[str, Any]) -> int | None:
        """Insert a row and return its id; None if a row with these unique columns exists."""
        cursor = self._db.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({_marks(values)}) "
            f"ON CONFLICT ({unique}) DO NOTHING",
            tuple(values.values()),
        )
        return cursor.lastrowid if cursor.rowcount == 1 else None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Record everything that the block adds, or nothing; join a transaction under way."""
        if self._db.in_transaction:
            yield
            return
        with store_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            with store_errors(self.path):
                self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def recorded_games(self, pairing: Pairing, games: int) -> set[int]:
        """Return the indexes of those of a pairing's first `games` games that are recorded."""
        return set(self.outcomes(pairing, games))

    def outcomes(self, pairing: Pairing, games: int) -> dict[int, float]:
        """Return the outcomes of those of a pairing's first `games` games that have been played.

        The keys are the indexes of the games.
        """
        with store_errors(self.path):
            where, values = self._select(pairing, games)
            rows = self._db.execute(
                "SELECT number, outcome FROM game JOIN cell ON cell.id = game.cell "
                f"{where} ORDER BY number",
                values,
            )
            return {int(number): float(outcome) for number, outcome in rows}

    def results(self, pairing: Pairing, games: int, start: int = 0) -> Iterator[GameResult]:
        """Yield the played games of a pairing with numbers from `start` to `games` - 1."""
        with store_errors(self.path):
            evaluations, join = "NULL", ""
            if has_evaluations(self._db):
                evaluations = "evaluation.scores"
                join = "LEFT JOIN evaluation ON evaluation.game = game.id"
            columns = ", ".join(f"game.{name}" for name in _RESULT_COLUMNS)
            where, values = self._select(pairing, games)
            rows = self._db.execute(
                f"SELECT {evaluations}, {columns} FROM game JOIN cell ON cell.id = game.cell "
                f"{join} {where} AND number >= ? ORDER BY number",
                (*values, start),
            )
            for row in rows:
                yield _result(row)

    def summary(self, pairing: Pairing, games: int) -> Summary:
        """Return the totals of a pairing's first `games` games."""
        with store_errors(self.path):
            stored = next(select_summaries(self._db, *self._select(pairing, games)), None)
        # A pairing read from a key lacks the number of players; the argument has it.
        return (
            replace(stored, pairing=pairing)
            if stored
            else Summary(pairing, MatchStatistics(Score()))
        )

    def summaries(self) -> list[Summary]:
        """Return the totals of every pairing, in the order in which the pairings were added."""
        with store_errors(self.path):
            return list(select_summaries(self._db))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield every game with its pairing as plain values; seats, scores and moves are lists."""
        with store_errors(self.path):
            yield from select_rows(self._db)

    def move_rows(self) -> Iterator[dict[str, Any]]:
        """Yield every ply of every game with its pairing as plain values."""
        with store_errors(self.path):
            yield from select_move_rows(self._db)

    def dates(self) -> tuple[str, str]:
        """Return when the first and the last game ended, in UTC; empty without games."""
        with store_errors(self.path):
            first, last = self._db.execute("SELECT MIN(ended), MAX(ended) FROM game").fetchone()
            return str(first or ""), str(last or "")

    def lengths(self) -> dict[str, dict[int, int]]:
        """Return, for the name of every game, how many recorded games had how many plies."""
        with store_errors(self.path):
            return count_lengths(self._db)

    def _select(self, pairing: Pairing, games: int) -> tuple[str, tuple[Any, ...]]:
        """Return the SQL clause, with its parameters, that selects a pairing's first games."""
        keys = self._stored_keys(pairing)
        return f"WHERE key IN ({_marks(keys)}) AND number < ?", (*keys, games)

    def _stored_keys(self, pairing: Pairing) -> tuple[str, ...]:
        """Return the keys that a pairing may have in this store.

        Programs of this version add present keys only, so former keys are looked up once.
        """
        if self._former_keys is None:
            self._former_keys = former_keys(
                key for (key,) in self._db.execute("SELECT key FROM cell")
            )
        return pairing.key, *self._former_keys.get(pairing.key, ())


def _marks(values: Sequence[Any] | dict[str, Any]) -> str:
    return ", ".join("?" for _ in values)


def _result(row: Sequence[Any]) -> GameResult:
    """Read a game from its evaluations and the columns of `_RESULT_COLUMNS`."""
    values, *columns = row
    stored = dict(zip(_RESULT_COLUMNS, columns, strict=True))
    seats, scores = read_list(stored["seats"]), read_list(stored["scores"])
    if len(seats) != len(scores) or not all(_is_score(score) for score in scores):
        raise ValueError(f"the scores of game {stored['number']}")
    return GameResult(
        index=int(stored["number"]),
        seats=tuple(seats),
        seed=int(stored["seed"]),
        scores=tuple(scores),
        moves=tuple(read_list(stored["moves"])),
        playouts=stored["playouts"],
        seconds=stored["seconds"],
        version=stored["version"],
        machine=stored["machine"],
        values=tuple(read_list(values)) if values else (),
        plies=stored["plies"],
    )


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1
