"""Keeping the tree between the moves of a game: finding the new root, dropping the rest."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, Rules, State
from graven.search.tree import (
    CLOSED,
    EDGES,
    NODES,
    NONE,
    PASSES,
    ROOT,
    SIMULATIONS,
    TABLES,
    TRACED,
    Int32,
    Tree,
    find,
    rehash,
)

History = tuple[tuple[int, ...], ...]


def known_node(
    rules: Rules,
    tree: Tree,
    transpositions: bool,
    state: State,
    before: History,
    history: History,
) -> int:
    """The visited node of a position, or NONE.

    With transpositions its key finds it; without, the moves from the old root (`before`) to it.
    """
    if transpositions:
        node = int(look_up(tree, contract.key(rules, state)))
    elif history[: len(before)] == before:
        node = int(tree.meta[ROOT])
        for joint in history[len(before) :]:
            node = _child(rules, tree, node, joint)
            if node == NONE:
                break
    else:
        node = NONE
    return node if node != NONE and tree.visits[node] > 0 else NONE


@compiled
def look_up(tree: Tree, key: int) -> int:
    """The node with this key, or NONE."""
    return find(tree, key)


def _child(rules: Rules, tree: Tree, node: int, joint: tuple[int, ...]) -> int:
    """The child of a node by a move; NONE where all players moved at once."""
    player = int(tree.turns[node])
    if player < 0:
        return NONE
    place = node * rules.players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    for edge in range(first, first + degree) if first != NONE else ():
        if tree.moves[edge] == joint[player]:
            return int(tree.children[edge])
    return NONE


def prune(rules: Rules, tree: Tree) -> bool:
    """Drop all that cannot be reached from the root, in place; the room it took is free again.

    False, and nothing is changed, where players move at once: such nodes do not know their
    children.
    """
    meta = tree.meta
    node_map = np.full(meta[NODES], NONE, np.int32)
    if not reachable(rules.players, tree, node_map, np.empty_like(node_map)):
        return False
    edge_map = np.full(meta[EDGES], NONE, np.int32)
    pass_map = np.full(meta[PASSES], NONE, np.int32)
    simulation_map = np.full(meta[SIMULATIONS] + 1, NONE, np.int32)
    table_map = np.full(meta[TABLES], NONE, np.int32)
    slide(rules, tree, node_map, edge_map, pass_map, simulation_map, table_map)
    tree.slots[:] = NONE
    rehash(tree)
    return True


@compiled
def reachable(players: int, tree: Tree, node_map: Int32, stack: Int32) -> bool:
    """Give the nodes below the root their new numbers, in the old order; `stack` is scratch."""
    stack[0] = tree.meta[ROOT]
    node_map[tree.meta[ROOT]] = 0
    waiting = 1
    while waiting:
        waiting -= 1
        node = stack[waiting]
        player = tree.turns[node]
        if player == SIMULTANEOUS:
            return False
        if player < 0 or tree.first[node * players + player] == NONE:
            continue
        first = tree.first[node * players + player]
        for edge in range(first, first + tree.degree[node * players + player]):
            child = tree.children[edge]
            if child != NONE and node_map[child] == NONE:
                node_map[child] = 0
                stack[waiting] = child
                waiting += 1
    number(node_map)
    return True


@compiled
def number(kept: Int32) -> int:
    """Replace the marks (anything but NONE) by 0, 1, 2, ...; how many there are."""
    count = 0
    for i in range(len(kept)):
        if kept[i] != NONE:
            kept[i] = count
            count += 1
    return count


@compiled
def slide(
    rules: Rules,
    tree: Tree,
    node_map: Int32,
    edge_map: Int32,
    pass_map: Int32,
    simulation_map: Int32,
    table_map: Int32,
) -> None:
    """Move what is kept to the front of every group, and let it point to its new places.

    Old order is kept, so nothing moves onto something that has yet to move.
    """
    players, meta = rules.players, tree.meta
    for node in range(len(node_map)):
        if node_map[node] == NONE:
            continue
        if tree.table[node] != NONE:
            table_map[tree.table[node]] = 0
        for place in range(node * players, (node + 1) * players):
            for i in range(tree.degree[place]):
                edge_map[tree.first[place] + i] = 0
        entry = tree.passed[node]
        while entry >= 0:
            pass_map[entry] = 0
            simulation_map[tree.pass_simulation[entry]] = 0
            entry = tree.pass_next[entry]
    edges, passes = number(edge_map), number(pass_map)
    tables, simulations = number(table_map), number(simulation_map)

    meta[ROOT] = node_map[meta[ROOT]]
    nodes = 0
    for node in range(len(node_map)):
        if node_map[node] == NONE:
            continue
        tree.keys[nodes] = tree.keys[node]
        tree.visits[nodes] = tree.visits[node]
        tree.turns[nodes] = tree.turns[node]
        for player in range(players):
            first = tree.first[node * players + player]
            tree.first[nodes * players + player] = NONE if first == NONE else edge_map[first]
            tree.degree[nodes * players + player] = tree.degree[node * players + player]
        table, entry = tree.table[node], tree.passed[node]
        tree.table[nodes] = NONE if table == NONE else table_map[table]
        tree.passed[nodes] = entry if entry < 0 else pass_map[entry]
        nodes += 1
    for edge in range(len(edge_map)):
        to, child = edge_map[edge], tree.children[edge]
        if to != NONE:
            tree.moves[to] = tree.moves[edge]
            tree.counts[to] = tree.counts[edge]
            tree.sums[to] = tree.sums[edge]
            tree.children[to] = NONE if child == NONE else node_map[child]
            if rules.feature:
                tree.codes[to] = tree.codes[edge]
    size = 2 * players * rules.num_codes
    for table in range(len(table_map)):
        to = table_map[table]
        if to != NONE and to != table:
            for i in range(size):
                tree.amaf[to * size + i] = tree.amaf[table * size + i]
    for entry in range(len(pass_map)):
        to, older = pass_map[entry], tree.pass_next[entry]
        if to != NONE:
            tree.pass_simulation[to] = simulation_map[tree.pass_simulation[entry]]
            tree.pass_at[to] = tree.pass_at[entry]
            tree.pass_next[to] = NONE if older == NONE else pass_map[older]
    traced = 0
    for simulation in range(meta[SIMULATIONS]):
        to = simulation_map[simulation]
        if to != NONE:
            start, end = tree.trace_start[simulation], tree.trace_start[simulation + 1]
            tree.trace_start[to] = traced
            for place in range(start, end):
                tree.traces[traced] = tree.traces[place]
                traced += 1
            for player in range(players):
                score = tree.trace_scores[simulation * players + player]
                tree.trace_scores[to * players + player] = score
    if simulations:
        tree.trace_start[simulations] = traced
    meta[NODES], meta[EDGES], meta[TABLES] = nodes, edges, tables
    meta[PASSES], meta[SIMULATIONS], meta[TRACED] = passes, simulations, traced
    meta[CLOSED] = 0
