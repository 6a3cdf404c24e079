"""The loop around every tree policy: evaluate all edges of a node, return the best one.

A tree policy is a function of one edge, `value(p, node, edge)`. First-play urgency, the choice of
the maximum and tie-breaking are the same for all policies and are written here once. `address_of`
compiles the loop together with a policy's functions into machine code that kernels call by its
address, with the signature SELECT:

    select(edges, visits, log_visits, lo, hi, base) -> edge

The edges are lo..hi-1 of a node with `visits` playouts; `edges` is the address of the `EdgeArrays`.
The AMAF statistics of a move are `amaf[base + 2 * move]` (playouts) and the entry after it (summed
scores), or the halves of the word `packed_amaf[base + move]`: see `search.amaf`. LANES edges are
evaluated at a time, so that up to LANES - 1 edges after hi are read, and their values ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from math import log
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import address, caller, compiled, inlined
from graven.core.contract import RNG
from graven.core.rng import Rng, below
from graven.core.struct_memory import ADDRESS, reader
from graven.core.vectors import LANES, equal_mask, greatest_mask, greatest_of

_F64 = types.Array(types.float64, 1, "C")
_I32 = types.Array(types.int32, 1, "C")
_I64 = types.Array(types.int64, 1, "C")
_int = types.int64

SELECT = _int(ADDRESS, _int, types.float64, _int, _int, _int)
call_select = caller(SELECT)

# The first entries of `params`, before the policy's own; and the values of TIES.
FPU, TIES, OFFSET, PRIOR_AMAF, PRIOR_BIAS, ROOT_AMAF, IMPLICIT, REF = range(8)
CRITICALITY, TABLE_PLAYOUTS, TABLE_MEAN, OWN = range(8, 12)
RANDOM, FIRST = 0.0, 1.0

# The prior of every move where a game has no `prior`: nothing is known.
NO_PRIOR = 0.5

LOGS = 1 << 15  # the length of the table of logarithms
MASKED = 64  # so many values can be the bits of a word

ONE = np.uint64(1)  # unsigned indices spare Numba the check whether they are negative

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Words = NDArray[np.int64]
EdgeFunction = Callable[[Any, "Node", "Edge"], float]


class EdgeArrays(NamedTuple):
    """What a tree policy works on: its parameters, and arrays that are indexed by edge."""

    # First-play urgency, the tie-breaking rule, the offset within which values count as equal, the
    # options `prior_amaf`, `prior_bias`, `root_amaf` and `implicit`, the policy's `ref`, the option
    # `criticality`, the playouts of the AMAF table and the player's mean score in them; then the
    # policy's other parameters.
    params: Floats
    rng: Rng
    moves: Ints
    counts: Ints  # playouts
    sums: Floats  # summed scores of the player to move
    amaf: Floats  # see above; empty where AMAF tables are packed
    packed_amaf: Words  # empty where they are not
    # Scratch, three times `value_capacity`: value i is that of edge lo + i, then copies of the AMAF
    # statistics.
    values: Floats
    squares: Floats  # sums of squared scores; empty where the search keeps none
    priors: Floats  # of the moves; empty where the search keeps none
    # [2 * edge] and after it: permutation statistics, see `permutations`; empty without any.
    permuted: Floats
    implicit: Floats  # minimax values, see `implicit_minimax`; empty without any


EDGE_ARRAYS = types.NamedTuple([_F64, RNG, _I32, _I32, _F64, _F64, _I64, *[_F64] * 5], EdgeArrays)
edges_at = reader(EDGE_ARRAYS)


class Node(NamedTuple):
    """The node whose edges are compared."""

    visits: float  # playouts, N
    log_visits: float  # log(N)
    fpu: float  # first-play urgency, the option of that name
    prior_sum: float  # the sum of `prior` over the node's edges


class Edge(NamedTuple):
    """One edge: statistics of its own, and of its move in the AMAF table that the node reads.

    The AMAF statistics are undefined for a policy whose `ref` is None.
    """

    visits: float  # playouts, n
    total: float  # sum of the scores of the player to move, each from 0 to 1
    amaf_visits: float  # playouts in which the player played this move here or later
    amaf_total: float  # sum of the player's scores in them
    squares: float  # sum of the squared scores of the player to move
    prior: float  # what the game's `prior` says of the move, from 0 to 1; NO_PRIOR without one
    permuted_visits: float = 0.0  # playouts with this move and all moves of the path, in any order
    permuted_total: float = 0.0  # sum of the player's scores in them


class Statistics(NamedTuple):
    """What a tree policy reads of an edge beside its playouts and their scores."""

    amaf: bool = True
    squares: bool = False
    prior: bool = False
    # Whether the options `prior_amaf` or `prior_bias` add the prior to what the policy reads.
    prior_options: bool = False
    permutations: bool = False
    # Whether the option `implicit` blends the mean with minimax values.
    implicit: bool = False
    # Whether the option `criticality` adds AMAF playouts.
    criticality: bool = False
    # Whether AMAF tables are packed.
    packed: bool = False


def value_capacity(max_moves: int) -> int:
    """Return the entries of a third of `values`, for nodes with so many edges."""
    return max_moves + LANES


def first_play_urgency(p: Any, node: Node, edge: Edge) -> float:
    """Return the value of an edge without playouts unless a formula defines another."""
    return node.fpu


def amaf_plus_one(p: Any, node: Node, edge: Edge) -> float:
    """Return the value of an edge without playouts with untried=amaf.

    1 stands for the exploration term, which the formula does not define there: the cap in the
    program of Sironi and Winands.
    """
    return edge.amaf_total / edge.amaf_visits + 1.0 if edge.amaf_visits > 0.0 else node.fpu


def select_edge(
    value: EdgeFunction,
    untried: EdgeFunction,
    p: Any,
    reads: Statistics,
    whole: bool,
    edges: EdgeArrays,
    visits: int,
    log_visits: float,
    lo: int,
    hi: int,
    base: int,
) -> int:
    """Return the edge with the greatest value; see the module's docstring for the arguments."""
    params, amaf, values, priors = edges.params, edges.amaf, edges.values, edges.priors
    packed_amaf = edges.packed_amaf
    # Slices, whose indices begin at 0: for others Numba tests whether they are negative.
    count = hi - lo
    padded = (count + LANES - 1) & -LANES
    end, third = lo + padded, len(values) // 3
    own_moves = edges.moves[lo:end]
    own_counts, own_sums = edges.counts[lo:end], edges.sums[lo:end]
    visited, totals = values[third : 2 * third], values[2 * third :]
    # An array that the search does not keep is never read: any other stands for it.
    own_squares = edges.squares[lo:end] if reads.squares else own_sums
    own_permuted = edges.permuted[2 * lo : 2 * end] if reads.permutations else own_sums
    own_implicit = edges.implicit[lo:end] if reads.implicit else own_sums
    has_priors = reads.prior and len(priors) > 0
    own_priors = priors[lo:end] if has_priors else own_sums
    prior_sum = 0.0
    if reads.prior:
        for i in range(count):
            prior_sum += own_priors[i] if has_priors else NO_PRIOR
    node = Node(float(visits), log_visits, params[FPU], prior_sum)
    words = visited.view(np.int64)
    if reads.amaf and reads.packed:
        for i in range(count):
            words[i] = packed_amaf[np.uint64(base + own_moves[i])]
    elif reads.amaf:
        for i in range(count):
            entry = np.uint64(base + 2 * own_moves[i])
            visited[i] = amaf[entry]
            totals[i] = amaf[entry + ONE]
    for i in range(padded):
        squared = own_squares[i] if reads.squares else 0.0
        prior = own_priors[i] if has_priors else NO_PRIOR
        if reads.amaf and reads.packed:
            # Both halves are below 1 << 31.
            amaf_visits = float(np.int32(words[i]))
            amaf_total = 0.5 * float(np.int32(words[i] >> 32))
        else:
            amaf_visits = visited[i] if reads.amaf else 0.0
            amaf_total = totals[i] if reads.amaf else 0.0
        total = own_sums[i]
        if reads.implicit:
            weight = params[IMPLICIT]
            total = (1.0 - weight) * total + weight * own_implicit[i] * float(own_counts[i])
        if reads.criticality:
            won = won_playouts(params, amaf_visits, amaf_total)
            amaf_visits += won
            amaf_total += won
        if reads.prior_options:
            amaf_visits += params[PRIOR_AMAF]
            amaf_total += params[PRIOR_AMAF] * prior
        edge = Edge(
            float(own_counts[i]),
            total,
            amaf_visits,
            amaf_total,
            squares=squared,
            prior=prior,
            permuted_visits=own_permuted[2 * i] if reads.permutations else 0.0,
            permuted_total=own_permuted[2 * i + 1] if reads.permutations else 0.0,
        )
        tried = whole or edge.visits > 0.0
        values[i] = value(p, node, edge) if tried else untried(p, node, edge)
        if reads.prior_options:
            values[i] += params[PRIOR_BIAS] * prior / (edge.visits + 1.0)
    if params[OFFSET] > 0.0:
        level_values(values, count, params[OFFSET])
    return lo + argmax(values, count, own_moves, params[TIES], rng=edges.rng)


