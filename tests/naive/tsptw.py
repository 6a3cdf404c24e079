"""The travelling salesman with time windows from its rules, and two exact solvers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


class Tsptw:
    turn = 0

    def __init__(self, distances: Sequence, windows: Sequence, prune: bool = False) -> None:
        self.distances, self.windows, self.prune = distances, windows, prune
        self.tour: tuple[int, ...] = ()

    @staticmethod
    def from_matrix(text: str, prune: bool = False) -> Tsptw:
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        words = [Fraction(word) for line in lines for word in line.split()]
        n = int(words[0])
        rows = [words[1 + n * i : 1 + n * (i + 1)] for i in range(n)]
        times = words[1 + n * n :]
        return Tsptw(rows, [(times[2 * i], times[2 * i + 1]) for i in range(n)], prune)

    def travel(self, stops: Sequence[int]) -> tuple[Fraction, int, Fraction]:
        """Return length, late arrivals and final time of a path from the depot."""
        current, time, length, late = 0, self.windows[0][0], Fraction(0), 0
        for city in stops:
            length += self.distances[current][city]
            time += self.distances[current][city]
            late += time > self.windows[city][1]
            time = max(time, self.windows[city][0])
            current = city
        return length, late, time

    def left(self) -> list[int]:
        return [city for city in range(1, len(self.windows)) if city not in self.tour]

    def late_after(self, stops: Sequence[int], city: int) -> bool:
        return self.travel([*stops, city])[1] > self.travel(stops)[1]

    @property
    def over(self) -> bool:
        return not self.left()

    def moves(self) -> set[str]:
        left = self.left()
        if not self.prune:
            return {str(city) for city in left}
        kept = [
            city
            for city in left
            if not any(
                self.late_after([*self.tour, city], other) and not self.late_after(self.tour, other)
                for other in left
                if other != city
            )
        ]
        return {str(city) for city in (kept or left)}

    def play(self, text: str) -> None:
        self.tour = (*self.tour, int(text))

    @property
    def points_now(self) -> float:
        length, late, _ = self.travel([*self.tour, 0] if self.over else self.tour)
        return -float(10**6 * late + length)


def best_by_permutations(game: Tsptw) -> float:
    """Return the most points of any tour."""
    best = -float("inf")
    for order in permutations(range(1, len(game.windows))):
        length, late, _ = game.travel([*order, 0])
        best = max(best, -float(10**6 * late + length))
    return best


def shortest_on_time(game: Tsptw) -> Fraction:
    """Return the length of the shortest tour without late arrivals.

    Dynamic programming over (visited cities, last city), with the Pareto-optimal (length, time) of
    each.
    """
    n = len(game.windows)
    paths = {(frozenset[int](), 0): [(Fraction(0), game.windows[0][0])]}
    for _ in range(n - 1):
        longer: dict = {}
        for (seen, last), options in paths.items():
            for city in range(1, n):
                if city in seen:
                    continue
                for length, time in options:
                    arrive = time + game.distances[last][city]
                    leave = max(arrive, game.windows[city][0])
                    rest = set(range(n)) - seen - {city}
                    if arrive <= game.windows[city][1] and all(
                        leave <= game.windows[other][1] for other in rest
                    ):
                        path = (length + game.distances[last][city], leave)
                        longer.setdefault((seen | {city}, city), []).append(path)
        paths = {}
        for state, candidates in longer.items():
            kept: list = []
            for path in sorted(candidates):
                if all(path[1] < other[1] for other in kept):
                    kept.append(path)
            paths[state] = kept
    return min(
        length + game.distances[last][0]
        for (_, last), options in paths.items()
        for length, time in options
        if time + game.distances[last][0] <= game.windows[0][1]
    )
