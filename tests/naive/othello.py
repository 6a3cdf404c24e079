"""Othello from its rules: a dict from squares to the player whose disc is there.

Black (player 0) moves first. The square a1 is at the top left. A player without a move passes;
when neither player has a move, the most discs win.
"""

from __future__ import annotations

LETTERS = "abcdefgh"

Square = tuple[int, int]


class Othello:
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.turn = 0
        down, right = rows // 2, columns // 2
        self.board: dict[Square, int] = {
            (down - 1, right - 1): 1,
            (down, right): 1,
            (down - 1, right): 0,
            (down, right - 1): 0,
        }

    def flips(self, square: Square, side: int) -> list[Square]:
        """Return the discs that a disc on an empty square flips."""
        flipped: list[Square] = []
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                line: list[Square] = []
                row, column = square[0] + down, square[1] + right
                while self.board.get((row, column)) == 1 - side:
                    line.append((row, column))
                    row, column = row + down, column + right
                if self.board.get((row, column)) == side:
                    flipped += line
        return flipped

    def discs(self, side: int) -> dict[str, Square]:
        return {
            f"{LETTERS[column]}{row + 1}": (row, column)
            for row in range(self.rows)
            for column in range(self.columns)
            if (row, column) not in self.board and self.flips((row, column), side)
        }

    @property
    def over(self) -> bool:
        return not self.discs(0) and not self.discs(1)

    def moves(self) -> set[str]:
        return set() if self.over else set(self.discs(self.turn)) or {"pass"}

    def play(self, text: str) -> None:
        if text != "pass":
            square = self.discs(self.turn)[text]
            changed = {*self.flips(square, self.turn), square}
            self.board = {**self.board, **dict.fromkeys(changed, self.turn)}
        self.turn = 1 - self.turn

    @property
    def scores(self) -> tuple[float, float]:
        sides = list(self.board.values())
        ahead = sides.count(0) - sides.count(1)
        first = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
        return first, 1.0 - first
