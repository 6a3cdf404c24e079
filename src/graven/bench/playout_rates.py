"""Random playouts of any game a second of processor time: one at a time, and many at once."""

from __future__ import annotations

import time

import numpy as np

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, TERMINAL, Moves, Rules, State
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.rng import Rng, below, generator
from graven.core.status import Status

BATCH = 2048
"""Playouts that one call of `many` plays, if its traces fit into TRACE_WORDS."""
TRACE_WORDS = 20_000_000


@compiled
def play_random(
    rules: Rules, first: State, state: State, joint: Moves, moves: Moves, rng: Rng, count: int
) -> int:
    """Play `count` random games from a position, also where several move at once; all steps."""
    steps = 0
    for _ in range(count):
        for i in range(rules.state_words):
            state[i] = first[i]
        while True:
            turn = contract.turn(rules, state)
            if turn == TERMINAL:
                break
            low = 0 if turn == SIMULTANEOUS else turn
            high = rules.players if turn == SIMULTANEOUS else turn + 1
            for player in range(low, high):
                joint[player] = contract.sample(rules, state, player, moves, rng)
            contract.play(rules, state, joint)
            steps += 1
    return steps


def one_rate(game: Game, seconds: float) -> float:
    """Playouts a second, one after another through the contract, for so long at least."""
    rules, first = game.rules, game.start().state.copy()
    state, joint = contract.new_state(rules), contract.new_joint(rules)
    moves, rng = contract.new_moves(rules), generator(1)
    began, done, count = time.thread_time(), 0, 1
    while True:
        play_random(rules, first, state, joint, moves, rng, count)
        done += count
        spent = time.thread_time() - began
        if spent >= seconds:
            return done / spent
        count = max(1, min(2 * count, int(done / max(spent, 1e-6) * (seconds - spent))))


def many_rate(game: Game, seconds: float, batch: int = BATCH) -> float:
    """Playouts a second with the game's `many`, for so long at least."""
    rules, first = game.rules, game.start().state.copy()
    stride = rules.max_plies * rules.players
    each = max(1, min(batch, TRACE_WORDS // stride))
    scratch = np.zeros(rules.batch_scratch, dtype=np.int64)
    traces, lengths = np.zeros(each * stride, dtype=np.uint32), np.zeros(each, dtype=np.int64)
    out, rng = np.zeros(each * rules.players), generator(1)
    began, done = time.thread_time(), 0
    while not done or time.thread_time() - began < seconds:
        status = contract.batch_playouts(rules, first, 1, each, scratch, traces, lengths, out, rng)
        if status != Status.OK:
            raise ContractError(f"{game.spec}: `many` played beyond `plies`.")
        done += each
    return done / (time.thread_time() - began)


def matches(game: Game, seconds: float) -> dict[str, float]:
    """How long random games are, and how many moves whoever has a choice has, on average."""
    rules, rng = game.rules, generator(1)
    moves = contract.new_moves(rules)
    began, games, steps, choices, choosers = time.thread_time(), 0, 0, 0, 0
    while not games or time.thread_time() - began < seconds:
        state, joint = game.start().state.copy(), contract.new_joint(rules)
        while (turn := contract.turn(rules, state)) != TERMINAL:
            for player in range(game.players) if turn == SIMULTANEOUS else (turn,):
                count = int(contract.legal(rules, state, player, moves))
                joint[player] = moves[below(rng, count)]
                if count > 1:
                    choices += count
                    choosers += 1
            contract.play(rules, state, joint)
            steps += 1
        games += 1
    return {"length": steps / games, "branching": choices / max(1, choosers)}
