"""Wrong user-defined rules raise an error; they neither crash nor give a result."""

from __future__ import annotations

import functools
import re

import pytest

import graven as gv
from tests.naive import tiny


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turn": None}, "`turn` must be a Python function .*, got nothing"),
        ({"play": functools.partial(max, 1)}, "`play` must be .*, got a partial"),
        ({"key": 3}, "`key` must be .*, got a int"),
        ({"players": "2"}, "`players` must be an integer, got '2'"),
        ({"state_words": 3.0}, r"`state_words` must be an integer, got 3\.0"),
        ({"max_moves": 10**9}, "`max_moves` must be at most 16,777,216, got 1,000,000,000"),
        ({"constants": None}, "`constants` must be .* 64-bit integers"),
        ({"constants": [7.9]}, "`constants` must be .* 64-bit integers"),
        ({"constants": [2**64]}, "`constants` must be .* 64-bit integers"),
        ({"player_names": ["A"]}, "`player_names` has 1 names for 2 players"),
    ],
)
def test_invalid_arguments_of_a_game_are_rejected(changes, message):
    with pytest.raises(gv.ContractError, match=message):
        tiny.heaps(3).changed(**changes)


def test_bounds_are_a_record():
    heaps = tiny.heaps(3)
    message = r"`bounds` must be a gv\.Bounds, got \(3, 4, 4, 14\)"
    with pytest.raises(gv.ContractError, match=message):
        gv.Game(name="mine", players=2, functions=heaps.functions, bounds=(3, 4, 4, 14))


def turn_fails(constants, state):
    if state[0] == 1:
        raise ValueError("one stone left")
    return state[2] if state[0] + state[1] > 0 else -1


def turn_returns_none_at_the_end(constants, state):
    return state[2] if state[0] + state[1] > 0 else None


@pytest.mark.parametrize("turn", [turn_fails, turn_returns_none_at_the_end])
def test_rules_that_raise_end_a_search_and_a_match(turn):
    game = tiny.heaps(4).changed(turn=turn)
    with pytest.raises(gv.ContractError, match="compiled rules or policies raised"):
        gv.agent("uct").search(game.start(), playouts=1000)
    with pytest.raises(gv.ContractError, match="`turn` raised"):
        gv.match(game, "uct", "grave", games=2, playouts=50, workers=1)


def test_a_number_that_is_missing_in_one_branch_is_explained():
    game = tiny.heaps(4).changed(turn=turn_returns_none_at_the_end)
    message = "a function returned None instead of a number: end each of its branches"
    with pytest.raises(gv.ContractError, match=message):
        gv.agent("uct").search(game.start(), playouts=1000)
    with pytest.raises(gv.ContractError, match="`turn` raised TypeError: " + message):
        gv.check_game(game)


@pytest.mark.parametrize("value", [None, 7, b"a1"])
def test_a_display_that_returns_no_text_is_named(value):
    game = tiny.heaps(4).changed(format_move=lambda player, code: value)
    message = f"`format_move` of {game.name} returned {value!r}, which is no text"
    for use in (lambda: game.start().legal_moves, lambda: game.start().play("a"), check(game)):
        with pytest.raises(gv.ContractError, match=re.escape(message)):
            use()
    game = tiny.heaps(4).changed(render=lambda state, colour: value)
    with pytest.raises(gv.ContractError, match=f"`render` of {game.name} returned"):
        str(game.start())
    with pytest.raises(gv.ContractError, match=r"`render` returned .* is no text .at the start"):
        check(game)()


def check(game):
    return lambda: gv.check_game(game)


def turn_never_begins(constants, state):
    return -1


def test_a_game_that_is_over_at_the_start_has_no_match():
    with pytest.raises(gv.UsageError, match="over at its start"):
        gv.match(tiny.heaps(4).changed(turn=turn_never_begins), "uct", "grave", workers=1)


def play_writes_far_away(constants, state, joint):
    state[10_000_000] = 9


def play_reads_one_too_many(constants, state, joint):
    tiny_play(constants, state, joint)
    state[2] += state[3] * 0


tiny_play = tiny.heaps(3).functions.play


def test_check_game_reports_accesses_out_of_bounds():
    """Without the bounds checks of `check_game` these would crash, or go unnoticed."""
    with pytest.raises(gv.ContractError, match="`play` reads or writes beyond the elements"):
        gv.check_game(tiny.heaps(3).changed(play=play_writes_far_away))
    with pytest.raises(gv.ContractError, match=r"`play` .* beyond the 3 elements of `state`"):
        gv.check_game(tiny.heaps(3).changed(play=play_reads_one_too_many))


def inverted_scores(constants, state, out):
    out[state[2]], out[1 - state[2]] = 1.0, 0.0


def test_results_of_different_rules_under_the_same_name_are_not_merged():
    game, inverted = tiny.heaps(4), tiny.heaps(4).changed(scores=inverted_scores)
    assert game.spec == inverted.spec
    with gv.Store() as store:
        first = gv.match(game, "uct", "grave", games=4, playouts=20, store=store, workers=1)
        second = gv.match(inverted, "uct", "grave", games=4, playouts=20, store=store, workers=1)
        again = gv.match(game, "uct", "grave", games=4, playouts=20, store=store, workers=1)
    assert (first.new, second.new, again.new) == (4, 4, 0)
