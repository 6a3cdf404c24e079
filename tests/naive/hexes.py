"""Hex and Havannah from their rules: a dict from cells to the player whose stone is there.

A cell (row, column) is adjacent to those in STEPS: rows count from the top, each half a cell
further to the right than the row above it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from string import ascii_lowercase

Cell = tuple[int, int]

STEPS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def around(cell: Cell) -> list[Cell]:
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS]


class Hexes(ABC):
    """Two players fill cells in turn until one of them wins, or the board is full."""

    cells: set[Cell]

    def __init__(self) -> None:
        self.turn = 0
        self.board: dict[Cell, int] = {}
        self.winner: int | None = None

    @abstractmethod
    def name(self, cell: Cell) -> str: ...

    @abstractmethod
    def has_won(self, side: int, cell: Cell) -> bool: ...

    def chain(self, cell: Cell) -> set[Cell]:
        """Return the stones connected with the one on this cell."""
        stones, frontier = {cell}, [cell]
        while frontier:
            for adjacent in around(frontier.pop()):
                if self.board.get(adjacent) == self.board[cell] and adjacent not in stones:
                    stones.add(adjacent)
                    frontier.append(adjacent)
        return stones

    @property
    def over(self) -> bool:
        return self.winner is not None or len(self.board) == len(self.cells)

    def moves(self) -> set[str]:
        return set() if self.over else {self.name(cell) for cell in self.cells - self.board.keys()}

    def play(self, text: str) -> None:
        cell = next(cell for cell in self.cells if self.name(cell) == text)
        self.board = {**self.board, cell: self.turn}
        if self.has_won(self.turn, cell):
            self.winner = self.turn
        self.turn = 1 - self.turn

    @property
    def scores(self) -> tuple[float, float]:
        first = 0.5 if self.winner is None else 1.0 - self.winner
        return first, 1.0 - first


class Hex(Hexes):
    """The first player connects top and bottom, the second left and right."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.last = (rows - 1, columns - 1)
        self.cells = {(row, column) for row in range(rows) for column in range(columns)}

    def name(self, cell: Cell) -> str:
        return f"{ascii_lowercase[cell[1]]}{cell[0] + 1}"

    def has_won(self, side: int, cell: Cell) -> bool:
        lines = {place[side] for place in self.chain(cell)}
        return {0, self.last[side]} <= lines


class Havannah(Hexes):
    """Connecting two corners or three sides, or closing a ring, wins.

    A board of edge length n: cells (row, column) from (0, 0) to (2n - 2, 2n - 2) with row + column
    from n - 1 to 3n - 3. Columns are lettered along the top side and on to its right, rows numbered
    from 1 at the top, each row's letters starting where its left end is under the top side.
    """

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.n = rows
        span = range(2 * rows - 1)
        self.cells = {
            (row, column)
            for row in span
            for column in span
            if rows - 1 <= row + column <= 3 * rows - 3
        }

    def name(self, cell: Cell) -> str:
        # The letters run along the other diagonal; after z comes aa.
        more, letter = divmod(cell[0] + cell[1] - (self.n - 1), 26)
        return f"{'a' * more}{ascii_lowercase[letter]}{cell[0] + 1}"

    def sides(self, cell: Cell) -> set[int]:
        """Which of the six sides of the board the cell lies on."""
        row, column = cell
        far, diagonal = 2 * self.n - 2, row + column
        lines = (row == 0, row == far, column == 0, column == far)
        lines += (diagonal == self.n - 1, diagonal == 3 * self.n - 3)
        return {number for number, lies in enumerate(lines) if lies}

    def has_won(self, side: int, cell: Cell) -> bool:
        chain = self.chain(cell)
        touched = [self.sides(place) for place in chain]
        corners = sum(len(sides) == 2 for sides in touched)
        edges = set().union(*(sides for sides in touched if len(sides) == 1))
        return corners >= 2 or len(edges) >= 3 or self.encircles(chain)

    def encircles(self, chain: set[Cell]) -> bool:
        """Whether the chain surrounds a cell, or a stone of the chain has six own neighbours."""
        if any(all(adjacent in chain for adjacent in around(cell)) for cell in chain):
            return True
        outside = {cell for cell in self.cells - chain if self.sides(cell)}
        frontier = list(outside)
        while frontier:
            for adjacent in around(frontier.pop()):
                if adjacent in self.cells - chain - outside:
                    outside.add(adjacent)
                    frontier.append(adjacent)
        return len(outside) + len(chain) < len(self.cells)
