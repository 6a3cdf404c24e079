"""The contract suite must pass a correct game and catch every way of breaking one."""

from __future__ import annotations

import re

import pytest

from graven.core.errors import ContractError
from graven.testing import check_game
from tests.naive import tiny
from tests.testing.broken import (
    FULL,
    GOOD,
    allowed_forgets_a_heap,
    coded_forgets_the_last_move,
    coded_has_codes_of_its_own,
    feature_out_of_range,
    feature_takes_a_stone,
    good_feature,
    good_key,
    good_sample,
    good_sensible,
    key_adds_the_heaps,
    key_forgets_whose_turn_it_is,
    key_takes_a_stone,
    legal_always_has_a_move,
    legal_changes_the_turn,
    legal_counts_its_calls,
    legal_counts_wrongly,
    legal_forgets_the_last_stones,
    legal_leaves_a_gap,
    legal_repeats_a_move,
    legal_writes_an_unknown_code,
    legal_writes_beyond_the_moves,
    many_draws_once,
    many_fails,
    many_goes_on,
    many_has_no_lengths,
    many_invents_moves,
    many_mixes_up_players,
    many_plays_in_place,
    many_stops_early,
    many_turns_results_round,
    many_writes_beyond,
    no_board,
    one_text_for_two_moves,
    play_heeds_a_hidden_word,
    play_ignores_whose_turn_it_is,
    play_remembers_the_last_move,
    play_throws_dice,
    play_writes_beyond_the_state,
    play_writes_into_its_argument,
    sample_changes_the_position,
    sample_invents_a_move,
    sample_prefers_the_left,
    sample_writes_beyond_the_generator,
    scores_change_the_position,
    scores_give_both_the_win,
    scores_leave_one_out,
    scores_too_high,
    scores_write_beyond,
    sensible_finds_nothing,
    sensible_invents_a_move,
    sensible_repeats_a_move,
    start,
    start_leaves_a_word,
    start_with_a_hidden_word,
    start_writes_beyond_the_state,
    text_of_some_moves,
    turn_goes_on_for_ever,
    turn_names_a_stranger,
    turn_raises,
    turn_takes_a_stone,
)


@pytest.mark.parametrize(
    "game",
    [GOOD, tiny.heaps(1), FULL, GOOD.as_misere(), tiny.rock_paper_scissors(4)],
    ids=["plain", "smallest", "every optional part", "misère", "simultaneous"],
)
def test_a_correct_game_passes(game):
    check_game(game, games=20, constant_sum=1.0)


