"""Networks agree with the naive prover, state by state, on small and on random sheets."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.gdl.grounding import wide_relations
from graven.gdl.grounding.grounder import GroundingLimits
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import read
from graven.gdl.network import gate_merging
from graven.gdl.network.legality import simplified
from graven.gdl.network.network_builder import build_network
from graven.gdl.network.propositional import Network
from tests.gdl import tiny
from tests.gdl.random_sheets import sheets
from tests.naive.gdl import Machine, Prover


def agree(text: str, seed: int, most: int = 30) -> int:
    """Play a random match by the prover and by networks; return how many steps it had."""
    sheet = read(text)
    network = build_network(sheet)
    prover, machines = Prover(sheet), [Machine(network), Machine(simplified(network))]
    state = prover.start()
    draw = random.Random(seed)
    for step in range(most):
        goals, terminal, legal = prover.goals(state), prover.terminal(state), prover.legal(state)
        for machine in machines:
            assert machine.goals() == goals
            assert machine.terminal() == terminal
            assert terminal or machine.legal() == legal
        if terminal or not all(legal):
            return step
        joint = [draw.choice(moves) for moves in legal]
        state = prover.next(state, joint)
        for machine in machines:
            machine.play(joint)
    return most


@pytest.mark.parametrize("name", tiny.ALL)
def test_random_matches_agree(name: str) -> None:
    steps = [agree(tiny.ALL[name], seed) for seed in range(8)]
    assert max(steps) > 2


@settings(max_examples=150, deadline=None)
@given(sheets(), st.integers(0, 1000), st.booleans())
def test_random_sheets_agree(text: str, seed: int, large: bool) -> None:
    """Also if the network counts as large, so that some simplifications are left out."""
    with pytest.MonkeyPatch.context() as patch:
        if large:
            patch.setattr(gate_merging, "LARGE", -1)
        agree(text, seed, most=6)


def test_what_explodes_is_named() -> None:
    digits = " ".join(f"(digit {i})" for i in range(20))
    many = " ".join(f"(digit ?d{i})" for i in range(8))
    names = " ".join(f"?d{i}" for i in range(8))
    text = (
        f"(role p) {digits} (<= (huge {names}) {many}) (<= (legal p (say {names})) (huge {names}))"
    )
    with pytest.raises(TooLargeError, match="huge"):
        build_network(read(text), GroundingLimits(atoms=100_000))


def test_counting_without_end_stops_at_the_limit() -> None:
    text = "(role p) (init (n zero)) (<= (next (n (s ?n))) (true (n ?n))) (legal p go)"
    with pytest.raises(TooLargeError, match=r"(true|next) n"):
        build_network(read(text + "(<= terminal (true (n one)))"), GroundingLimits(atoms=100_000))


@pytest.mark.parametrize(
    "rules", ["(<= a (not a) (true x))", "(<= a (not b) (true x)) (<= b (not a) (true x))"]
)
def test_a_game_that_denies_itself_is_refused(rules: str) -> None:
    text = f"(role p) (init x) (<= (next x) (true x)) {rules} (<= (legal p go) a)"
    with pytest.raises(UsageError, match="own negation"):
        build_network(read(text))


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
    assert [agree(DENIED_TOGETHER, seed) for seed in range(8)] == [3] * 8


WAITING = """
(role w) (role b) (init (control w)) (init p) (init (s 0))
(n 0 1) (n 1 2) (n 2 3) (n 3 4) (n 4 5) (n 5 6) (n 6 7)
(<= (next (control b)) (true (control w)))
(<= (next (control w)) (true (control b)))
(<= (next (s ?y)) (true (s ?x)) (n ?x ?y))
(<= open (true p) (true q))
(<= open (true p) (true r))
(<= open (true q) (true (s 3)))
(<= (legal w one) (true (control w)) (true p) (not (true q)))
(<= (legal w two) (not (true (control b))) (true p) (not (true q)))
(<= (legal w three) (true q))
(<= (legal w three) (true (control b)))
(legal w four)
(<= (legal b act) open (true (control b)))
(<= (legal b go) open)
(<= (legal b wait) (not open))
(<= (next r) (does b wait))
(<= (next q) (does b wait) (true r))
(<= (next q) (does w three) (not (does b wait)))
(<= (next p) (true p) (not (does b act)))
(<= (next p) (does w four))
(<= terminal (true (s 7)))
(<= (goal ?r 50) (role ?r))
"""


def test_a_move_that_is_legal_alone_is_replaced_by_its_legality() -> None:
    """Black waits if and only if it may, which a gate decides; gates are renumbered meanwhile."""
    assert [agree(WAITING, seed) for seed in range(20)] == [7] * 20


def test_scores_beyond_100_that_nobody_gets_to_are_no_goals() -> None:
    text = (
        "(role me) (init (score 0)) (init (step 0)) (plus 0 050) (plus 050 100) (plus 100 150) "
        "(n 0 1) (n 1 2) (legal me more) (legal me same) "
        "(<= (next (score ?y)) (does me more) (true (score ?x)) (plus ?x ?y)) "
        "(<= (next (score ?x)) (does me same) (true (score ?x))) "
        "(<= (next (step ?y)) (true (step ?x)) (n ?x ?y)) (<= terminal (true (step 2))) "
        "(<= (goal me ?s) (true (score ?s))) (<= (goal me 50) (true (score 0)) (true (step 2)))"
    )
    assert [agree(text, seed) for seed in range(8)] == [2] * 8


def test_thousands_of_strata_stop_at_the_limit_too() -> None:
    links = "".join(f"(<= (q{i} ?x) (q{i + 1} ?x))" for i in range(4000))
    text = f"""(role x) (init (s 0)) (legal x stay) (<= (legal x go) (q0 1)) {links} (q4000 1)
               (<= (next (s 1)) (does x go)) (<= terminal (true (s 1))) (goal x 50)"""
    with pytest.raises(TooLargeError, match="grounding takes more than"):
        build_network(read(text), GroundingLimits(seconds=0.2))


@settings(max_examples=100, deadline=None)
@given(sheets(), st.integers(0, 1000))
def test_random_sheets_agree_with_relations_as_diagrams(text: str, seed: int) -> None:
    """Every relation that does not depend on the state counts as too large to be listed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wide_relations, "MIN_ATOMS", 0)
        patch.setattr(wide_relations, "MIN_COLUMNS", 0)
        agree(text, seed, most=6)


