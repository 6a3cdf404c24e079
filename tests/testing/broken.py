"""Rule functions that violate one requirement of the contract each."""

from __future__ import annotations

import numba
import numpy as np

from graven.core.rng import below
from tests.naive import tiny
from tests.testing.correct import (
    good_batch_playouts,
    good_playout_features,
    good_rollout,
    good_sample,
)

# Each function below violates one requirement. They call the correct ones, compiled here.
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


def start_leaves_a_word(constants, state):
    state[0] = constants[0]
    state[1] = constants[0]
    state[2] &= 1


def start_with_a_hidden_word(constants, state):
    start(constants, state)
    state[3] = 0


def play_uses_a_hidden_word(constants, state, joint):
    # Nothing that can be seen depends on the fourth word, until it does.
    play(constants, state, joint)
    if state[3] > 3:
        state[1] = 0


def start_writes_beyond_the_state(constants, state):
    start(constants, state)
    state[3] = 0


def turn_returns_an_invalid_player(constants, state):
    return 2 if state[0] == 1 else turn(constants, state)


def play_is_random(constants, state, joint):
    play(constants, state, joint)
    state[0] += np.random.randint(0, 1 << 30)


def turn_raises(constants, state):
    if state[0] == 1:
        raise ValueError("one stone left")
    return turn(constants, state)


def turn_takes_a_stone(constants, state):
    if state[0] > 1:
        state[0] -= 1
    return turn(constants, state)


def turn_never_ends(constants, state):
    return state[2]


def legal_always_has_a_move(constants, state, player, moves):
    count = legal(constants, state, player, moves)
    if count == 0:
        moves[0] = 0
    return max(1, count)


def legal_forgets_the_last_stones(constants, state, player, moves):
    return 0 if state[0] == 0 else legal(constants, state, player, moves)


def legal_counts_wrongly(constants, state, player, moves):
    legal(constants, state, player, moves)
    return 5


def legal_writes_beyond_the_moves(constants, state, player, moves):
    moves[4] = 3
    return legal(constants, state, player, moves)


def legal_writes_an_unknown_code(constants, state, player, moves):
    count = legal(constants, state, player, moves)
    moves[0] = 4
    return count


def legal_leaves_a_gap(constants, state, player, moves):
    count = legal(constants, state, player, moves)
    return count + 1 if count < 4 else count


def legal_repeats_a_move(constants, state, player, moves):
    count = legal(constants, state, player, moves)
    moves[count - 1] = moves[0]
    return count


def legal_changes_the_turn(constants, state, player, moves):
    count = legal(constants, state, player, moves)
    state[2] = 1 - state[2]
    return count


def legal_counts_its_calls(constants, state, player, moves):
    state[3] += 1
    return legal(constants, state, player, moves)


def play_ignores_whose_turn_it_is(constants, state, joint):
    play(constants, state, joint)
    if joint[1] == 3:
        state[0] = 0


def play_writes_into_its_argument(constants, state, joint):
    play(constants, state, joint)
    joint[0] = 0
    joint[1] = 0


def play_writes_beyond_the_state(constants, state, joint):
    play(constants, state, joint)
    state[-5] = 1


def scores_too_high(constants, state, out):
    out[0] = 2.0
    out[1] = -1.0


def scores_leave_one_out(constants, state, out):
    out[0] = 1.0


def scores_write_beyond(constants, state, out):
    scores(constants, state, out)
    out[2] = 0.0


def scores_give_both_the_win(constants, state, out):
    out[0] = 1.0
    out[1] = 1.0


def scores_change_the_position(constants, state, out):
    scores(constants, state, out)
    state[2] = 1 - state[2]


def sample_returns_an_illegal_move(constants, state, player, rng):
    return 3 if state[1] == 1 else sample(constants, state, player, rng)


def sample_changes_the_position(constants, state, player, rng):
    move = sample(constants, state, player, rng)
    state[0], state[1] = state[1], state[0]
    return move


def good_playout_moves(constants, state, player, moves):
    return min(1, legal(constants, state, player, moves))


def playout_moves_invents_a_move(constants, state, player, moves):
    moves[0] = 3 if state[1] < 2 else 1
    return 1


