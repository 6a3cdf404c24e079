"""Which cells of a game's drawing a move refers to."""

from __future__ import annotations

import re
from functools import lru_cache

_CELL = re.compile(r"data-cell='([^']*)'")
_CELL_NAME = re.compile(r"[A-Za-z]+\d+")


def cell_names(svg: str) -> frozenset[str]:
    """Return the names of the cells in a drawing."""
    return frozenset(_CELL.findall(svg))


def cells_of_move(move: str, names: frozenset[str]) -> list[str]:
    """Return the cells that a move's text names, in its order.

    `a2b3` names a2 and b3, `m21:ne3` names m21, `pass` names none. The cells of a GDL board have
    coordinates as names, such as `b 3`: `( move wp b 3 a 4 )` names `b 3` and `a 4`.
    """
    if move in names:
        return [move]
    lengths = _words_in_names(names)
    if lengths == (1,):
        return [name for name in _CELL_NAME.findall(move) if name in names]
    words, cells, at = move.split(), [], 0
    while at < len(words):
        name = next((n for k in lengths if (n := " ".join(words[at : at + k])) in names), None)
        if name:
            cells.append(name)
        at += len(name.split()) if name else 1
    return cells


@lru_cache(maxsize=64)
def _words_in_names(names: frozenset[str]) -> tuple[int, ...]:
    """Return how many words the names of cells have, the most first."""
    return tuple(sorted({len(name.split()) for name in names}, reverse=True)) or (1,)
