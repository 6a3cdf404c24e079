"""The loop around every tree policy: evaluate all edges of a node, return the best one.

A tree policy is a function of one edge, `value(p, node, edge)`. First-play urgency, the choice of
the maximum and tie-breaking are the same for all policies and are written here once. `address_of`
compiles the loop together with a policy's functions into machine code that kernels call by its
address, with the signature SELECT:

    select(params, rng, visits, lo, hi, moves, counts, sums, amaf, base, values) -> edge

The edges are lo..hi-1 of a node with `visits` playouts. `counts[edge]` and `sums[edge]` are an
edge's playouts and summed scores (of the player to move), `moves[edge]` is its move. The AMAF
statistics of a move are `amaf[base + 2 * move]` (playouts) and the entry after it (summed scores).
`values` is scratch: value i is that of edge lo + i. `params` holds first-play urgency, the
tie-breaking rule, then the policy's parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import address, caller, inlined
from graven.core.contract import RNG
from graven.core.rng import Rng, below

_F64 = types.Array(types.float64, 1, "C")
_I32 = types.Array(types.int32, 1, "C")
_int = types.int64

SELECT = _int(_F64, RNG, _int, _int, _int, _I32, _I32, _F64, _F64, _int, _F64)
call_select = caller(SELECT)

# The first entries of `params`, before the policy's own; and the values of TIES.
FPU, TIES, OWN = range(3)
RANDOM, FIRST = 0.0, 1.0

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
    params: Floats,
    rng: Rng,
    visits: int,
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
    node = Node(float(visits), log(visits), params[FPU])
    for i in range(hi - lo):
        entry = np.uint64(base + 2 * moves[lo + i])
        edge = Edge(float(counts[lo + i]), sums[lo + i], amaf[entry], amaf[entry + ONE])
        values[i] = value(p, node, edge) if edge.visits > 0.0 else untried(p, node, edge)
    return lo + argmax(values, hi - lo, moves[lo:hi], params[TIES], rng)


@inlined
def argmax(values: Floats, count: int, moves: Ints, ties: float, rng: Rng) -> int:
    """Return the index of the greatest of the first `count` values.

    Ties are broken at random (one random number), or by the lowest move code, as in Cazenave's
    algorithm 1, which takes a later move only if it is better.
    """
    top, first, equal = values[0], 0, 1
    for i in range(1, count):
        if values[i] > top:
            top, first, equal = values[i], i, 1
        elif values[i] == top:
            equal += 1
    if equal == 1:
        return first
    if ties == FIRST:
        for i in range(first + 1, count):
            if values[i] == top and moves[i] < moves[first]:
                first = i
        return first
    skip = below(rng, equal)
    for i in range(first, count):
        if values[i] == top:
            if skip == 0:
                return i
            skip -= 1
    return first


def address_of(value: EdgeFunction, untried: EdgeFunction, record: Any) -> int:
    """Compile the loop with a policy's functions; return the address of the machine code.

    `record` is the NamedTuple class of what the functions receive as `p`.
    """
    own = ", ".join(f"{{0}}[{OWN + i}]" for i in range(len(record._fields)))
    arguments = ", ".join(f"{{{i}}}" for i in range(len(SELECT.args)))
    body = f"return select_edge(inner, untried, record({own}), {arguments})"
    names = {"untried": untried, "record": record, "select_edge": select_edge}
    return address(value, SELECT, body, names=names, arguments=3)
