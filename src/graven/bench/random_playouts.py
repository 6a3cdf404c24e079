"""Random playouts, timed two ways: through the game contract, and with the rules inlined.

The second way is the limit that the first is measured against: what a program written for this one
game, without any contract, would do. It lists the moves and takes one at random.
"""

from __future__ import annotations

import time
from typing import Any

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import Constants, Moves, Rules, State
from graven.core.game import Game
from graven.core.rng import Rng, below, generator
from graven.games import through_bitboards, through_rules

start = compiled(through_rules.start)
turn = compiled(through_rules.turn)
legal = compiled(through_bitboards.legal)
play = compiled(through_bitboards.play)


@compiled
def play_contract(
    rules: Rules, state: State, joint: Moves, moves: Moves, rng: Rng, count: int
) -> int:
    """Play `count` random games with rules that are known by their addresses alone; all plies."""
    plies = 0
    for _ in range(count):
        contract.start(rules, state)
        player = contract.turn(rules, state)
        while player >= 0:
            joint[player] = contract.sample(rules, state, player, moves, rng)
            contract.play(rules, state, joint)
            player = contract.turn(rules, state)
            plies += 1
    return plies


@compiled
def play_inlined(
    constants: Constants, state: State, joint: Moves, moves: Moves, rng: Rng, count: int
) -> None:
    """Play `count` random games with the rules of `graven.games.through_bitboards` built in."""
    for _ in range(count):
        start(constants, state)
        player = turn(constants, state)
        while player >= 0:
            joint[player] = moves[below(rng, legal(constants, state, player, moves))]
            play(constants, state, joint)
            player = turn(constants, state)


def contract_rate(rules: Rules, count: int) -> float:
    """Random games a second through the contract."""
    return _rate(play_contract, rules, rules, count)[0]


def ply_rate(rules: Rules, count: int) -> float:
    """Plies a second of random games through the contract."""
    games_a_second, plies = _rate(play_contract, rules, rules, count)
    return games_a_second * int(plies) / count


def inlined_rate(game: Game, count: int) -> float:
    """Random games a second with the rules inlined; the game must be one of `through`'s."""
    return _rate(play_inlined, game.constants, game.rules, count)[0]


def _rate(kernel: Any, first: Any, rules: Rules, count: int) -> tuple[float, Any]:
    """Calls of the kernel's loop a second, and what the kernel returned."""
    state, joint = contract.new_state(rules), contract.new_joint(rules)
    moves, rng = contract.new_moves(rules), generator(1)
    began = time.thread_time()
    result = kernel(first, state, joint, moves, rng, count)
    return count / (time.thread_time() - began), result
