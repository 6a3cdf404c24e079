"""Count the AMAF entries that RAVE and GRAVE would keep in every node of a tree.

The search keeps AMAF tables only where they are read, and traces of simulations elsewhere
(`amaf.py`). This module counts the entries as if each node had its own table: one entry for each
move that was played at the node or after it, which is what GRAVE needs, or only for moves that are
legal there, which is what RAVE needs (Sironi and Winands 2016, section V E). A node that only the
simulation that added it has visited has no entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.contract import CHANCE, TERMINAL, Rules
from graven.core.errors import UsageError
from graven.search.amaf import amaf_playouts, table_base
from graven.search.runner import Search
from graven.search.stored_traces import half_of, read_place, read_trace
from graven.search.tree import NODES, NONE, STAMP, Tree
from graven.search.tree_nodes import choosers

# Indices of the kernel's counts.
COUNTED, OF_LEGAL, OF_ALL, COUNTS = range(4)


@dataclass(frozen=True)
class AmafEntries:
    """Nodes that are not terminal, and the number of AMAF entries of all of them together."""

    nodes: int
    legal: int  # entries of moves that are legal in the node
    all: int  # entries of all moves played in the node or after it
    in_turn: int  # nodes with entries in which one player moves

    def __add__(self, other: AmafEntries) -> AmafEntries:
        return AmafEntries(
            self.nodes + other.nodes,
            self.legal + other.legal,
            self.all + other.all,
            self.in_turn + other.in_turn,
        )


def count_entries(search: Search) -> AmafEntries:
    """Count the AMAF entries of the tree that a search has left."""
    if not search.plan.store_traces:
        raise UsageError("only trees of rave and grave have AMAF statistics in their nodes.")
    rules = search.rules
    if rules.few_edges:
        raise UsageError("counting the AMAF entries of legal moves needs edges=all.")
    known, counts = np.zeros(rules.players * rules.num_codes, np.int64), np.zeros(COUNTS, np.int64)
    count_kernel(rules, search.tree, known, counts)
    return AmafEntries(
        nodes=int(counts[COUNTED]),
        legal=int(counts[OF_LEGAL]),
        all=int(counts[OF_ALL]),
        in_turn=_nodes_in_turn(rules, search.tree),
    )


def _nodes_in_turn(rules: Rules, tree: Tree) -> int:
    """Return the number of nodes with listed moves in which one player moves."""
    (nodes,) = np.nonzero(tree.turns[: tree.meta[NODES]] >= 0)
    places = nodes * rules.players + tree.turns[nodes]
    return int(np.count_nonzero(tree.first[places] != NONE))


@compiled
def count_kernel(
    rules: Rules, tree: Tree, known: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Count the entries of all nodes; `known` marks the moves that the current node has."""
    codes, players = rules.num_codes, rules.players
    size = players * codes
    for node in range(tree.meta[NODES]):
        turn = tree.turns[node]
        if turn in (TERMINAL, CHANCE):
            continue
        counts[COUNTED] += 1
        low, high = choosers(turn, players)
        if tree.first[node * players + low] == NONE:
            continue
        mark, table = node + 1, tree.table[node]
        if table != NONE:
            for played in range(size):
                if amaf_playouts(rules, tree, table_base(rules, table), played) > 0:
                    known[played] = mark
                    counts[OF_ALL] += 1
        entry = tree.newest_link[node]
        while entry >= 0:
            tree.meta[STAMP] += 1
            simulation = tree.link_simulation[entry]
            start = read_place(rules, tree, entry)
            trace = half_of(tree, 0)
            for place in range(start, read_trace(rules, tree, simulation, start, trace)):
                played = trace[place]
                # With shared points, a simulation counts for the player who took the point first.
                taken = played % codes if rules.shared_points else played
                if tree.seen[taken] != tree.meta[STAMP] and known[played] != mark:
                    known[played] = mark
                    counts[OF_ALL] += 1
                tree.seen[taken] = tree.meta[STAMP]
            entry = tree.link_next[entry]
        for player in range(low, high):
            first = tree.first[node * players + player]
            for edge in range(first, first + tree.degree[node * players + player]):
                counts[OF_LEGAL] += known[player * codes + tree.moves[edge]] == mark