def playout_moves_finds_nothing(constants, state, player, moves):
    return 0


def playout_moves_repeats_a_move(constants, state, player, moves):
    legal(constants, state, player, moves)
    moves[1] = moves[0]
    return 2


def sample_prefers_the_left(constants, state, player, rng):
    if state[0] >= 1 and below(rng, 2) == 0:
        return below(rng, min(state[0], 2))
    return sample(constants, state, player, rng)


def sample_writes_beyond_the_generator(constants, state, player, rng):
    rng[1] = 0
    return sample(constants, state, player, rng)


def key_forgets_whose_turn_it_is(constants, state):
    return state[0] * 100 + state[1]


def key_adds_the_heaps(constants, state):
    return (state[0] + state[1]) * 2 + state[2]


def key_takes_a_stone(constants, state):
    if state[1] > 1:
        state[1] -= 1
    return (state[0] * 100 + state[1]) * 2 + state[2]


def play_remembers_the_last_move(constants, state, joint):
    # The default key hashes this word too, so equal positions get different keys.
    move = joint[state[2]]
    play(constants, state, joint)
    state[3] = move


def feature_out_of_range(constants, state, player, move):
    return move + 4 * state[0]


def feature_takes_a_stone(constants, state, player, move):
    if state[1] > 1:
        state[1] -= 1
    return move


def is_playout_move_forgets_a_heap(constants, state, player, move):
    return move < 2 and state[0] > move % 2


def playout_features_forget_the_last_move(constants, state, player, moves, codes):
    return good_playout_features_compiled(constants, state, player, moves, codes) - 1


def playout_features_have_wrong_codes(constants, state, player, moves, codes):
    count = good_playout_features_compiled(constants, state, player, moves, codes)
    for i in range(count):
        codes[i] = 7 - codes[i]
    return count


good_playout_features_compiled = numba.njit(good_playout_features)
batch_playouts = numba.njit(good_batch_playouts)


def policy_playouts_are_uniform(constants, states, leaves, each, *others):
    # The policy is the first five of the others: rule, epsilon, values, choose and memory.
    return batch_playouts(constants, states, leaves, each, *others[5:])


def batch_fails(*arguments):
    return 1


def batch_writes_beyond(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    scratch[3] = 0
    return batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)


def batch_plays_in_place(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    status = batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    states[0] = scratch[2] + 5
    return status


def batch_has_no_lengths(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    lengths[0] = -1
    return 0


def batch_stops_early(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        lengths[i] = max(0, lengths[i] - 1)
    return 0


def batch_goes_on(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        lengths[i] += 1
    return 0


def batch_mixes_up_players(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(len(traces)):
        traces[i] = traces[i] % 4
    return 0


def batch_invents_moves(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(len(traces)):
        traces[i] = traces[i] // 4 * 4 + 1
    return 0


def batch_turns_results_round(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng)
    for i in range(leaves * each):
        out[2 * i], out[2 * i + 1] = out[2 * i + 1], out[2 * i]
    return 0


def batch_draws_once(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    # All playouts of a leaf are the same one: legal, but drawn only once.
    seed = rng[0]
    for leaf in range(leaves):
        for i in range(each):
            rng[0] = seed
            at = leaf * each + i
            stride = len(traces) // (leaves * each)
            batch_playouts(
                constants,
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


def text_of_some_moves_only(player, code):
    return {0: "a", 1: "b"}[code]


def no_board(state, colour):
    raise KeyError("no piece")


rollout = numba.njit(good_rollout)


def rollout_draws_once_more(constants, state, trace, out, rng):
    length = rollout(constants, state, trace, out, rng)
    below(rng, 2)
    return length


def rollout_swaps_the_scores(constants, state, trace, out, rng):
    length = rollout(constants, state, trace, out, rng)
    out[0], out[1] = out[1], out[0]
    return length


def rollout_forgets_a_move(constants, state, trace, out, rng):
    return max(0, rollout(constants, state, trace, out, rng) - 1)


def rollout_writes_beyond(constants, state, trace, out, rng):
    length = rollout(constants, state, trace, out, rng)
    trace[len(trace)] = 0
    return length
