"""Two small games with dice, compiled, and their exact values by expectiminimax."""

from __future__ import annotations

from functools import cache

from graven.core.contract import CHANCE, TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions

# Pig: roll a die as often as you like. A 1 loses what you rolled in this turn, anything else is
# added to it; hold keeps it. The first player with `goal` points wins; after `plies` plies it is a
# draw. State: both scores, points of this turn, player, whether the die rolls, plies left.
# Constants: goal, sides, plies. Moves: 0 roll, 1 hold. Outcomes: face - 1.


def pig_start(constants, state):
    state[:] = 0
    state[5] = constants[2]


def pig_turn(constants, state):
    if max(state[0], state[1]) >= constants[0] or state[5] == 0:
        return TERMINAL
    return CHANCE if state[4] else state[3]


def pig_legal(constants, state, player, moves):
    moves[0], moves[1] = 0, 1
    return 2


def pig_chance(constants, state, outcomes, probabilities):
    for side in range(constants[1]):
        outcomes[side] = side
        probabilities[side] = 1.0 / constants[1]
    return constants[1]


def pig_play(constants, state, joint):
    state[5] -= 1
    player = state[3]
    if state[4]:
        state[4] = 0
        if joint[0] == 0:
            state[2], state[3] = 0, 1 - player
        else:
            state[2] += joint[0] + 1
    elif joint[player] == 0:
        state[4] = 1
    else:
        state[player] += state[2]
        state[2], state[3] = 0, 1 - player


def pig_scores(constants, state, out):
    for player in range(2):
        won, lost = state[player] >= constants[0], state[1 - player] >= constants[0]
        out[player] = 1.0 if won else 0.0 if lost else 0.5


def pig(goal=4, sides=3, plies=14):
    return Game(
        name="small-pig",
        players=2,
        functions=RuleFunctions(
            start=pig_start,
            turn=pig_turn,
            legal=pig_legal,
            play=pig_play,
            scores=pig_scores,
            chance=pig_chance,
        ),
        bounds=Bounds(
            state_words=6, num_codes=max(2, sides), max_moves=max(2, sides), max_plies=plies
        ),
        constants=[goal, sides, plies],
        display=Display(
            format_move=lambda player, code: ("roll", "hold")[code] if code < 2 else f"none{code}",
            format_outcome=lambda code: f"face{code + 1}",
        ),
    )


# Race: choose a steady die (1 or 2 steps) or a bold one (0 steps with probability 0.6, else 4);
# the first to make `goal` steps wins; after `plies` plies it is a draw. State: both places, player,
# chosen die + 1, plies left. Outcomes: steps.


def race_start(constants, state):
    state[:] = 0
    state[4] = constants[1]


def race_turn(constants, state):
    if max(state[0], state[1]) >= constants[0] or state[4] == 0:
        return TERMINAL
    return CHANCE if state[3] else state[2]


def race_chance(constants, state, outcomes, probabilities):
    if state[3] == 1:
        outcomes[0], outcomes[1] = 1, 2
        probabilities[0], probabilities[1] = 0.5, 0.5
    else:
        outcomes[0], outcomes[1] = 0, 4
        probabilities[0], probabilities[1] = 0.6, 0.4
    return 2


def race_play(constants, state, joint):
    state[4] -= 1
    player = state[2]
    if state[3]:
        state[player] += joint[0]
        state[2], state[3] = 1 - player, 0
    else:
        state[3] = joint[player] + 1


def race(goal=5, plies=24):
    return Game(
        name="race",
        players=2,
        functions=RuleFunctions(
            start=race_start,
            turn=race_turn,
            legal=pig_legal,
            play=race_play,
            scores=pig_scores,
            chance=race_chance,
        ),
        bounds=Bounds(state_words=5, num_codes=5, max_moves=2, max_plies=plies),
        constants=[goal, plies],
        display=Display(
            format_move=lambda player, code: ("steady", "bold")[code] if code < 2 else f"x{code}"
        ),
    )


def exact_values(position):
    """The expected score of the first player after each move, by expectiminimax."""

    @cache
    def value(state):
        here = at[state]
        if here.is_over:
            return here.scores[0]
        if here.is_chance:
            return sum(p * value(known(here.play(o))) for o, p in here.outcomes.items())
        values = [value(known(here.play(move))) for move in here.legal_moves]
        return max(values) if here.current_player == 0 else min(values)

    def known(position):
        state = position.state.tobytes()
        at[state] = position
        return state

    at = {}
    return {move: value(known(position.play(move))) for move in position.legal_moves}
