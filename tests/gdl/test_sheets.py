"""The shipped sheets play the same games as the real ones of the same names."""

from __future__ import annotations

import random

import pytest

from graven.gdl import sheets
from graven.gdl.language.kif_reader import read
from graven.gdl.language.sheet_checks import check
from graven.gdl.proof.prover import Prover
from graven.sources.load import load_game
from tests.gdl.shared import goals_of, legal_of, sheet_text

# The versions that Sironi and Winands played.
OLDER = {name: f"{name}-v1" for name in ("chineseCheckers3", "checkers", "connect5")}


def test_there_are_fifteen() -> None:
    assert len(sheets.names()) == 15


@pytest.mark.parametrize("name", sheets.names())
def test_a_sheet_is_well_formed(name: str) -> None:
    check(read(sheets.text_of(name), name), name)
    assert sheets.summary(name).endswith(".")


# The real sheet counts discs in a way that takes long to prove.
MATCHES = [(name, seed) for name in sheets.names() for seed in range(1 if "othello" in name else 2)]


@pytest.mark.parametrize(("name", "seed"), MATCHES)
def test_random_matches_are_the_same(name: str, seed: int) -> None:
    """Moves of every role at every step, the length, the goals: along one match of both."""
    both = [
        Prover(read(sheet_text(OLDER.get(name, name)), name)),
        Prover(read(sheets.text_of(name), name)),
    ]
    states = [prover.initial for prover in both]
    draw = random.Random(seed)
    while True:
        for prover, state in zip(both, states, strict=True):
            prover.at(state)
        theirs, ours = (legal_of(prover) for prover in both)
        assert [sorted(moves) for moves in ours] == [sorted(moves) for moves in theirs]
        over = [prover.terminal() for prover in both]
        assert over[0] == over[1]
        if over[0]:
            break
        joint = [draw.choice(sorted(moves)) for moves in theirs]
        states = [
            prover.next([moves[role][move] for role, move in enumerate(joint)])
            for prover, moves in zip(both, (theirs, ours), strict=True)
        ]
    assert goals_of(both[1]) == goals_of(both[0])


@pytest.mark.parametrize("name", ["breakthrough", "knightThrough"])
@pytest.mark.parametrize("seed", range(2))
def test_sheets_agree_with_games_of_our_own(name: str, seed: int) -> None:
    prover = Prover(read(sheets.text_of(name), name))
    state, position = prover.initial, load_game(name.lower()).start()
    draw = random.Random(seed)
    while not position.is_over:
        prover.at(state)
        assert not prover.terminal()
        moves = legal_of(prover)
        who = position.current_player
        own = {_square_names(move): move for move in moves[who]}
        assert sorted(own) == sorted(position.legal_moves)
        chosen = draw.choice(sorted(own))
        joint = [moves[role][own[chosen] if role == who else "noop"] for role in range(2)]
        state, position = prover.next(joint), position.play(chosen)
    prover.at(state)
    assert prover.terminal()
    assert goals_of(prover) == [[round(100 * score)] for score in position.scores]


def _square_names(move: str) -> str:
    """`( move 1 2 1 3 )` as graven's own games write it: a2a3."""
    x, y, u, v = (int(word) for word in move.split()[2:6])
    return f"{'abcdefgh'[x - 1]}{y}{'abcdefgh'[u - 1]}{v}"
