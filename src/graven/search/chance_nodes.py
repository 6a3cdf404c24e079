"""Chance nodes: positions where dice decide. Their edges are the outcomes.

A descent draws an outcome by its probability, so that the mean of the playouts above a chance node
tends to the expectation over the outcomes. Outcomes are not moves of a player: traces, and with
them AMAF and learning playouts, do not contain them. The sum of an outcome's edge is that of player
0.
"""

from __future__ import annotations

from graven.core import contract
from graven.core.rollout import CHANCE_FAULTS
from graven.core.status import Status
from graven.search.plan import state_at
from graven.search.tree import EDGES, NONE
from graven.search.tree_nodes import clear_edges


def list_outcomes(state: int, node: int) -> int:
    """Give a chance node its edges: the outcomes of the record's state."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    if tree.meta[EDGES] + rules.max_moves > len(tree.moves):
        return Status.NEED_EDGES
    count = contract.outcomes(rules, record.state, record.moves, record.values)
    if count < 1:
        return CHANCE_FAULTS[-count] if count < 0 else Status.BAD_CHANCE
    first = tree.meta[EDGES]
    tree.degree[node * rules.players] = count
    for i in range(count):
        edge = first + i
        tree.moves[edge] = record.moves[i]
        tree.chances[edge] = record.values[i]
        tree.children[edge] = NONE
        if rules.prior:
            tree.priors[edge] = 0.0
        if rules.feature:
            tree.codes[edge] = 0
    clear_edges(tree, first, count)
    tree.meta[EDGES] = first + count
    tree.first[node * rules.players] = first
    return Status.OK


def draw_edge(state: int, node: int, depth: int) -> None:
    """Draw an outcome; write its edge and its code to the record, as the `depth`-th ply."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    first, count = tree.first[node * rules.players], tree.degree[node * rules.players]
    place = contract.draw_place(tree.chances[first : first + count], count, record.rng)
    record.edges[(depth - 1) * rules.players] = first + place
    record.joint[0] = tree.moves[first + place]
