"""The nodes of the naive search, and the record of a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from graven.core.contract import SIMULTANEOUS
from tests.naive.playouts import Choice
from tests.naive.score_bounds import REST


@dataclass
class Node:
    turn: int
    visits: int = 0
    moves: dict[int, list[int]] | None = None  # by player
    count: dict[tuple[int, int], int] = field(default_factory=dict)  # by (player, move)
    total: dict[tuple[int, int], float] = field(default_factory=dict)
    squares: dict[tuple[int, int], float] = field(default_factory=dict)
    prior: dict[tuple[int, int], float] = field(default_factory=dict)
    amaf_count: dict[tuple[int, int], int] = field(default_factory=dict)
    amaf_total: dict[tuple[int, int], float] = field(default_factory=dict)
    permuted_count: dict[tuple[int, int], int] = field(default_factory=dict)
    permuted_total: dict[tuple[int, int], float] = field(default_factory=dict)
    counted: int = 0  # simulations in the permutation statistics
    children: dict[tuple[int, ...], Node] = field(default_factory=dict)  # by joint move
    results: list[np.ndarray] = field(default_factory=list)  # the scores of its simulations
    bounds: list[list[float]] | None = None  # by player, see `score_bounds`
    proof_move: int | None = None
    skipped: set[int] = field(default_factory=set)
    resting: int | None = None
    last_use: int = 0  # the number of the last simulation through the node
    implicit: dict[tuple[int, int], float] = field(default_factory=dict)  # minimax values
    # At simultaneous moves with simultaneous=regret, by (player, move).
    regret: dict[tuple[int, int], float] = field(default_factory=dict)
    strategies: dict[tuple[int, int], float] = field(default_factory=dict)

    # At simultaneous moves: the children with bounds by joint move, and (player, move) skipped.
    table: dict[tuple[int, ...], Node] = field(default_factory=dict)
    dominated: set[tuple[int, int]] = field(default_factory=set)

    def is_open(self, mover, move):
        if self.turn == SIMULTANEOUS:
            return (mover, move) not in self.dominated
        rests = move == self.resting and self.visits % REST
        return move not in self.skipped and not rests


@dataclass
class Simulation:
    in_tree: int  # how many moves of the trace were chosen in the tree
    trace: list[tuple[int, int]]
    plies: list[list[Choice]]
    scores: np.ndarray
    odds: dict[int, dict[int, float]]  # at simultaneous moves, by place in the trace and player
    outcomes: dict[int, int] = field(default_factory=dict)  # of chance, by place on the path
    contained: frozenset[tuple[int, int]] = frozenset()
    depth: int = 0  # how many nodes it has visited
    leads_on: bool = False  # whether its last move in the tree leads to a node, visited or not
    is_terminal: bool = False  # whether the last of them is a finished game
    value: float | None = None  # the last move's minimax value, if its subtree is forgotten


class TreeFullError(Exception):
    """A node is to enter a tree that has `max_nodes`."""


def odds_of(path):
    return {at: odds for node, at, odds in path if node.turn == SIMULTANEOUS}


def mean_of(node, played):
    n = node.count.get(played, 0)
    return n, (node.total[played] / n if n else None)


def amaf_of(reference, played):
    pa = reference.amaf_count.get(played, 0)
    return pa, (reference.amaf_total[played] / pa if pa else None)
