"""A slow and obvious twin of the deterministic parallel search: the same rounds, one by one.

Every thread of the search is a `NaiveSearch` here. In a round each makes its simulations; then each
gets those of all others, in order.
"""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.rng import derive, generator
from tests.naive.score_bounds import is_proven
from tests.naive.search import NaiveSearch


class NaiveRounds:
    """`playout()` makes the playout policy of a copy; the other options are `NaiveSearch`'s."""

    def __init__(
        self, game, formula, ref, threads, growth, most, losses, playout=lambda: None, **options
    ):
        self.growth, self.most = growth, most
        self.copies = [
            NaiveSearch(game, formula, ref, playout=playout(), **options) for _ in range(threads)
        ]
        for number, copy in enumerate(self.copies):
            copy.thread, copy.losses = number, losses

    @property
    def root(self):
        return self.copies[0].root

    def set_root(self, state):
        for copy in self.copies:
            copy.set_root(state)

    def run(self, seed, playouts):
        for number, copy in enumerate(self.copies):
            copy.rng, copy.batches = generator(derive(seed, number)), []
        while playouts:
            shares = self.shares(self.root.visits, playouts)
            logs = []
            for copy, share in zip(self.copies, shares, strict=True):
                before = len(copy.log)
                copy.simulate(share)
                logs.append(copy.log[before:])
            for copy in self.copies:
                for source, log in zip(self.copies, logs, strict=True):
                    if source is not copy:
                        for simulation in log:
                            self.add(copy, simulation)
            playouts -= sum(len(log) for log in logs)
            if any(copy.solver and is_proven(copy.root) for copy in self.copies):
                break

    def shares(self, visits, playouts):
        threads, one = len(self.copies), self.copies[0]
        if visits < threads:
            return [min(threads - visits, playouts)] + [0] * (threads - 1)
        least = one.batch_leaves * one.playouts_per_leaf
        if one.batch_growth:
            least = max(1, min(least, visits // one.batch_growth))
        total = min(max(visits // self.growth, threads * least), self.most * threads, playouts)
        shares = [0] * threads
        for i in range(total):
            shares[i % threads] += 1
        return shares

    def add(self, copy, simulation):
        """Add a simulation of another copy to this one, with the nodes that the other added."""
        state, node, at, plies = copy.root_state.copy(), copy.root, 0, 0
        path = [(node, 0, simulation.odds.get(0))]
        while at < simulation.in_tree:
            if node.moves is None:
                copy.list_moves(node, state)
            if not all(self.is_listed(node, choice) for choice in simulation.plies[plies]):
                break
            played = simulation.trace[at : at + len(node.moves)]
            at += len(played)
            plies += 1
            is_last = len(path) == simulation.depth
            if is_last and not simulation.leads_on:
                break
            node = self.child(copy, node, state, played)
            if is_last:
                break
            path.append((node, at, simulation.odds.get(at)))
        copy.log.append(simulation)
        copy.playout.learn_later(simulation, plies)
        copy.backup(path, simulation.trace, at, simulation.scores)

    def is_listed(self, node, choice):
        """Whether the node has the move: superko may allow other moves."""
        return choice.move in node.moves[choice.player]

    def child(self, copy, node, state, played):
        """The node after a joint move; new if this copy has none."""
        joint = np.full(copy.rules.players, -1, np.int32)
        for mover, move in played:
            joint[mover] = move
        contract.play(copy.rules, state, joint)
        moves = tuple(move for _, move in played)
        if moves not in node.children:
            node.children[moves] = (
                copy.at_key(state) if copy.transpositions else copy.new_node(state)
            )
        return node.children[moves]
