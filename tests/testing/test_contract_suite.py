"""The contract suite passes a correct game and catches every violation of the contract."""

from __future__ import annotations

import re

import pytest

from graven.core.errors import ContractError
from graven.testing import check_game
from tests.naive import tiny
from tests.testing.broken import (
    batch_draws_once,
    batch_fails,
    batch_goes_on,
    batch_has_no_lengths,
    batch_invents_moves,
    batch_mixes_up_players,
    batch_plays_in_place,
    batch_stops_early,
    batch_turns_results_round,
    batch_writes_beyond,
    feature_out_of_range,
    feature_takes_a_stone,
    good_playout_moves,
    is_playout_move_forgets_a_heap,
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
    no_board,
    one_text_for_two_moves,
    play_ignores_whose_turn_it_is,
    play_is_random,
    play_remembers_the_last_move,
    play_uses_a_hidden_word,
    play_writes_beyond_the_state,
    play_writes_into_its_argument,
    playout_features_forget_the_last_move,
    playout_features_have_wrong_codes,
    playout_moves_finds_nothing,
    playout_moves_invents_a_move,
    playout_moves_repeats_a_move,
    policy_playouts_are_uniform,
    rollout_draws_once_more,
    rollout_forgets_a_move,
    rollout_swaps_the_scores,
    rollout_writes_beyond,
    sample_changes_the_position,
    sample_prefers_the_left,
    sample_returns_an_illegal_move,
    sample_writes_beyond_the_generator,
    scores_change_the_position,
    scores_give_both_the_win,
    scores_leave_one_out,
    scores_too_high,
    scores_write_beyond,
    start,
    start_leaves_a_word,
    start_with_a_hidden_word,
    start_writes_beyond_the_state,
    text_of_some_moves_only,
    turn_never_ends,
    turn_raises,
    turn_returns_an_invalid_player,
    turn_takes_a_stone,
)
from tests.testing.correct import FULL, GOOD, good_feature, good_key, good_sample


@pytest.mark.parametrize(
    "game",
    [GOOD, tiny.heaps(1), FULL, GOOD.as_misere(), tiny.rock_paper_scissors(4)],
    ids=["plain", "smallest", "every optional part", "misère", "simultaneous"],
)
def test_a_correct_game_passes(game):
    check_game(game, games=20, constant_sum=1.0)