def permutation_sheet(size: int) -> str:
    """Fill cells with numbers; 100 if they are a permutation whose first number is not the last.

    `once` is true of a number and a row where it occurs once.
    """
    names = [f"?x{i}" for i in range(size)]
    numbers = " ".join(f"(number {i})" for i in range(1, size + 1))
    cells = " ".join(f"(true (at {i + 1} {name}))" for i, name in enumerate(names))
    others = [
        f"(<= (once ?n {' '.join(names)}) (same ?n {names[i]})"
        + "".join(f" (number {x}) (not (same ?n {x}))" for x in names if x != names[i])
        + ")"
        for i in range(size)
    ]
    every = " ".join(f"(once {i} {' '.join(names)})" for i in range(1, size + 1))
    return f"""
(role me) {numbers}
(<= (same ?x ?x) (number ?x))
{"".join(others)}
(<= (filled ?c) (true (at ?c ?n)))
(<= (legal me (write ?c ?n)) (number ?c) (number ?n) (not (filled ?c)))
(<= (next (at ?c ?n)) (does me (write ?c ?n)))
(<= (next (at ?c ?n)) (true (at ?c ?n)))
(<= open (number ?c) (not (filled ?c)))
(<= terminal (not open))
(<= good {cells} {every} (distinct ?x0 {size}))
(<= (goal me 100) good)
(<= (goal me 0) (not good))
"""


def goal_of(network: Network, row: list[int]) -> int:
    machine = Machine(network)
    for cell, number in enumerate(row, 1):
        machine.play([f"( write {cell} {number} )"])
    assert machine.terminal()
    return machine.goals()[0][0]


def test_a_relation_too_large_to_be_listed() -> None:
    """`once` has more than 10^8 atoms: of nine numbers exactly one is n."""
    network = build_network(read(permutation_sheet(9)), GroundingLimits(seconds=3600))
    draw = random.Random(5)
    for _ in range(20):
        row = draw.sample(range(1, 10), 9)
        assert goal_of(network, row) == (100 if row[0] != 9 else 0)
        changed = draw.choice([i for i in range(9) if row[i] != 1])
        row[changed] = 1
        assert goal_of(network, row) == 0


def test_diagrams_agree_with_listed_relations() -> None:
    listed = build_network(read(permutation_sheet(4)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wide_relations, "MIN_ATOMS", 0)
        drawn = build_network(read(permutation_sheet(4)))
    for row in itertools.product(range(1, 5), repeat=4):
        expected = 100 if sorted(row) == [1, 2, 3, 4] and row[0] != 4 else 0
        assert goal_of(listed, list(row)) == expected
        assert goal_of(drawn, list(row)) == expected
