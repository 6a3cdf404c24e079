"""Which cells of a game's drawing a move refers to."""

from __future__ import annotations

import re
from collections.abc import Collection

_CELL = re.compile(r"data-cell='([^']*)'")
_CELL_NAME = re.compile(r"[A-Za-z]+\d+")


def cell_names(svg: str) -> frozenset[str]:
    """Return the names of the cells in a drawing."""
    return frozenset(_CELL.findall(svg))


def cells_of_move(move: str, names: Collection[str]) -> list[str]:
    """Return the cells that a move's text names, in its order.

    `a2b3` names a2 and b3, `m21:ne3` names m21, `pass` names none.
    """
    if move in names:
        return [move]
    return [name for name in _CELL_NAME.findall(move) if name in names]
