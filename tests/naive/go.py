"""Go from its rules: a dict from points to colours, flood fill, and the set of all boards so far.

Any number of colours. A stone on an empty point is legal if it has a liberty after captures, and if
the board has not occurred before. A pass is always legal. When all players pass in succession, the
largest area wins: stones plus empty regions that touch only this colour. With two colours White has
komi (7.5). A game also ends after 3 plies per point and 50 more.
"""

from __future__ import annotations

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

Point = tuple[int, int]
Board = dict[Point, int]


class Go:
    def __init__(self, rows: int, columns: int, colours: int = 2, komi: float = 7.5) -> None:
        self.rows, self.columns, self.colours = rows, columns, colours
        self.komi = komi if colours == 2 else 0.0
        self.turn, self.passes, self.plies = 0, 0, 0
        self.board: Board = {}
        self.boards = {frozenset(self.board.items())}

    def points(self) -> list[Point]:
        return [(row, column) for row in range(self.rows) for column in range(self.columns)]

    def neighbours(self, point: Point) -> list[Point]:
        row, column = point
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [(r, c) for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns]

    def region(self, board: Board, point: Point) -> tuple[set[Point], set[Point]]:
        """Return the connected points of this point's colour, and the points adjacent to them."""
        inside, border, frontier = {point}, set(), [point]
        while frontier:
            for adjacent in self.neighbours(frontier.pop()):
                if board.get(adjacent) != board.get(point):
                    border.add(adjacent)
                elif adjacent not in inside:
                    inside.add(adjacent)
                    frontier.append(adjacent)
        return inside, border

    def after(self, point: Point) -> Board | None:
        """The board after a stone on an empty point; None if that is suicide."""
        board = {**self.board, point: self.turn}
        captured: set[Point] = set()
        for adjacent in self.neighbours(point):
            if board.get(adjacent, self.turn) != self.turn:
                string, border = self.region(board, adjacent)
                if border <= board.keys():
                    captured |= string
        board = {stone: colour for stone, colour in board.items() if stone not in captured}
        _, border = self.region(board, point)
        return None if border <= board.keys() else board

    def boards_after(self) -> dict[str, Board]:
        boards = {}
        for row, column in self.points():
            if (row, column) in self.board:
                continue
            board = self.after((row, column))
            if board is not None and frozenset(board.items()) not in self.boards:
                boards[f"{LETTERS[column]}{row + 1}"] = board
        return boards

    @property
    def over(self) -> bool:
        return self.passes == self.colours or self.plies == 3 * self.rows * self.columns + 50

    def moves(self) -> set[str]:
        return set() if self.over else {*self.boards_after(), "pass"}

    def play(self, text: str) -> None:
        if text == "pass":
            self.passes += 1
        else:
            self.passes = 0
            self.board = self.boards_after()[text]
            self.boards = {*self.boards, frozenset(self.board.items())}
        self.plies += 1
        self.turn = (self.turn + 1) % self.colours

    def areas(self) -> list[int]:
        areas = [0] * self.colours
        for point in self.points():
            if point in self.board:
                areas[self.board[point]] += 1
                continue
            _, border = self.region(self.board, point)
            touched = {self.board[adjacent] for adjacent in border}
            if len(touched) == 1:
                areas[touched.pop()] += 1
        return areas

    @property
    def scores(self) -> tuple[float, ...]:
        areas: list[float] = list(self.areas())
        if self.colours == 2:
            areas[1] += self.komi
        winners = areas.count(max(areas))
        return tuple(1 / winners if area == max(areas) else 0.0 for area in areas)
