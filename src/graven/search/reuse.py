"""Reusing the tree between the moves of a game: find the new root, prune what it cannot reach."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import CHANCE, SIMULTANEOUS, Rules, State
from graven.search.layout import Int32
from graven.search.tree import CLOSED, FEW, FREE_BLOCK, NODES, NONE, ROOT, Tree
from graven.search.tree_arena import GROUPS, SLOTS
from graven.search.tree_nodes import find, joint_moves, read_list, rehash

History = tuple[tuple[int, ...], ...]

# Moved simulation by simulation, since a trace has no fixed length.
BY_SIMULATION = {"trace_start", "traces"}


def node_of_state(rules: Rules, tree: Tree, state: State) -> int:
    """Return the visited node with the key of a position, or NONE."""
    return _visited(tree, int(find_node(tree, contract.key(rules, state))))


def node_after(rules: Rules, tree: Tree, moves: History) -> int:
    """Return the visited node that joint moves lead to from the root, or NONE."""
    node = int(tree.meta[ROOT])
    for joint in moves:
        node = _child(rules, tree, node, joint)
        if node == NONE:
            break
    return _visited(tree, node)


def _visited(tree: Tree, node: int) -> int:
    return node if node != NONE and tree.visits[node] > 0 else NONE


@compiled
def find_node(tree: Tree, key: int) -> int:
    """Return the node with this key, or NONE."""
    return find(tree, key)


def _child(rules: Rules, tree: Tree, node: int, joint: tuple[int, ...]) -> int:
    """Return the child of a node by a move; NONE after simultaneous moves."""
    player = int(tree.turns[node])
    if player < 0 and player != CHANCE:
        return NONE
    code = joint[-1] if player == CHANCE else joint[player]
    player = max(player, 0)
    place = node * rules.players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    for edge in range(first, first + degree) if first != NONE else ():
        if tree.moves[edge] == code:
            return int(tree.children[edge])
    return NONE


def prune(rules: Rules, tree: Tree) -> bool:
    """Remove all that cannot be reached from the root, in place.

    Return False, and change nothing, if players move simultaneously somewhere: such nodes do not
    store their children.
    """
    nodes = np.full(tree.meta[NODES], NONE, np.int32)
    if not mark_nodes(rules.players, tree, nodes, np.empty_like(nodes)):
        return False
    keep_units(rules, tree, units_of(rules, tree, nodes))
    return True


def units_of(rules: Rules, tree: Tree, nodes: Int32) -> dict[str, Int32]:
    """Return the marks of the units of each group that marked nodes need.

    A mark is anything but NONE. The units of `traces` are kept by simulation, and have no marks.
    """
    counts = {name: int(tree.meta[group.count]) for name, group in GROUPS.items()}
    marks = {name: np.full(count, NONE, np.int32) for name, count in counts.items()}
    marks["nodes"] = nodes
    marks["blocks"][:] = 0
    if rules.few_edges:
        mark_lists(rules, tree, nodes, marks["edges"], lists=marks["lists"])
    mark_edges(rules.players, tree, nodes, marks["edges"], tables=marks["tables"])
    if rules.score_bounds:
        mark_joints(rules.players, tree, nodes, marks["joints"])
    if rules.amaf:
        mark_links(tree, nodes, marks["links"], marks["simulations"])
    return marks


def keep_units(rules: Rules, tree: Tree, maps: dict[str, Int32]) -> None:
    """Remove all units that have no mark, in place; marks become the new numbers of units."""
    meta = tree.meta
    kept = {name: number(units) for name, units in maps.items() if name != "traces"}
    kept["traces"] = move_traces(tree, GROUPS["traces"].unit_bytes(rules), maps["simulations"])
    for group in GROUPS.values():
        for array in group.arrays:
            if array.name == SLOTS or array.name in BY_SIMULATION:
                continue
            values, entries = getattr(tree, array.name), array.size.entries(rules)
            move_rows(values, entries, maps[group.name])
            if array.size.refers:
                renumber(values[: kept[group.name] * entries], maps[array.size.refers])
        meta[group.count] = kept[group.name]
    meta[ROOT] = maps["nodes"][meta[ROOT]]
    meta[CLOSED] = meta[FREE_BLOCK] = 0
    rehash(tree)


@compiled
def mark_nodes(players: int, tree: Tree, nodes: Int32, stack: Int32) -> bool:
    """Mark the nodes that the root can reach; return False after simultaneous moves.

    `stack` is scratch, as long as `nodes`.
    """
    stack[0] = tree.meta[ROOT]
    nodes[tree.meta[ROOT]] = 0
    waiting = 1
    while waiting:
        waiting -= 1
        node = stack[waiting]
        player = tree.turns[node]
        if player == SIMULTANEOUS:
            return False
        if player == CHANCE:
            player = 0
        if player < 0 or tree.first[node * players + player] == NONE:
            continue
        first = tree.first[node * players + player]
        for edge in range(first, first + tree.degree[node * players + player]):
            child = tree.children[edge]
            if child != NONE and nodes[child] == NONE:
                nodes[child] = 0
                stack[waiting] = child
                waiting += 1
    return True


@compiled
def mark_edges(players: int, tree: Tree, nodes: Int32, edges: Int32, tables: Int32) -> None:
    """Mark the edges and the tables of the marked nodes."""
    for node in range(len(nodes)):
        if nodes[node] == NONE:
            continue
        if node < len(tree.table) and tree.table[node] != NONE:
            tables[tree.table[node]] = 0
        for place in range(node * players, (node + 1) * players):
            for i in range(tree.degree[place]):
                edges[tree.first[place] + i] = 0


@compiled
def mark_lists(rules: Rules, tree: Tree, nodes: Int32, edges: Int32, lists: Int32) -> None:
    """Mark the lists of moves of the marked nodes, and the blocks of edges that belong to them."""
    for node in range(len(nodes)):
        at = tree.listed_at[node]
        if nodes[node] == NONE or at == NONE:
            continue
        for i in range(read_list(rules, tree, at) + 1):
            lists[at + i] = 0
        first = tree.first[node * rules.players + tree.turns[node]]
        for edge in range(first, first + FEW):
            edges[edge] = 0


@compiled
def mark_joints(players: int, tree: Tree, nodes: Int32, joints: Int32) -> None:
    """Mark the tables of joint moves of the marked nodes."""
    for node in range(len(nodes)):
        if nodes[node] != NONE and tree.joint_at[node] != NONE:
            begin = tree.joint_at[node]
            for entry in range(begin, begin + joint_moves(players, tree, node)):
                joints[entry] = 0


@compiled
def mark_links(tree: Tree, nodes: Int32, links: Int32, simulations: Int32) -> None:
    """Mark the links of the marked nodes, and their simulations."""
    for node in range(len(nodes)):
        entry = tree.newest_link[node] if nodes[node] != NONE else NONE
        while entry >= 0:
            links[entry] = 0
            simulations[tree.link_simulation[entry]] = 0
            entry = tree.link_next[entry]


@compiled
def number(marked: Int32) -> int:
    """Replace the marks (anything but NONE) by 0, 1, 2, ...; return how many there are."""
    count = 0
    for i in range(len(marked)):
        if marked[i] != NONE:
            marked[i] = count
            count += 1
    return count


@compiled
def move_rows(values: NDArray[Any], entries: int, units: Int32) -> None:
    """Move the entries of every unit that is kept to its new place.

    The order stays, so that no unit is written over before it has moved.
    """
    for unit in range(len(units)):
        to = units[unit]
        if to != NONE and to != unit:
            for i in range(entries):
                values[to * entries + i] = values[unit * entries + i]


@compiled
def renumber(values: Int32, units: Int32) -> None:
    """Replace the units that values refer to by their new numbers; negative values stay."""
    for i in range(len(values)):
        if values[i] >= 0:
            values[i] = units[values[i]]


@compiled
def move_traces(tree: Tree, unit: int, simulations: Int32) -> int:
    """Move the traces of the simulations that are kept; return the units that they take.

    A unit has so many bytes.
    """
    traced, kept = 0, 0
    for simulation in range(len(simulations)):
        if simulations[simulation] != NONE:
            start, end = tree.trace_start[simulation], tree.trace_start[simulation + 1]
            tree.trace_start[kept] = traced
            for place in range(start, end):
                for byte in range(unit):
                    tree.traces[unit * traced + byte] = tree.traces[unit * place + byte]
                traced += 1
            kept += 1
    if kept:
        tree.trace_start[kept] = traced
    return traced
