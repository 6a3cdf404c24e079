"""The statistics of the root's moves as rows of numbers, and the choice of the move to play.

A laboratory needs the best move of every search and nothing else: reading the rows and choosing one
are compiled, and `RootStatistics` are made of them when they are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.rng import Rng, below, generator, uniform
from graven.search.amaf import amaf_playouts, amaf_scores, player_base
from graven.search.joint_bounds import move_proof
from graven.search.layout import Float64, Int64
from graven.search.plan import state_at
from graven.search.score_bounds import HIGHEST, LOWEST, WORSE
from graven.search.tree import NONE, PACKED, ROOT, Tree

# Columns of `RootRows.counts` and `RootRows.scores`.
CODE, VISITS, AMAF_VISITS, PLIES_LEFT, DOMINATED, COUNT_COLUMNS = range(6)
TOTAL, AMAF_TOTAL, LOWER, UPPER, WEIGHT, SCORE_COLUMNS = range(6)

NO_ROW = -1


class RootStatistics(NamedTuple):
    """One move of one player at the root. The AMAF fields are 0 without AMAF.

    `lower` and `upper` are proven bounds of the player's score after the move; `plies_left` are the
    plies after the move to the end of the game, where its score is proven, -1 if they are unknown,
    as they can be after simultaneous moves. `weight` is the move's share of the average strategy,
    as a sum, where moves are drawn by regret matching; else 0. `dominated` is whether another
    simultaneous move of the player is proven to be as good whatever the others play.
    """

    code: int
    visits: int
    total: float  # sum of the player's scores
    amaf_visits: int
    amaf_total: float
    lower: float = LOWEST
    upper: float = HIGHEST
    plies_left: int = 0
    weight: float = 0.0
    dominated: bool = False

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
            weight=self.weight + other.weight,
            dominated=self.dominated and other.dominated,
        )

    @property
    def mean(self) -> float:
        """The mean score of its playouts; 0 without any."""
        return self.total / self.visits if self.visits else 0.0


class RootRows(NamedTuple):
    """The statistics of moves at the root: one row each, with the columns above."""

    counts: Int64
    scores: Float64

    @classmethod
    def of(cls, moves: Iterable[RootStatistics]) -> RootRows:
        """Return the rows of these statistics."""
        moves = list(moves)
        counts = [(m.code, m.visits, m.amaf_visits, m.plies_left, m.dominated) for m in moves]
        scores = [(m.total, m.amaf_total, m.lower, m.upper, m.weight) for m in moves]
        return cls(
            np.array(counts, np.int64).reshape(-1, COUNT_COLUMNS),
            np.array(scores, np.float64).reshape(-1, SCORE_COLUMNS),
        )

    def at(self, row: int) -> RootStatistics:
        """Return the statistics in one row."""
        code, visits, amaf_visits, plies_left, dominated = self.counts[row].tolist()
        total, amaf_total, lower, upper, weight = self.scores[row].tolist()
        return RootStatistics(
            code,
            visits,
            total,
            amaf_visits,
            amaf_total=amaf_total,
            lower=lower,
            upper=upper,
            plies_left=plies_left,
            weight=weight,
            dominated=bool(dominated),
        )

    def statistics(self) -> list[RootStatistics]:
        """Return the statistics of all rows."""
        return [self.at(row) for row in range(len(self.counts))]

    def only(self, codes: Iterable[int]) -> RootRows:
        """Return the rows of moves with these codes."""
        kept = np.isin(self.counts[:, CODE], list(codes))
        return RootRows(self.counts[kept], self.scores[kept])

    def final_move(self, rule: str, seed: int) -> RootStatistics | None:
        """Return the move to play by the option `final_move`; None if no move has playouts.

        "visits": most playouts, then the best mean; "mean": the best mean, then most playouts. Ties
        are broken at random. Moves that are proven worse than another are not played. Where moves
        are drawn by regret matching, it is drawn from the average strategy, whatever the rule,
        unless the score is proven.
        """
        row = choose_row(self.counts, self.scores, rule == "visits", generator(seed))
        return None if row == NO_ROW else self.at(row)


def new_rows(rules: Rules, tree: Tree, player: int) -> RootRows:
    """Return as many empty rows as a player has moves at the root of the tree."""
    place = int(tree.meta[ROOT]) * rules.players + player
    size = int(tree.degree[place]) if tree.first[place] != NONE else 0
    return RootRows(np.empty((size, COUNT_COLUMNS), np.int64), np.empty((size, SCORE_COLUMNS)))


def rows_of_tree(rules: Rules, tree: Tree, player: int) -> RootRows:
    """Return the rows of a player's moves at the root, in the order of the edges.

    A search may run in the tree meanwhile.
    """
    rows = new_rows(rules, tree, player)
    read_tree(rules, tree, player, rows)
    return rows


@compiled
def read_tree(rules: Rules, tree: Tree, player: int, rows: RootRows) -> None:
    """Fill rows with the statistics of a player's moves at the root."""
    fill_rows(rules, tree, player, rows)


@compiled
def read_state(state: int, player: int, counts: Int64, scores: Float64) -> None:
    """Fill rows with the same, of the search whose state is at an address."""
    search = state_at(state)
    fill_rows(search.rules, search.tree, player, RootRows(counts, scores))


