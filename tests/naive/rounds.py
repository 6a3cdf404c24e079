"""A slow and obvious twin of the deterministic parallel search: the same rounds, one by one.

Every thread of the search is a `NaiveSearch` here. In a round each makes its simulations; then each
gets those of all others, in order.
"""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.contract import SIMULTANEOUS
from graven.core.rng import derive, generator
from tests.naive.search import NaiveSearch


class NaiveRounds:
    """`playout()` makes the playout policy of a copy; the other options are `NaiveSearch`'s."""

    def __init__(self, game, formula, ref, threads, growth, most, playout=lambda: None, **options):
        self.growth, self.most = growth, most
        self.copies = [
            NaiveSearch(game, formula, ref, playout=playout(), **options) for _ in range(threads)
        ]

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
            before = [table_of(copy.root) for copy in self.copies]
            for copy, share in zip(self.copies, shares, strict=True):
                copy.log = []
                copy.simulate(share)
            logs = [list(copy.log) for copy in self.copies]
            added = [
                difference(table_of(copy.root), table)
                for copy, table in zip(self.copies, before, strict=True)
            ]
            for copy in self.copies:
                for source, log, table in zip(self.copies, logs, added, strict=True):
                    if source is not copy and log:
                        for simulation in log:
                            self.add(copy, simulation)
                        add_table(copy.root, table)
            playouts -= sum(shares)

    def shares(self, visits, playouts):
        threads = len(self.copies)
        if visits < self.growth * threads:
            alone = min(self.growth * threads - visits, self.most, playouts)
            return [alone] + [0] * (threads - 1)
        total = min(visits // self.growth, self.most * threads, playouts)
        shares = [0] * threads
        for i in range(total):
            shares[i % threads] += 1
        return shares

    def add(self, copy, simulation):
        """Count a simulation of another copy as far as this one has its nodes."""
        state, node, path, at, plies = copy.root_state.copy(), copy.root, [], 0, 0
        while node is not None:
            path.append((node, at, simulation.odds.get(at)))
            if at >= simulation.in_tree or node.moves is None:
                break
            played = simulation.trace[at : at + len(node.moves)]
            if not all(self.is_listed(node, choice) for choice in simulation.plies[plies]):
                break
            at += len(played)
            plies += 1
            node = self.child(copy, node, state, played)
        copy.playout.learn_later(simulation, plies)
        tables = [table_of(node) for node, _, _ in path]
        copy.backup(path, simulation.trace, at, simulation.scores)
        # AMAF tables do not count the simulations of others, except the root's, see `run`.
        for (node, _, _), (counts, totals) in zip(path, tables, strict=True):
            node.amaf_count, node.amaf_total = counts, totals

    def is_listed(self, node, choice):
        """Whether the node has the move at the same place: superko may allow other moves."""
        place, moves = choice.moves.index(choice.move), node.moves[choice.player]
        return place < len(moves) and moves[place] == choice.move

    def child(self, copy, node, state, played):
        """The node after a joint move: after simultaneous ones, found by its position."""
        joint = np.full(copy.rules.players, -1, np.int32)
        for mover, move in played:
            joint[mover] = move
        contract.play(copy.rules, state, joint)
        if node.turn == SIMULTANEOUS and copy.transpositions:
            return copy.nodes.get(contract.key(copy.rules, state))
        return node.children.get(tuple(move for _, move in played))


def table_of(node):
    """A copy of a node's AMAF statistics."""
    return dict(node.amaf_count), dict(node.amaf_total)


def difference(table, before):
    """What was added to AMAF statistics; sums are rounded as differences of sums."""
    return tuple(
        {key: value - old.get(key, 0) for key, value in new.items()}
        for new, old in zip(table, before, strict=True)
    )


def add_table(node, table):
    """Add what was added to another node's AMAF statistics."""
    for mine, added in zip((node.amaf_count, node.amaf_total), table, strict=True):
        for key, value in added.items():
            mine[key] = mine.get(key, 0) + value