BROKEN = {
    "start leaves a word": ({"start": start_leaves_a_word}, "start", "held before"),
    "start leaves a hidden word": (
        {"play": play_heeds_a_hidden_word, "words": 4, "key": good_key},
        "start",
        "held before",
    ),
    "start writes beyond": (
        {"start": start_writes_beyond_the_state},
        "start",
        "beyond the 3 elements of `state`",
    ),
    "turn names a stranger": ({"turn": turn_names_a_stranger}, "turn", "returned 2"),
    "turn raises": ({"turn": turn_raises}, "turn", "one stone left"),
    "turn takes a stone": ({"turn": turn_takes_a_stone}, "turn", "changes the position"),
    "play throws dice": ({"play": play_throws_dice}, "play", "two different positions"),
    "show gives no text": ({"show": lambda state, colour: None}, "show", "no text"),
    "points are no number": ({"points": lambda state: "many"}, "points", "no number"),
    "letters": (
        {"show_move": lambda player, code: "aAbB"[code]},
        "show_move",
        "large and small letters are the same",
    ),
    "plies too low": ({"plies": 3}, "turn", "`plies` is 3"),
    "the game never ends": (
        {"turn": turn_goes_on_for_ever, "legal": legal_always_has_a_move},
        "turn",
        "`plies` is 8",
    ),
    "legal has no move": ({"legal": legal_forgets_the_last_stones}, "legal", "returned 0"),
    "legal counts wrongly": ({"legal": legal_counts_wrongly}, "legal", "returned 5"),
    "moves too low": ({"moves": 3}, "legal", "beyond the 3 elements of `moves`"),
    "legal writes beyond": (
        {"legal": legal_writes_beyond_the_moves},
        "legal",
        "beyond the 4 elements of `moves`",
    ),
    "codes too low": ({"codes": 3}, "legal", "codes go from 0 to 2"),
    "legal writes an unknown code": ({"legal": legal_writes_an_unknown_code}, "legal", "move 4"),
    "legal leaves a gap": ({"legal": legal_leaves_a_gap}, "legal", "codes go from 0 to 3"),
    "legal repeats a move": ({"legal": legal_repeats_a_move}, "legal", "2 times"),
    "legal changes the turn": (
        {"legal": legal_changes_the_turn},
        "legal",
        "changes the position",
    ),
    "legal counts its calls": (
        {
            "start": start_with_a_hidden_word,
            "legal": legal_counts_its_calls,
            "play": play_heeds_a_hidden_word,
            "key": good_key,
            "words": 4,
        },
        "legal",
        "changed the state",
    ),
    "play heeds the other player": (
        {"play": play_ignores_whose_turn_it_is},
        "play",
        "whose turn it is not",
    ),
    "play writes into joint": ({"play": play_writes_into_its_argument}, "play", "`joint`"),
    "play writes beyond": (
        {"play": play_writes_beyond_the_state},
        "play",
        "beyond the 3 elements of `state`",
    ),
    "scores too high": ({"scores": scores_too_high}, "scores", "player 0 2.0"),
    "scores leave one out": ({"scores": scores_leave_one_out}, "scores", "player 1 nan"),
    "scores write beyond": ({"scores": scores_write_beyond}, "scores", "of `out`"),
    "scores give both the win": ({"scores": scores_give_both_the_win}, "scores", "add up to 1"),
    "scores change the position": (
        {"scores": scores_change_the_position},
        "scores",
        "changes the position",
    ),
    "sample invents a move": ({"sample": sample_invents_a_move}, "sample", "not legal"),
    "sample changes the position": (
        {"sample": sample_changes_the_position},
        "sample",
        "changes the position",
    ),
    "sensible invents a move": ({"sensible": sensible_invents_a_move}, "sensible", "legal moves"),
    "candidates invents one": (
        {"candidates": sensible_invents_a_move},
        "candidates",
        "legal moves",
    ),
    "candidates finds nothing": ({"candidates": sensible_finds_nothing}, "candidates", "one or"),
    "sensible finds nothing": ({"sensible": sensible_finds_nothing}, "sensible", "one or more"),
    "sensible repeats a move": ({"sensible": sensible_repeats_a_move}, "sensible", "each once"),
    "sample draws what is not sensible": (
        {"sensible": good_sensible, "sample": good_sample},
        "sample",
        "equally often",
    ),
    "sample is unfair": ({"sample": sample_prefers_the_left}, "sample", "equally often"),
    "sample writes beyond": (
        {"sample": sample_writes_beyond_the_generator},
        "sample",
        "of `rng`",
    ),
    "a playout invents a move": (
        {"playouts": {"wild": sample_invents_a_move}},
        "wild",
        "not legal",
    ),
    "key forgets the turn": ({"key": key_forgets_whose_turn_it_is}, "key", "positions differ"),
    "key adds the heaps": ({"key": key_adds_the_heaps}, "key", "positions differ"),
    "key takes a stone": ({"key": key_takes_a_stone}, "key", "changes the position"),
    "key of the order of moves": (
        {"start": start_with_a_hidden_word, "play": play_remembers_the_last_move, "words": 4},
        "key",
        "same position",
    ),
    "allowed forgets a heap": ({"allowed": allowed_forgets_a_heap}, "allowed", "disagree"),
    "coded forgets a move": (
        {"feature": good_feature, "features": 8, "coded": coded_forgets_the_last_move},
        "coded",
        "different moves",
    ),
    "coded has other codes": (
        {"feature": good_feature, "features": 8, "coded": coded_has_codes_of_its_own},
        "coded",
        "different codes",
    ),
    "feature out of range": (
        {"feature": feature_out_of_range, "features": 8},
        "feature",
        "features go from 0 to 7",
    ),
    "feature takes a stone": (
        {"feature": feature_takes_a_stone, "features": 4},
        "feature",
        "changes the position",
    ),
    "many fails": ({"many": many_fails, "scratch": 3}, "many", "returned 1"),
    "many writes beyond": (
        {"many": many_writes_beyond, "scratch": 3},
        "many",
        "beyond the elements of an array",
    ),
    "many plays in place": (
        {"many": many_plays_in_place, "scratch": 3},
        "many",
        "changed the positions",
    ),
    "many has no length": ({"many": many_has_no_lengths, "scratch": 3}, "many", "no length"),
    "many stops early": ({"many": many_stops_early, "scratch": 3}, "many", "before the game"),
    "many goes on": ({"many": many_goes_on, "scratch": 3}, "many", "goes on"),
    "many mixes up players": (
        {"many": many_mixes_up_players, "scratch": 3},
        "many",
        "lets player 0 move where player 1",
    ),
    "many invents moves": ({"many": many_invents_moves, "scratch": 3}, "many", "not sensible"),
    "many turns results round": (
        {"many": many_turns_results_round, "scratch": 3},
        "many",
        "gives the results",
    ),
    "many is unfair": ({"many": many_draws_once, "scratch": 3}, "many", "equally often"),
    "one text for two moves": (
        {"show_move": one_text_for_two_moves},
        "show_move",
        "'left'",
    ),
    "some moves have no text": ({"show_move": text_of_some_moves}, "show_move", "KeyError"),
    "the board cannot be shown": ({"show": no_board}, "show", "no piece"),
    "the picture is no SVG": ({"svg": lambda state: "<p/>"}, "svg", "<p>"),
}


