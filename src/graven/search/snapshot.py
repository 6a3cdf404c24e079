"""Snapshots of a tree while its search runs: the search is neither stopped nor locked.

The kernel writes while a snapshot is read, so the data may be slightly old, and inconsistent where
a node's moves are being listed or arrays have just been replaced by larger ones. Whatever is
inconsistent is left out; the next snapshot has it. A count and its sum are read consistently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.contract import CHANCE, TERMINAL
from graven.core.rng import generator
from graven.core.struct_memory import new_memory
from graven.search.amaf import packed_words, place_read, statistics
from graven.search.layout import SPARE
from graven.search.node_moves import moves_of
from graven.search.plan import Plan, write_edges
from graven.search.result import EdgeBounds, bounds_of_moves, principal_variation
from graven.search.root_rows import rows_of_tree
from graven.search.runner import Search
from graven.search.score_bounds import HIGHEST, LOWEST
from graven.search.select.selection import (
    EDGE_ARRAYS,
    FPU,
    NO_PRIOR,
    OWN,
    PRIOR_AMAF,
    TABLE_MEAN,
    TABLE_PLAYOUTS,
    Edge,
    EdgeArrays,
    Node,
    call_select,
    log_of,
    value_capacity,
    won_playouts,
)
from graven.search.tree import NODES, NONE, ROOT, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
T = TypeVar("T")
N = TypeVar("N", np.int32, np.float64)

# How often a count that changes while its sum is being read is read again.
TRIES = 20


@dataclass(frozen=True)
class MoveSnapshot:
    """One move of a node.

    `amaf` is the mean in the AMAF table that the node reads, None without AMAF statistics; `beta`
    the weight of AMAF, None if the formula has none; `value` the value that the tree policy
    compares, infinite for a move that is to be tried first. `expanded` is true if the position
    after the move is a node whose moves have been listed. `lower`, `upper`, `plies_left` and
    `dominated` are those of `RootStatistics`.
    """

    code: int
    visits: int
    mean: float | None
    amaf_visits: int
    amaf: float | None
    beta: float | None
    value: float
    expanded: bool
    lower: float = LOWEST
    upper: float = HIGHEST
    plies_left: int = 0
    dominated: bool = False


@dataclass(frozen=True)
class NodeSnapshot:
    """A node: the player to move (as `turn` returns it), its playouts, and one player's moves.

    The moves are sorted by playouts. At a chance node they are the outcomes, with the mean of the
    first player and the probability as `value`. `amaf_depth` is the depth of the node on the path
    (0 is the root) whose AMAF table this node reads, None without AMAF.
    """

    turn: int
    visits: int
    moves: tuple[MoveSnapshot, ...]
    amaf_depth: int | None


@compiled
def evaluate(plan: Plan, visits: int, edges: EdgeArrays, memory: int) -> int:
    """Write the value of each edge, computed by the search's own tree policy, to `edges.values`.

    `memory` is the address of memory for `edges`. AMAF statistics are indexed by 2 * move.
    """
    write_edges(memory, edges)
    number = len(edges.moves)
    return call_select(plan.select, (memory, visits, log_of(plan.logs, visits), 0, number, 0))


def playouts_done(search: Search) -> int:
    """Return the playouts of the running search; 0 before it has a tree and after it has ended."""
    return search.playouts_done


def nodes_in_use(search: Search) -> int:
    """Return the number of nodes of the tree."""
    return int(search.tree.meta[NODES])


def nodes_along(
    search: Search, steps: Sequence[T], code_of: Callable[[int, T], int | None]
) -> list[int]:
    """Return the nodes from the root along moves and outcomes, as far as the tree has them.

    `code_of(player, step)` is the code of a step, or None, for the player to move, or for the
    number of players where chance decides.
    """
    tree, players = search.tree, search.rules.players
    nodes = [int(tree.meta[ROOT])]
    for step in steps:
        player = int(tree.turns[nodes[-1]])
        by_chance = player == CHANCE
        edges = _edges(tree, players, nodes[-1], 0 if by_chance else player)
        code = code_of(players if by_chance else player, step) if edges is not None else None
        if edges is None or code is None:
            break
        indices = np.flatnonzero(tree.moves[edges] == code)
        if not len(indices):
            break
        child = int(tree.children[edges.start + int(indices[0])])
        if not 0 <= child < min(int(tree.meta[NODES]), len(tree.visits)):
            break
        nodes.append(child)
    return nodes


def root_path(search: Search) -> list[int]:
    """Return the path to the root: the root alone."""
    return [int(search.tree.meta[ROOT])]


def node_visits(search: Search, nodes: Sequence[int]) -> list[int]:
    """Return the playouts of each node."""
    tree = search.tree
    return [int(tree.visits[node]) for node in nodes]


def amaf_readers(visits: Sequence[int], ref: int) -> dict[str, int]:
    """Return the depth of the node whose AMAF table each policy reads at the end of a path.

    `visits` are the playouts of the path's nodes, the root's first. RAVE reads the table of the
    last node, GRAVE that of the closest node with more than `ref` playouts (the root's if there is
    none), HRAVE the root's (Sironi and Winands 2016, figure 1).
    """
    last = len(visits) - 1
    enough = [depth for depth, count in enumerate(visits) if count > ref]
    return {"rave": last, "grave": enough[-1] if enough else 0, "hrave": 0}


def take_snapshot(search: Search, path: Sequence[int], player: int | None = None) -> NodeSnapshot:
    """Return a snapshot of the last node of a path of nodes that begins at the root.

    `player` is the player whose moves are returned: by default the player to move.
    """
    tree, rules = search.tree, search.rules
    node = path[-1]
    turn, visits = int(tree.turns[node]), int(tree.visits[node])
    if turn == CHANCE:
        return NodeSnapshot(turn, visits, _outcomes(search, node), None)
    mover = player if player is not None else turn
    depth = place_read(search.plan, tree, path)
    edges = _edges(tree, rules.players, node, mover)
    if turn == TERMINAL or edges is None or visits < 1:
        return NodeSnapshot(turn, visits, (), depth)
    listed = moves_of(rules, tree, node, edges)
    codes = listed.codes
    counts, totals = read_consistently(tree.counts[edges], tree.sums[edges])
    if len(codes) > len(counts):  # the node has edges for tried moves only
        tried = listed.edges != NONE
        at = np.where(tried, listed.edges - edges.start, 0)
        counts = np.where(tried, counts[at], 0).astype(np.int32)
        totals = np.where(tried, totals[at], 0.0)
    if len(path) == 1:
        visits += add_other_roots(search, mover, EdgeCounts(codes, counts, totals))
    children = listed.of(tree.children, NONE)
    if len(codes) == 0 or codes.min() < 0 or codes.max() >= rules.num_codes:
        return NodeSnapshot(turn, visits, (), depth)
    amaf = np.zeros(2 * rules.num_codes)
    if depth is not None:
        amaf_counts, amaf_totals = statistics(rules, tree, int(tree.table[path[depth]]), mover)
        if len(amaf_totals) == rules.num_codes:
            amaf[::2], amaf[1::2] = read_consistently(amaf_counts, amaf_totals)
    params = search.plan.params
    if rules.criticality and depth is not None:
        params = _with_totals(search, int(tree.table[path[depth]]), mover)
    # The tree policy may read and write a few entries more.
    columns = EdgeArrays(
        params=params,
        rng=generator(0),
        moves=_with_spare(codes),
        counts=_with_spare(counts),
        sums=_with_spare(totals),
        amaf=amaf,
        packed_amaf=packed_words(amaf),
        values=np.zeros(3 * value_capacity(len(codes))),
        squares=_with_spare(tree.squares[edges]),
        priors=_with_spare(tree.priors[edges]),
        permuted=_with_spare(tree.permuted[2 * edges.start : 2 * edges.stop]),
        implicit=_with_spare(tree.implicit[edges]),
    )
    memory, address = new_memory(EDGE_ARRAYS)
    evaluate(search.plan, visits, columns, address)
    del memory
    expanded = [_has_moves(tree, rules.players, child) for child in children.tolist()]
    bounds = bounds_of_moves(rules, tree, node, mover, children)
    moves = _moves(search, visits, columns, expanded, bounds=bounds, has_amaf=depth is not None)
    return NodeSnapshot(turn, visits, moves, depth)


def _with_totals(search: Search, table: int, player: int) -> Floats:
    """Return the parameters with what `criticality` reads of an AMAF table."""
    params, totals = search.plan.params.copy(), search.tree.table_totals
    base = table * (search.rules.players + 1)
    params[TABLE_PLAYOUTS] = max(totals[base], 1.0)
    params[TABLE_MEAN] = totals[base + 1 + player] / params[TABLE_PLAYOUTS]
    return params


def _outcomes(search: Search, node: int) -> tuple[MoveSnapshot, ...]:
    """Return the outcomes of a chance node; `value` is the probability of each."""
    tree, players = search.tree, search.rules.players
    edges = _edges(tree, players, node, 0)
    if edges is None:
        return ()
    counts, totals = read_consistently(tree.counts[edges], tree.sums[edges])
    columns = (tree.moves[edges], counts, totals, tree.chances[edges], tree.children[edges])
    outcomes = [
        MoveSnapshot(
            code=code,
            visits=count,
            mean=total / count if count else None,
            amaf_visits=0,
            amaf=None,
            beta=None,
            value=probability,
            expanded=_has_moves(tree, players, child),
        )
        for code, count, total, probability, child in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
    return tuple(sorted(outcomes, key=lambda outcome: (-outcome.visits, outcome.code)))


class EdgeCounts(NamedTuple):
    """Copies of some edges."""

    moves: Ints
    counts: Ints
    totals: Floats


def add_other_roots(search: Search, player: int, edges: EdgeCounts) -> int:
    """Add a player's moves at the roots of the search's other trees; return their playouts."""
    visits = 0
    for other in search.with_roots[1:]:
        try:
            moves = rows_of_tree(other.rules, other.tree, player).statistics()
        except (IndexError, ValueError):  # the tree grew during the read
            continue
        for move in moves:
            index = edges.moves == move.code
            edges.counts[index] += move.visits
            edges.totals[index] += move.total
        visits += other.root_visits
    return visits


def _with_spare(array: NDArray[N]) -> NDArray[N]:
    """Return a copy whose memory goes on for SPARE entries."""
    return np.concatenate([array, np.zeros(SPARE, array.dtype)])[: len(array)]


def _moves(
    search: Search,
    visits: int,
    columns: EdgeArrays,
    expanded: Sequence[bool],
    bounds: EdgeBounds,
    *,
    has_amaf: bool,
) -> tuple[MoveSnapshot, ...]:
    """Return the moves of a node with these edges, sorted by playouts."""
    formula, params = search.spec.formula, columns.params
    weight = formula.weight if has_amaf else None
    p = formula.parameters_of(params[OWN:].tolist())
    count, has_priors = len(columns.moves), len(columns.priors) > 0
    squares = columns.squares if len(columns.squares) else np.zeros(count)
    priors = columns.priors if has_priors else np.full(count, NO_PRIOR)
    node = Node(float(visits), math.log(visits), float(params[FPU]), float(priors.sum()))
    entries = 2 * columns.moves.astype(np.int64)
    amaf = (columns.amaf[entries], columns.amaf[entries + 1])
    permuted = columns.permuted if len(columns.permuted) else np.zeros(2 * count)
    arrays = (columns.counts, columns.sums, *amaf, squares, priors, permuted[::2], permuted[1::2])
    added = float(params[PRIOR_AMAF])
    values = columns.values[: len(columns.moves)].tolist()
    statistics_of_edges = zip(*(array.tolist() for array in arrays), strict=True)
    moves = []
    proofs = zip(*(array.tolist() for array in bounds), strict=True)
    for code, numbers, value, is_expanded, proof in zip(
        columns.moves.tolist(), statistics_of_edges, values, expanded, proofs, strict=True
    ):
        lower, upper, plies_left, dominated = proof
        edge = Edge(*numbers)
        beta = None
        won = 0.0
        if search.rules.criticality:
            won = won_playouts(params, edge.amaf_visits, edge.amaf_total)
        read = edge._replace(
            amaf_visits=edge.amaf_visits + won + added,
            amaf_total=edge.amaf_total + won + added * edge.prior,
        )
        if weight is not None and read.amaf_visits > 0:
            # The value of an edge without playouts is its AMAF value.
            beta = weight(p, node, read) if edge.visits > 0 else 1.0
        moves.append(
            MoveSnapshot(
                code=code,
                visits=int(edge.visits),
                mean=edge.total / edge.visits if edge.visits > 0 else None,
                amaf_visits=int(edge.amaf_visits),
                amaf=edge.amaf_total / edge.amaf_visits if edge.amaf_visits > 0 else None,
                beta=beta,
                value=value,
                expanded=is_expanded,
                lower=lower,
                upper=upper,
                plies_left=plies_left,
                dominated=bool(dominated),
            )
        )
    return tuple(sorted(moves, key=lambda move: (-move.visits, -(move.mean or 0.0), move.code)))


def read_consistently(counts: NDArray[N], sums: Floats) -> tuple[NDArray[N], Floats]:
    """Return copies of counts and of the sums of as many scores while both are being written.

    A sum belongs to its count if the count is the same after reading it as before; the others are
    read again. The writer may be between the two, so that one is a simulation ahead of the other:
    the sum is clipped to what so many scores, each from 0 to 1, can amount to.
    """
    own_counts, own_sums = counts.copy(), sums.copy()
    torn = counts != own_counts
    for _ in range(TRIES):
        if not torn.any():
            break
        own_counts[torn] = counts[torn]
        own_sums[torn] = sums[torn]
        torn &= counts != own_counts
    return own_counts, np.clip(own_sums, 0.0, own_counts)


def live_variation(search: Search, limit: int = 12) -> list[tuple[int, int]]:
    """Return the principal variation of a running search as (player, move), as far as readable."""
    rules = search.rules
    try:
        variation = principal_variation(rules, search.tree, None, limit)
    except (IndexError, ValueError):
        return []
    for depth, (player, code) in enumerate(variation):
        if not (0 <= player < rules.players and 0 <= code < rules.num_codes):
            return variation[:depth]
    return variation


def _edges(tree: Tree, players: int, node: int, player: int) -> slice | None:
    """Return a player's edges at a node if they have been listed and lie within the arrays."""
    if not 0 <= player < players or not 0 <= node < len(tree.visits):
        return None
    place = node * players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    if first < 0 or degree < 1 or first + degree > len(tree.moves):
        return None
    return slice(first, first + degree)


def _has_moves(tree: Tree, players: int, node: int) -> bool:
    """Return whether a node exists and its moves have been listed."""
    if not 0 <= node < min(int(tree.meta[NODES]), len(tree.visits)):
        return False
    player = int(tree.turns[node])
    if player == CHANCE:
        player = 0
    return 0 <= player < players and int(tree.first[node * players + player]) != NONE
