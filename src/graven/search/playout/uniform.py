"""Uniformly random moves to the end of the game.

Also serves the playouts that a game brings itself: they stand in place of its `sample`.
"""

from __future__ import annotations

from graven.core import contract
from graven.core.contract import EVERYBODY, NOBODY, Rules
from graven.core.rng import Rng
from graven.search.plan import BAD_CODE, NO_MOVE, OK, TOO_LONG, Learner
from graven.search.policy import PlayoutPolicy
from graven.search.tree import LENGTH, STEPS, Record, Tree


def play_out(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Play random moves until nobody is to move; then write the scores."""
    state, joint, trace = record.state, record.joint, record.trace
    length, plies = record.shape[LENGTH], record.shape[STEPS]
    while True:
        turn = contract.turn(rules, state)
        if turn == NOBODY:
            break
        if plies >= rules.plies:
            return TOO_LONG
        plies += 1
        low = 0 if turn == EVERYBODY else turn
        high = rules.players if turn == EVERYBODY else turn + 1
        for player in range(low, high):
            move = contract.sample(rules, state, player, record.moves, rng)
            if move < 0:
                return NO_MOVE
            if move >= rules.codes:
                return BAD_CODE
            joint[player] = move
            trace[length] = player * rules.codes + move
            length += 1
        contract.play(rules, state, joint)
    record.shape[LENGTH] = length
    contract.scores(rules, state, record.scores)
    return OK


POLICIES = (PlayoutPolicy("uniform", "Uniformly random legal moves.", play_out),)
