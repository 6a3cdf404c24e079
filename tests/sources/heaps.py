"""A game as a plain Python class."""

from __future__ import annotations


class Heaps:
    """Two heaps: take one or two from one of them; taking the last stone wins."""

    max_plies, num_codes = 14, 4

    def __init__(self, size=7):
        self.heaps = [size, size]
        self.turn = 0

    def moves(self):
        for heap, left in enumerate(self.heaps):
            for stones in (1, 2):
                if stones <= left:
                    yield f"{('left', 'right')[heap]}-{stones}"

    def play(self, move):
        heap, stones = move.split("-")
        self.heaps[heap == "right"] -= int(stones)
        self.turn = 1 - self.turn

    @property
    def over(self):
        return not any(self.heaps)

    @property
    def scores(self):
        assert self.over  # read only at the end
        return (float(self.turn), 1.0 - self.turn)

    @property
    def key(self):
        return (*self.heaps, self.turn)

    def code(self, move):
        return 2 * move.startswith("right") + int(move[-1]) - 1

    def __str__(self):
        return f"{self.heaps[0]} {self.heaps[1]}, player {self.turn}"


class Frozen:
    """The same, by objects that never change: `play` returns another one."""

    def __init__(self, heaps=(7, 7), ply=0):
        self.heaps, self.ply = heaps, ply

    def moves(self):
        return [(heap, n) for heap in (0, 1) for n in (1, 2) if n <= self.heaps[heap]]

    def play(self, move):
        heaps = list(self.heaps)
        heaps[move[0]] -= move[1]
        return Frozen(tuple(heaps), self.ply + 1)

    def over(self):
        return self.heaps == (0, 0)

    def scores(self):
        return [self.ply % 2, (self.ply + 1) % 2]