BROKEN = {
    "start leaves a word": (
        {"start": start_leaves_a_word},
        "start",
        "previous content of the state",
    ),
    "start leaves a hidden word": (
        {"play": play_uses_a_hidden_word, "state_words": 4, "key": good_key},
        "start",
        "previous content of the state",
    ),
    "start writes beyond": (
        {"start": start_writes_beyond_the_state},
        "start",
        "beyond the 3 elements of `state`",
    ),
    "turn returns an invalid player": (
        {"turn": turn_returns_an_invalid_player},
        "turn",
        "returned 2",
    ),
    "turn raises": ({"turn": turn_raises}, "turn", "one stone left"),
    "turn takes a stone": ({"turn": turn_takes_a_stone}, "turn", "changes the position"),
    "play is random": ({"play": play_is_random}, "play", "two different positions"),
    "render returns no text": ({"render": lambda state, colour: None}, "render", "no text"),
    "points are no number": ({"points": lambda state: "many"}, "points", "no number"),
    "letters": (
        {"format_move": lambda player, code: "aAbB"[code]},
        "format_move",
        "upper and lower case count as equal",
    ),
    "max_plies too low": ({"max_plies": 3}, "turn", "`max_plies` is 3"),
    "the game never ends": (
        {"turn": turn_never_ends, "legal": legal_always_has_a_move},
        "turn",
        "`max_plies` is 8",
    ),
    "legal has no move": ({"legal": legal_forgets_the_last_stones}, "legal", "returned 0"),
    "legal counts wrongly": ({"legal": legal_counts_wrongly}, "legal", "returned 5"),
    "max_moves too low": ({"max_moves": 3}, "legal", "beyond the 3 elements of `moves`"),
    "legal writes beyond": (
        {"legal": legal_writes_beyond_the_moves},
        "legal",
        "beyond the 4 elements of `moves`",
    ),
    "num_codes too low": ({"num_codes": 3}, "legal", "codes go from 0 to 2"),
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
            "play": play_uses_a_hidden_word,
            "key": good_key,
            "state_words": 4,
        },
        "legal",
        "changed the state",
    ),
    "play uses the move of an idle player": (
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
    "sample returns an illegal move": (
        {"sample": sample_returns_an_illegal_move},
        "sample",
        "not legal",
    ),
    "sample changes the position": (
        {"sample": sample_changes_the_position},
        "sample",
        "changes the position",
    ),
    "playout_moves invents a move": (
        {"playout_moves": playout_moves_invents_a_move},
        "playout_moves",
        "legal moves",
    ),
    "tree_moves invents one": (
        {"tree_moves": playout_moves_invents_a_move},
        "tree_moves",
        "legal moves",
    ),
    "tree_moves finds nothing": (
        {"tree_moves": playout_moves_finds_nothing},
        "tree_moves",
        "one or",
    ),
    "playout_moves finds nothing": (
        {"playout_moves": playout_moves_finds_nothing},
        "playout_moves",
        "one or more",
    ),
    "playout_moves repeats a move": (
        {"playout_moves": playout_moves_repeats_a_move},
        "playout_moves",
        "each once",
    ),
    "sample draws other than playout moves": (
        {"playout_moves": good_playout_moves, "sample": good_sample},
        "sample",
        "equally often",
    ),
    "sample is unfair": ({"sample": sample_prefers_the_left}, "sample", "equally often"),
    "sample writes beyond": (
        {"sample": sample_writes_beyond_the_generator},
        "sample",
        "of `rng`",
    ),
    "a playout returns an illegal move": (
        {"playouts": {"wild": sample_returns_an_illegal_move}},
        "wild",
        "not legal",
    ),
    "key forgets the turn": ({"key": key_forgets_whose_turn_it_is}, "key", "positions differ"),
    "key adds the heaps": ({"key": key_adds_the_heaps}, "key", "positions differ"),
    "key takes a stone": ({"key": key_takes_a_stone}, "key", "changes the position"),
    "key of the order of moves": (
        {"start": start_with_a_hidden_word, "play": play_remembers_the_last_move, "state_words": 4},
        "key",
        "look the same in `render`",
    ),
    "is_playout_move forgets a heap": (
        {"is_playout_move": is_playout_move_forgets_a_heap},
        "is_playout_move",
        "disagree",
    ),
    "playout features forgets a move": (
        {
            "feature": good_feature,
            "num_features": 8,
            "playout_moves_with_features": playout_features_forget_the_last_move,
        },
        "playout_moves_with_features",
        "different moves",
    ),
    "playout features has other codes": (
        {
            "feature": good_feature,
            "num_features": 8,
            "playout_moves_with_features": playout_features_have_wrong_codes,
        },
        "playout_moves_with_features",
        "different codes",
    ),
    "feature out of range": (
        {"feature": feature_out_of_range, "num_features": 8},
        "feature",
        "features go from 0 to 7",
    ),
    "feature takes a stone": (
        {"feature": feature_takes_a_stone, "num_features": 4},
        "feature",
        "changes the position",
    ),
    "batch_playouts fails": (
        {"batch_playouts": batch_fails, "batch_scratch": 3},
        "batch_playouts",
        "returned 1",
    ),
    "batch_playouts writes beyond": (
        {"batch_playouts": batch_writes_beyond, "batch_scratch": 3},
        "batch_playouts",
        "beyond the elements of an array",
    ),
    "batch_playouts plays in place": (
        {"batch_playouts": batch_plays_in_place, "batch_scratch": 3},
        "batch_playouts",
        "modified `states`",
    ),
    "batch_playouts has no length": (
        {"batch_playouts": batch_has_no_lengths, "batch_scratch": 3},
        "batch_playouts",
        "invalid length",
    ),
    "batch_playouts stops early": (
        {"batch_playouts": batch_stops_early, "batch_scratch": 3},
        "batch_playouts",
        "before the game",
    ),
    "batch_playouts goes on": (
        {"batch_playouts": batch_goes_on, "batch_scratch": 3},
        "batch_playouts",
        "goes on",
    ),
    "batch_playouts mixes up players": (
        {"batch_playouts": batch_mixes_up_players, "batch_scratch": 3},
        "batch_playouts",
        "lets player 0 move where player 1",
    ),
    "batch_playouts invents moves": (
        {"batch_playouts": batch_invents_moves, "batch_scratch": 3},
        "batch_playouts",
        "not a playout move",
    ),
    "batch_playouts turns results round": (
        {"batch_playouts": batch_turns_results_round, "batch_scratch": 3},
        "batch_playouts",
        "wrote the scores",
    ),
    "batch_playouts is unfair": (
        {"batch_playouts": batch_draws_once, "batch_scratch": 3},
        "batch_playouts",
        "equally often",
    ),
    "batch_policy_playouts ignores the values": (
        {"batch_policy_playouts": policy_playouts_are_uniform, "batch_scratch": 4},
        "batch_policy_playouts",
        "plays other moves",
    ),
    "rollout draws once more": (
        {"rollout": rollout_draws_once_more},
        "rollout",
        "another random number generator",
    ),
    "rollout swaps the scores": ({"rollout": rollout_swaps_the_scores}, "rollout", "the scores"),
    "rollout forgets a move": ({"rollout": rollout_forgets_a_move}, "rollout", "not the"),
    "rollout writes beyond": ({"rollout": rollout_writes_beyond}, "rollout", "beyond"),
    "one text for two moves": (
        {"format_move": one_text_for_two_moves},
        "format_move",
        "'left'",
    ),
    "some moves have no text": (
        {"format_move": text_of_some_moves_only},
        "format_move",
        "KeyError",
    ),
    "the board cannot be shown": ({"render": no_board}, "render", "no piece"),
    "the picture is no SVG": ({"svg": lambda state: "<p/>"}, "svg", "<p>"),
}


