"""Backup in the naive search: what a simulation adds to the nodes of its path."""

from __future__ import annotations

import math
from fractions import Fraction

from graven.core.contract import CHANCE, SIMULTANEOUS


class Backup:
    def backup(self, path, trace, in_tree, scores, begun=None):
        """Count a simulation whose playout began at place `begun` of the trace, or at `in_tree`."""
        counted_from = 0
        if self.amaf_moves == "playout":
            counted_from = in_tree if begun is None else begun
        for node, at, outcome in path:
            node.visits += 1
            taken = self.taken(node, at, outcome, trace[:in_tree])
            if self.regrets and node.turn == SIMULTANEOUS:
                joint = tuple(move for _, move in taken)
                for player, _ in taken:
                    self.regrets.add(node, joint, player, scores[player], outcome[player])
            for played in taken:
                score = scores[max(played[0], 0)]
                node.count[played] = node.count.get(played, 0) + 1
                node.total[played] = node.total.get(played, 0.0) + score
                node.squares[played] = node.squares.get(played, 0.0) + score * score
            counted = trace[max(at, counted_from) :]
            node.results.append(scores.copy())
            for played, weight in self.weighted(counted):
                score = weight * scores[played[0]]
                node.amaf_count[played] = node.amaf_count.get(played, 0) + weight
                node.amaf_total[played] = node.amaf_total.get(played, 0.0) + score
        if self.solver:
            self.solver.update(path, trace, scores)
        if self.implicit:
            self.update_minimax(path, trace, in_tree)
        if self.tuning:
            self.tuning.reward(scores)
        self.uses += 1
        for node, _, _ in path:
            node.last_use = self.uses

    def taken(self, node, at, outcome, trace):
        """What was played at a node of a path: a move of each player to move, or an outcome."""
        if node.turn == CHANCE:
            return [] if outcome is None else [(CHANCE, outcome)]
        return trace[at : at + (self.rules.players if node.turn == SIMULTANEOUS else 1)]

    def weighted(self, trace):
        """What AMAF counts of a trace, with weights."""
        if self.amaf_weight == "equal":
            return [(played, 1) for played in self.played_after(trace)]
        weights = [math.floor(256 * (1 - Fraction(d, len(trace)))) / 128 for d in range(len(trace))]
        if self.amaf_count == "all":
            return zip(trace, weights, strict=True)
        return [(played, weights[trace.index(played)]) for played in self.played_after(trace)]

    def played_after(self, trace):
        """What AMAF counts: every move once; of a place only the move that took it first.

        With amaf_count=player every move of every player once, with all every time.
        """
        if self.amaf_count == "all":
            return trace
        if not self.rules.shared_points or self.amaf_count == "player":
            return set(trace)
        first = {}
        for mover, move in trace:
            first.setdefault(move, (mover, move))
        return set(first.values())

    def update_minimax(self, path, trace, in_tree):
        for node, at, _ in reversed(path):
            if node.turn >= 0 and at < in_tree:
                child = node.children.get((trace[at][1],))
                if child is not None and child.implicit:
                    best = max(child.implicit.values())
                    node.implicit[trace[at]] = best if child.turn == node.turn else 1.0 - best

    def count(self, descent, playouts):
        """Virtual losses: playouts on the way of a descent, without a score."""
        path, _, trace, _ = descent
        for node, at, outcome in path:
            node.visits += playouts
            for played in self.taken(node, at, outcome, trace):
                node.count[played] = node.count.get(played, 0) + playouts
                node.total.setdefault(played, 0.0)

    def count_permutations(self, node, path):
        """Add the simulations since the last visit that contain the path, in any order."""
        for simulation in self.log[node.counted :]:
            contained = simulation.contained
            if set(path) <= contained:
                for mover, moves in node.moves.items():
                    for played in {(mover, move) for move in moves} & contained:
                        score = simulation.scores[mover]
                        node.permuted_count[played] = node.permuted_count.get(played, 0) + 1
                        node.permuted_total[played] = node.permuted_total.get(played, 0.0) + score
        node.counted = len(self.log)

    def forget_simulations(self, nodes):
        """For another root: nodes keep their permutation statistics, without the simulations."""
        self.log.clear()
        for node in nodes:
            node.counted = 0
