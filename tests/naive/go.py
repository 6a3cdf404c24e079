"""Go from its rules: a dict from points to colours, flood fill, and the set of all boards so far.

Any number of colours. A player may put a stone on an empty point if it then has a liberty, after
the strings of others without one are taken off, and if no earlier board comes back; or pass. When
all have passed in a row, the most stones and empty regions that touch one's own colour only win;
White has komi (7.5) if there are two colours. A game also ends after 3 plies a point and 50 more.
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
        """All points like this one that hang together with it, and the others that they touch."""
        inside, border, frontier = {point}, set(), [point]
        while frontier:
            for near in self.neighbours(frontier.pop()):
                if board.get(near) != board.get(point):
                    border.add(near)
                elif near not in inside:
                    inside.add(near)
                    frontier.append(near)
        return inside, border

    def after(self, point: Point) -> Board | None:
        """The board after a stone on an empty point; None if that is suicide."""
        board = {**self.board, point: self.turn}
        taken: set[Point] = set()
        for near in self.neighbours(point):
            if board.get(near, self.turn) != self.turn:
                string, border = self.region(board, near)
                if border <= board.keys():
                    taken |= string
        board = {place: who for place, who in board.items() if place not in taken}
        _, border = self.region(board, point)
        return None if border <= board.keys() else board

    def boards_after(self) -> dict[str, Board]:
        found = {}
        for row, column in self.points():
            if (row, column) in self.board:
                continue
            board = self.after((row, column))
            if board is not None and frozenset(board.items()) not in self.boards:
                found[f"{LETTERS[column]}{row + 1}"] = board
        return found

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
            touched = {self.board[near] for near in border}
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
