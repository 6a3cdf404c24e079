"""Boards of rows and columns: their sizes, the names of their cells, and how they look as text.

A game describes its position as a `Board`, which knows no rules; `as_text` here and `as_svg` in
`pictures` draw it. Cells count row by row from the bottom left: row 0 is the row numbered 1. With
discs (Othello) they count from the top left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graven.core.errors import UsageError

# What stands on a board also says what the board is: pawns and knights stand on chequered
# squares, stones on the crossings of lines, dominoes cover two squares of a plain grid, and discs
# lie on a green one.
Pieces = Literal["pawns", "knights", "stones", "dominoes", "discs"]
VACANT = -1

SQUARE_LETTERS = "abcdefghijklmnopqrstuvwxyz"
POINT_LETTERS = "ABCDEFGHJKLMNOPQRST"  # Go players leave out the I

LETTERS = {"pawns": "WB", "knights": "WB", "stones": "XORB", "discs": "XO"}

# Colours of a terminal's 256: each player's pieces, the two grounds of a board, and its lines.
INKS = {
    "pawns": (231, 16),
    "knights": (231, 16),
    "stones": (16, 231, 160, 27),
    "dominoes": (25, 166),
    "discs": (16, 231),
}
GROUNDS = {
    "pawns": (66, 109),
    "knights": (66, 109),
    "stones": (179, 179),
    "dominoes": (253, 255),
    "discs": (29, 35),
}
LINES = 94
RESET = "\x1b[0m"


@dataclass(frozen=True)
class Board:
    """A position as it looks: `owners` holds, cell by cell, whose piece it is, or VACANT."""

    title: str
    rows: int
    columns: int
    owners: Sequence[int]
    pieces: Pieces

    def owner(self, row: int, column: int) -> int:
        """Whose piece stands there; VACANT also for cells off the board."""
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return self.owners[row * self.columns + column]
        return VACANT

    @property
    def from_the_top(self) -> list[int]:
        """The rows as they are drawn, the uppermost first."""
        rows = range(self.rows)
        return list(rows if self.pieces == "discs" else reversed(rows))

    @property
    def letters(self) -> str:
        """The names of the columns, one letter each."""
        letters = POINT_LETTERS if self.pieces == "stones" else SQUARE_LETTERS
        return letters[: self.columns]

    def dominoes(self) -> list[tuple[int, int, int]]:
        """The dominoes as (player, cell, other cell); the first of the cells is lower or left.

        Player 0 lays them upright and player 1 flat, so an unbroken run of one player's cells
        splits into dominoes in one way only: in pairs from its start.
        """
        found = []
        for player, (down, left) in enumerate(((1, 0), (0, 1))):
            half_done = set()
            for row in range(self.rows):
                for column in range(self.columns):
                    if self.owner(row, column) != player:
                        continue
                    before = (row - down, column - left)
                    if before in half_done:
                        half_done.discard(before)
                        first = before[0] * self.columns + before[1]
                        found.append((player, first, row * self.columns + column))
                    else:
                        half_done.add((row, column))
        return found

    def stars(self) -> list[tuple[int, int]]:
        """The (row, column) of the points that a Go board marks."""
        rows, columns = _star_lines(self.rows), _star_lines(self.columns)
        crossings = [(row, column) for row in rows for column in columns]
        if min(self.rows, self.columns) >= 15:
            return crossings
        # A small board marks its corners and its centre, not the middles of its sides.
        middle = (self.rows // 2, self.columns // 2)
        return [
            (row, column)
            for row, column in crossings
            if (row, column) == middle or (row != middle[0] and column != middle[1])
        ]


def _star_lines(length: int) -> list[int]:
    if length < 7:
        return []
    edge = 3 if length >= 12 else 2
    lines = {edge, length - 1 - edge}
    if length % 2 and length >= 9:
        lines.add(length // 2)
    return sorted(lines)


def cell_name(cell: int, columns: int, letters: str = SQUARE_LETTERS) -> str:
    """A cell's name: the letter of its column and the number of its row."""
    return f"{letters[cell % columns]}{cell // columns + 1}"


