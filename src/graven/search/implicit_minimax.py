"""Implicit minimax: evaluations backed up by minimax beside the means of playouts.

Lanctot, Winands, Pepels and Sturtevant 2014, "Monte Carlo tree search with heuristic evaluations
using implicit minimax backups" (arXiv 1406.0486). A move has, beside the mean of its playouts, a
minimax value v; tree policies read

    (1 - alpha) * mean + alpha * v

in place of the mean, alpha the option `implicit`. When a node lists its moves, v of each is what
the game's `evaluate` says of the position after it (its scores if the game is over), from the point
of view of the player to move. Each simulation that passes the move sets v to the minimax value of
its child: the best v of the child's moves.

The two players' evaluations need not add up to 1: v is (e + 1 - e') / 2, e and e' those of the
player to move and of the opponent.
"""

from __future__ import annotations

from graven.core import contract
from graven.core.contract import TERMINAL
from graven.core.status import Status
from graven.search.plan import state_at
from graven.search.tree import NONE, STEPS


def evaluate_moves(state: int, node: int) -> int:
    """Evaluate the positions after the moves of a node, which is the record's state."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    mover = tree.turns[node]
    if mover < 0:
        return Status.OK
    after, out = record.next_state, record.evaluation
    first = tree.first[node * rules.players + mover]
    for edge in range(first, first + tree.degree[node * rules.players + mover]):
        for i in range(rules.state_words):
            after[i] = record.state[i]
        record.joint[mover] = tree.moves[edge]
        contract.play(rules, after, record.joint)
        if contract.turn(rules, after) == TERMINAL:
            contract.scores(rules, after, out)
        else:
            contract.evaluate(rules, after, out)
        if not contract.are_scores(out, rules.players):
            return Status.BAD_SCORE
        tree.implicit[edge] = (out[mover] + 1.0 - out[1 - mover]) / 2.0
    return Status.OK


def update_minimax(state: int) -> None:
    """Back up minimax values along the path of a finished simulation."""
    search = state_at(state)
    tree, record, players = search.tree, search.record, search.rules.players
    for depth in range(record.shape[STEPS] - 1, -1, -1):
        mover = tree.turns[record.path[depth]]
        if mover < 0:
            continue
        edge = record.edges[depth * players + mover]
        child = tree.children[edge]
        if child == NONE or tree.turns[child] < 0:
            continue
        place = child * players + tree.turns[child]
        if tree.first[place] < 0:
            continue
        best = 0.0
        for below in range(tree.first[place], tree.first[place] + tree.degree[place]):
            best = max(best, tree.implicit[below])
        tree.implicit[edge] = best if tree.turns[child] == mover else 1.0 - best
