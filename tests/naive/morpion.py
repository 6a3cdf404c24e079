"""Morpion Solitaire from its rules, on an unbounded grid: sets of points and of lines."""

from __future__ import annotations

Point = tuple[int, int]
DIRECTIONS = {"e": (1, 0), "n": (0, 1), "ne": (1, 1), "se": (1, -1)}

# The crosses of the published rules; CORNERS has graven's coordinates of the lower left corner.
CROSS_5 = """
...oooo...
...o..o...
...o..o...
oooo..oooo
o........o
o........o
oooo..oooo
...o..o...
...o..o...
...oooo...
"""
CROSS_4 = """
..ooo..
..o.o..
ooo.ooo
o.....o
ooo.ooo
..o.o..
..ooo..
"""
CORNERS = {5: (11, 11), 4: (13, 13)}


def cross(length: int) -> set[Point]:
    rows = (CROSS_5 if length == 5 else CROSS_4).split()
    left, low = CORNERS[length]
    return {
        (left + x, low + y)
        for y, row in enumerate(reversed(rows))
        for x, letter in enumerate(row)
        if letter == "o"
    }


def name(point: Point) -> str:
    x, y = point
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (letters[x] if x < 26 else "a" + letters[x - 26]) + str(y + 1)


class Morpion:
    turn = 0

    def __init__(self, variant: str) -> None:
        self.length = int(variant[0])
        # How many points two lines of one direction may have in common.
        self.common = 1 if variant[1] == "T" else 0
        self.points = frozenset(cross(self.length))
        self.lines: frozenset[tuple[str, frozenset[Point]]] = frozenset()

    def possible(self) -> dict[str, tuple[Point, str, frozenset[Point]]]:
        moves = {}
        near = {
            (x + i, y + j) for x, y in self.points for i in (-1, 0, 1) for j in (-1, 0, 1)
        } - self.points
        for new in near:
            for direction, (across, up) in DIRECTIONS.items():
                for place in range(self.length):
                    line = frozenset(
                        (new[0] + across * (i - place), new[1] + up * (i - place))
                        for i in range(self.length)
                    )
                    if line - self.points == {new} and all(
                        other != direction or len(line & drawn) <= self.common
                        for other, drawn in self.lines
                    ):
                        moves[f"{name(new)}:{direction}{place + 1}"] = (new, direction, line)
        return moves

    @property
    def over(self) -> bool:
        return not self.possible()

    def moves(self) -> set[str]:
        return set(self.possible())

    def play(self, text: str) -> None:
        new, direction, line = self.possible()[text]
        self.points = self.points | {new}
        self.lines = self.lines | {(direction, line)}

    @property
    def points_now(self) -> int:
        return len(self.lines)
