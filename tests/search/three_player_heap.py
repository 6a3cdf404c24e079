"""A game of three players: take 1 to 3 stones from a heap; the last stone wins."""

from __future__ import annotations

from graven.core.contract import TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions


def heap_start(constants, state):
    state[0], state[1] = constants[0], 0


def heap_turn(constants, state):
    return state[1] if state[0] > 0 else TERMINAL


def heap_legal(constants, state, player, moves):
    count = min(3, state[0])
    for stones in range(count):
        moves[stones] = stones
    return count


def heap_play(constants, state, joint):
    state[0] -= joint[state[1]] + 1
    state[1] = (state[1] + 1) % 3


def heap_scores(constants, state, out):
    for player in range(3):
        out[player] = 0.0
    out[(state[1] + 2) % 3] = 1.0


def heap(size: int) -> Game:
    return Game(
        name="heap",
        players=3,
        functions=RuleFunctions(
            start=heap_start,
            turn=heap_turn,
            legal=heap_legal,
            play=heap_play,
            scores=heap_scores,
        ),
        bounds=Bounds(state_words=2, num_codes=3, max_moves=3, max_plies=size),
        constants=[size],
        display=Display(format_move=lambda player, code: str(code + 1)),
    )
