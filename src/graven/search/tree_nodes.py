"""Nodes of a tree: find them by their keys, enter new ones, read and clear what they have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled, inlined
from graven.core.contract import CHANCE, SIMULTANEOUS, Rules
from graven.search.layout import UInt16, UInt32
from graven.search.tree import JOINT_SIZE, MOST_JOINT, NO_SUCH, NODES, NONE, USES, Tree


@inlined
def choosers(turn: int, players: int) -> tuple[int, int]:
    """Return the first player with edges at a node, and the one after the last.

    The edges of a chance node are player 0's.
    """
    low = max(turn, 0)
    return low, players if turn == SIMULTANEOUS else low + 1


@inlined
def read_list(rules: Rules, tree: Tree, at: int) -> int:
    """Return a number in the lists of moves."""
    if rules.few_edges == 1:
        return int(tree.lists[at])
    return int(in_words(tree.lists)[at])


@inlined
def in_words(array: UInt16) -> UInt32:
    """Return an array whose numbers take two words each, as these numbers."""
    return array.view(np.uint32)


def listed_moves(rules: Rules, tree: Tree, node: int) -> NDArray[Any]:
    """Return the list of moves of a node that has edges for some of them only."""
    lists = tree.lists if rules.few_edges == 1 else tree.lists.view(np.uint32)
    at = int(tree.listed_at[node])
    return lists[at + 1 : at + 1 + int(lists[at])]


@inlined
def number_of_moves(rules: Rules, tree: Tree, node: int) -> int:
    """Return how many moves the player to move has at a node whose moves have been listed."""
    if rules.few_edges and tree.listed_at[node] != NONE:
        return read_list(rules, tree, tree.listed_at[node])
    return tree.degree[node * rules.players + tree.turns[node]]


@inlined
def joint_moves(players: int, tree: Tree, node: int) -> int:
    """Return how many joint moves a node has; 0 if these are too many for a table."""
    count = 1
    for place in range(node * players, (node + 1) * players):
        count *= tree.degree[place]
        if count > MOST_JOINT:
            return 0
    return count


@inlined
def note_joint_moves(players: int, tree: Tree, node: int) -> None:
    """Note how large the table of a node whose simultaneous moves have been listed can be."""
    tree.meta[JOINT_SIZE] = max(tree.meta[JOINT_SIZE], joint_moves(players, tree, node))


@inlined
def find(tree: Tree, key: int) -> int:
    """Return the node with this key, or NONE."""
    mask = len(tree.slots) - 1
    slot = key & mask
    while tree.slots[slot] != NONE:
        if tree.keys[tree.slots[slot]] == key:
            return tree.slots[slot]
        slot = (slot + 1) & mask
    return NONE


@inlined
def enter(tree: Tree, node: int) -> None:
    """Enter a node into the transposition table."""
    mask = len(tree.slots) - 1
    slot = tree.keys[node] & mask
    while tree.slots[slot] != NONE:
        slot = (slot + 1) & mask
    tree.slots[slot] = node


@compiled
def rehash(tree: Tree) -> None:
    """Fill the transposition table with all nodes."""
    for slot in range(len(tree.slots)):
        tree.slots[slot] = NONE
    for node in range(tree.meta[NODES]):
        enter(tree, node)


@inlined
def new_node(tree: Tree, players: int, key: int, turn: int) -> int:
    """Return a new node without playouts, or NONE if the group is full."""
    node = tree.meta[NODES]
    if node >= len(tree.keys):
        return NONE
    tree.meta[NODES] = node + 1
    describe_node(tree, players, node, key, turn=turn)
    clear_node(tree, node)
    enter(tree, node)
    return node


@inlined
def describe_node(tree: Tree, players: int, node: int, key: int, turn: int) -> None:
    """Write what a new node is: a position, whose moves are not listed yet."""
    tree.keys[node] = key
    tree.turns[node] = turn if CHANCE <= turn < players else NO_SUCH
    for player in range(players):
        tree.first[node * players + player] = NONE
        tree.degree[node * players + player] = 0
    if node < len(tree.listed_at):
        tree.listed_at[node] = NONE


@inlined
def clear_node(tree: Tree, node: int) -> None:
    """Write the statistics of a node without playouts."""
    tree.visits[node] = 0
    if node < len(tree.table):
        tree.table[node] = NONE
        tree.newest_link[node] = NONE
    if node < len(tree.bounded):
        tree.bounded[node] = 0
        tree.skips[node] = 0
        tree.proof_edge[node] = NONE
        tree.joint_at[node] = NONE
    if node < len(tree.counted):
        tree.counted[node] = 0
    if node < len(tree.last_use):
        tree.last_use[node] = tree.meta[USES]


@inlined
def clear_edges(tree: Tree, first: int, count: int) -> None:
    """Write the statistics of edges without playouts."""
    # One loop for each array, over slices: vector instructions fill them.
    counts, sums = tree.counts[first : first + count], tree.sums[first : first + count]
    for i in range(count):
        counts[i] = 0
    for i in range(count):
        sums[i] = 0.0
    if len(tree.skipped) > 0:
        skipped = tree.skipped[first : first + count]
        for i in range(count):
            skipped[i] = 0
    if len(tree.squares) > 0:
        squares = tree.squares[first : first + count]
        for i in range(count):
            squares[i] = 0.0
    if len(tree.regrets) > 0:
        regrets = tree.regrets[first : first + count]
        strategies = tree.strategies[first : first + count]
        for i in range(count):
            regrets[i] = 0.0
        for i in range(count):
            strategies[i] = 0.0
    if len(tree.permuted) > 0:
        permuted = tree.permuted[2 * first : 2 * (first + count)]
        for i in range(2 * count):
            permuted[i] = 0.0
