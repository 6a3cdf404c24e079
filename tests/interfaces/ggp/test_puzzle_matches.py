"""Sheets with one role, over the protocol and with a referee."""

from __future__ import annotations

import pytest

from graven.agents import PuzzleAgent
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from graven.interfaces.ggp.ggp_messages import PlayMessage, StartMessage
from graven.interfaces.ggp.ggp_player import GgpPlayer
from graven.interfaces.ggp.match_seats import AgentSeat
from graven.interfaces.ggp.referee import MatchTerms, Referee
from tests.gdl.puzzle_sheets import maze

ROWS = ["s.#.....", ".#..##.#", "...#....", ".#.##.#.", ".#....#e"]
STEPS = 15
RULES = maze(ROWS, STEPS)


@pytest.fixture(autouse=True, scope="module")
def compiled_puzzle() -> None:
    """Compile first: the clocks of these tests are too short for it."""
    game = sheet_game(RULES, "maze", SheetOptions())
    PuzzleAgent().player(game).warm_up()


def test_a_player_without_an_agent_solves_a_puzzle() -> None:
    position = sheet_game(RULES, "maze", SheetOptions()).start()
    player = GgpPlayer()
    assert player.answer(StartMessage("m1", "me", RULES, 20.0, 2.0)) == "ready"
    joint = None
    while not position.is_over:
        move = player.answer(PlayMessage("m1", joint))
        position, joint = position.play(move), (move,)
    assert position.scores == (1.0,)


def test_a_referee_lets_the_default_agent_solve_a_puzzle() -> None:
    game = sheet_game(RULES, "maze", SheetOptions())
    seat = AgentSeat("default", seed=0)
    report = Referee(game, MatchTerms(RULES, 5.0, 2.0), [seat], "m1").run()
    assert [each.goal for each in report.seats] == [100]
    assert not any(report.seats[0].faults.values())
