"""What the threads that share a tree (`parallel=tree`) know of each other: see `shared_tree`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.search.layout import Float64, Int8, Int32, Int64

# Values of `known`: the thread has never seen the node; it has statistics of the node; and of its
# edges.
UNKNOWN_NODE, KNOWN_NODE, KNOWN_EDGES = range(3)


class SharedArrays(NamedTuple):
    """Arrays of all threads, as one of them sees them; empty where no tree is shared.

    An array by node has the length threads * nodes, one by edge threads * edges; a thread's part
    begins at `first_node` or `first_edge`, and only that thread writes it.
    """

    threads: int
    nodes: int  # the capacity of the tree
    edges: int
    first_node: int
    first_edge: int
    allocated: Int64  # [0]: nodes in use; [LINE_WORDS]: edges in use
    known: Int8  # by node, see above
    visits: Int32  # by node: playouts of the thread
    counts: Int32  # by edge: playouts of the thread
    sums: Float64  # by edge: of their scores
    squares: Float64  # by edge: of their squared scores, if the search keeps these
    # Of this thread alone: [node]: after so many own playouts it looks at the others again.
    due: Int32
    waiting: Int64  # [1]: descents whose virtual losses are in the tree


def _array(kind: types.Number) -> types.Array:
    return types.Array(kind, 1, "C")


SHARED_ARRAYS = types.NamedTuple(
    [types.int64] * 5
    + [_array(types.int64), _array(types.int8)]
    + [_array(types.int32)] * 2
    + [_array(types.float64)] * 2
    + [_array(types.int32), _array(types.int64)],
    SharedArrays,
)


def not_shared() -> SharedArrays:
    """Return arrays that are not used."""
    return SharedArrays(
        threads=1,
        nodes=0,
        edges=0,
        first_node=0,
        first_edge=0,
        allocated=np.zeros(1, np.int64),
        known=np.zeros(1, np.int8),
        visits=np.zeros(1, np.int32),
        counts=np.zeros(1, np.int32),
        sums=np.zeros(1),
        squares=np.zeros(1),
        due=np.zeros(1, np.int32),
        waiting=np.zeros(1, np.int64),
    )
