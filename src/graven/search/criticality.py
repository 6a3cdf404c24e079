"""Criticality: moves that decide who wins count more in AMAF (the option `criticality`).

Coulom 2009 ("Criticality: a Monte-Carlo heuristic for Go programs") measures how much a point
decides the game by the covariance, over playouts, of owning the point and winning. Here it is that
of playing a move and of the player's score, so that it is defined for every game. In an AMAF table
with N simulations, in which a player has the mean score V, and has played a move in pa simulations
with the sum of scores s,

    criticality = mean(played * score) - mean(played) * mean(score) = (s - pa * V) / N

A move with a criticality above 0 gets `criticality` * criticality * pa more AMAF playouts, all won.
How it enters the AMAF value is our own. The statistics are those of AMAF; only N and V are kept in
addition, for every table.
"""

from __future__ import annotations

from graven.search.amaf import add_totals
from graven.search.plan import state_at
from graven.search.select.selection import TABLE_MEAN, TABLE_PLAYOUTS
from graven.search.tree import DEPTH, NONE, TABLE


def count_in_tables(state: int) -> None:
    """Add a finished simulation to the totals of the tables on its path."""
    search = state_at(state)
    tree, record = search.tree, search.record
    for depth in range(record.shape[DEPTH]):
        table = tree.table[record.path[depth]]
        if table != NONE:
            add_totals(tree, table, record.scores)


def read_totals(state: int, player: int) -> None:
    """Write what the tree policy reads of the table of a descent: N, and V of a player."""
    search = state_at(state)
    tree, params = search.tree, search.plan.params
    base = max(search.record.shape[TABLE], 0) * (search.rules.players + 1)
    playouts = max(tree.table_totals[base], 1.0)
    params[TABLE_PLAYOUTS] = playouts
    params[TABLE_MEAN] = tree.table_totals[base + 1 + player] / playouts
