"""The query that lists every ply of every game of a result file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from graven.lab.store.schema import has_table
from graven.lab.store.stored_texts import read_list
from graven.lab.store.summaries import PAIRING_COLUMNS, exported_pairing

# Columns with one value per ply, by the table that has them: name of the column, name of the row.
PLY_COLUMNS = {
    "evaluation": {"scores": "value"},
    "move_search": {"players": "player", "playouts": "playouts", "seconds": "seconds"},
}

INDEX = 'number AS "index"'


def select_move_rows(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """Yield every ply of every game with its pairing as plain values.

    `player` is the seat that moved, None with simultaneous moves; `agent` is its spec. `value` is
    the mean score that the player expected. What was not recorded is None.
    """
    recorded = [table for table in PLY_COLUMNS if has_table(db, table)]
    columns = [
        f"{table}.{column} AS {name}"
        for table in recorded
        for column, name in PLY_COLUMNS[table].items()
    ]
    joins = [f"LEFT JOIN {table} ON {table}.game = game.id" for table in recorded]
    rows = db.execute(
        f"SELECT {', '.join([PAIRING_COLUMNS, INDEX, 'seats', 'moves', *columns])} "
        f"FROM game JOIN cell ON cell.id = game.cell {' '.join(joins)} ORDER BY cell.id, number"
    )
    names = [column[0] for column in rows.description]
    for stored in rows:
        yield from _plies(dict(zip(names, stored, strict=True)))


def _plies(game: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the plies of one game."""
    seats, moves = read_list(game.pop("seats")), read_list(game.pop("moves"))
    by_ply: dict[str, list[Any]] = {}
    for name in (name for names in PLY_COLUMNS.values() for name in names.values()):
        text = game.pop(name, None)
        by_ply[name] = read_list(text) if text else [None] * len(moves)
    game = {**exported_pairing(game.pop("pairing"), game.pop("index")), **game}
    for ply, move in enumerate(moves):
        searched = {name: values[ply] for name, values in by_ply.items()}
        player = searched["player"]
        side = seats[player] if player is not None else None
        agent = None if side is None else game["second" if side else "first"]
        yield {**game, "ply": ply, "agent": agent, "move": move, **searched}
