"""The solver of the naive search: bounds of every player's score at a node, as plain dictionaries.

A node that nothing is known about has `bounds` None. Bounds are [lower, upper] by player.
"""

from __future__ import annotations

from itertools import pairwise

from graven.core.contract import TERMINAL

REST = 4  # a proof move whose score is proven can be selected at every so many visits


class NaiveSolver:
    """The bounds of one tree; `sums` are the different sums of all scores in its simulations."""

    def __init__(self, players):
        self.players = players
        self.sums = set()
        self.nodes = {}  # all nodes with bounds or skipped moves, by id

    def update(self, path, trace, scores):
        """`path` is [(node, its place in the trace, outcome)]; movers below a node moved alone."""
        constant = len(self.sums) <= 1
        self.sums.add(round(float(sum(scores)), 6))
        if constant and len(self.sums) > 1:
            for node in self.nodes.values():
                node.bounds, node.proof_move, node.skipped = None, None, set()
                node.resting = None
        last = path[-1][0]
        if last.turn == TERMINAL:
            last.bounds = [[score, score] for score in scores]
            self.nodes[id(last)] = last
        for (node, at, _), (child, *_) in reversed(list(pairwise(path))):
            if child.bounds is not None and node.turn >= 0:
                self.nodes[id(node)] = node
                self.combine(node, trace[at][1], child)

    def combine(self, node, move, child):
        mover = node.turn
        bounds = [list(pair) for pair in node.bounds or [[0.0, 1.0]] * self.players]
        moves = node.moves[mover]
        constant = len(self.sums) == 1
        if child.bounds[mover][0] > bounds[mover][0]:
            bounds[mover][0] = child.bounds[mover][0]
            node.proof_move = move
            candidates = moves
        else:
            candidates = [move]
        for each in candidates:
            worse = self.bounds_after(node, each)[mover][1] <= bounds[mover][0]
            others = set(moves) - node.skipped - {each, node.resting}
            if worse and each != node.proof_move and others:
                node.skipped.add(each)
                node.resting = None if node.resting == each else node.resting
        if node.proof_move is not None and node.resting is None:
            low, high = self.bounds_after(node, node.proof_move)[mover]
            if low >= high and set(moves) - node.skipped - {node.proof_move}:
                node.resting = node.proof_move
        if self.players == 2 and constant:
            opponent = 1 - mover
            bounds[opponent][1] = min(bounds[opponent][1], child.bounds[opponent][1])
        children = [node.children.get((each,)) for each in moves]
        if all(each is not None and each.bounds is not None for each in children):
            for player in range(self.players):
                if player != mover:
                    lowest = min(each.bounds[player][0] for each in children)
                    bounds[player][0] = max(bounds[player][0], lowest)
                highest = max(each.bounds[player][1] for each in children)
                bounds[player][1] = min(bounds[player][1], highest)
        known = any(pair != [0.0, 1.0] for pair in bounds)
        if self.players > 2 and constant and known:
            lower = [low for low, _ in bounds]
            for player, (low, high) in enumerate(bounds):
                left = next(iter(self.sums)) - (sum(lower) - low)
                bounds[player][1] = max(low, min(high, left))
        if known:
            node.bounds = bounds

    def bounds_after(self, node, move):
        child = node.children.get((move,))
        if child is None or child.bounds is None:
            return [[0.0, 1.0]] * self.players
        return child.bounds


def is_proven(node):
    return node.bounds is not None and node.bounds[node.turn][0] >= node.bounds[node.turn][1]