@dataclass(frozen=True)
class SizeRange:
    """The sizes a game can be played on: the least and the most rows, and columns."""

    rows: tuple[int, int]
    columns: tuple[int, int]

    def __str__(self) -> str:
        (low, high), (left, right) = self.rows, self.columns
        return f"{low} to {high} rows and {left} to {right} columns"

    def parse(self, size: int | str) -> tuple[int, int]:
        """Rows and columns of a size such as 8, "8" or "6x5" (rows first)."""
        match = re.fullmatch(r"(\d{1,4})(?:[x×](\d{1,4}))?", str(size).strip().lower())
        if match:
            rows, columns = int(match[1]), int(match[2] or match[1])
            if self._holds(rows, columns):
                return rows, columns
        raise UsageError(
            f"size must be {self}, written like 8 or 6x5 (rows x columns): not {size}."
        )

    def _holds(self, rows: int, columns: int) -> bool:
        return (
            self.rows[0] <= rows <= self.rows[1] and self.columns[0] <= columns <= self.columns[1]
        )


def as_text(board: Board, colour: bool = False) -> str:
    """The board as text, the top row first, with the names of rows and columns beside it.

    With `colour` it is dressed in ANSI colours, for a terminal that shows 256 of them.
    """
    margin = len(str(board.rows))
    cells = _coloured(board) if colour else [f" {symbol}" for symbol in _symbols(board)]
    lines = []
    for row in board.from_the_top:
        line = "".join(cells[row * board.columns : (row + 1) * board.columns])
        lines.append(f"{row + 1:>{margin}}{line}{RESET if colour else ''}")
    lines.append(" " * margin + "".join(f" {letter}" for letter in board.letters))
    return "\n".join(lines)


def _symbols(board: Board) -> list[str]:
    """One character a cell: a piece's letter, half of a domino, or a dot."""
    symbols = ["."] * (board.rows * board.columns)
    if board.pieces == "dominoes":
        for player, first, second in board.dominoes():
            symbols[first], symbols[second] = "v^" if player == 0 else "<>"
        return symbols
    if board.pieces == "stones":
        for row, column in board.stars():
            symbols[row * board.columns + column] = "+"
    for cell, owner in enumerate(board.owners):
        if owner != VACANT:
            symbols[cell] = LETTERS[board.pieces][owner]
    return symbols


def _coloured(board: Board) -> list[str]:
    """Two characters a cell, which is about as wide as high, on the colour of its ground."""
    cells = []
    for cell, drawing in enumerate(_drawings(board)):
        left, right = drawing[0], drawing[1]
        row, column = divmod(cell, board.columns)
        ground = GROUNDS[board.pieces][(row + column) % 2]
        owner = board.owners[cell]
        ink = LINES if owner == VACANT else INKS[board.pieces][owner]
        # The line that leads to a stone is part of the board.
        first = LINES if left == "─" else ink
        cells.append(f"\x1b[48;5;{ground};38;5;{first}m{left}\x1b[38;5;{ink}m{right}")
    return cells


def _drawings(board: Board) -> list[str]:
    """The two characters that `_coloured` prints in each cell."""
    if board.pieces == "dominoes":
        # The gaps at one end or at the sides keep dominoes of one player apart.
        drawings = ["  "] * (board.rows * board.columns)
        for player, first, second in board.dominoes():
            drawings[first], drawings[second] = ("▝▘", "▐▌") if player == 0 else ("▐█", "█▌")
        return drawings
    if board.pieces == "stones":
        return [
            ("─" if cell % board.columns else " ")
            + (_crossing(board, cell) if owner == VACANT else "●")
            for cell, owner in enumerate(board.owners)
        ]
    symbol = "♞" if board.pieces == "knights" else "●"
    return ["  " if owner == VACANT else f" {symbol}" for owner in board.owners]


def _crossing(board: Board, cell: int) -> str:
    """How the lines meet at a point of a Go board."""
    row, column = divmod(cell, board.columns)
    if (row, column) in board.stars():
        return "╋"
    across = 0 if column == 0 else 2 if column == board.columns - 1 else 1
    return ("└┴┘" if row == 0 else "┌┬┐" if row == board.rows - 1 else "├┼┤")[across]
