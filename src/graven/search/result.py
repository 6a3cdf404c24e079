"""What is read from the tree of a search: bounds of scores, and the principal variation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.compile import compiled
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Rules
from graven.search.joint_bounds import move_proof
from graven.search.layout import Float64, Int8, Int32
from graven.search.node_moves import moves_of
from graven.search.score_bounds import HIGHEST, LOWEST, WORSE, is_decided
from graven.search.tree import NONE, ROOT, Tree


class EdgeBounds(NamedTuple):
    """The bounds of a player's score, and the plies left, after each of several edges.

    `dominated` is 1 for simultaneous moves of which another one is proven to be as good.
    """

    lower: Float64
    upper: Float64
    plies_left: Int32
    dominated: Int8


def new_bounds(count: int) -> EdgeBounds:
    """Return the bounds of edges of which nothing is known."""
    return EdgeBounds(
        np.full(count, LOWEST),
        np.full(count, HIGHEST),
        np.zeros(count, np.int32),
        np.zeros(count, np.int8),
    )


def bounds_of_moves(
    rules: Rules, tree: Tree, node: int, player: int, children: Int32
) -> EdgeBounds:
    """Return the bounds after a player's moves at a node; `children` are those of its edges.

    A search may run in the tree meanwhile.
    """
    if not rules.score_bounds or tree.turns[node] != SIMULTANEOUS:
        return child_bounds(rules, tree, children, player)
    bounds = new_bounds(len(children))
    read_joint_moves(rules, tree, node, player, bounds)
    return bounds


@compiled
def read_joint_moves(rules: Rules, tree: Tree, node: int, player: int, bounds: EdgeBounds) -> None:
    """Fill the bounds after a player's moves at a node with simultaneous moves."""
    first = tree.first[node * rules.players + player]
    for move in range(len(bounds.lower)):
        low, high, plies = move_proof(rules, tree, node, player, move)
        bounds.lower[move], bounds.upper[move], bounds.plies_left[move] = low, high, plies
        bounds.dominated[move] = tree.skipped[first + move] == WORSE


def child_bounds(rules: Rules, tree: Tree, children: Int32, player: int) -> EdgeBounds:
    """Return the bounds that children of a node have; 0 and 1 where there are none.

    A child that the tree does not have yet, because it grows while it is read, has none.
    """
    bounds = new_bounds(len(children))
    if rules.score_bounds:
        known = np.flatnonzero((children >= 0) & (children < len(tree.bounded)))
        known = known[tree.bounded[children[known]] != 0]
        nodes = children[known].astype(np.int64)
        bounds.lower[known] = tree.lower[nodes * rules.players + player]
        bounds.upper[known] = tree.upper[nodes * rules.players + player]
        proven = bounds.lower[known] >= bounds.upper[known]
        bounds.plies_left[known] = np.where(proven, tree.plies_left[nodes], 0)
    return bounds


class RootProof(NamedTuple):
    """What is proven about a root: bounds of every player's score, and whether they are exact.

    `proven` is whether the score of the player to move is, at simultaneous moves those of all
    players who have a choice; `plies_left` are then the plies to the end of the game with the
    proven moves, else 0.
    """

    bounds: tuple[tuple[float, float], ...]
    proven: bool
    plies_left: int


def root_proof(rules: Rules, tree: Tree) -> RootProof:
    """Return what the tree proves about its root."""
    root, players = int(tree.meta[ROOT]), rules.players
    if not rules.score_bounds or not tree.bounded[root]:
        return RootProof(((LOWEST, HIGHEST),) * players, proven=False, plies_left=0)
    places = slice(root * players, (root + 1) * players)
    lower, upper = tree.lower[places].tolist(), tree.upper[places].tolist()
    proven = bool(is_decided.py_func(players, tree, root))  # type: ignore[attr-defined]
    plies_left = int(tree.plies_left[root]) if proven else 0
    return RootProof(tuple(zip(lower, upper, strict=True)), proven, plies_left)


def principal_variation(
    rules: Rules, tree: Tree, best: int | None, limit: int = 30
) -> list[tuple[int, int]]:
    """Return (player, move) from the root on: `best`, if given, then the most visited moves.

    It ends at a terminal node, at simultaneous moves, at a chance event, or where a move has no
    playouts.
    """
    variation: list[tuple[int, int]] = []
    node = int(tree.meta[ROOT])
    while node != NONE and len(variation) < limit:
        player = int(tree.turns[node])
        if player in (TERMINAL, SIMULTANEOUS, CHANCE):
            break
        place = node * rules.players + player
        first, degree = int(tree.first[place]), int(tree.degree[place])
        if first == NONE or degree == 0:
            break
        if not variation and best is not None:
            edge = first + tree.moves[first : first + degree].tolist().index(best)
        else:
            edge = _best_edge(rules, tree, node, slice(first, first + degree))
        if not tree.counts[edge]:
            break
        variation.append((player, int(tree.moves[edge])))
        node = int(tree.children[edge])
    return variation


def _best_edge(rules: Rules, tree: Tree, node: int, edges: slice) -> int:
    """Return the most visited edge of a node; of a proven one, an edge that reaches its score.

    Among equals, that of the move that is listed first.
    """
    candidates = moves_of(rules, tree, node, edges).edges
    candidates = candidates[candidates != NONE]
    player = int(tree.turns[node])
    place = node * rules.players + player
    if rules.score_bounds and tree.bounded[node] and tree.lower[place] >= tree.upper[place]:
        if tree.proof_edge[node] != NONE:
            return int(tree.proof_edge[node])
        plies = child_bounds(rules, tree, tree.children[candidates], player).plies_left
        candidates = candidates[plies == plies.max()]
    return int(candidates[np.argmax(tree.counts[candidates])])
