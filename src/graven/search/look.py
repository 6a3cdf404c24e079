"""Looking into a tree while its search goes on: nobody is stopped, nothing is locked.

The kernel writes while we read, so what is read is a moment old and may be torn: a node whose moves
are just being listed, arrays that have just been outgrown. Whatever does not fit is left out, and
the next look sees it whole. A count and its sum are read so that they belong together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.core.contract import TERMINAL
from graven.core.rng import Rng, generator
from graven.search.amaf import place_read, statistics
from graven.search.choose import main_line
from graven.search.engine import Search
from graven.search.select.loop import FPU, OWN, Edge, Node, call_select
from graven.search.simulate import DONE
from graven.search.tree import NODES, NONE, ROOT, Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
T = TypeVar("T")
N = TypeVar("N", np.int32, np.float64)

# How often a count that changes while its sum is being read is read again.
TRIES = 20


@dataclass(frozen=True)
class Seen:
    """One move of a node as its search sees it.

    `amaf` is what the AMAF table that is read here says, None where it knows nothing; `beta` its
    weight, None where the formula has none; `value` what the tree policy compares, infinite for a
    move that is to be tried first. `inner` says that there is more to see below it.
    """

    code: int
    visits: int
    mean: float | None
    amaf_visits: int
    amaf: float | None
    beta: float | None
    value: float
    inner: bool


@dataclass(frozen=True)
class NodeSeen:
    """A node: who moves there (as `turn` returns it), its playouts, one player's moves by playouts,
    and where on the way to it (0 is the root) the AMAF table lies that it reads, None
    without AMAF."""

    turn: int
    visits: int
    moves: tuple[Seen, ...]
    read_at: int | None


@compiled
def evaluate(
    select: int,
    params: Floats,
    rng: Rng,
    visits: int,
    degree: int,
    moves: Ints,
    counts: Ints,
    sums: Floats,
    amaf: Floats,
    values: Floats,
) -> int:
    """Let the tree policy itself say what it thinks of each edge."""
    return call_select(
        select, (params, rng, visits, 0, degree, moves, counts, sums, amaf, 0, values)
    )


def playouts_done(search: Search) -> int:
    """Playouts of the search under way; 0 before it has a tree, and once it has ended."""
    return int(search.control[DONE])


def nodes_in_use(search: Search) -> int:
    """How many nodes the tree has."""
    return int(search.tree.meta[NODES])


def walk(search: Search, steps: Sequence[T], code_of: Callable[[int, T], int | None]) -> list[int]:
    """The nodes from the root along moves of single players, as far as the tree has them.

    `code_of(player, step)` is the code of a step, by the player who moves there.
    """
    tree, players = search.tree, search.rules.players
    nodes = [int(tree.meta[ROOT])]
    for step in steps:
        player = int(tree.turns[nodes[-1]])
        edges = _edges(tree, players, nodes[-1], player)
        code = code_of(player, step) if edges is not None else None
        if edges is None or code is None:
            break
        found = np.flatnonzero(tree.moves[edges] == code)
        if not len(found):
            break
        child = int(tree.children[edges.start + int(found[0])])
        if not 0 <= child < min(int(tree.meta[NODES]), len(tree.visits)):
            break
        nodes.append(child)
    return nodes


def root(search: Search) -> list[int]:
    """The way to the root: the root alone."""
    return [int(search.tree.meta[ROOT])]


def visits_of(search: Search, nodes: Sequence[int]) -> list[int]:
    """How many playouts each node has."""
    tree = search.tree
    return [int(tree.visits[node]) for node in nodes]


def readers(visits: Sequence[int], ref: int) -> dict[str, int]:
    """Whose AMAF table each policy reads at the last node of a way from the root, whose nodes have
    these playouts: places on the way, 0 for the root (Sironi and Winands 2016, figure 1).

    RAVE reads the node's own, GRAVE that of the closest node with more than `ref` playouts (the
    root's if there is none), HRAVE the root's.
    """
    last = len(visits) - 1
    enough = [place for place, count in enumerate(visits) if count > ref]
    return {"rave": last, "grave": enough[-1] if enough else 0, "hrave": 0}


def look(search: Search, nodes: Sequence[int], player: int | None = None) -> NodeSeen:
    """What is known at the last of these nodes, which lead there from the root."""
    tree, rules = search.tree, search.rules
    node = nodes[-1]
    turn, visits = int(tree.turns[node]), int(tree.visits[node])
    mover = player if player is not None else turn
    read_at = place_read(search.plan, tree, nodes)
    edges = _edges(tree, rules.players, node, mover)
    if turn == TERMINAL or edges is None or visits < 1:
        return NodeSeen(turn, visits, (), read_at)
    codes = tree.moves[edges].copy()
    counts, sums = together(tree.counts[edges], tree.sums[edges])
    children = tree.children[edges].tolist()
    if len(codes) == 0 or codes.min() < 0 or codes.max() >= rules.num_codes:
        return NodeSeen(turn, visits, (), read_at)
    amaf = np.zeros(2 * rules.num_codes)
    if read_at is not None:
        table = int(tree.table[nodes[read_at]])
        playouts, totals = statistics(rules, tree, table, mover)
        if len(totals) == rules.num_codes:
            amaf[::2], amaf[1::2] = together(playouts, totals)
    values = np.zeros(len(codes))
    params = search.plan.params
    evaluate(
        search.plan.select,
        params,
        generator(0),
        visits,
        len(codes),
        codes,
        counts,
        sums,
        amaf,
        values,
    )
    entries = 2 * codes.astype(np.int64)
    columns = (codes, counts, sums, amaf[entries], amaf[entries + 1], values)
    formula = search.settings.formula
    weight = formula.weight if read_at is not None else None
    p = formula.parameters_of(params[OWN:].tolist())
    node_record = Node(float(visits), math.log(visits), float(params[FPU]))
    seen = []
    for (code, n, total, pa, won, value), child in zip(
        zip(*(column.tolist() for column in columns), strict=True), children, strict=True
    ):
        beta = None
        if weight is not None and pa > 0:
            # An edge without playouts has its AMAF value.
            beta = weight(p, node_record, Edge(n, total, pa, won)) if n > 0 else 1.0
        seen.append(
            Seen(
                code,
                n,
                total / n if n > 0 else None,
                int(pa),
                won / pa if pa > 0 else None,
                beta,
                value,
                _listed(tree, rules.players, child),
            )
        )
    seen.sort(key=lambda each: (-each.visits, -(each.mean or 0.0), each.code))
    return NodeSeen(turn, visits, tuple(seen), read_at)


def together(counts: NDArray[N], sums: Floats) -> tuple[NDArray[N], Floats]:
    """Copies of counts and of the sums of as many scores, while both are being written.

    A sum belongs to its count if the count is the same after reading it as before; the others are
    read again. The writer may stand between the two, so that the one is a simulation ahead of the
    other: the sum is kept within what so many scores, each from 0 to 1, can make.
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


def line(search: Search, limit: int = 12) -> list[tuple[int, int]]:
    """The most visited line as (player, move), as far as it can be read now."""
    rules = search.rules
    try:
        found = main_line(rules, search.tree, None, limit)
    except (IndexError, ValueError):
        return []
    for place, (player, code) in enumerate(found):
        if not (0 <= player < rules.players and 0 <= code < rules.num_codes):
            return found[:place]
    return found


def _edges(tree: Tree, players: int, node: int, player: int) -> slice | None:
    """A player's edges at a node, if they have been listed and lie within the arrays."""
    if not 0 <= player < players or not 0 <= node < len(tree.visits):
        return None
    place = node * players + player
    first, degree = int(tree.first[place]), int(tree.degree[place])
    if first < 0 or degree < 1 or first + degree > len(tree.moves):
        return None
    return slice(first, first + degree)


def _listed(tree: Tree, players: int, node: int) -> bool:
    if not 0 <= node < min(int(tree.meta[NODES]), len(tree.visits)):
        return False
    player = int(tree.turns[node])
    return 0 <= player < players and int(tree.first[node * players + player]) != NONE
