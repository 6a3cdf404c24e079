"""Selection in the naive search: the move of one player at one node."""

from __future__ import annotations

import math
from copy import copy

from graven.core.rng import below
from tests.naive.nodes import Node, amaf_of, mean_of


class Selection:
    def select(self, node, reference, mover):
        values = []
        if self.root_rule != "policy" and node is self.root and node.turn >= 0:
            return next(self.halving)
        if self.criticality:
            reference = self.with_criticality(node, reference, mover)
        if self.prior_amaf:
            reference = self.with_prior_playouts(node, reference)
        moves = [move for move in node.moves[mover] if node.is_open(mover, move)]
        if self.widen:
            moves = moves[: self.width(node.visits)]
        blended = self.with_minimax(node) if self.implicit else node
        for move in moves:
            value = self.formula(blended, reference, mover, move)
            tried = node.count.get((mover, move), 0)
            if self.untried == "amaf" and tried == 0:
                pa, amaf = amaf_of(reference, (mover, move))
                value = amaf + 1.0 if pa else None
            bias = self.prior_bias * node.prior[mover, move]
            values.append((self.fpu if value is None else value) + bias / (tried + 1.0))
        least = max(values) - self.offset
        best = [move for move, value in zip(moves, values, strict=True) if value >= least]
        if self.ties == "first":
            return min(best)
        return best[below(self.rng, len(best))] if len(best) > 1 else best[0]

    def width(self, visits):
        """Coulom 2007: the next move after 40 playouts, each step 1.4 times as long as the last."""
        needed, count = 0.0, self.widen_first
        while True:
            needed += self.widen * self.widen_growth ** (count - self.widen_first)
            if needed > visits or count == self.rules.max_moves:
                return count
            count += 1

    def with_minimax(self, node):
        """The node with scores that are blended with the minimax values of its moves."""
        blended = copy(node)
        blended.total = {
            played: (1.0 - self.implicit) * total
            + self.implicit * node.implicit[played] * float(node.count[played])
            for played, total in node.total.items()
        }
        return blended

    def with_criticality(self, node, reference, mover):
        """AMAF statistics with won playouts: the more, the more a move decides who wins."""
        read = Node(reference.turn, amaf_count=dict(reference.amaf_count))
        read.amaf_total = dict(reference.amaf_total)
        results = [scores[mover] for scores in reference.results]
        mean = sum(results) / max(1, len(results))
        for played in {(mover, move) for move in node.moves[mover]} & read.amaf_count.keys():
            pa = read.amaf_count[played]
            covariance = max(0.0, read.amaf_total[played] - mean * pa) / max(1, len(results))
            won = self.criticality * covariance * pa
            read.amaf_count[played] = pa + won
            read.amaf_total[played] += won
        return read

    def with_prior_playouts(self, node, reference):
        """AMAF statistics with `prior_amaf` playouts more of each move, of the mean `prior`."""
        read = Node(reference.turn, amaf_count={}, amaf_total={})
        for played, prior in node.prior.items():
            read.amaf_count[played] = reference.amaf_count.get(played, 0) + self.prior_amaf
            total = reference.amaf_total.get(played, 0.0)
            read.amaf_total[played] = total + self.prior_amaf * prior
        return read

    def sequential_halving(self, budget):
        """Yield the root's moves in the order in which they get playouts."""
        root = self.root
        while True:
            mover = root.turn
            arms = [move for move in root.moves[mover] if move not in root.skipped]
            field, rounds = len(arms), math.ceil(math.log2(len(arms)))
            while True:
                share = field // len(arms)
                if budget:
                    share = max(1, (budget - 1) // (len(arms) * max(1, rounds)))
                if len(arms) == 1 and (budget or field == 1):
                    share = math.inf
                elif len(arms) == 1:
                    break
                targets = {arm: root.count.get((mover, arm), 0) + share for arm in arms}
                for arm in arms:
                    while root.count.get((mover, arm), 0) < targets[arm]:
                        if arm in root.skipped:
                            break
                        yield arm
                if len(arms) == 1:
                    break
                arms.sort(key=lambda arm: -self.arm_value((mover, arm)))
                arms = arms[: (len(arms) + 1) // 2]

    def arm_value(self, played):
        n, mean = mean_of(self.root, played)
        pa, amaf = amaf_of(self.root, played)
        return 0.0 if n == 0 else mean + (self.root_amaf * amaf / n if pa else 0.0)

    def select_apart(self, node, reference, mover, move, ahead):
        """The move of this thread if so many before it come to the node, and take the best moves.

        Also returns how many of them take the same move.
        """
        if node.turn < 0 or (self.root_rule != "policy" and node is self.root):
            return move, 0
        taken = []
        for _ in range(ahead):
            taken.append((mover, move))
            self.lose(node, (mover, move), 1)
            move = self.select(node, reference, mover)
        for played in taken:
            self.lose(node, played, -1)
        return move, taken.count((mover, move))

    def lose(self, node, played, playouts):
        """Add virtual losses."""
        node.visits += playouts
        node.count[played] = node.count.get(played, 0) + playouts
        node.total.setdefault(played, 0.0)
        node.squares.setdefault(played, 0.0)
