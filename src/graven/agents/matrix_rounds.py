"""Which games are matrix games, in one round or repeated.

The default agent draws moves by regret matching there: docs/simultaneous.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import below, generator

JOINT_MOVES = 256  # of the first round that are looked at
GAMES = 8  # random games that are looked at
MOST_ROUNDS = 64  # of one of them
MOST_MOVES = 3  # of a player in repeated games

Choices = list[tuple[int, ...]]  # the codes of the moves of each player


def is_matrix_game(game: Game) -> bool:
    """Return whether a game is a matrix game of one round, or a small one that is repeated.

    Repeated: all players choose in every round, each of the same moves, at most MOST_MOVES. Found
    out by some joint moves and random games, which are the same ones for equal rules.
    """
    start = game.start()
    everyone = tuple(range(game.players))
    if game.players < 2 or start.is_over or start.players_to_move != everyone:
        return False
    choices = [start.legal_codes_of(player) for player in everyone]
    if max(len(moves) for moves in choices) <= MOST_MOVES:
        return _is_repeated(start, choices)
    return _is_one_round(start, choices)


def _is_one_round(start: Position, choices: Choices) -> bool:
    """Return whether every joint move ends the game; of many, some are tried."""
    joints: Iterable[tuple[int, ...]] = product(*choices)
    if prod(len(moves) for moves in choices) > JOINT_MOVES:
        rng = generator(0)
        joints = [
            tuple(moves[below(rng, len(moves))] for moves in choices) for _ in range(JOINT_MOVES)
        ]
    return all(start.play_codes(joint).is_over for joint in joints)


def _is_repeated(start: Position, choices: Choices) -> bool:
    """Return whether all players have the same choices in every round of some random games."""
    rng, everyone = generator(0), tuple(range(start.game.players))
    for _ in range(GAMES):
        position = start
        for _ in range(MOST_ROUNDS):
            if position.is_over:
                break
            if position.players_to_move != everyone:
                return False
            if [position.legal_codes_of(player) for player in everyone] != choices:
                return False
            position = position.play_codes([moves[below(rng, len(moves))] for moves in choices])
    return True
