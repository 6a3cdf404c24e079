"""The solver of the naive search: bounds of every player's score at a node, as plain dictionaries.

A node that nothing is known about has `bounds` None. Bounds are [lower, upper] by player. A node
with simultaneous moves has a `table` of the children with bounds that simulations have come back
from, by joint move, and `dominated`, the (player, move) that selection skips.
"""

from __future__ import annotations

import math
from itertools import pairwise, product

from graven.core.contract import SIMULTANEOUS, TERMINAL

MOST_JOINT = 256  # joint moves of a node with a table
DEVIATE = 4  # so many visits for each deviation at simultaneous moves
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
                node.resting, node.dominated = None, set()
        last = path[-1][0]
        if last.turn == TERMINAL:
            last.bounds = [[score, score] for score in scores]
            self.nodes[id(last)] = last
        for (node, at, _), (child, *_) in reversed(list(pairwise(path))):
            if child.bounds is not None and node.turn >= 0:
                self.nodes[id(node)] = node
                self.combine(node, trace[at][1], child)
            if child.bounds is not None and node.turn == SIMULTANEOUS:
                joint = tuple(move for _, move in trace[at : at + self.players])
                if math.prod(len(moves) for moves in node.moves.values()) <= MOST_JOINT:
                    self.nodes[id(node)] = node
                    self.combine_joint(node, joint, child)

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

    def combine_joint(self, node, joint, child):
        node.table[joint] = child
        everyone, constant = range(self.players), len(self.sums) == 1
        joints = list(product(*(node.moves[player] for player in everyone)))
        after = {each: table_bounds(node, each, self.players) for each in joints}
        bounds = [list(pair) for pair in node.bounds or [[0.0, 1.0]] * self.players]

        def low(player, move):
            return min(after[each][player][0] for each in joints if each[player] == move)

        for player in everyone:
            low_of_played = low(player, joint[player])
            highest = max(after[each][player][1] for each in joints)
            if self.players == 2 and constant:
                opponent = 1 - player
                replies = [each for each in joints if each[opponent] == joint[opponent]]
                highest = max(after[each][player][1] for each in replies)
            bounds[player][0] = max(bounds[player][0], low_of_played)
            bounds[player][1] = min(bounds[player][1], highest)
        known = any(pair != [0.0, 1.0] for pair in bounds)
        if self.players > 2 and constant and known:
            lower = [least for least, _ in bounds]
            for player, (least, most) in enumerate(bounds):
                left = next(iter(self.sums)) - (sum(lower) - least)
                bounds[player][1] = max(least, min(most, left))
        if any(pair != [0.0, 1.0] for pair in bounds):
            node.bounds = bounds
        for player in everyone:
            self.skip_dominated(node, player, joint[player], after)

    def deviation(self, node, joint, odds):
        """(player, move) instead of that of a joint move which proves nothing more; or None."""
        drawn = [odds[p] for p, moves in node.moves.items() if odds and len(moves) > 1]
        if node.visits % DEVIATE or is_proven(node) or any(drawn):
            return None
        if not node.table or not is_exact(table_bounds(node, joint, self.players)):
            return None
        turn = node.visits // DEVIATE
        for player in ((turn + i) % self.players for i in range(self.players)):
            moves = node.moves[player]
            at = moves.index(joint[player])
            others = [*moves[at + 1 :], *moves[:at]]
            begin = turn % len(others) if others else 0
            for move in [*others[begin:], *others[:begin]]:
                after = table_bounds(
                    node, (*joint[:player], move, *joint[player + 1 :]), self.players
                )
                if (player, move) not in node.dominated and not is_exact(after):
                    return player, move
        return None

    def skip_dominated(self, node, player, played, after):
        """Skip what the move played dominates, or the move itself; of equal moves the later one."""

        def is_as_good(move, other):
            for each in after:
                if zero_sum and (1 - player, each[1 - player]) in node.dominated:
                    continue
                if each[player] == other:
                    better = (*each[:player], move, *each[player + 1 :])
                    if after[better][player][0] < after[each][player][1]:
                        return False
            return True

        zero_sum = self.players == 2 and len(self.sums) == 1
        moves = node.moves[player]
        for other in moves:
            if (player, played) in node.dominated:
                return
            if other == played or (player, other) in node.dominated:
                continue
            is_better, is_worse = is_as_good(played, other), is_as_good(other, played)
            if is_better and is_worse:
                node.dominated.add((player, max(played, other, key=moves.index)))
            elif is_better or is_worse:
                node.dominated.add((player, other if is_better else played))

    def bounds_after(self, node, move):
        child = node.children.get((move,))
        if child is None or child.bounds is None:
            return [[0.0, 1.0]] * self.players
        return child.bounds


def table_bounds(node, joint, players):
    child = node.table.get(joint)
    return [[0.0, 1.0]] * players if child is None or child.bounds is None else child.bounds


def is_exact(bounds):
    return all(low >= high for low, high in bounds)


def is_proven(node):
    if node.bounds is None:
        return False
    players = [node.turn]
    if node.turn == SIMULTANEOUS:
        choosers = [player for player, moves in node.moves.items() if len(moves) > 1]
        players = choosers or list(node.moves)
    return all(node.bounds[player][0] >= node.bounds[player][1] for player in players)
