"""A compact copy of a finished search's tree: only moves that have playouts.

It takes about 50 bytes for each playout, is independent of the search, and can be pickled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.contract import CHANCE, Rules
from graven.search.amaf import statistics_of
from graven.search.layout import Float64, Int8, Int32, Int64
from graven.search.tree import EDGES, NODES, NONE, ROOT, Tree


class TreeCopy(NamedTuple):
    """Nodes and edges. The edges of node i are those from `first[i]` to `first[i + 1]` - 1."""

    root: int
    # [node]
    turns: Int8  # a player, TERMINAL, SIMULTANEOUS or CHANCE
    visits: Int32
    first: Int64  # one longer
    # [edge]
    players: Int8  # who moves; the number of players for an outcome of chance
    moves: Int32
    counts: Int32  # playouts
    sums: Float64  # of the mover's scores; of player 0's for an outcome of chance
    children: Int32  # node or NONE
    amaf_visits: Float64  # in the node's own AMAF table, 0 if it has none
    amaf_sums: Float64


def copy_visited(rules: Rules, tree: Tree) -> TreeCopy:
    """Copy the nodes of a tree and those of their edges that have playouts."""
    nodes, edges, players = int(tree.meta[NODES]), int(tree.meta[EDGES]), rules.players
    begins, degrees = tree.first[: nodes * players], tree.degree[: nodes * players]
    listed = np.flatnonzero((begins >= 0) & (degrees > 0))
    listed = listed[np.argsort(begins[listed], kind="stable")]
    visited = np.flatnonzero(tree.counts[:edges] > 0)
    # The place, node * players + player, whose list of edges contains each visited edge.
    index = np.searchsorted(begins[listed], visited, side="right") - 1
    inside = index >= 0
    visited, index = visited[inside], index[inside]
    places = listed[index]
    inside = visited < begins[places] + degrees[places]
    visited, places = visited[inside], places[inside]
    order = np.argsort(places, kind="stable")
    visited, places = visited[order], places[order]
    owners, movers = np.divmod(places, players)
    by_chance = tree.turns[owners] == CHANCE
    moves = tree.moves[visited]
    tables = tree.table[owners] if rules.amaf else np.full(len(owners), NONE, np.int32)
    has_table = (tables != NONE) & ~by_chance
    entries = (tables.astype(np.int64) * players + movers) * rules.num_codes + moves
    amaf_visits, amaf_sums = np.zeros(len(owners)), np.zeros(len(owners))
    if rules.amaf:
        counted = statistics_of(rules, tree, entries[has_table])
        amaf_visits[has_table], amaf_sums[has_table] = counted
    first = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=nodes), out=first[1:])
    return TreeCopy(
        root=int(tree.meta[ROOT]),
        turns=tree.turns[:nodes].copy(),
        visits=tree.visits[:nodes].copy(),
        first=first,
        players=np.where(by_chance, players, movers).astype(np.int8),
        moves=moves.copy(),
        counts=tree.counts[visited].copy(),
        sums=tree.sums[visited].copy(),
        children=tree.children[visited].copy(),
        amaf_visits=amaf_visits,
        amaf_sums=amaf_sums,
    )
