"""Breakthrough and Knightthrough from their rules: a dict from squares to players.

White (player 0) starts on the two bottom rows, moves up, and moves first. The first
player to reach the far row or to capture the last enemy piece wins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Through(ABC):
    steps: tuple[tuple[int, int], ...]  # (rows forward, columns aside)

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.turn = 0
        self.winner: int | None = None
        self.board = {}
        for column in range(columns):
            for near in (0, 1):
                self.board[near, column] = 0
                self.board[rows - 1 - near, column] = 1

    def targets(self) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
        moves = {}
        forward = 1 if self.turn == 0 else -1
        for (row, column), side in self.board.items():
            if side != self.turn:
                continue
            for ahead, aside in self.steps:
                target = (row + forward * ahead, column + aside)
                if not (0 <= target[0] < self.rows and 0 <= target[1] < self.columns):
                    continue
                if self.board.get(target) == self.turn:
                    continue
                if target in self.board and not self.captures(aside):
                    continue
                moves[self.name((row, column)) + self.name(target)] = ((row, column), target)
        return moves

    @abstractmethod
    def captures(self, aside: int) -> bool: ...

    def name(self, square: tuple[int, int]) -> str:
        return f"{LETTERS[square[1]]}{square[0] + 1}"

    @property
    def over(self) -> bool:
        return self.winner is not None

    def moves(self) -> set[str]:
        return set() if self.over else set(self.targets())

    def play(self, text: str) -> None:
        origin, target = self.targets()[text]
        self.board = {square: side for square, side in self.board.items() if square != origin}
        self.board[target] = self.turn
        far_row = self.rows - 1 if self.turn == 0 else 0
        enemy = 1 - self.turn
        if target[0] == far_row or enemy not in self.board.values():
            self.winner = self.turn
        self.turn = enemy

    @property
    def scores(self) -> tuple[float, float]:
        return (1.0, 0.0) if self.winner == 0 else (0.0, 1.0)


class Breakthrough(Through):
    """Pawns that move straight ahead or diagonally, and capture only diagonally."""

    steps = ((1, -1), (1, 0), (1, 1))

    def captures(self, aside: int) -> bool:
        return aside != 0


class Knightthrough(Through):
    """Knights that jump forward only, and capture where they land."""

    steps = ((2, -1), (2, 1), (1, -2), (1, 2))

    def captures(self, aside: int) -> bool:
        return True