def start_with_a_memory(constants, state):
    start(constants, state)
    state[3] = -1


def board_with_a_memory(state, colour):
    return f"{state[0]} {state[1]}, player {state[2]}, last move {state[3]}"


def test_a_key_need_not_heed_what_makes_no_difference_to_the_rest_of_the_game():
    check_game(
        GOOD.changed(
            state_words=4,
            start=start_with_a_memory,
            play=play_remembers_the_last_move,
            render=board_with_a_memory,
            key=good_key,
        ),
        games=20,
    )


def key_of_the_moves(constants, state):
    return (min(state[0], 2) * 3 + min(state[1], 2)) * 2 + state[2]


@pytest.mark.parametrize("show", [None, tiny.heaps_board])
def test_a_key_that_mixes_up_positions_with_the_same_moves_is_caught(show):
    with pytest.raises(ContractError, match=r"`key` is the same as .*, after further"):
        check_game(GOOD.changed(key=key_of_the_moves, render=show), games=20)


@pytest.mark.parametrize(("changes", "function", "saying"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_caught(changes, function, saying):
    with pytest.raises(ContractError) as caught:
        check_game(GOOD.changed(**changes), games=20, constant_sum=1.0)
    message = str(caught.value)
    assert f"`{function}`" in message
    assert saying in message


def test_the_message_names_the_game_and_the_moves_that_led_there():
    broken = GOOD.changed(turn=turn_names_a_stranger)
    with pytest.raises(ContractError) as caught:
        check_game(broken)
    message = str(caught.value)
    assert message.startswith("heaps(size=4): `turn` returned 2")
    moves = re.search(r"\(after (.*)\)\.$", message)[1].split()
    position = GOOD.start().play_moves(moves)
    assert position.text().startswith("1 "), "the moves lead to where one stone is left"


def test_the_same_seed_finds_the_same_fault():
    broken = GOOD.changed(turn=turn_names_a_stranger)
    messages = set()
    for _ in range(2):
        with pytest.raises(ContractError) as caught:
            check_game(broken, seed=7)
        messages.add(str(caught.value))
    assert len(messages) == 1


def play_that_goes_wrong_for_the_second_player(constants, state, joint):
    state[0] -= 1
    if joint[1] == 2:
        state[1] = -1


def turn_after_a_wrong_play(constants, state):
    if state[1] < 0:
        return 9
    return -2 if state[0] > 0 else -1


def test_joint_moves_are_named_in_the_message():
    broken = tiny.rock_paper_scissors(3).changed(
        play=play_that_goes_wrong_for_the_second_player,
        turn=turn_after_a_wrong_play,
    )
    with pytest.raises(ContractError, match=r"`turn` returned 9.*/scissors\)\.$"):
        check_game(broken)


def test_tables_are_only_read():
    def turn(constants, state):
        constants[1] += 1
        return state[2] if state[0] + state[1] > 0 else -1

    with pytest.raises(ContractError, match="wrote into `tables`"):
        check_game(GOOD.changed(turn=turn, constants=[4, 0]))
