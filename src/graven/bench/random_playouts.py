"""Rates of random games of Breakthrough's family: through the game contract, and inlined.

The inlined loop is the limit that the contract is compared with: the speed of a program written for
this one game. It lists the moves and plays one of them at random.
"""

from __future__ import annotations

import time

from graven.bench.playout_rates import PlayoutBuffers, new_buffers
from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import Constants, Rules
from graven.core.game import Game
from graven.core.rng import below
from graven.games import through_bitboards, through_rules

start = compiled(through_rules.start)
turn = compiled(through_rules.turn)
legal = compiled(through_bitboards.legal)
play = compiled(through_bitboards.play)


@compiled
def play_contract(rules: Rules, buffers: PlayoutBuffers, count: int) -> int:
    """Play `count` random games through the contract; return the number of plies."""
    state, joint, moves, rng = buffers
    plies = 0
    for _ in range(count):
        contract.start(rules, state)
        player = contract.turn(rules, state)
        while player >= 0:
            joint[player] = contract.sample(rules, state, player, moves, rng=rng)
            contract.play(rules, state, joint)
            player = contract.turn(rules, state)
            plies += 1
    return plies


@compiled
def play_inlined(constants: Constants, buffers: PlayoutBuffers, count: int) -> None:
    """Play `count` random games with the rules of `graven.games.through_bitboards` inlined."""
    state, joint, moves, rng = buffers
    for _ in range(count):
        start(constants, state)
        player = turn(constants, state)
        while player >= 0:
            joint[player] = moves[below(rng, legal(constants, state, player, moves))]
            play(constants, state, joint)
            player = turn(constants, state)


def contract_rate(rules: Rules, games: int) -> float:
    """Return the random games per second through the contract."""
    buffers, started = new_buffers(rules), time.thread_time()
    play_contract(rules, buffers, games)
    return games / (time.thread_time() - started)


def contract_ply_rate(rules: Rules, games: int) -> float:
    """Return the plies per second of random games through the contract."""
    buffers, started = new_buffers(rules), time.thread_time()
    plies = play_contract(rules, buffers, games)
    return plies / (time.thread_time() - started)


def inlined_rate(game: Game, games: int) -> float:
    """Return the random games per second with inlined rules; `game` is a Breakthrough variant."""
    buffers, started = new_buffers(game.rules), time.thread_time()
    play_inlined(game.constants, buffers, games)
    return games / (time.thread_time() - started)
