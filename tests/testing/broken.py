"""A small correct game, and functions for its rules that break one thing each."""

from __future__ import annotations

import numba
import numpy as np

from graven.core.rng import below
from tests.naive import tiny

GOOD = tiny.heaps(4)


def good_sample(tables, state, player, rng):
    left, right = min(state[0], 2), min(state[1], 2)
    chosen = below(rng, left + right)
    return chosen if chosen < left else 2 + chosen - left


def good_key(tables, state):
    return (state[0] * 100 + state[1]) * 2 + state[2]


def good_feature(tables, state, player, move):
    return move + (4 if state[0] == state[1] else 0)


def good_allowed(tables, state, player, move):
    return state[move // 2] > move % 2


def good_coded(tables, state, player, moves, codes):
    count = 0
    for move in range(4):
        if state[move // 2] > move % 2:
            moves[count] = move
            codes[count] = move + (4 if state[0] == state[1] else 0)
            count += 1
    return count


def good_many(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    stride = len(traces) // (leaves * each)
    for i in range(leaves * each):
        for word in range(3):
            scratch[word] = states[3 * (i // each) + word]
        length = 0
        while scratch[0] + scratch[1] > 0:
            left = min(scratch[0], 2)
            chosen = below(rng, left + min(scratch[1], 2))
            move = chosen if chosen < left else 2 + chosen - left
            traces[i * stride + length] = 4 * scratch[2] + move
            length += 1
            scratch[move // 2] -= move % 2 + 1
            scratch[2] = 1 - scratch[2]
        lengths[i] = length
        out[2 * i] = float(scratch[2])
        out[2 * i + 1] = 1.0 - out[2 * i]
    return 0


FULL = GOOD.changed(
    many=good_many,
    scratch=3,
    sample=good_sample,
    key=good_key,
    feature=good_feature,
    features=8,
    allowed=good_allowed,
    coded=good_coded,
    playouts={"careful": good_sample},
    svg=lambda state: "<svg xmlns='http://www.w3.org/2000/svg'/>",
)


# Below, each function breaks one thing. They lean on the correct ones, compiled here.
start, turn, legal, play, scores, sample = (
    numba.njit(function)
    for function in (
        tiny.heaps_start,
        tiny.heaps_turn,
        tiny.heaps_legal,
        tiny.heaps_play,
        tiny.heaps_scores,
        good_sample,
    )
)


def start_leaves_a_word(tables, state):
    state[0] = tables[0]
    state[1] = tables[0]
    state[2] &= 1


def start_with_a_hidden_word(tables, state):
    start(tables, state)
    state[3] = 0


def play_heeds_a_hidden_word(tables, state, joint):
    # Nothing that can be seen depends on the fourth word, until it does.
    play(tables, state, joint)
    if state[3] > 3:
        state[1] = 0


def start_writes_beyond_the_state(tables, state):
    start(tables, state)
    state[3] = 0


def turn_names_a_stranger(tables, state):
    return 2 if state[0] == 1 else turn(tables, state)


def play_throws_dice(tables, state, joint):
    play(tables, state, joint)
    state[0] += np.random.randint(0, 1 << 30)


def turn_raises(tables, state):
    if state[0] == 1:
        raise ValueError("one stone left")
    return turn(tables, state)


def turn_takes_a_stone(tables, state):
    if state[0] > 1:
        state[0] -= 1
    return turn(tables, state)


def turn_goes_on_for_ever(tables, state):
    return state[2]


def legal_always_has_a_move(tables, state, player, moves):
    count = legal(tables, state, player, moves)
    if count == 0:
        moves[0] = 0
    return max(1, count)


def legal_forgets_the_last_stones(tables, state, player, moves):
    return 0 if state[0] == 0 else legal(tables, state, player, moves)


def legal_counts_wrongly(tables, state, player, moves):
    legal(tables, state, player, moves)
    return 5


def legal_writes_beyond_the_moves(tables, state, player, moves):
    moves[4] = 3
    return legal(tables, state, player, moves)


def legal_writes_an_unknown_code(tables, state, player, moves):
    count = legal(tables, state, player, moves)
    moves[0] = 4
    return count


def legal_leaves_a_gap(tables, state, player, moves):
    count = legal(tables, state, player, moves)
    return count + 1 if count < 4 else count


def legal_repeats_a_move(tables, state, player, moves):
    count = legal(tables, state, player, moves)
    moves[count - 1] = moves[0]
    return count


def legal_changes_the_turn(tables, state, player, moves):
    count = legal(tables, state, player, moves)
    state[2] = 1 - state[2]
    return count


def legal_counts_its_calls(tables, state, player, moves):
    state[3] += 1
    return legal(tables, state, player, moves)


def play_ignores_whose_turn_it_is(tables, state, joint):
    play(tables, state, joint)
    if joint[1] == 3:
        state[0] = 0


def play_writes_into_its_argument(tables, state, joint):
    play(tables, state, joint)
    joint[0] = 0
    joint[1] = 0


def play_writes_beyond_the_state(tables, state, joint):
    play(tables, state, joint)
    state[-5] = 1


def scores_too_high(tables, state, out):
    out[0] = 2.0
    out[1] = -1.0


def scores_leave_one_out(tables, state, out):
    out[0] = 1.0


def scores_write_beyond(tables, state, out):
    scores(tables, state, out)
    out[2] = 0.0


def scores_give_both_the_win(tables, state, out):
    out[0] = 1.0
    out[1] = 1.0


def scores_change_the_position(tables, state, out):
    scores(tables, state, out)
    state[2] = 1 - state[2]


def sample_invents_a_move(tables, state, player, rng):
    return 3 if state[1] == 1 else sample(tables, state, player, rng)


def sample_changes_the_position(tables, state, player, rng):
    move = sample(tables, state, player, rng)
    state[0], state[1] = state[1], state[0]
    return move


def good_sensible(tables, state, player, moves):
    return min(1, legal(tables, state, player, moves))


def sensible_invents_a_move(tables, state, player, moves):
    moves[0] = 3 if state[1] < 2 else 1
    return 1


def sensible_finds_nothing(tables, state, player, moves):
    return 0


def sensible_repeats_a_move(tables, state, player, moves):
    legal(tables, state, player, moves)
    moves[1] = moves[0]
    return 2


def sample_prefers_the_left(tables, state, player, rng):
    if state[0] >= 1 and below(rng, 2) == 0:
        return below(rng, min(state[0], 2))
    return sample(tables, state, player, rng)


def sample_writes_beyond_the_generator(tables, state, player, rng):
    rng[1] = 0
    return sample(tables, state, player, rng)


def key_forgets_whose_turn_it_is(tables, state):
    return state[0] * 100 + state[1]


def key_adds_the_heaps(tables, state):
    return (state[0] + state[1]) * 2 + state[2]


def key_takes_a_stone(tables, state):
    if state[1] > 1:
        state[1] -= 1
    return (state[0] * 100 + state[1]) * 2 + state[2]


def play_remembers_the_last_move(tables, state, joint):
    # The default key hashes this word too, so equal positions get different keys.
    move = joint[state[2]]
    play(tables, state, joint)
    state[3] = move


def feature_out_of_range(tables, state, player, move):
    return move + 4 * state[0]


def feature_takes_a_stone(tables, state, player, move):
    if state[1] > 1:
        state[1] -= 1
    return move


def allowed_forgets_a_heap(tables, state, player, move):
    return move < 2 and state[0] > move % 2


def coded_forgets_the_last_move(tables, state, player, moves, codes):
    return good_coded_compiled(tables, state, player, moves, codes) - 1


def coded_has_codes_of_its_own(tables, state, player, moves, codes):
    count = good_coded_compiled(tables, state, player, moves, codes)
    for i in range(count):
        codes[i] = 7 - codes[i]
    return count


good_coded_compiled = numba.njit(good_coded)
many = numba.njit(good_many)


def many_fails(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    return 1


def many_writes_beyond(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    scratch[3] = 0
    return many(tables, states, leaves, each, scratch, traces, lengths, out, rng)


def many_plays_in_place(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    status = many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    states[0] = scratch[2] + 5
    return status


def many_has_no_lengths(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    lengths[0] = -1
    return 0


def many_stops_early(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        lengths[i] = max(0, lengths[i] - 1)
    return 0


def many_goes_on(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        lengths[i] += 1
    return 0


def many_mixes_up_players(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(len(traces)):
        traces[i] = traces[i] % 4
    return 0


def many_invents_moves(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(len(traces)):
        traces[i] = traces[i] // 4 * 4 + 1
    return 0


def many_turns_results_round(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    many(tables, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        out[2 * i], out[2 * i + 1] = out[2 * i + 1], out[2 * i]
    return 0


def many_draws_once(tables, states, leaves, each, scratch, traces, lengths, out, rng):
    # All playouts of a leaf are the same one: legal, but drawn only once.
    seed = rng[0]
    for leaf in range(leaves):
        for i in range(each):
            rng[0] = seed
            at = leaf * each + i
            stride = len(traces) // (leaves * each)
            many(
                tables,
                states[3 * leaf : 3 * leaf + 3],
                1,
                1,
                scratch,
                traces[at * stride : at * stride + stride],
                lengths[at : at + 1],
                out[2 * at : 2 * at + 2],
                rng,
            )
    return 0


def one_text_for_two_moves(player, code):
    return "left" if code < 2 else "right"


def text_of_some_moves(player, code):
    return {0: "a", 1: "b"}[code]


def no_board(state, colour):
    raise KeyError("no piece")
