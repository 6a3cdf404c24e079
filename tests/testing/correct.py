"""A small correct game, with a correct version of each optional rule function."""

from __future__ import annotations

import numpy as np

from graven.core.contract import call_choice
from graven.core.rng import below, draw, drawn_ahead, scaled
from tests.naive import tiny

GOOD = tiny.heaps(4)


def good_sample(constants, state, player, rng):
    left, right = min(state[0], 2), min(state[1], 2)
    chosen = below(rng, left + right)
    return chosen if chosen < left else 2 + chosen - left


def good_key(constants, state):
    return (state[0] * 100 + state[1]) * 2 + state[2]


def good_feature(constants, state, player, move):
    return move + (4 if state[0] == state[1] else 0)


def good_is_playout_move(constants, state, player, move):
    return state[move // 2] > move % 2


def good_playout_features(constants, state, player, moves, codes):
    count = 0
    for move in range(4):
        if state[move // 2] > move % 2:
            moves[count] = move
            codes[count] = move + (4 if state[0] == state[1] else 0)
            count += 1
    return count


def good_batch_playouts(constants, states, leaves, each, scratch, traces, lengths, out, rng):
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


def good_policy_playouts(
    constants,
    states,
    leaves,
    each,
    rule,
    epsilon,
    values,
    choose,
    memory,
    scratch,
    traces,
    lengths,
    out,
    rng,
):
    stride = len(traces) // (leaves * each)
    for i in range(leaves * each):
        stream, length = draw(rng), 0
        for word in range(3):
            scratch[word] = states[3 * (i // each) + word]
        while scratch[0] + scratch[1] > 0:
            mine = values[4 * scratch[2] : 4 * scratch[2] + 4]
            random = drawn_ahead(stream, 2 * length + scratch[2])
            top, total, legal, best = -1.0, 0.0, 0, 0
            for move in range(4):
                if scratch[move // 2] > move % 2:
                    best = 1 if mine[move] > top else best + int(mine[move] == top)
                    top, total, legal = max(top, mine[move]), total + mine[move], legal + 1
            explores = rule == 0 and (random & np.uint64(0xFFFFFFFF)) < epsilon * 2.0**32
            skip = scaled(random, legal if explores else best)
            least, reached, chosen = total * (random >> np.uint64(11)) / 2.0**53, 0.0, -1
            for move in range(4):
                if scratch[move // 2] > move % 2:
                    reached += mine[move]
                    rank = 0
                    for other in range(4):
                        better = mine[other] > mine[move]
                        better |= mine[other] == mine[move] and other < move
                        rank += int(better and scratch[other // 2] > other % 2)
                    if rule == 1 and total > 0.0:
                        chosen = move if chosen < 0 and reached > least else chosen
                    elif rank == skip:
                        chosen = move
            if rule == 2:
                scratch[3] = 0
                for move in range(4):
                    scratch[3] |= int(scratch[move // 2] > move % 2) << move
                given = (memory, i, length, scratch[2], scratch[3:4], legal, random)
                chosen = call_choice(choose, given)
            traces[i * stride + length] = 4 * scratch[2] + chosen
            length += 1
            scratch[chosen // 2] -= chosen % 2 + 1
            scratch[2] = 1 - scratch[2]
        lengths[i] = length
        out[2 * i] = float(scratch[2])
        out[2 * i + 1] = 1.0 - out[2 * i]
    return 0


def good_rollout(constants, state, trace, out, rng):
    length = 0
    while state[0] + state[1] > 0:
        left = min(state[0], 2)
        chosen = below(rng, left + min(state[1], 2))
        move = chosen if chosen < left else 2 + chosen - left
        trace[length] = 4 * state[2] + move
        length += 1
        state[move // 2] -= move % 2 + 1
        state[2] = 1 - state[2]
    out[0] = float(state[2])
    out[1] = 1.0 - out[0]
    return length


FULL = GOOD.changed(
    rollout=good_rollout,
    batch_playouts=good_batch_playouts,
    batch_policy_playouts=good_policy_playouts,
    batch_scratch=4,
    sample=good_sample,
    key=good_key,
    feature=good_feature,
    num_features=8,
    is_playout_move=good_is_playout_move,
    playout_moves_with_features=good_playout_features,
    playouts={"careful": good_sample},
    svg=lambda state: "<svg xmlns='http://www.w3.org/2000/svg'/>",
)
