"""Arguments of a solve: limits, seeds, parameters, games."""

from __future__ import annotations

import threading

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.solving import parse_method
from tests.naive.tiny import heaps, rock_paper_scissors

GAME = "samegame(size=6x6,colours=3,seed=2)"


def test_the_same_seed_gives_the_same_game():
    method = "nrpa(level=2,iterations=20)"
    first, same, different = (gv.solve("morpion(variant=4T)", method, seed=s) for s in (5, 5, 6))
    assert (first.points, first.moves) == (same.points, same.moves)
    assert first.moves != different.moves


def test_a_solution_is_a_game_that_can_be_played():
    solution = gv.solve(GAME, "nmcs(level=1)")
    position = gv.game(GAME).start().play_moves(solution.moves)
    assert position.is_over
    assert (position.points, position.scores) == (solution.points, (solution.score,))
    assert solution.position == position
    assert (solution.game, solution.method, solution.runs) == (GAME, "nmcs(level=1)", 1)
    assert solution.to_dict()["points"] == solution.points


def test_limits():
    assert gv.solve(GAME, "nrpa(level=2)", playouts=123).playouts == 123
    assert gv.solve(GAME, "nrpa(level=1,iterations=10)", runs=3).playouts == 30
    assert gv.solve(GAME, "nrpa(level=1,iterations=10)").playouts == 10
    assert gv.solve(GAME, "nrpa(level=1,iterations=10)", playouts=35).runs == 3
    assert gv.solve(GAME, "nrpa(level=8)", seconds=0.05).playouts >= 1


def test_stop_ends_with_the_best_so_far():
    stop = threading.Event()
    stop.set()
    assert gv.solve(GAME, "nrpa(level=8)", stop=stop).playouts >= 1


def test_better_games_are_reported_in_order():
    reported = []
    solution = gv.solve(GAME, "nrpa(level=2)", better=reported.append)
    points = [better.points for better in reported]
    assert points == sorted(set(points))
    assert points[-1] == solution.points


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nrpa", "nrpa(level=3,iterations=100,alpha=1,code=feature)"),
        (" NRPA(alpha=10.24) ", "nrpa(level=3,iterations=100,alpha=10.24,code=feature)"),
        ("nmcs(level=4)", "nmcs(level=4)"),
    ],
)
def test_methods_print_in_canonical_form(text, canonical):
    assert parse_method(text).text == canonical
    assert parse_method(canonical).text == canonical


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nrap", "Did you mean 'nrpa'"),
        ("nrpa(levl=3)", "Did you mean 'level'"),
        ("nrpa(level=0)", "level must be from 1 to 8"),
        ("nrpa(level=2.5)", "whole number"),
        ("nrpa(iterations=0)", "iterations must be from 1 to"),
        ("nrpa(alpha=-0.1)", "alpha must be from 0 to 1000"),
        ("nrpa(alpha=nan)", "number"),
        ("nrpa(alpha=inf)", "finite"),
        ("nrpa(code=colour)", "feature, move"),
        ("nmcs(level=9)", "level must be from 1 to 8"),
        ("nmcs(alpha=1)", "unknown parameter"),
        ("nmcs(level=1", "not written"),
        ("", "not written"),
        ("n" * 2000, "at most"),
    ],
)
def test_invalid_methods_are_explained(text, hint):
    with pytest.raises(UsageError) as caught:
        parse_method(text)
    assert hint in str(caught.value)


def test_parameters_may_be_keywords():
    assert parse_method("nmcs", level=3, alpha=None).text == "nmcs(level=3)"
    with pytest.raises(UsageError, match="given twice"):
        parse_method("nmcs(level=2)", level=3)


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"playouts": 0}, {"runs": 0}])
def test_invalid_limits_raise(limits):
    with pytest.raises(UsageError):
        gv.solve(GAME, **limits)


@pytest.mark.parametrize("game", [heaps(), rock_paper_scissors()])
def test_only_games_of_one_player(game):
    with pytest.raises(UsageError, match="for 2 players"):
        gv.solve(game)


def test_a_finished_game_is_rejected():
    with pytest.raises(UsageError, match="is over"):
        gv.solve("samegame(board=12/21)")


def broken_turn(constants, state):
    return 0


def one_move(constants, state, player, moves):
    moves[0] = 0
    return 1


def no_change(constants, state, joint):
    state[0] = 0


def no_scores(constants, state, out):
    out[0] = 0.0


def clean(constants, state):
    state[0] = 0


@pytest.mark.parametrize("method", ["nmcs(level=1)", "nmcs(level=2)", "nrpa(level=1)"])
def test_a_game_without_end_breaks_the_contract(method):
    game = gv.Game(
        name="endless",
        players=1,
        functions=gv.RuleFunctions(
            start=clean, turn=broken_turn, legal=one_move, play=no_change, scores=no_scores
        ),
        bounds=gv.Bounds(state_words=1, num_codes=1, max_moves=1, max_plies=5),
        constants=[0],
    )
    with pytest.raises(gv.ContractError, match="beyond the declared 5 plies"):
        gv.solve(game, method)
