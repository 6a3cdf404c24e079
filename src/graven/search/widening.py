"""Progressive widening: the moves of a node become selectable one after another, by their prior.

A node lists its moves in the order of the game's `prior`, best first (equal ones in the order of
the game). With N playouts it selects among the first k of them,

    k = first + the number of n >= 1 with t_n <= N
    t_1 = widen,  t_(n+1) = t_n + widen * growth^n

which is Coulom's schedule ("Computing Elo ratings of move patterns in the game of Go", 2007) with
first = 1, widen = 40 and growth = 1.4, and progressive unpruning (Chaslot et al. 2008, "Progressive
strategies for Monte-Carlo tree search") with first = 5. Where the solver skips moves, k counts
those that are left.
"""

from __future__ import annotations

from graven.core import contract
from graven.search.plan import state_at


def order_moves(state: int, mover: int, count: int) -> None:
    """Sort the moves just listed in the record by their prior, the best first."""
    search = state_at(state)
    record, moves = search.record, search.record.moves
    priors = record.values[:count]
    contract.priors(search.rules, record.state, mover, moves, count=count, out=priors)
    for i in range(1, count):
        move, prior, at = moves[i], priors[i], i
        while at > 0 and priors[at - 1] < prior:
            moves[at], priors[at] = moves[at - 1], priors[at - 1]
            at -= 1
        moves[at], priors[at] = move, prior


def width(state: int, node: int) -> int:
    """Return among how many of its moves a node selects."""
    search = state_at(state)
    plan, visits = search.plan, search.tree.visits[node]
    moves, step = plan.widen_first, plan.widen
    threshold = step
    # The moves of a game are a bound: with growth = 1 nothing else ends the loop early.
    while threshold <= visits and moves < search.rules.max_moves:
        moves += 1
        step *= plan.widen_growth
        threshold += step
    return moves
