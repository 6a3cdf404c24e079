"""Boards of rows and columns: sizes, cell names, and drawing as text.

A game describes a position as a `SquareBoard`, which is independent of the rules. `as_text` here
and `svg_boards.as_svg` draw it. Cells are numbered row by row from the bottom left (row 0 has the
label 1); boards with discs (Othello) are numbered from the top left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graven.core.errors import UsageError

# The kind of pieces also selects the kind of board: pawns and knights stand on chequered squares,
# stones on the crossings of lines, dominoes cover two squares of a plain grid, discs lie on a green
# grid.
Pieces = Literal["pawns", "knights", "stones", "dominoes", "discs"]
VACANT = -1

SQUARE_LETTERS = "abcdefghijklmnopqrstuvwxyz"
POINT_LETTERS = "ABCDEFGHJKLMNOPQRST"  # Go coordinates have no I

LETTERS = {"pawns": "WB", "knights": "WB", "stones": "XORB", "discs": "XO"}

# ANSI 256-colour codes: each player's pieces, the two background colours of a board, its lines.
INKS = {
    "pawns": (231, 16),
    "knights": (231, 16),
    "stones": (16, 231, 160, 27),
    "dominoes": (25, 166),
    "discs": (16, 231),
}
BACKGROUNDS = {
    "pawns": (66, 109),
    "knights": (66, 109),
    "stones": (179, 179),
    "dominoes": (253, 255),
    "discs": (29, 35),
}
LINES = 94
RESET = "\x1b[0m"


@dataclass(frozen=True)
class SquareBoard:
    """A position to draw. `owners` has for each cell the player whose piece is there, or VACANT."""

    title: str
    rows: int
    columns: int
    owners: Sequence[int]
    pieces: Pieces

    def owner(self, row: int, column: int) -> int:
        """Return the owner of the piece on a cell; VACANT for cells off the board."""
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return self.owners[row * self.columns + column]
        return VACANT

    @property
    def rows_from_top(self) -> list[int]:
        """The row numbers in drawing order, top row first."""
        rows = range(self.rows)
        return list(rows if self.pieces == "discs" else reversed(rows))

    @property
    def letters(self) -> str:
        """The column names, one letter each."""
        letters = POINT_LETTERS if self.pieces == "stones" else SQUARE_LETTERS
        return letters[: self.columns]

    def dominoes(self) -> list[tuple[int, int, int]]:
        """Return the dominoes as (player, cell, cell), the lower or left cell first.

        Player 0 places vertical and player 1 horizontal dominoes, so an unbroken run of one
        player's cells splits into dominoes in only one way: in pairs from its start.
        """
        dominoes = []
        for player, (down, left) in enumerate(((1, 0), (0, 1))):
            unpaired = set()
            for row in range(self.rows):
                for column in range(self.columns):
                    if self.owner(row, column) != player:
                        continue
                    before = (row - down, column - left)
                    if before in unpaired:
                        unpaired.discard(before)
                        first = before[0] * self.columns + before[1]
                        dominoes.append((player, first, row * self.columns + column))
                    else:
                        unpaired.add((row, column))
        return dominoes

    def star_points(self) -> list[tuple[int, int]]:
        """Return the (row, column) of the star points of a Go board."""
        rows, columns = _star_lines(self.rows), _star_lines(self.columns)
        crossings = [(row, column) for row in rows for column in columns]
        if min(self.rows, self.columns) >= 15:
            return crossings
        # Small boards have star points in the corners and the centre, but not along the sides.
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
    """Return a cell's name: column letter and row number."""
    return f"{letters[cell % columns]}{cell // columns + 1}"


@dataclass(frozen=True)
class SizeRange:
    """The board sizes of a game: the smallest and largest number of rows and of columns."""

    rows: tuple[int, int]
    columns: tuple[int, int]

    def __str__(self) -> str:
        (low, high), (left, right) = self.rows, self.columns
        return f"{low} to {high} rows and {left} to {right} columns"

    def parse(self, size: int | str) -> tuple[int, int]:
        """Return (rows, columns) of a size such as 8, "8" or "6x5" (rows first)."""
        match = re.fullmatch(r"(\d{1,4})(?:[x×](\d{1,4}))?", str(size).strip().lower())
        if match:
            rows, columns = int(match[1]), int(match[2] or match[1])
            if self._contains(rows, columns):
                return rows, columns
        raise UsageError(
            f"size must be {self}, written like 8 or 6x5 (rows x columns), got {size}."
        )

    def _contains(self, rows: int, columns: int) -> bool:
        return (
            self.rows[0] <= rows <= self.rows[1] and self.columns[0] <= columns <= self.columns[1]
        )


def as_text(board: SquareBoard, colour: bool = False) -> str:
    """Return the board as text with row and column names, top row first.

    `colour` adds ANSI escape codes for a terminal with 256 colours.
    """
    margin = len(str(board.rows))
    cells = _coloured(board) if colour else [f" {symbol}" for symbol in _symbols(board)]
    lines = []
    for row in board.rows_from_top:
        line = "".join(cells[row * board.columns : (row + 1) * board.columns])
        lines.append(f"{row + 1:>{margin}}{line}{RESET if colour else ''}")
    lines.append(" " * margin + "".join(f" {letter}" for letter in board.letters))
    return "\n".join(lines)


def _symbols(board: SquareBoard) -> list[str]:
    """Return one character per cell: a piece's letter, half a domino, or a dot."""
    symbols = ["."] * (board.rows * board.columns)
    if board.pieces == "dominoes":
        for player, first, second in board.dominoes():
            symbols[first], symbols[second] = "v^" if player == 0 else "<>"
        return symbols
    if board.pieces == "stones":
        for row, column in board.star_points():
            symbols[row * board.columns + column] = "+"
    for cell, owner in enumerate(board.owners):
        if owner != VACANT:
            symbols[cell] = LETTERS[board.pieces][owner]
    return symbols


def _coloured(board: SquareBoard) -> list[str]:
    """Return two characters per cell (about as wide as high) with escape codes for colours."""
    cells = []
    for cell, drawing in enumerate(_drawings(board)):
        left, right = drawing[0], drawing[1]
        row, column = divmod(cell, board.columns)
        background = BACKGROUNDS[board.pieces][(row + column) % 2]
        owner = board.owners[cell]
        ink = LINES if owner == VACANT else INKS[board.pieces][owner]
        # The line that leads to a stone has the colour of the board's lines.
        first = LINES if left == "─" else ink
        cells.append(f"\x1b[48;5;{background};38;5;{first}m{left}\x1b[38;5;{ink}m{right}")
    return cells


def _drawings(board: SquareBoard) -> list[str]:
    """Return the two characters that `_coloured` prints in each cell."""
    if board.pieces == "dominoes":
        # Gaps at the ends or sides separate adjacent dominoes of one player.
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


def _crossing(board: SquareBoard, cell: int) -> str:
    """Return the box-drawing character of a point of a Go board."""
    row, column = divmod(cell, board.columns)
    if (row, column) in board.star_points():
        return "╋"
    across = 0 if column == 0 else 2 if column == board.columns - 1 else 1
    return ("└┴┘" if row == 0 else "┌┬┐" if row == board.rows - 1 else "├┼┤")[across]
