"""What a search is to do, as kernels receive it, and the signatures of what it is made of.

A tree policy is one function with the signature SELECT, described in `select.loop`.

A playout policy is one function with the signature PLAYOUT, which plays the record's state to the
end, appends to its trace and writes its scores; and, if it learns, one with the signature LEARN,
which spends the finished record. What they remember is a `Learner`, whose layout is their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.compile import caller
from graven.core.contract import RNG, RULES
from graven.search.tree import RECORD, TREE

_F64 = types.Array(types.float64, 1, "C")
_I64 = types.Array(types.int64, 1, "C")
_U32 = types.Array(types.uint32, 1, "C")
_int = types.int64


class Learner(NamedTuple):
    """What a playout policy is told (`params`) and remembers (the rest).

    Where a policy has weights for moves, the one of a player's move is at player * features +
    code, where the code is the move's feature code, or the move itself.
    """

    params: NDArray[np.float64]
    logits: NDArray[np.float64]  # a move is drawn with probability proportional to exp(logit)
    weights: NDArray[np.float64]  # exp(logit - shift); or whatever moves are compared by
    sums: NDArray[np.float64]  # the statistics behind them
    totals: NDArray[np.float64]  # by choice of a playout: the sum of the weights
    codes: NDArray[np.uint32]  # the codes that a playout has seen or played
    log: NDArray[np.int64]  # what else is to be known of a playout
    keys: NDArray[np.int64]  # a hash table's keys
    mask: np.uint64  # code & mask never leaves the arrays by code, whatever a game says


LEARNER = types.NamedTuple([_F64] * 5 + [_U32, _I64, _I64, types.uint64], Learner)

PLAYOUT = _int(RULES, TREE, RECORD, LEARNER, RNG)
LEARN = types.void(RULES, TREE, RECORD, LEARNER)
call_playout, call_learn = caller(PLAYOUT), caller(LEARN)


class Plan(NamedTuple):
    """One search's policies and settings. Functions are addresses; `learn` may be 0."""

    params: NDArray[np.float64]  # the tree policy's own
    select: int
    playout: int
    learn: int
    amaf: int  # whether AMAF tables are kept at all
    tables: int  # a node has a table once it has more playouts than this
    ref: int  # a node reads its own table once it has more playouts than this
    pool: int  # the playout may read the table of the last node with more playouts than this
    passes: int  # whether nodes remember the simulations that passed them
    expand: int  # a position enters the tree with its n-th playout
    transpositions: int  # whether equal positions share a node


# No node ever has more playouts than this: `ref` = NEVER reads the root's table only.
NEVER = (1 << 31) - 1

# How a simulation can end. NEED_* ask for more room: nothing has been counted, try again.
OK, NEED_NODES, NEED_EDGES, NEED_TABLES, NEED_PASSES, NEED_SIMULATIONS, NEED_TRACES = range(7)
NEED_MEMORY = 7  # a playout policy's own, said before it has played anything
# The game broke the contract.
TOO_LONG, BAD_CODE, NO_MOVE, TOO_MANY, BAD_FEATURE, BAD_TURN = range(10, 16)
