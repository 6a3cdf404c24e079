"""The loop around every tree policy: evaluate all edges of a node, return the best one.

A tree policy is a function of one edge, `value(p, node, edge)`. First-play urgency, the choice of
the maximum and tie-breaking are the same for all policies and are written here once. `address_of`
compiles the loop together with a policy's functions into machine code that kernels call by its
address, with the signature SELECT:

    select(params, rng, visits, log_visits, lo, hi, moves, counts, sums, amaf, base, values) -> edge

The edges are lo..hi-1 of a node with `visits` playouts. `counts[edge]` and `sums[edge]` are an
edge's playouts and summed scores (of the player to move), `moves[edge]` is its move. The AMAF
statistics of a move are `amaf[base + 2 * move]` (playouts) and the entry after it (summed scores).
`values` is scratch: value i is that of edge lo + i. A formula without AMAF is evaluated eight edges
at a time, so that up to LANES - 1 edges after hi are read, and their values ignored. `params` holds
first-play urgency, the tie-breaking rule, then the policy's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import log
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import address, caller, compiled, inlined
from graven.core.contract import RNG
from graven.core.rng import Rng, below

_F64 = types.Array(types.float64, 1, "C")
_I32 = types.Array(types.int32, 1, "C")
_int = types.int64

SELECT = _int(_F64, RNG, _int, types.float64, _int, _int, _I32, _I32, _F64, _F64, _int, _F64)
call_select = caller(SELECT)

# The first entries of `params`, before the policy's own; and the values of TIES.
FPU, TIES, OWN = range(3)
RANDOM, FIRST = 0.0, 1.0

LOGS = 1 << 15  # the length of the table of logarithms
LANES = 8  # edges evaluated at a time: doubles in the longest vectors, at most `layout.SPARE`

ONE = np.uint64(1)  # unsigned indices spare Numba the check whether they are negative

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
EdgeFunction = Callable[[Any, "Node", "Edge"], float]


class Node(NamedTuple):
    """The node whose edges are compared."""

    visits: float  # playouts, N
    log_visits: float  # log(N)
    fpu: float  # first-play urgency, the option of that name


class Edge(NamedTuple):
    """One edge: statistics of its own, and of its move in the AMAF table that the node reads.

    The AMAF statistics are undefined for a policy whose `ref` is None.
    """

    visits: float  # playouts, n
    total: float  # sum of the scores of the player to move, each from 0 to 1
    amaf_visits: float  # playouts in which the player played this move here or later
    amaf_total: float  # sum of the player's scores in them


def first_play_urgency(p: Any, node: Node, edge: Edge) -> float:
    """Return the value of an edge without playouts unless a formula defines another."""
    return node.fpu


def select_edge(
    value: EdgeFunction,
    untried: EdgeFunction,
    p: Any,
    lanes: int,
    whole: bool,
    params: Floats,
    rng: Rng,
    visits: int,
    log_visits: float,
    lo: int,
    hi: int,
    moves: Ints,
    counts: Ints,
    sums: Floats,
    amaf: Floats,
    base: int,
    values: Floats,
) -> int:
    """Return the edge with the greatest value; see the module's docstring for the arguments."""
    node = Node(float(visits), log_visits, params[FPU])
    # Slices, whose indices begin at 0: for others Numba tests whether they are negative.
    count = hi - lo
    end = lo + ((count + lanes - 1) & -lanes)
    own_moves, own_counts, own_sums = moves[lo:end], counts[lo:end], sums[lo:end]
    for i in range(end - lo):
        entry = np.uint64(base + 2 * own_moves[i])
        edge = Edge(float(own_counts[i]), own_sums[i], amaf[entry], amaf[entry + ONE])
        tried = whole or edge.visits > 0.0
        values[i] = value(p, node, edge) if tried else untried(p, node, edge)
    return lo + argmax(values, count, own_moves, params[TIES], rng)


@inlined
def greatest(values: Floats, count: int) -> float:
    """Return the greatest of the first `count` values.

    Four maxima at a time, where one would wait for each comparison.
    """
    first, second, third, fourth = values[0], values[0], values[0], values[0]
    whole = count & -4
    for i in range(0, whole, 4):
        first = values[i] if values[i] > first else first
        second = values[i + 1] if values[i + 1] > second else second
        third = values[i + 2] if values[i + 2] > third else third
        fourth = values[i + 3] if values[i + 3] > fourth else fourth
    for i in range(whole, count):
        first = values[i] if values[i] > first else first
    first = second if second > first else first
    third = fourth if fourth > third else third
    return third if third > first else first


@inlined
def argmax(values: Floats, count: int, moves: Ints, ties: float, rng: Rng) -> int:
    """Return the index of the greatest of the first `count` values.

    Ties are broken at random (one random number), or by the lowest move code, as in Cazenave's
    algorithm 1, which takes a later move only if it is better.
    """
    top = greatest(values, count)
    equal = 0
    for i in range(count):
        equal += values[i] == top
    skip = below(rng, equal) if equal > 1 and ties != FIRST else 0
    chosen = 0
    for i in range(count):
        if values[i] == top:
            if skip == 0:
                chosen = i
                break
            skip -= 1
    if equal > 1 and ties == FIRST:
        for i in range(chosen + 1, count):
            if values[i] == top and moves[i] < moves[chosen]:
                chosen = i
    return chosen


@cache
def log_table() -> Floats:
    """Return log(n) for n below LOGS, as the kernel computes it; 0 for n = 0."""
    table = np.zeros(LOGS)
    fill_logs(table)
    return table


@compiled
def fill_logs(table: Floats) -> None:
    """Write log(n) for n from 1 on."""
    for n in range(1, len(table)):
        table[n] = log(n)


@inlined
def log_of(table: Floats, n: int) -> float:
    """Return log(n) for n > 0, from the table if n is in it."""
    return table[n] if n < len(table) else log(n)


def address_of(
    value: EdgeFunction,
    untried: EdgeFunction,
    record: Any,
    *,
    amaf: bool = True,
    whole: bool = False,
) -> int:
    """Compile the loop with a policy's functions; return the address of the machine code.

    `record` is the NamedTuple class of what the functions receive as `p`; `amaf` is whether they
    use AMAF statistics, `whole` whether `value` is defined for edges without playouts, too.
    """
    own = ", ".join(f"{{0}}[{OWN + i}]" for i in range(len(record._fields)))
    arguments = ", ".join(f"{{{i}}}" for i in range(len(SELECT.args)))
    lanes = 1 if amaf else LANES
    body = f"return select_edge(inner, untried, record({own}), {lanes}, {whole}, {arguments})"
    names = {"untried": untried, "record": record, "select_edge": select_edge}
    return address(value, SELECT, body, names=names, arguments=3)
