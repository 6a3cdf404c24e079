"""Random playouts of any game per second of processor time: sequential, and batched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.compile import compiled
from graven.core.contract import SIMULTANEOUS, TERMINAL, Codes, Moves, Rules, Scores, State
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.rng import Rng, below, generator
from graven.core.rollout import roll_out
from graven.core.status import Status

BATCH_PLAYOUTS = 2048
"""Playouts per call of `batch_playouts`, if their traces fit into MAX_TRACE_CODES."""
MAX_TRACE_CODES = 20_000_000


class PlayoutBuffers(NamedTuple):
    """The scratch arrays of random playouts, and their generator."""

    state: State
    joint: Moves
    moves: Moves
    rng: Rng


def new_buffers(rules: Rules) -> PlayoutBuffers:
    """Return scratch arrays for a game, and a generator with a fixed seed."""
    return PlayoutBuffers(
        state=contract.new_state(rules),
        joint=contract.new_joint(rules),
        moves=contract.new_moves(rules),
        rng=generator(1),
    )


@compiled
def play_random(
    rules: Rules, first: State, buffers: PlayoutBuffers, count: int, listed: bool
) -> int:
    """Play `count` random games from a position; return the number of steps of all games.

    With `listed` all legal moves are listed at every step, as in a search tree, and one of them is
    drawn. Returns -1 if the rules name no player to move, or a move that does not exist.
    """
    state, joint, moves, rng = buffers
    steps = 0
    for _ in range(count):
        for i in range(rules.state_words):
            state[i] = first[i]
        while True:
            turn = contract.turn(rules, state)
            if turn == TERMINAL:
                break
            if not SIMULTANEOUS <= turn < rules.players:
                return -1
            low = 0 if turn == SIMULTANEOUS else turn
            high = rules.players if turn == SIMULTANEOUS else turn + 1
            for player in range(low, high):
                if listed:
                    number = contract.legal(rules, state, player, moves)
                    move = moves[below(rng, number)] if number > 0 else -1
                else:
                    move = contract.sample(rules, state, player, moves, rng=rng)
                if move < 0 or move >= rules.num_codes:
                    return -1
                joint[player] = move
            contract.play(rules, state, joint)
            steps += 1
    return steps


def sequential_rate(game: Game, seconds: float) -> float:
    """Return the playouts per second, one after another, measured for at least `seconds`."""
    return _sequential_rates(game, seconds, listed=False)[0]


def step_rate(game: Game, seconds: float, listed: bool = True) -> float:
    """Return the steps per second of random games in which all legal moves are listed, or none."""
    return _sequential_rates(game, seconds, listed)[1]


def _sequential_rates(game: Game, seconds: float, listed: bool) -> tuple[float, float]:
    """Return the games and the steps per second of random games, one after another."""
    rules, first = game.rules, game.start().state.copy()
    buffers = new_buffers(rules)
    started, done, all_steps, count = time.thread_time(), 0, 0, 1
    while True:
        steps = play_random(rules, first, buffers, count, listed)
        _raise_if(steps < 0, game)
        done += count
        all_steps += steps
        elapsed = time.thread_time() - started
        if elapsed >= seconds:
            return done / elapsed, all_steps / elapsed
        count = max(1, min(2 * count, int(done / max(elapsed, 1e-6) * (seconds - elapsed))))


def random_rollouts(game: Game) -> Callable[[int, int], None]:
    """Return a function of games and seed that plays random games with the game's `rollout`."""
    rules = game.playout_rules()
    buffers, trace = new_buffers(rules), np.zeros(rules.max_plies * rules.players, np.uint32)
    out = np.zeros(rules.players)
    return lambda games, seed: play_rollouts(rules, buffers, trace, out, games=games)


@compiled
def play_rollouts(
    rules: Rules, buffers: PlayoutBuffers, trace: Codes, out: Scores, games: int
) -> None:
    """Play so many random games."""
    state, joint, moves, rng = buffers
    for _ in range(games):
        contract.start(rules, state)
        roll_out(rules, state, trace, out, rng=rng, moves=moves, joint=joint, plies=rules.max_plies)


def rollout_rate(game: Game, games: int) -> float:
    """Return the random games per second with the game's `rollout`."""
    play, started = random_rollouts(game), time.thread_time()
    play(games, 1)
    return games / (time.thread_time() - started)


def batched_rate(game: Game, seconds: float, batch: int = BATCH_PLAYOUTS) -> float:
    """Return the playouts per second of `batch_playouts`, measured for at least `seconds`."""
    rules, first = game.batch_rules, game.start().state.copy()
    stride = rules.max_plies * rules.players
    count = max(1, min(batch, MAX_TRACE_CODES // stride))
    scratch = np.zeros(rules.batch_scratch, dtype=np.int64)
    traces, lengths = np.zeros(count * stride, dtype=np.uint32), np.zeros(count, dtype=np.int64)
    out, rng = np.zeros(count * rules.players), generator(1)
    started, done = time.thread_time(), 0
    while not done or time.thread_time() - started < seconds:
        status = contract.batch_playouts(
            rules,
            first,
            1,
            count,
            scratch=scratch,
            traces=traces,
            lengths=lengths,
            out=out,
            rng=rng,
        )
        if status != Status.OK:
            raise ContractError(f"{game.spec}: a playout of `batch_playouts` exceeds `max_plies`.")
        done += count
    return done / (time.thread_time() - started)


def random_game_statistics(game: Game, seconds: float) -> dict[str, float]:
    """Return the mean length of random games and the mean number of moves of players to move.

    Players with only one legal move do not count.
    """
    rules, rng = game.rules, generator(1)
    moves = contract.new_moves(rules)
    started, games, steps, choices, choosers = time.thread_time(), 0, 0, 0, 0
    while not games or time.thread_time() - started < seconds:
        state, joint = game.start().state.copy(), contract.new_joint(rules)
        while (turn := contract.turn(rules, state)) != TERMINAL:
            _raise_if(not SIMULTANEOUS <= turn < game.players, game)
            for player in range(game.players) if turn == SIMULTANEOUS else (turn,):
                count = int(contract.legal(rules, state, player, moves))
                _raise_if(count < 1, game)
                joint[player] = moves[below(rng, count)]
                if count > 1:
                    choices += count
                    choosers += 1
            contract.play(rules, state, joint)
            steps += 1
        games += 1
    return {"length": steps / games, "branching": choices / max(1, choosers)}


def _raise_if(broken: bool, game: Game) -> None:
    """Raise what rules in Python have raised, or a ContractError if `broken`."""
    raise_fault()
    if broken:
        raise ContractError(
            f"the rules of {game.spec} break the game contract in a random playout."
        )
