"""Uniform playouts as one compiled function for each game: `rollout` of the contract.

A playout through the contract calls four functions by their addresses at every ply. `rollout`
compiles the game's own `turn`, `sample` (or the function that lists its playout moves), `play` and
`scores` into one loop, in which LLVM inlines them. It plays the same moves with the same random
numbers. A game may define a `rollout` of its own, which keeps the position in local variables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types

from graven.core.callbacks import Callback
from graven.core.compile import address, caller, inlined
from graven.core.contract import (
    MOVES,
    RNG,
    SCORES,
    SIMULTANEOUS,
    TABLES,
    TERMINAL,
    TRACES,
    WORDS,
    Codes,
    Constants,
    Moves,
    Rules,
    Scores,
    State,
    reverse_scores,
)
from graven.core.errors import RuleCompileError
from graven.core.rng import Rng, below
from graven.core.status import Status

_int = types.int64

# Constants, state, trace, scores, random numbers; the buffers `moves` and `joint`; the numbers of
# players, codes and moves of the game, and how many plies are left.
ROLLOUT = _int(TABLES, WORDS, TRACES, SCORES, RNG, MOVES, MOVES, _int, _int, _int, _int)
_rollout = caller(ROLLOUT)

# What the machine code does: call the game's own `rollout`, or the loop below.
OWN = "return inner({0}, {1}, {2}, {3}, {4})"
LOOP = "return play_to_end(turn, pick, choices, inner, scores, {arguments})".replace(
    "{arguments}", ", ".join(f"{{{i}}}" for i in range(len(ROLLOUT.args)))
)

NEXT = np.uint64(1)
MAX_PLAYERS = 4  # of `rollout_on`

# What stands for a move that could not be chosen: there is none, there are too many, or its feature
# code is out of range.
NO_CHOICE, MANY_CHOICES, BAD_CHOICE = -1, -2, -3
# The status of each fault that `contract.outcomes` returns.
CHANCE_FAULTS = tuple(
    int(status) for status in (Status.OK, Status.BAD_CHANCE, Status.TOO_MANY, Status.BAD_CODE)
)


@inlined
def fault_of(choice: int) -> int:
    """Return the status of a choice that is not a move."""
    if choice == NO_CHOICE:
        return Status.NO_MOVE
    if choice == MANY_CHOICES:
        return Status.TOO_MANY
    return Status.BAD_FEATURE if choice == BAD_CHOICE else Status.BAD_CODE


@inlined
def roll_out(
    rules: Rules,
    state: State,
    trace: Codes,
    out: Scores,
    rng: Rng,
    moves: Moves,
    joint: Moves,
    plies: int,
) -> int:
    """Play a uniform playout of at most `plies` plies with the game's `rollout`.

    Writes player * num_codes + move to `trace` for every move, and the scores to `out`. Returns the
    number of moves, or the negative status of a fault. `moves` and `joint` are scratch.
    """
    count = _rollout(
        rules.rollout,
        (
            rules.constants,
            state,
            trace,
            out,
            rng,
            moves,
            joint,
            rules.players,
            rules.num_codes,
            rules.max_moves,
            plies,
        ),
    )
    if count >= 0 and rules.misere:
        reverse_scores(out, rules.players, rules.players)
    return count


def play_to_end(
    turn: Callable[..., int],
    pick: Callable[..., int],
    choices: Callable[..., int],
    play: Callable[..., None],
    scores: Callable[..., None],
    constants: Constants,
    state: State,
    trace: Codes,
    out: Scores,
    rng: Rng,
    moves: Moves,
    joint: Moves,
    players: int,
    codes: int,
    max_moves: int,
    plies: int,
) -> int:
    """Play uniformly random moves to the end; see `roll_out`."""
    length = 0
    while True:
        mover = np.int64(turn(constants, state))
        if mover == TERMINAL:
            break
        if not SIMULTANEOUS <= mover < players:
            return -Status.BAD_TURN
        if plies <= 0:
            return -Status.TOO_LONG
        plies -= 1
        low = 0 if mover == SIMULTANEOUS else mover
        high = players if mover == SIMULTANEOUS else mover + 1
        for player in range(low, high):
            move: Any = np.int64(pick(choices, constants, state, player, rng, moves, max_moves))
            if move < 0 or move >= codes:
                return -fault_of(move)
            joint[player] = move
            trace[length] = player * codes + move
            length += 1
        play(constants, state, joint)
    scores(constants, state, out)
    return length


def pick_sampled(
    sample: Callable[..., int],
    constants: Constants,
    state: State,
    player: int,
    rng: Rng,
    moves: Moves,
    max_moves: int,
) -> int:
    """Return a move of the game's `sample`."""
    return sample(constants, state, player, rng)


def pick_listed(
    listing: Callable[..., int],
    constants: Constants,
    state: State,
    player: int,
    rng: Rng,
    moves: Moves,
    max_moves: int,
) -> int:
    """Return one of the moves that a function of the game lists."""
    count = listing(constants, state, player, moves)
    if count <= 0:
        return NO_CHOICE
    if count > max_moves:
        return MANY_CHOICES
    return moves[below(rng, count)]


@cache
def rollout_on(
    board: bytes,
    codes: int,
    turn: Callable[..., int],
    sample: Callable[..., int],
    play: Callable[..., None],
    scores: Callable[..., None],
) -> Callable[..., int]:
    """Return a `rollout` of a game's functions, compiled for one board only.

    `board` are the words of the constants that the game's `turn`, `sample` and `play` read; they
    are constants of the compiled code, which makes playouts of Go and Havannah about a twelfth
    faster (docs/decisions.md). The functions are the package's own; one of at most MAX_PLAYERS
    players moves at a time and always has a move, and the game ends within its declared plies.
    """
    fixed = np.frombuffer(board, np.int64)

    def rollout(constants: Constants, state: State, trace: Codes, out: Scores, rng: Rng) -> int:
        length: Any = np.uint64(0)
        player = turn(fixed, state)
        while player != TERMINAL:
            move = sample(fixed, state, player, rng)
            trace[length] = player * codes + move
            length += NEXT
            play(fixed, state, (move, move, move, move))
            player = turn(fixed, state)
        scores(constants, state, out)
        return np.int64(length)  # type: ignore[return-value]

    return rollout


def rollout_address(functions: Any, sample: Any = None, careful: bool = False) -> int:
    """Return the address of a game's `rollout`, its own or the loop compiled from its functions.

    `functions` are the game's `RuleFunctions`; `sample` replaces the one among them; for `careful`
    see `address`. Returns 0 for a game with a function that runs in Python, or whose functions do
    not compile into one; or with chance events, which the loop does not know.
    """
    if functions.rollout and sample is None:
        if isinstance(functions.rollout, Callback):
            return 0
        return address(functions.rollout, ROLLOUT, OWN, careful, arguments=5)
    if functions.chance:
        return 0
    sample = sample or functions.sample
    choices = sample or functions.playout_moves or functions.legal
    parts = (functions.turn, choices, functions.play, functions.scores)
    if any(isinstance(part, Callback) for part in parts):
        return 0
    names = {
        "play_to_end": play_to_end,
        "turn": functions.turn,
        "pick": pick_sampled if sample else pick_listed,
        "choices": choices,
        "scores": functions.scores,
    }
    try:
        return address(functions.play, ROLLOUT, LOOP, names=names, arguments=3)
    except RuleCompileError:
        # The entries of single functions convert results that this loop cannot use.
        return 0
