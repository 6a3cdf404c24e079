"""What games know for certain (`proof_moves`) against exhaustive search."""

from __future__ import annotations

import random

import numpy as np
import pytest

import graven as gv
from graven.core import contract
from graven.core.position import Position
from graven.solving import ProofSession
from graven.solving.proof_number import list_moves
from tests.naive.exhaustive import TooLargeError, guaranteed_score

# Games, the fewest and the most random plies before a position, and the number of positions.
BOARDS = [
    ("hex(size=2)", 0, 3, 100),
    ("hex(size=3)", 0, 8, 600),
    ("hex(size=4)", 3, 14, 1000),
    ("hex(size=3x5)", 3, 13, 600),
    ("hex(size=6x2)", 0, 10, 300),
    ("hex(size=5)", 10, 22, 600),
    ("hex(size=8)", 50, 61, 300),
    ("domineering(size=4)", 0, 7, 600),
    ("domineering(size=5)", 2, 11, 1500),
    ("domineering(size=3x7)", 1, 9, 600),
    ("domineering(size=6x4)", 3, 11, 600),
    ("domineering(size=8)", 20, 30, 300),
    ("othello(size=4)", 3, 12, 400),
    ("othello(size=6x4)", 9, 20, 300),
    ("othello(size=8)", 49, 60, 400),
]


def certain(session: ProofSession, position: Position) -> tuple[list[int], float, float]:
    """Return the sufficient moves of a position, and bounds for the player to move."""
    player = position.current_player
    state, moves = position.state.copy(), contract.new_moves(position.game.rules)
    game = session.game._replace(prover=player)
    count = list_moves(game, session.stack, state, player, moves)
    assert np.array_equal(state, position.state)
    low, high = session.stack.bounds
    return [int(code) for code in moves[:count]], low, high


def random_positions(spec: str, fewest: int, most: int, count: int):
    game, rng = gv.game(spec), random.Random(spec)
    while count:
        position = game.start()
        for _ in range(rng.randint(fewest, most)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_moves))
        if not position.is_over:
            count -= 1
            yield position


@pytest.mark.parametrize(("spec", "fewest", "most", "count"), BOARDS, ids=[b[0] for b in BOARDS])
def test_bounds_hold_and_the_moves_suffice(spec, fewest, most, count) -> None:
    session = ProofSession(gv.game(spec).start(), memory_mib=1)
    assert session.game.proof_moves
    decided = checked = 0
    for position in random_positions(spec, fewest, most, count):
        player = position.current_player
        try:
            value = guaranteed_score(position, player, most=300_000)
        except TooLargeError:
            continue
        checked += 1
        moves, low, high = certain(session, position)
        assert low <= value <= high, position
        legal = set(position.legal_codes_of(player))
        assert len(set(moves)) == len(moves)
        assert set(moves) <= legal
        if low == high:
            decided += 1
            continue
        ends = [position.play(code) for code in moves]
        reached = [
            end.scores[player] if end.is_over else guaranteed_score(end, player) for end in ends
        ]
        assert max(reached) == value, position
    assert checked > count / 2
    assert decided > checked / 4


@pytest.mark.parametrize(("spec", "plies"), [("hex(size=6)", 5), ("domineering(size=6)", 5)])
def test_some_moves_are_omitted(spec: str, plies: int) -> None:
    session = ProofSession(gv.game(spec).start(), memory_mib=1)
    omitted = 0
    for position in random_positions(spec, plies, plies + 4, 50):
        moves, low, high = certain(session, position)
        omitted += low < high and len(moves) < len(position.legal_moves)
    assert omitted > 0


@pytest.mark.parametrize("spec", ["hex(size=9)", "domineering(size=9)", "misere-hex(size=3)"])
def test_large_boards_and_misere_games_have_none(spec: str) -> None:
    assert not ProofSession(gv.game(spec).start(), memory_mib=1).game.proof_moves
