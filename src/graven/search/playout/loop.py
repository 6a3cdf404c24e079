"""The loop of every playout: ask for a move of whoever is to move, play it, until the game ends."""

from __future__ import annotations

from collections.abc import Callable

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.core.rng import Rng
from graven.search.plan import (
    BAD_CODE,
    BAD_FEATURE,
    BAD_TURN,
    NO_MOVE,
    OK,
    TOO_LONG,
    TOO_MANY,
    Learner,
)
from graven.search.tree import LENGTH, STEPS, Record, Tree

# What `choose` returns instead of a move: there is none, there are too many, or its feature code is
# none.
NO_CHOICE, MANY_CHOICES, BAD_CHOICE = -1, -2, -3


@inlined
def amiss(choice: int) -> int:
    """The status that says what is wrong with a choice."""
    if choice == NO_CHOICE:
        return NO_MOVE
    if choice == MANY_CHOICES:
        return TOO_MANY
    return BAD_FEATURE if choice == BAD_CHOICE else BAD_CODE


@inlined
def play_with(
    choose: Callable[..., int],
    rules: Rules,
    tree: Tree,
    record: Record,
    learner: Learner,
    rng: Rng,
) -> int:
    """Play the record's state to the end with the moves of
    `choose(rules, tree, record, learner, player, length, rng)`, and write the scores.

    `length` is how long the trace is, and where `choose` finds itself in the playout.
    """
    state, joint, trace = record.state, record.joint, record.trace
    length, plies = record.shape[LENGTH], record.shape[STEPS]
    while True:
        turn = contract.turn(rules, state)
        if turn == TERMINAL:
            break
        if not SIMULTANEOUS <= turn < rules.players:
            return BAD_TURN
        if plies >= rules.max_plies:
            return TOO_LONG
        plies += 1
        low = 0 if turn == SIMULTANEOUS else turn
        high = rules.players if turn == SIMULTANEOUS else turn + 1
        for player in range(low, high):
            move = choose(rules, tree, record, learner, player, length, rng)
            if move < 0 or move >= rules.num_codes:
                return amiss(move)
            joint[player] = move
            trace[length] = player * rules.num_codes + move
            length += 1
        contract.play(rules, state, joint)
    record.shape[LENGTH] = length
    contract.scores(rules, state, record.scores)
    return OK
