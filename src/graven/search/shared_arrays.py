"""What the threads that share the top of a tree (`parallel=tree`) know together: see `shared_tree`.

A shared node has a block of `totals`: HEAD numbers, of which only VISITS is used, then `width`
numbers for each edge (playouts, scores, and squared scores if the search keeps these), then the
move of each edge. A thread's part of `known` has a block at the same place: what the thread has
read of the totals, and after these, for each move, which of its own edges it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core.atomics import LINE_WORDS
from graven.search.layout import Float64, Int32, Int64

# Entries of a block before those of the edges: playouts of the node; in `known`, at which playouts
# the thread looks at it again, and whether it has found its edges.
VISITS, DUE, MATCHED, HEAD = range(4)
# Entries of a line of `nodes`: key, start of the block, edges, whether a thread is at work in it.
KEY, START, EDGES, BUSY = range(4)
NODE_WORDS = LINE_WORDS // 2
# Entries of `allocated`, on lines of their own: numbers of `totals` in use, shared nodes.
USED, SHARED_NODES = 0, LINE_WORDS


class SharedArrays(NamedTuple):
    """Arrays of all threads, as one of them sees them; empty where no tree is shared."""

    thread: int  # the number of this thread
    threads: int
    width: int
    capacity: int  # of `totals`, and of each thread's part of `known`
    allocated: Int64
    slots: Int32  # a shared node or NONE by key; the length is a power of two
    nodes: Int64  # NODE_WORDS for each shared node
    totals: Float64
    known: Float64
    waiting: Int64  # [1], of this thread: descents whose virtual losses are in the tree


def _array(kind: types.Number) -> types.Array:
    return types.Array(kind, 1, "C")


SHARED_ARRAYS = types.NamedTuple(
    [types.int64] * 4
    + [_array(types.int64), _array(types.int32), _array(types.int64)]
    + [_array(types.float64)] * 2
    + [_array(types.int64)],
    SharedArrays,
)


def not_shared() -> SharedArrays:
    """Return arrays that are not used."""
    return SharedArrays(
        thread=0,
        threads=1,
        width=2,
        capacity=0,
        allocated=np.zeros(LINE_WORDS + 1, np.int64),
        slots=np.zeros(1, np.int32),
        nodes=np.zeros(1, np.int64),
        totals=np.zeros(1),
        known=np.zeros(1),
        waiting=np.zeros(1, np.int64),
    )
