from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graven.core.compile_cache import stamp_of
from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.errors import ContractError, UsageError
from graven.testing import check_game
from tests.naive.tiny import heaps, rock_paper_scissors


@pytest.fixture
def start():
    return heaps(3).start()


def test_the_start(start):
    assert start.current_player == 0
    assert start.players_to_move == (0,)
    assert not start.is_over
    assert start.scores is None
    assert start.ply == 0
    assert start.legal_moves == ("left-1", "left-2", "right-1", "right-2")


def test_a_game_from_start_to_end(start):
    end = start.play_moves(["left-2", "left-1", "right-1", "right-2"])
    assert end.is_over
    assert end.current_player == TERMINAL
    assert end.players_to_move == ()
    assert end.legal_moves == ()
    assert end.scores == (0.0, 1.0), "the second player took the last stone"
    assert end.ply == 4


def test_misere_inverts_the_scores():
    moves = ["left-2", "left-1", "right-1", "right-2"]
    game = heaps(3).as_misere()
    assert game.spec == "misere-heaps(size=3)"
    assert game.start().play_moves(moves).scores == (1.0, 0.0)


def test_playing_does_not_change_the_previous_position(start):
    start.play("left-2")
    assert start.text() == "3 3, player 0"
    assert start.legal_moves == ("left-1", "left-2", "right-1", "right-2")
    with pytest.raises(ValueError, match="read-only"):
        start.state[0] = 0


def test_moves_may_be_texts_in_any_case_with_blanks_around_or_codes(start):
    texts = {start.play(move).text() for move in ("right-2", " RIGHT-2\n", 3, np.int64(3))}
    assert texts == {"3 1, player 1"}


def test_every_move_s_text_leads_back_to_its_code():
    game = heaps(3)
    assert [game.move_code(0, game.format_move(0, code)) for code in range(4)] == [0, 1, 2, 3]
    assert game.move_code(0, "middle-1") is None


def test_a_move_that_is_not_legal_here(start):
    with pytest.raises(UsageError, match=r"left-2 is not legal for Second here\. Legal: left-1"):
        start.play("left-2").play("left-2")


def test_an_unknown_move(start):
    with pytest.raises(UsageError, match=r"unknown move of First 'left-7'\. Did you mean 'left-"):
        start.play("left-7")
    with pytest.raises(UsageError, match="unknown move of First '4'"):
        start.play(4)


def test_a_wrong_move_among_several_is_numbered(start):
    with pytest.raises(UsageError, match=r"^move 3: left-2 is not legal for First"):
        start.play_moves(["left-1", "left-1", "left-2"])


def test_no_move_can_be_played_once_the_game_is_over():
    end = heaps(1).start().play_moves(["left-1", "right-1"])
    with pytest.raises(UsageError, match="game of heaps is over"):
        end.play("left-1")


def test_positions_reached_in_another_order_are_equal(start):
    first = start.play_moves(["left-1", "right-1", "left-2"])
    second = start.play_moves(["left-2", "right-1", "left-1"])
    assert first == second
    assert hash(first) == hash(second)
    assert first != start
    assert first != start.play_moves(["left-1", "left-2", "right-1", "right-1"])
    assert start != heaps(4).start()
    assert start != "3 3"


def test_a_position_as_text_and_as_a_picture(start):
    assert str(start) == "3 3, player 0"
    assert repr(start.play("left-1")) == "<Position of heaps(size=3) after 1 moves>"
    assert start._repr_svg_() is None
    with pytest.raises(UsageError, match="heaps has no picture"):
        start.svg()
    drawn = start.game.changed(svg=lambda state: f"<svg>{state[0]}</svg>").start()
    assert drawn.svg() == drawn._repr_svg_() == "<svg>3</svg>"


def test_a_game_without_text_still_shows_its_words():
    plain = heaps(3).changed(render=None).start()
    assert str(plain) == "heaps: [3, 3, 0]"


def test_simultaneous_moves():
    position = rock_paper_scissors(2).start()
    assert position.current_player == SIMULTANEOUS
    assert position.players_to_move == (0, 1)
    assert position.legal_moves_of(1) == ("rock", "paper", "scissors")
    assert position.legal_moves == position.legal_moves_of(0)
    position = position.play_joint(["paper", "rock"])
    assert position.history == ((1, 0),)
    assert str(position) == "1:0, 1 rounds to go"
    end = position.play_joint(["rock", "rock"])
    assert end.is_over
    assert end.scores == (1.0, 0.0)


def test_every_player_to_move_must_move():
    with pytest.raises(UsageError, match="2 moves are needed here, one for each of Left, Right"):
        rock_paper_scissors().start().play("rock")


def test_only_the_players_to_move_have_legal_moves(start):
    assert start.legal_moves_of(1) == ()
    assert start.legal_codes_of(0) == (0, 1, 2, 3)


@pytest.mark.parametrize("bound", ["players", "state_words", "num_codes", "max_moves", "max_plies"])
def test_a_game_needs_positive_bounds(bound):
    with pytest.raises(ContractError, match=f"`{bound}` must be at least 1"):
        heaps(3).changed(**{bound: 0})


def test_constants_are_copied_and_read_only():
    mine = np.array([5])
    game = heaps(3).changed(constants=mine)
    mine[0] = 1
    assert game.start().text() == "5 5, player 0"
    with pytest.raises(ValueError, match="read-only"):
        game.constants[0] = 1


def test_players_without_names_are_numbered_from_one():
    assert heaps(3).changed(player_names=()).player_names == ("player 1", "player 2")


def test_a_playout_that_the_game_does_not_have():
    with pytest.raises(UsageError, match="playout of heaps 'mogo'"):
        heaps(3).rules_with("mogo")


def test_a_game_needs_no_constants():
    def start(constants, state):
        state[0] = state[1] = 2
        state[2] = 0

    game = heaps(2).changed(start=start, constants=())
    assert game.constants.size == 0
    check_game(game)


def test_the_number_of_features_defaults_to_the_number_of_codes():
    def feature(constants, state, player, move):
        return move

    assert heaps(3).changed(num_features=7).num_features == 4, "without a feature function"
    assert heaps(3).changed(feature=feature).num_features == 4
    assert heaps(3).changed(feature=feature, num_features=7).num_features == 7


def test_a_changed_game_has_new_fields_of_its_records_and_keeps_the_others():
    game = heaps(3)
    bounds = replace(game.bounds, max_plies=9)
    changed = game.changed(bounds=bounds, max_moves=5, format_move=lambda player, code: f"m{code}")
    assert (changed.max_plies, changed.max_moves, changed.num_codes) == (9, 5, 4)
    assert changed.start().legal_moves == ("m0", "m1", "m2", "m3")
    assert changed.functions == game.functions
    assert changed.options == game.options
    with pytest.raises(TypeError, match="moves"):
        game.changed(moves=3)


def test_the_fingerprint_is_a_digest_of_the_user_s_functions_the_constants_and_the_sizes():
    """Result files store it: what goes into it, and in which order, must not change."""

    def sample(constants, state, player, rng):
        return 0

    game = heaps(3).changed(sample=sample, playouts={"first": sample}, max_plies=7)
    functions = [game.functions.start, game.functions.turn, game.functions.legal]
    functions += [game.functions.play, game.functions.scores, sample, sample]
    digest = stamp_of([*functions, np.array([3]), 2, 3, 4, 4, 7, False])
    assert game.fingerprint == f"heaps(size=3,digest={digest[:12]})"
    assert game.changed(source="heaps.py:game").fingerprint == "heaps.py:game"
