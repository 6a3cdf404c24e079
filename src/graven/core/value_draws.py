"""How playouts choose moves by values: the draws that `batch_policy_playouts` defines.

Playout i of a batch has a random stream of its own, whose state is the i-th draw from the batch's
generator. In ply n of the playout, counted from 0, a player's choice uses draw number
n * players + player of that stream, whether other players move or not.

With the rule GREEDY the playout moves are ranked by their value, equal ones by their code. The
candidates are those of the greatest value; if the lower 32 bits of the draw are below
epsilon * 2**32, all moves. Candidate number (upper 32 bits * candidates) >> 32 is played.

With the rule WEIGHTED the weights are added in the order of codes until their sum exceeds the
total times the draw's upper 53 bits as a fraction. If the total is TINY or less, GREEDY with
epsilon 0 chooses.
"""

from __future__ import annotations

import numpy as np

from graven.core.bits import index
from graven.core.compile import compiled, inlined
from graven.core.contract import Scores, State

TINY = 1e-280
"""A sum of weights below this has lost digits."""

_GAPS = (3548, 1577, 701, 301, 132, 57, 23, 10, 4, 1)  # of Shell sort (Ciura 2001)
_S11 = np.uint64(11)
_LOW = np.uint64(0xFFFFFFFF)
_UNIT = 1.0 / (1 << 53)


@compiled
def rank_moves(values: Scores, order: State, ends: State) -> None:
    """Sort moves by value, the greatest first, equal ones by code.

    `order` receives the move of each rank, `ends` for each rank the first rank of a smaller value.
    """
    count = len(order)
    for i in range(count):
        order[i] = i
    for gap in _GAPS:
        for i in range(gap, count):
            move, at = order[index(i)], i
            value = values[index(move)]
            while at >= gap:
                before = order[index(at - gap)]
                other = values[index(before)]
                if other > value or (other == value and before < move):
                    break
                order[index(at)] = before
                at -= gap
            order[index(at)] = move
    end = count
    for rank in range(count - 1, -1, -1):
        if rank + 1 < count and values[order[rank]] != values[order[rank + 1]]:
            end = rank + 1
        ends[rank] = end


@inlined
def explores(bits: np.uint64, threshold: int) -> bool:
    """Return whether a draw chooses among all moves; `threshold` is epsilon * 2**32."""
    return bool(np.int64(bits & _LOW) < threshold)


@inlined
def fraction(bits: np.uint64) -> float:
    """Return a draw as a number from 0 up to, but not including, 1."""
    return np.float64(bits >> _S11) * _UNIT


@inlined
def threshold_of(epsilon: float) -> int:
    """Return the bound of `explores`."""
    return np.int64(epsilon * 4294967296.0)  # type: ignore[return-value]
