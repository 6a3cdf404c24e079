"""The example games are what they say they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from graven.sources.load import load_game
from graven.testing.contract_suite import check_game

ROOT = Path(__file__).parents[1]
BITBOARDS = ROOT / "examples" / "bitboard_breakthrough.py"


def test_the_documentation_shows_the_whole_bitboard_example():
    page = (ROOT / "docs" / "write-a-game.md").read_text()
    assert f"```python\n{BITBOARDS.read_text()}```" in page


@pytest.fixture(scope="module")
def example():
    return load_game(f"{BITBOARDS}:game")


def test_the_bitboard_example_has_the_moves_of_breakthrough(example):
    native, draws, positions = load_game("breakthrough"), random.Random(3), 0
    while positions < 4_000:
        ours, theirs = example.start(), native.start()
        while not theirs.is_over:
            assert not ours.is_over
            assert ours.current_player == theirs.current_player
            legal = sorted(theirs.legal_moves)
            assert sorted(ours.legal_moves) == legal
            move = draws.choice(legal)
            ours, theirs = ours.play(move), theirs.play(move)
            positions += 1
        assert ours.is_over
        assert ours.scores == theirs.scores


def test_the_bitboard_example_keeps_the_game_contract(example):
    check_game(example)
