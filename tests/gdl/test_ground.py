"""Networks agree with the naive prover, state by state, on sheets of our own and made-up ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.gdl.build import network
from graven.gdl.ground import Limits
from graven.gdl.program import TooLargeError
from graven.gdl.read import read
from tests.gdl import tiny
from tests.gdl.random_sheets import sheets
from tests.naive.gdl import Machine, Prover


def follow(text: str, seed: int, most: int = 30) -> int:
    """Play a random match both ways; how many steps it had."""
    sheet = read(text)
    prover, machine = Prover(sheet), Machine(network(sheet))
    state = prover.start()
    draw = random.Random(seed)
    for step in range(most):
        assert machine.goals() == prover.goals(state)
        assert machine.terminal() == prover.terminal(state)
        if prover.terminal(state):
            return step
        legal = prover.legal(state)
        assert machine.legal() == legal
        if not all(legal):
            return step
        joint = [draw.choice(moves) for moves in legal]
        state = prover.next(state, joint)
        machine.play(joint)
    return most


@pytest.mark.parametrize("name", tiny.ALL)
def test_random_matches_agree(name: str) -> None:
    steps = [follow(tiny.ALL[name], seed) for seed in range(8)]
    assert max(steps) > 2


@settings(max_examples=150, deadline=None)
@given(sheets(), st.integers(0, 1000))
def test_made_up_sheets_agree(text: str, seed: int) -> None:
    follow(text, seed, most=6)


def test_what_explodes_is_named() -> None:
    digits = " ".join(f"(digit {i})" for i in range(20))
    many = " ".join(f"(digit ?d{i})" for i in range(8))
    names = " ".join(f"?d{i}" for i in range(8))
    text = (
        f"(role p) {digits} (<= (huge {names}) {many}) (<= (legal p (say {names})) (huge {names}))"
    )
    with pytest.raises(TooLargeError, match="huge"):
        network(read(text), Limits(atoms=100_000))


def test_counting_without_end_stops_at_the_limit() -> None:
    text = "(role p) (init (n zero)) (<= (next (n (s ?n))) (true (n ?n))) (legal p go)"
    with pytest.raises(TooLargeError, match=r"(true|next) n"):
        network(read(text + "(<= terminal (true (n one)))"), Limits(atoms=100_000))


@pytest.mark.parametrize(
    "rules", ["(<= a (not a) (true x))", "(<= a (not b) (true x)) (<= b (not a) (true x))"]
)
def test_a_game_that_denies_itself_is_refused(rules: str) -> None:
    text = f"(role p) (init x) (<= (next x) (true x)) {rules} (<= (legal p go) a)"
    with pytest.raises(UsageError, match="own denial"):
        network(read(text))


DENIED_TOGETHER = """
(role a) (role b) (init (c 1)) (init (c 2)) (d 1) (d 2) (d 3) (init (s 1)) (n 1 2) (n 2 3) (n 3 4)
(<= (legal ?r (m ?y)) (role ?r) (d ?y)
    (not (and (true (c ?x)) (distinct ?x ?y) (not (true (c ?y))))))
(<= (legal ?r wait) (role ?r))
(<= (next (c ?y)) (does ?r (m ?y)))
(<= (next (c ?y)) (true (c ?y)) (not (or (does a wait) (does b wait))))
(<= (next (s ?y)) (true (s ?x)) (n ?x ?y))
(<= terminal (true (s 4)))
(<= (goal ?r 10) (role ?r) (not (and (true (c ?x)) (true (c ?y)) (distinct ?x ?y))))
"""


def test_what_is_denied_together_may_name_variables_of_the_rule() -> None:
    assert [follow(DENIED_TOGETHER, seed) for seed in range(8)] == [3] * 8


def test_scores_beyond_100_that_nobody_gets_to_are_no_goals() -> None:
    text = (
        "(role me) (init (score 0)) (init (step 0)) (plus 0 050) (plus 050 100) (plus 100 150) "
        "(n 0 1) (n 1 2) (legal me more) (legal me same) "
        "(<= (next (score ?y)) (does me more) (true (score ?x)) (plus ?x ?y)) "
        "(<= (next (score ?x)) (does me same) (true (score ?x))) "
        "(<= (next (step ?y)) (true (step ?x)) (n ?x ?y)) (<= terminal (true (step 2))) "
        "(<= (goal me ?s) (true (score ?s))) (<= (goal me 50) (true (score 0)) (true (step 2)))"
    )
    assert [follow(text, seed) for seed in range(8)] == [2] * 8


def test_thousands_of_strata_stop_at_the_limit_too() -> None:
    links = "".join(f"(<= (q{i} ?x) (q{i + 1} ?x))" for i in range(4000))
    text = f"""(role x) (init (s 0)) (legal x stay) (<= (legal x go) (q0 1)) {links} (q4000 1)
               (<= (next (s 1)) (does x go)) (<= terminal (true (s 1))) (goal x 50)"""
    with pytest.raises(TooLargeError, match="grounding takes more than"):
        network(read(text), Limits(seconds=0.2))
