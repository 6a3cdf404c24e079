"""A slow and obvious twin of the deterministic parallel search: the same rounds, one by one.

Every thread of the search is a `NaiveSearch` here. In a round each makes its simulations; then each
gets those of all others, in order. In a complete round it gets all of them, with the nodes that the
others added; in a brief round, as far as it has nodes itself.
"""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.rng import derive, generator
from tests.naive.nodes import TreeFullError
from tests.naive.score_bounds import is_proven
from tests.naive.search import NaiveSearch


class NaiveRounds:
    """`playout()` makes the playout policy of a copy; the other options are `NaiveSearch`'s."""

    def __init__(
        self,
        game,
        formula,
        ref,
        threads,
        alone,
        growth,
        most,
        complete,
        playout=lambda: None,
        tuning=lambda: None,
        **options,
    ):
        self.alone, self.growth, self.most, self.complete = alone, growth, most, complete
        self.copies = [
            NaiveSearch(game, formula, ref, playout=playout(), tuning=tuning(), **options)
            for _ in range(threads)
        ]
        for number, copy in enumerate(self.copies):
            copy.thread = number

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
            brief = self.root.visits >= self.complete
            before = [table_of(copy.root) for copy in self.copies]
            logs = []
            for copy, share in zip(self.copies, shares, strict=True):
                copy.brief = brief
                start = len(copy.log)
                self.simulate(copy, share)
                logs.append(copy.log[start:])
            added = [
                difference(table_of(copy.root), table)
                for copy, table in zip(self.copies, before, strict=True)
            ]
            for copy in self.copies:
                for source, log, table in zip(self.copies, logs, added, strict=True):
                    if source is copy or not log:
                        continue
                    for simulation in log:
                        self.add(copy, simulation, brief)
                    copy.playout.settle()
                    if brief:
                        add_table(copy.root, table)
            playouts -= sum(len(log) for log in logs)
            if any(copy.solver and is_proven(copy.root) for copy in self.copies):
                break
        if self.root.visits >= self.complete:
            self.complete = 0  # after brief rounds the trees are different

    def simulate(self, copy, share):
        """Make a copy's simulations of a round; a search below a new node that fits is not cut."""
        if not copy.inner:
            copy.simulate(share)
            return
        made = copy.simulate_level(share) if share else 0
        while made and made + copy.inner <= share:
            made += copy.simulate_level(share - made)

    def shares(self, visits, playouts):
        threads, one = len(self.copies), self.copies[0]
        if visits < self.alone * threads:
            alone = max(min(self.alone * threads - visits, self.most), one.inner)
            return [min(alone, playouts)] + [0] * (threads - 1)
        least = one.inner or one.batch_leaves * one.playouts_per_leaf
        if one.batch_growth:
            least = max(1, min(least, visits // one.batch_growth))
        total = threads * least
        if visits >= self.complete:
            total = min(max(visits // self.growth, total), self.most * threads)
        total = min(total, playouts)
        shares = [0] * threads
        for i in range(total):
            shares[i % threads] += 1
        return shares

    def add(self, copy, simulation, brief):
        """Add a simulation of another copy to this one, with the nodes that the other added.

        In a brief round only nodes of finished games are added, for their score bounds, and nodes
        below simultaneous moves.
        """
        while True:
            try:
                path, at, plies = self.follow(copy, simulation, brief)
                break
            except TreeFullError:
                copy.recycle()
        copy.log.append(simulation)
        copy.playout.learn_later(simulation, plies)
        tables = [table_of(node) for node, _, _ in path]
        # A thread rewards its own parameters only.
        solver, tuning, copy.tuning = copy.solver, copy.tuning, None
        if brief and path[-1][0].turn != TERMINAL:
            copy.solver = None
        if simulation.value is not None and len(path) == simulation.depth:
            leaf, place, _ = path[-1]
            leaf.implicit[simulation.trace[place]] = simulation.value
        copy.backup(path, simulation.trace, at, simulation.scores, simulation.in_tree)
        copy.solver, copy.tuning = solver, tuning
        if brief:
            # AMAF tables count a thread's own simulations, except the root's, see `run`.
            for (node, _, _), (counts, totals) in zip(path, tables, strict=True):
                node.amaf_count, node.amaf_total = counts, totals

    def follow(self, copy, simulation, brief):
        """The path of a simulation in this copy, and how many moves and plies lead along it."""
        state, node, at, plies = copy.root_state.copy(), copy.root, 0, 0
        members = len(copy.members)
        path = [(node, 0, simulation.odds.get(0))]
        while at < simulation.in_tree or len(path) - 1 in simulation.outcomes:
            if node.moves is None:
                if brief:
                    break
                copy.list_moves(node, state)
            if node.turn == CHANCE:
                outcome = simulation.outcomes[len(path) - 1]
                path[-1], played = (node, at, outcome), [(0, outcome)]
            else:
                if not all(self.is_listed(node, choice) for choice in simulation.plies[plies]):
                    break
                played = simulation.trace[at : at + len(node.moves)]
                at += len(played)
                plies += 1
            is_last = len(path) == simulation.depth
            if is_last and not simulation.leads_on:
                break
            proves = copy.solver and simulation.is_terminal and len(path) + 1 == simulation.depth
            add = not brief or proves or node.turn == SIMULTANEOUS
            if copy.max_nodes and len(copy.members) > members:
                add = False  # a tree that is recycled gets one node at most
            node = self.child(copy, node, state, played, add)
            if is_last or node is None:
                break
            path.append((node, at, simulation.odds.get(at)))
        return path, at, plies

    def is_listed(self, node, choice):
        """Whether the node has the move: superko may allow other moves."""
        return choice.move in node.moves[choice.player]

    def child(self, copy, node, state, played, add):
        """The node after a joint move; if this copy has none, a new one if it is to add it."""
        joint = np.full(copy.rules.players, -1, np.int32)
        for mover, move in played:
            joint[mover] = move
        contract.play(copy.rules, state, joint)
        moves = tuple(move for _, move in played)
        if moves in node.children:
            return node.children[moves]
        if not add:
            return None
        child = copy.at_key(state) if copy.transpositions else copy.new_node(state)
        node.children[moves] = child
        return child


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
