"""Checksums of recorded games: opening a file detects changed bits.

SQLite checks the structure of a file, not the values in it. The table `checksum` has a CRC-32 of
every game over all values of its row, of its pairing's row, and of the evaluations and searches of
its moves. It is a table apart from `game`, so that versions without it can read and continue the
file; games that such a version adds have no checksum until the file is opened for writing.
"""

from __future__ import annotations

import sqlite3
import zlib

CHECKSUM_TABLE = """
CREATE TABLE IF NOT EXISTS checksum (
    game INTEGER PRIMARY KEY REFERENCES game (id),
    crc INTEGER NOT NULL            -- CRC-32 of all values of the game, see `checksums.py`
) STRICT;
"""
TABLES = ("cell", "game", "evaluation", "move_search")


class DamagedRowError(sqlite3.DatabaseError):
    """A game whose values do not match its checksum."""


class GameChecksums:
    """The checksums of an open file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        columns = [
            f"{table}.{name}"
            for table in TABLES
            for (name,) in db.execute(f"SELECT name FROM pragma_table_info('{table}')")
            # These ids are in the row of the game, too.
            if (table, name)
            not in (("cell", "id"), ("evaluation", "game"), ("move_search", "game"))
        ]
        db.create_function("row_crc", len(columns), _crc, deterministic=True)
        joined = " ".join(
            f"LEFT JOIN {table} ON {table}.{key} = {other}"
            for table, key, other in (
                ("cell", "id", "game.cell"),
                ("evaluation", "game", "game.id"),
                ("move_search", "game", "game.id"),
            )
            if any(column.startswith(f"{table}.") for column in columns)
        )
        self._select = (
            f"SELECT game.id, row_crc({', '.join(columns)}) AS current FROM game {joined}"
        )

    def seal(self, game_id: int) -> None:
        """Write the checksum of a game."""
        self._seal("game.id = ?", game_id)

    def seal_others(self) -> None:
        """Write the checksums of games that a version without checksums has added."""
        self._seal("game.id NOT IN (SELECT game FROM checksum)")

    def _seal(self, condition: str, *values: object) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO checksum (game, crc) {self._select} WHERE {condition}", values
        )

    def check(self) -> None:
        """Raise `DamagedRowError` at the first game that does not match its checksum."""
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'checksum'").fetchone():
            return  # a version without checksums wrote the file
        damaged = self._db.execute(
            f"SELECT id FROM ({self._select}) JOIN checksum ON checksum.game = id "
            "WHERE crc != current LIMIT 1"
        ).fetchone()
        if damaged:
            raise DamagedRowError(str(damaged[0]))


def _crc(*values: object) -> int:
    """Return the checksum of a row; NULL does not count, so that tables can get more columns."""
    return zlib.crc32(repr([value for value in values if value is not None]).encode())
