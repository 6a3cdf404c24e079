"""Domineering from its rules: a set of covered squares.

Player 0 places vertical dominoes and moves first, player 1 horizontal ones. A player without a move
loses.
"""

from __future__ import annotations

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Domineering:
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.turn = 0
        self.covered: frozenset[tuple[int, int]] = frozenset()

    def places(self) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
        up, right = (1, 0) if self.turn == 0 else (0, 1)
        moves = {}
        for row in range(self.rows - up):
            for column in range(self.columns - right):
                first, second = (row, column), (row + up, column + right)
                if first not in self.covered and second not in self.covered:
                    moves[self.name(first) + self.name(second)] = (first, second)
        return moves

    def name(self, square: tuple[int, int]) -> str:
        return f"{LETTERS[square[1]]}{square[0] + 1}"

    @property
    def over(self) -> bool:
        return not self.places()

    def moves(self) -> set[str]:
        return set(self.places())

    def play(self, text: str) -> None:
        self.covered = self.covered.union(self.places()[text])
        self.turn = 1 - self.turn

    @property
    def scores(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.turn == 0 else (1.0, 0.0)
