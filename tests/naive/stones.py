"""NoGo and Atarigo from their rules: a dict from points to colours, and flood fill.

Black (player 0) moves first. In NoGo captures and suicide are illegal, and a player without a
legal move loses. In Atarigo every empty point is legal; a capture wins, suicide without a capture
loses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

Point = tuple[int, int]


class Stones(ABC):
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.turn = 0
        self.board: dict[Point, int] = {}
        self.captor: int | None = None

    def neighbours(self, point: Point) -> list[Point]:
        row, column = point
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [(r, c) for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns]

    def has_liberty(self, board: dict[Point, int], point: Point) -> bool:
        """Whether the string of the stone on `point` touches an empty point."""
        string, frontier = {point}, [point]
        while frontier:
            for adjacent in self.neighbours(frontier.pop()):
                if adjacent not in board:
                    return True
                if board[adjacent] == board[point] and adjacent not in string:
                    string.add(adjacent)
                    frontier.append(adjacent)
        return False

    def captures(self, board: dict[Point, int], point: Point) -> bool:
        """Whether the new stone on `point` leaves an enemy string without liberties."""
        enemies = [
            adjacent
            for adjacent in self.neighbours(point)
            if board.get(adjacent) == 1 - board[point]
        ]
        return any(not self.has_liberty(board, adjacent) for adjacent in enemies)

    @abstractmethod
    def is_legal(self, board: dict[Point, int], point: Point) -> bool: ...

    def points(self) -> dict[str, Point]:
        points = {}
        for row in range(self.rows):
            for column in range(self.columns):
                point = (row, column)
                if point not in self.board and self.is_legal(
                    {**self.board, point: self.turn}, point
                ):
                    points[f"{LETTERS[column]}{row + 1}"] = point
        return points

    @property
    def over(self) -> bool:
        return not self.moves()

    def moves(self) -> set[str]:
        return set() if self.captor is not None else set(self.points())

    def play(self, text: str) -> None:
        point = self.points()[text]
        self.board = {**self.board, point: self.turn}
        if self.captures(self.board, point):
            self.captor = self.turn
        elif not self.has_liberty(self.board, point):
            self.captor = 1 - self.turn
        self.turn = 1 - self.turn

    @property
    def scores(self) -> tuple[float, float]:
        winner = self.captor if self.captor is not None else 1 - self.turn
        return (1.0, 0.0) if winner == 0 else (0.0, 1.0)


class Nogo(Stones):
    """Captures and suicide are illegal."""

    def is_legal(self, board: dict[Point, int], point: Point) -> bool:
        return not self.captures(board, point) and self.has_liberty(board, point)


class Atarigo(Stones):
    """The first capture wins; every empty point is legal."""

    def is_legal(self, board: dict[Point, int], point: Point) -> bool:
        return True
