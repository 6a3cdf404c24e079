"""Draw boards of hexagonal cells as text and as SVG.

A game describes a position as a `HexBoard`, which is independent of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graven.drawing import hexes
from graven.drawing.hex_drawing import letter_after
from graven.games.boards import RESET, VACANT

LETTERS = "XO"
INKS = {"black": 16, "white": 231}
BACKGROUND, LINE = 179, 94


@dataclass(frozen=True)
class HexBoard:
    """A position to draw.

    `owners` has, row by row from the top, the player whose stone is in each cell, or VACANT.
    `indents` has the left margin of each row in half cells. `letters` name the columns: one for
    each cell of the first row, then one at the end of every row whose next row is longer. `names`
    has the cell names, row by row. `colours` has the players' colours. With `sides` the board's
    four sides have these colours (top and bottom: the first player's).
    """

    title: str
    owners: Sequence[Sequence[int]]
    indents: Sequence[int]
    letters: Sequence[str]
    names: Sequence[Sequence[str]]
    colours: tuple[str, str] = ("black", "white")
    sides: bool = False


def as_text(board: HexBoard, colour: bool = False) -> str:
    """Return the board as text with row and column names; `colour` adds ANSI colours."""
    margin = len(str(len(board.owners)))
    above = " " * (margin + board.indents[0])
    lengths = [len(owners) for owners in board.owners]
    first = board.letters[: lengths[0]]
    lines = [above + "".join(f"{letter:>2}" for letter in first)]
    for row, owners in enumerate(board.owners):
        label = " " * board.indents[row] + f"{row + 1:>{margin}}"
        cells = (
            _coloured(board, owners)
            if colour
            else "".join(f" {_symbol(owner)}" for owner in owners)
        )
        lines.append(f"{label}{cells} {letter_after(lengths, board.letters, row)}".rstrip())
    return "\n".join(lines)


def _symbol(owner: int) -> str:
    return "." if owner == VACANT else LETTERS[owner]


def _coloured(board: HexBoard, owners: Sequence[int]) -> str:
    inks = (LINE if owner == VACANT else INKS[board.colours[owner]] for owner in owners)
    cells = (
        f"\x1b[38;5;{ink}m {'·' if owner == VACANT else '●'}"
        for ink, owner in zip(inks, owners, strict=True)
    )
    return f"\x1b[48;5;{BACKGROUND}m{''.join(cells)} {RESET}"


def as_svg(board: HexBoard) -> str:
    """Return the board as an SVG element with coordinates and a title for screen readers."""
    return hexes(
        board.owners,
        names=board.names,
        indents=board.indents,
        colours=board.colours,
        column_letters=board.letters,
        sides=board.sides,
        title=board.title,
    )