def start_with_a_memory(constants, state):
    start(constants, state)
    state[3] = -1


def board_with_a_memory(state, colour):
    return f"{state[0]} {state[1]}, player {state[2]}, last move {state[3]}"


def test_a_key_may_ignore_what_does_not_matter_for_the_rest_of_the_game():
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


def scores_are_a_draw(constants, state, out):
    out[0] = out[1] = 0.5


def heaps_alone(state, colour):
    return f"{state[0]} {state[1]}"


def test_render_need_not_draw_whose_turn_it_would_be_after_the_end():
    check_game(GOOD.changed(scores=scores_are_a_draw, render=heaps_alone), games=20)


def test_the_word_that_render_does_not_draw_is_named():
    hidden = GOOD.changed(
        start=start_with_a_hidden_word, play=play_remembers_the_last_move, state_words=4
    )
    expected = (
        r"this position and the one after .* look the same in `render` and play the same, but word "
        r"3 of their states is [0-3] here and [0-3] there\. Draw that in `render`, or write a `key`"
    )
    with pytest.raises(ContractError, match=expected):
        check_game(hidden, games=20)
    with pytest.raises(ContractError, match=r"but their keys differ.*, or leave it out of `key`"):
        check_game(hidden.changed(key=key_of_all_words), games=20)


def key_of_all_words(constants, state):
    return ((state[0] * 9 + state[1]) * 2 + state[2]) * 9 + state[3]


def key_of_the_moves(constants, state):
    return (min(state[0], 2) * 3 + min(state[1], 2)) * 2 + state[2]


@pytest.mark.parametrize("show", [None, tiny.heaps_board])
def test_a_key_that_mixes_up_positions_with_the_same_moves_is_caught(show):
    with pytest.raises(ContractError, match=r"`key` is the same as .*, after further"):
        check_game(GOOD.changed(key=key_of_the_moves, render=show), games=20)


@pytest.mark.parametrize(("changes", "function", "message_part"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_caught(changes, function, message_part):
    with pytest.raises(ContractError) as caught:
        check_game(GOOD.changed(**changes), games=20, constant_sum=1.0)
    message = str(caught.value)
    assert f"`{function}`" in message
    assert message_part in message


def test_the_message_names_the_game_and_the_moves_that_led_there():
    broken = GOOD.changed(turn=turn_returns_an_invalid_player)
    with pytest.raises(ContractError) as caught:
        check_game(broken)
    message = str(caught.value)
    assert message.startswith("heaps(size=4): `turn` returned 2")
    moves = re.search(r"\(after (.*)\)\.$", message)[1].split()
    position = GOOD.start().play_moves(moves)
    assert position.text().startswith("1 "), "the moves lead to where one stone is left"


def test_the_same_seed_finds_the_same_fault():
    broken = GOOD.changed(turn=turn_returns_an_invalid_player)
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


def test_constants_are_read_only():
    def turn(constants, state):
        constants[1] += 1
        return state[2] if state[0] + state[1] > 0 else -1

    with pytest.raises(ContractError, match="wrote into `constants`"):
        check_game(GOOD.changed(turn=turn, constants=[4, 0]))
