"""Counting the AMAF statistics of a tree: what RAVE and what GRAVE would keep in every node.

Graven keeps tables only where they are read, and traces of simulations elsewhere (tree.py). Here
both are asked as if each node kept its own statistics: one for each move that was played at the
node or after it, which is what GRAVE needs, or only for moves that are legal there, as RAVE does
(Sironi and Winands 2016, section V E). A node in which no move has been chosen yet, because only
the simulation that added it has been there, has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.core.errors import UsageError
from graven.search.amaf import entry_at, table_base
from graven.search.engine import Search
from graven.search.tree import NODES, NONE, STAMP, Tree

# What the kernel counts.
COUNTED, OF_LEGAL, OF_ALL, COUNTS = range(4)


@dataclass(frozen=True)
class Entries:
    """Nodes in which the game goes on, and the statistics of all of them together: of moves legal
    there, and of all moves played from there on."""

    nodes: int
    legal: int
    all: int

    def __add__(self, other: Entries) -> Entries:
        return Entries(self.nodes + other.nodes, self.legal + other.legal, self.all + other.all)


def count_entries(search: Search) -> Entries:
    """Count the statistics of the tree that a search has left."""
    if not search.plan.passes:
        raise UsageError("only trees of rave and grave have AMAF statistics in their nodes.")
    rules = search.rules
    known, counts = np.zeros(rules.players * rules.num_codes, np.int64), np.zeros(COUNTS, np.int64)
    count_kernel(rules, search.tree, known, counts)
    return Entries(int(counts[COUNTED]), int(counts[OF_LEGAL]), int(counts[OF_ALL]))


@compiled
def count_kernel(
    rules: Rules, tree: Tree, known: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Go through all nodes; `known` marks the moves that the node at hand has statistics of."""
    codes, players = rules.num_codes, rules.players
    size = players * codes
    for node in range(tree.meta[NODES]):
        turn = tree.turns[node]
        if turn == TERMINAL:
            continue
        counts[COUNTED] += 1
        low = 0 if turn == SIMULTANEOUS else turn
        high = players if turn == SIMULTANEOUS else turn + 1
        if tree.first[node * players + low] == NONE:
            continue
        mark, table = node + 1, tree.table[node]
        if table != NONE:
            for played in range(size):
                if tree.amaf[entry_at(table_base(rules, table), played)] > 0:
                    known[played] = mark
                    counts[OF_ALL] += 1
        entry = tree.passed[node]
        while entry >= 0:
            tree.meta[STAMP] += 1
            simulation = tree.pass_simulation[entry]
            start = tree.trace_start[simulation] + tree.pass_at[entry]
            for place in range(start, tree.trace_start[simulation + 1]):
                played = tree.traces[place]
                # Where a code is a place, a simulation counts for whoever took it first.
                taken = played % codes if rules.shared_points else played
                if tree.seen[taken] != tree.meta[STAMP] and known[played] != mark:
                    known[played] = mark
                    counts[OF_ALL] += 1
                tree.seen[taken] = tree.meta[STAMP]
            entry = tree.pass_next[entry]
        for player in range(low, high):
            first = tree.first[node * players + player]
            for edge in range(first, first + tree.degree[node * players + player]):
                counts[OF_LEGAL] += known[player * codes + tree.moves[edge]] == mark
