"""The result of a search, read from its tree: statistics of the root's moves, the best of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Rules
from graven.core.rng import below, generator
from graven.search import amaf
from graven.search.layout import Float64, Int32
from graven.search.score_bounds import HIGHEST, LOWEST
from graven.search.tree import NONE, ROOT, Tree


class RootStatistics(NamedTuple):
    """One move of one player at the root. The AMAF fields are 0 without AMAF.

    `lower` and `upper` are proven bounds of the player's score after the move; `plies_left` are the
    plies after the move to the end of the game, where its score is proven.
    """

    code: int
    visits: int
    total: float  # sum of the player's scores
    amaf_visits: int
    amaf_total: float
    lower: float = LOWEST
    upper: float = HIGHEST
    plies_left: int = 0

    def __add__(self, other: RootStatistics) -> RootStatistics:  # type: ignore[override]
        """Return the statistics of the same move in two trees together."""
        return RootStatistics(
            code=self.code,
            visits=self.visits + other.visits,
            total=self.total + other.total,
            amaf_visits=self.amaf_visits + other.amaf_visits,
            amaf_total=self.amaf_total + other.amaf_total,
            lower=max(self.lower, other.lower),
            upper=min(self.upper, other.upper),
            plies_left=self.plies_left or other.plies_left,
        )

    @property
    def mean(self) -> float:
        """The mean score of its playouts; 0 without any."""
        return self.total / self.visits if self.visits else 0.0


def root_statistics(rules: Rules, tree: Tree, player: int) -> list[RootStatistics]:
    """Return the statistics of a player's moves at the root, in the order of the edges."""
    root = int(tree.meta[ROOT])
    first = int(tree.first[root * rules.players + player])
    if first == NONE:
        return []
    edges = slice(first, first + int(tree.degree[root * rules.players + player]))
    codes, table = tree.moves[edges], int(tree.table[root])
    if table == NONE:
        amaf_visits, amaf_totals = np.zeros(len(codes), np.int64), np.zeros(len(codes))
    else:
        visits, totals = amaf.statistics(rules, tree, table, player)
        amaf_visits, amaf_totals = visits[codes].astype(np.int64), totals[codes]
    bounds = edge_bounds(rules, tree, edges, player)
    columns = (codes, tree.counts[edges], tree.sums[edges], amaf_visits, amaf_totals, *bounds)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return list(map(RootStatistics._make, rows))


class EdgeBounds(NamedTuple):
    """The bounds of a player's score, and the plies left, after each of several edges."""

    lower: Float64
    upper: Float64
    plies_left: Int32


def edge_bounds(rules: Rules, tree: Tree, edges: slice, player: int) -> EdgeBounds:
    """Return the bounds that the children of a node's edges have; 0 and 1 where there are none.

    A child that the tree does not have yet, because it grows while it is read, has none.
    """
    children = tree.children[edges]
    bounds = EdgeBounds(
        np.full(len(children), LOWEST),
        np.full(len(children), HIGHEST),
        np.zeros(len(children), np.int32),
    )
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

    `proven` is whether the score of the player to move is; `plies_left` are then the plies to the
    end of the game with the proven moves, else 0.
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
    mover = int(tree.turns[root])
    proven = lower[mover] >= upper[mover]
    plies_left = int(tree.plies_left[root]) if proven else 0
    return RootProof(tuple(zip(lower, upper, strict=True)), proven, plies_left)


def final_move(moves: list[RootStatistics], rule: str, seed: int) -> RootStatistics | None:
    """Return the move to play by the option `final_move`; None if no move has playouts.

    "visits": most playouts, then the best mean; "mean": the best mean, then most playouts. Ties are
    broken at random. Moves that are proven worse than another are not played.
    """
    visited = [move for move in moves if move.visits]
    if not visited:
        return None
    visited = not_worse(visited)
    by_visits = rule == "visits"
    keys = [(m.visits, m.mean) if by_visits else (m.mean, m.visits) for m in visited]
    best = max(keys)
    ties = [move for move, key in zip(visited, keys, strict=True) if key == best]
    return ties[below(generator(seed), len(ties))]


def not_worse(moves: list[RootStatistics]) -> list[RootStatistics]:
    """Return the moves that may be the best ones by their bounds.

    If the best score is proven, these are the moves that reach it: the shortest wins, the longest
    losses. A move whose mean is below a proven lower bound of another does not count either.
    """
    lowest = max(move.lower for move in moves)
    if all(move.upper <= lowest for move in moves):
        best = [move for move in moves if move.lower >= lowest]
        if lowest in (LOWEST, HIGHEST):
            length = (max if lowest == LOWEST else min)(move.plies_left for move in best)
            best = [move for move in best if move.plies_left == length]
        return best
    return [
        move
        for move in moves
        if move.lower >= lowest > LOWEST or (move.upper > lowest and move.mean >= lowest)
    ]


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
        if first == NONE:
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
    """Return the most visited edge of a node; of a proven one, an edge that reaches its score."""
    candidates = np.arange(edges.start, edges.stop)
    player = int(tree.turns[node])
    place = node * rules.players + player
    if rules.score_bounds and tree.bounded[node] and tree.lower[place] >= tree.upper[place]:
        if tree.proof_edge[node] != NONE:
            return int(tree.proof_edge[node])
        plies = edge_bounds(rules, tree, edges, player).plies_left
        candidates = candidates[plies == plies.max()]
    return int(candidates[np.argmax(tree.counts[candidates])])
