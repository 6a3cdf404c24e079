from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from graven.core import contract
from graven.core.hash_tables import hash_words
from graven.core.rng import generator
from tests.naive.tiny import heaps, rock_paper_scissors


def three_way_split(constants, state, out):
    out[0] = 0.5
    out[1] = 0.3
    out[2] = 0.2


def test_without_a_sample_of_its_own_a_game_draws_from_its_legal_moves():
    rules = heaps(1).rules
    state = heaps(1).start().state.copy()
    rng, scratch = generator(1), contract.new_moves(rules)
    drawn = {contract.sample(rules, state, 0, scratch, rng) for _ in range(64)}
    assert drawn == {0, 2}


def test_without_a_feature_of_its_own_a_move_is_its_own_feature():
    game = heaps(3)
    state = game.start().state.copy()
    assert game.rules.num_features == game.num_codes
    codes = np.zeros(4, np.uint32)
    contract.features(game.rules, state, 0, np.array([3, 1, 0, 2], np.int32), 4, codes)
    assert codes.tolist() == [3, 1, 0, 2]


def test_the_default_key_tells_nearby_states_apart():
    grid = np.array(np.meshgrid(range(20), range(20), range(2))).reshape(3, -1).T
    states = [np.ascontiguousarray(state) for state in grid]
    assert len({hash_words(state, 3) for state in states}) == 800


def test_the_default_key_tells_states_with_few_bits_apart():
    """Positions of boards differ in a few bits of a few words, high bits among them."""
    one_bit = [1 << bit for bit in range(63)] + [-(2**63)]
    words = [0, *one_bit, *(first ^ second for first, second in combinations(one_bit, 2))]
    grid = np.array([(0, word, last) for word in words for last in words[:65]], np.int64)
    states = np.concatenate([grid, np.roll(grid, 1, axis=1), np.roll(grid, 2, axis=1)])
    distinct = np.unique(states, axis=0)
    assert len({hash_words(state, 3) for state in distinct}) == len(distinct)


@pytest.mark.parametrize("bit", range(64))
def test_the_default_key_heeds_every_bit(bit):
    state = np.array([3, 3, 0])
    key = hash_words(state, 3)
    for word in range(3):
        other = state.copy()
        other[word] ^= np.int64(1 << bit if bit < 63 else -(2**63))
        assert hash_words(other, 3) != key


def test_the_default_key_heeds_only_the_words_of_the_state():
    one, other = np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5])
    assert hash_words(one, 3) == hash_words(other, 3)


def test_misere_keeps_the_sum_of_the_results_with_more_than_two_players():
    game = rock_paper_scissors(1).changed(players=3, scores=three_way_split, player_names=())
    out = np.zeros(3)
    contract.scores(game.as_misere().rules, game.start().state.copy(), out)
    assert out == pytest.approx([0.25, 0.35, 0.4])
