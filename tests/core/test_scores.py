"""Scores outside 0..1 or NaN end whatever would count or record them, with a remedy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graven as gv
from graven.lab.store.store import Store
from graven.solving import prove, solve
from tests.lab.stored_examples import PAIRING, result
from tests.naive import tiny


def points(constants, state, out):
    out[0] = 100.0 * state[2]
    out[1] = 100.0 - out[0]


def not_a_number(constants, state, out):
    out[0] = 1.0
    out[1] = np.nan


def negative(constants, state, out):
    out[0] = -0.5
    out[1] = 1.0


def too_many_points(constants, state, out):
    out[0] = 7.0


WRONG = pytest.mark.parametrize("scores", [points, not_a_number, negative])
REMEDY = r"from 0 \(lost\) to 1 \(won\).*divide points from 0 to 100, as GDL has them, by 100"


def ended(game):
    position = game.start()
    while not position.is_over:
        position = position.play(position.legal_moves[0])
    return position


@WRONG
@pytest.mark.parametrize("spec", ["uct", "rave+mast", "uct(batch_leaves=2,playouts_per_leaf=3)"])
def test_a_search_ends_at_a_wrong_score(scores, spec):
    game = tiny.heaps(4).changed(scores=scores)
    with pytest.raises(gv.ContractError, match=REMEDY + r".*\(the scores were .*\)"):
        gv.agent(spec).search(game.start(), playouts=50)


@WRONG
def test_a_position_has_no_wrong_scores(scores):
    with pytest.raises(gv.ContractError, match=REMEDY):
        ended(tiny.heaps(2).changed(scores=scores)).scores  # noqa: B018


def wrong_batch(constants, states, leaves, each, scratch, traces, lengths, out, rng):
    for i in range(leaves * each):
        lengths[i] = 0
        out[2 * i] = 3.0
        out[2 * i + 1] = 0.0
    return 0


def test_bit_parallel_playouts_are_checked():
    game = tiny.heaps(4).changed(batch_playouts=wrong_batch)
    with pytest.raises(gv.ContractError, match=REMEDY):
        gv.agent("uct(batch_leaves=2,playouts_per_leaf=2)").search(game.start(), playouts=50)


@pytest.mark.parametrize("method", ["nrpa(level=1,iterations=10)", "nmcs(level=1)"])
def test_a_solve_ends_at_a_wrong_score(method):
    with pytest.raises(gv.ContractError, match=REMEDY):
        solve(tiny.lottery(4).changed(scores=too_many_points), method, playouts=20)


@pytest.mark.parametrize("scores", [(100.0, 0.0), (float("nan"), 1.0), (1.0, -1.0)])
def test_a_store_records_no_wrong_scores(scores):
    with Store() as store:
        number = store.pairing_id(PAIRING)
        with pytest.raises(gv.ContractError, match=REMEDY):
            store.add(number, replace(result(0), scores=scores))
        assert list(store.rows()) == []


def test_a_class_with_points_gets_the_remedy():
    class Points:
        players = 2

        def __init__(self):
            self.moves_left = 1

        def turn(self):
            return 0

        def moves(self):
            return ["a"]

        def play(self, move):
            self.moves_left = 0

        def over(self):
            return self.moves_left == 0

        def scores(self):
            return (100, 0)

    with pytest.raises(gv.ContractError, match="divide points from 0 to 100"):
        ended(gv.from_class(Points)).scores  # noqa: B018


def no_estimate(constants, state, out):
    out[0] = np.nan
    out[1] = 0.5


def test_a_wrong_estimate_is_named():
    game = tiny.heaps(4).changed(evaluate=no_estimate)
    with pytest.raises(gv.ContractError, match=r"`evaluate` or `scores` wrote no score"):
        gv.agent("uct(cutoff=1)").search(game.start(), playouts=50)


def test_a_proof_with_points_says_what_scores_it_needs():
    with pytest.raises(gv.UsageError, match=r"scores from 0 \(lost\) to 1 \(won\)"):
        prove(tiny.heaps(2).changed(scores=points).start())