@inlined
def won_playouts(params: Floats, amaf_visits: float, amaf_total: float) -> float:
    """Return the AMAF playouts that the option `criticality` adds to a move, see there."""
    gain = max(0.0, amaf_total - params[TABLE_MEAN] * amaf_visits)
    return params[CRITICALITY] * (gain / params[TABLE_PLAYOUTS]) * amaf_visits


@inlined
def level_values(values: Floats, count: int, offset: float) -> None:
    """Set the values that are at most `offset` below the greatest one to it."""
    top = values[0]
    for i in range(1, count):
        top = max(top, values[i])
    for i in range(count):
        values[i] = top if values[i] >= top - offset else values[i]


@inlined
def argmax(values: Floats, count: int, moves: Ints, ties: float, rng: Rng) -> int:
    """Return the index of the greatest of the first `count` values.

    Ties are broken at random (one random number), or by the lowest move code, as in Cazenave's
    algorithm 1, which takes a later move only if it is better. Writes to LANES values after them.
    """
    # The places of the greatest values as bits: the processor could not predict a branch.
    for i in range(LANES):
        values[count + i] = -np.inf
    if count > MASKED:
        return argmax_of_many(values, count, moves, ties, rng=rng)
    places = greatest_mask(values, (count + LANES - 1) // LANES)
    places &= bits.down(-1, MASKED - count)
    equal = bits.count(places)
    if equal == 0:
        return 0  # none is a number
    if equal > 1:
        if ties == FIRST:
            return lowest_code(places, moves)
        places = bits.nth_bit(places, below(rng, equal))
    return bits.lowest(places)


@inlined
def lowest_code(places: int, moves: Ints) -> int:
    """Return the place of the lowest move code among places that are the bits of a word."""
    chosen = bits.lowest(places)
    while places:
        place = bits.lowest(places)
        chosen = place if moves[place] < moves[chosen] else chosen
        places &= places - 1
    return chosen


@compiled
def argmax_of_many(values: Floats, count: int, moves: Ints, ties: float, rng: Rng) -> int:
    """Return what `argmax` returns, for any number of values, LANES of which follow."""
    top = greatest_of(values, (count + LANES - 1) // LANES)
    equal, chosen = 0, -1
    for begin in range(0, count, MASKED):
        places = equal_places(values, begin, count, top)
        equal += bits.count(places)
        if places and ties == FIRST:
            place = begin + lowest_code(places, moves[begin:])
            chosen = place if chosen < 0 or moves[place] < moves[chosen] else chosen
    if equal == 0:
        return 0  # none is a number
    if chosen >= 0:
        return chosen
    skip = below(rng, equal) if equal > 1 else 0
    for begin in range(0, count, MASKED):
        places = equal_places(values, begin, count, top)
        here = bits.count(places)
        if skip < here:
            return begin + bits.lowest(bits.nth_bit(places, skip))
        skip -= here
    return 0


@inlined
def equal_places(values: Floats, begin: int, count: int, top: float) -> int:
    """Return which of at most MASKED values from `begin` on are `top`, as the bits of a word."""
    size = min(count - begin, MASKED)
    places = equal_mask(values, begin, (size + LANES - 1) // LANES, top)
    return places & bits.down(-1, MASKED - size)


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
    reads: Statistics,
    *,
    whole: bool = False,
    zero: Collection[str] = (),
) -> int:
    """Compile the loop with a policy's functions; return the address of the machine code.

    `record` is the NamedTuple class of what the functions receive as `p`; `reads` is what they read
    of an edge, `whole` whether `value` is defined for edges without playouts, too. The parameters
    in `zero` are 0 and constants of the code, without what is multiplied by them.
    """
    own = ", ".join(
        "0.0" if name in zero else f"edges.params[{OWN + i}]"
        for i, name in enumerate(record._fields)
    )
    reads_source = f"Statistics({', '.join(str(read) for read in reads)})"
    arguments = ", ".join(f"{{{i}}}" for i in range(1, len(SELECT.args)))
    body = (
        "edges = edges_at({0})\n    return select_edge("
        f"inner, untried, record({own}), {reads_source}, {whole}, edges, {arguments})"
    )
    names = {
        "untried": untried,
        "record": record,
        "edges_at": edges_at,
        "select_edge": select_edge,
        "Statistics": Statistics,
    }
    return address(value, SELECT, body, names=names, arguments=3)
