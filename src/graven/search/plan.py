"""What a search is to do, as kernels receive it, and the signatures of what it is made of.

A tree policy is one function with the signature SELECT, described in `select.selection`.

A playout policy is one function with the signature PLAYOUT, which plays the record's state to the
end, appends to its trace and writes its scores; and, if it learns, one with the signature LEARN,
which gets the finished record. Both receive the policy's memory as a handle (`core.handles`), which
their compiled entries unpack: the kernel passes it on and never looks inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import caller
from graven.core.contract import RULES
from graven.core.handles import HANDLE
from graven.search.tree import RECORD, TREE

_F64 = types.Array(types.float64, 1, "C")
_int = types.int64

PLAYOUT = _int(RULES, TREE, RECORD, HANDLE)
LEARN = types.void(RULES, TREE, RECORD, HANDLE)
call_playout, call_learn = caller(PLAYOUT), caller(LEARN)


class Plan(NamedTuple):
    """One search's policies and settings. Functions are addresses; `learn` may be 0."""

    params: NDArray[np.float64]  # the tree policy's own
    select: int
    playout: int
    learn: int
    memory: int  # the handle of the playout policy's memory
    amaf: int  # whether AMAF tables are kept at all
    tables: int  # a node has a table once it has more playouts than this
    ref: int  # a node reads its own table once it has more playouts than this
    pool: int  # the playout may read the table of the last node with more playouts than this
    passes: int  # whether nodes remember the simulations that passed them
    expand: int  # a position enters the tree with its n-th playout
    transpositions: int  # whether equal positions share a node


# No node ever has more playouts than this: `ref` = NEVER reads the root's table only.
NEVER = (1 << 31) - 1
