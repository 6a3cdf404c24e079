"""Games of a few lines, for tests that need any game."""

from __future__ import annotations

import numpy as np

from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions

# Two heaps: take 1 or 2 stones from one of them; taking the last stone wins.
# State: left heap, right heap, whose turn. Code: 2 * heap + stones taken - 1. Constants: heap size.


def heaps_start(constants, state):
    state[0] = constants[0]
    state[1] = constants[0]
    state[2] = 0


def heaps_turn(constants, state):
    return state[2] if state[0] + state[1] > 0 else TERMINAL


def heaps_legal(constants, state, player, moves):
    count = 0
    for heap in range(2):
        for stones in range(1, 3):
            if state[heap] >= stones:
                moves[count] = 2 * heap + stones - 1
                count += 1
    return count


def heaps_play(constants, state, joint):
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]


def heaps_scores(constants, state, out):
    out[0] = float(state[2])
    out[1] = 1.0 - out[0]


def heaps_move_text(player, code):
    return f"{'left' if code < 2 else 'right'}-{code % 2 + 1}"


def heaps_board(state, colour):
    return f"{state[0]} {state[1]}, player {state[2]}"


def heaps(size: int = 3) -> Game:
    return Game(
        name="heaps",
        players=2,
        functions=RuleFunctions(
            start=heaps_start,
            turn=heaps_turn,
            legal=heaps_legal,
            play=heaps_play,
            scores=heaps_scores,
        ),
        bounds=Bounds(state_words=3, num_codes=4, max_moves=4, max_plies=2 * size),
        constants=np.array([size]),
        display=Display(
            player_names=("First", "Second"), format_move=heaps_move_text, render=heaps_board
        ),
        options={"size": size},
    )


# Rock, paper, scissors in several rounds, with simultaneous moves; more won rounds win.
# State: rounds to go, points of each player. Constants: number of rounds.

HANDS = ("rock", "paper", "scissors")


def hands_start(constants, state):
    state[0] = constants[0]
    state[1] = 0
    state[2] = 0


def hands_turn(constants, state):
    return SIMULTANEOUS if state[0] > 0 else TERMINAL


def hands_legal(constants, state, player, moves):
    for hand in range(3):
        moves[hand] = hand
    return 3


def hands_play(constants, state, joint):
    state[0] -= 1
    ahead = (joint[0] - joint[1]) % 3
    if ahead == 1:
        state[1] += 1
    if ahead == 2:
        state[2] += 1


def hands_scores(constants, state, out):
    out[0] = 0.5
    if state[1] > state[2]:
        out[0] = 1.0
    if state[1] < state[2]:
        out[0] = 0.0
    out[1] = 1.0 - out[0]


def hands_board(state, colour):
    return f"{state[1]}:{state[2]}, {state[0]} rounds to go"


def rock_paper_scissors(rounds: int = 3) -> Game:
    return Game(
        name="rock-paper-scissors",
        players=2,
        functions=RuleFunctions(
            start=hands_start,
            turn=hands_turn,
            legal=hands_legal,
            play=hands_play,
            scores=hands_scores,
        ),
        bounds=Bounds(state_words=3, num_codes=3, max_moves=3, max_plies=rounds),
        constants=np.array([rounds]),
        display=Display(
            player_names=("Left", "Right"),
            format_move=lambda player, code: HANDS[code],
            render=hands_board,
        ),
        options={"rounds": rounds},
    )


# The first player draws one of several numbers, and the game ends. Constants: their number.


def lottery_start(constants, state):
    state[0] = 0


def lottery_turn(constants, state):
    return 0 if state[0] == 0 else TERMINAL


def lottery_legal(constants, state, player, moves):
    for number in range(constants[0]):
        moves[number] = number
    return constants[0]


def lottery_play(constants, state, joint):
    state[0] = joint[0] + 1


def lottery_scores(constants, state, out):
    out[:] = 0.0
    out[0] = 1.0


def lottery(numbers: int, players: int = 1) -> Game:
    return Game(
        name="lottery",
        players=players,
        functions=RuleFunctions(
            start=lottery_start,
            turn=lottery_turn,
            legal=lottery_legal,
            play=lottery_play,
            scores=lottery_scores,
        ),
        bounds=Bounds(state_words=1, num_codes=numbers, max_moves=numbers, max_plies=1),
        constants=[numbers],
    )