@inlined
def fill_rows(rules: Rules, tree: Tree, player: int, rows: RootRows) -> None:
    """Fill rows with the statistics of a player's moves at the root.

    Of a tree that grows meanwhile, one of the arrays may already be longer than another.
    """
    counts, scores = rows.counts, rows.scores
    root = tree.meta[ROOT]
    first = tree.first[root * rules.players + player]
    table = tree.table[root] if rules.amaf else NONE
    words = len(tree.packed_amaf) if rules.amaf == PACKED else len(tree.amaf)
    for row in range(min(len(counts), len(tree.moves) - first)):
        edge = first + row
        code, child = tree.moves[edge], tree.children[edge]
        counts[row, CODE], counts[row, VISITS] = code, tree.counts[edge]
        counts[row, AMAF_VISITS], counts[row, PLIES_LEFT], counts[row, DOMINATED] = 0, 0, 0
        scores[row, TOTAL], scores[row, AMAF_TOTAL] = tree.sums[edge], 0.0
        scores[row, LOWER], scores[row, UPPER] = LOWEST, HIGHEST
        has_weight = rules.regrets and edge < len(tree.strategies)
        scores[row, WEIGHT] = tree.strategies[edge] if has_weight else 0.0
        base = player_base(rules, table, player)
        if table != NONE and base + rules.amaf * (code + 1) <= words:
            counts[row, AMAF_VISITS] = np.int64(amaf_playouts(rules, tree, base, code))
            scores[row, AMAF_TOTAL] = amaf_scores(rules, tree, base, code)
        if NONE < child < len(tree.bounded) and tree.bounded[child]:
            place = child * rules.players + player
            scores[row, LOWER], scores[row, UPPER] = tree.lower[place], tree.upper[place]
            if tree.lower[place] >= tree.upper[place]:
                counts[row, PLIES_LEFT] = tree.plies_left[child]
        if rules.score_bounds and tree.turns[root] == SIMULTANEOUS and edge < len(tree.skipped):
            low, high, left = move_proof(rules, tree, root, player, row)
            scores[row, LOWER], scores[row, UPPER], counts[row, PLIES_LEFT] = low, high, left
            if tree.skipped[edge] == WORSE:
                counts[row, DOMINATED], scores[row, WEIGHT] = 1, 0.0


@inlined
def drawn_row(scores: Float64, weights: float, rng: Rng) -> int:
    """Return a row, drawn with probabilities in proportion to weights, whose sum is `weights`."""
    left, last = weights * uniform(rng), 0
    for row in range(len(scores)):
        if scores[row, WEIGHT] > 0.0:
            last = row
            left -= scores[row, WEIGHT]
            if left < 0.0:
                break
    return last


@compiled
def choose_row(counts: Int64, scores: Float64, by_visits: bool, rng: Rng) -> int:
    """Return the row of the move to play, or NO_ROW; see `RootRows.final_move`.

    If the best score is proven, moves that reach it may be played: the shortest wins, the longest
    losses. Otherwise a move whose mean is below a proven lower bound of another may not. Dominated
    moves may be played if no other move was tried.
    """
    lowest, highest, tried, weights, allowed = LOWEST, LOWEST, 0, 0.0, 1
    for row in range(len(counts)):
        if counts[row, VISITS]:
            allowed = min(allowed, counts[row, DOMINATED])
    for row in range(len(counts)):
        weights += scores[row, WEIGHT]
        if counts[row, VISITS] and counts[row, DOMINATED] <= allowed:
            tried += 1
            lowest = max(lowest, scores[row, LOWER])
            highest = max(highest, scores[row, UPPER])
    if tried == 0:
        return NO_ROW
    proven = highest <= lowest
    if weights > 0.0 and not proven:
        return drawn_row(scores, weights, rng)
    length = -1
    if proven:
        for row in range(len(counts)):
            may_play = counts[row, VISITS] > 0 and counts[row, DOMINATED] <= allowed
            if may_play and scores[row, LOWER] >= lowest:
                left = counts[row, PLIES_LEFT]
                longer = left > length if lowest == LOWEST else left < length
                length = left if length < 0 or longer else length
    best, equal, chosen = (-1.0, -1.0), 0, NO_ROW
    # First the best key and how many have it; then the one of them that is drawn.
    for drawn in range(2):
        skip = below(rng, equal) if drawn and equal > 1 else 0
        for row in range(len(counts)):
            visits = counts[row, VISITS]
            if visits == 0 or counts[row, DOMINATED] > allowed:
                continue
            mean, lower, upper = scores[row, TOTAL] / visits, scores[row, LOWER], scores[row, UPPER]
            if proven:
                graded = LOWEST < lowest < HIGHEST
                may_play = lower >= lowest and (graded or counts[row, PLIES_LEFT] == length)
            else:
                may_play = lower >= lowest > LOWEST or (upper > lowest and mean >= lowest)
            if not may_play:
                continue
            key = (float(visits), mean) if by_visits else (mean, float(visits))
            if drawn:
                if key == best:
                    if skip == 0:
                        return row
                    skip -= 1
            elif key > best:
                best, equal, chosen = key, 1, row
            elif key == best:
                equal += 1
    return chosen
