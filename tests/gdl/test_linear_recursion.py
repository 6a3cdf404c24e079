"""Recursive relations that are solved by elimination have the values of their least fixpoint."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.gdl.language.kif_reader import read
from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder
from graven.gdl.network.linear_recursion import Recursion, solve
from graven.gdl.network.network_builder import build_network
from tests.naive import gdl as naive

LEAVES = 4
LITERALS = st.sampled_from([FALSE, TRUE, *range(2, 2 + 2 * LEAVES)])
PRODUCTS = st.lists(st.lists(LITERALS, max_size=3), max_size=2)


@st.composite
def recursions(draw: st.DrawFn) -> Recursion:
    size = draw(st.integers(1, 6))
    constants = [draw(PRODUCTS) for _ in range(size)]
    rows = st.dictionaries(st.integers(0, size - 1), PRODUCTS, max_size=3)
    return Recursion(constants, [draw(rows) for _ in range(size)])


def least_fixpoint(recursion: Recursion, leaves: tuple[bool, ...]) -> list[bool]:
    """Return the values of all atoms: false at first, then whatever their rules derive."""
    nodes = [False, *leaves]

    def holds(products: list[list[int]]) -> bool:
        return any(all(nodes[x >> 1] != bool(x & 1) for x in each) for each in products)

    values = [False] * len(recursion.constants)
    for _ in range(len(values) + 1):
        values = [
            holds(constant) or any(values[j] and holds(each) for j, each in row.items())
            for constant, row in zip(recursion.constants, recursion.coefficients, strict=True)
        ]
    return values


@settings(max_examples=300, deadline=None)
@given(recursions())
def test_elimination_finds_the_least_fixpoint(recursion: Recursion) -> None:
    builder = GateBuilder(LEAVES)
    literals = solve(builder, recursion)
    if literals is None:  # unrolled instead
        return
    for leaves in product([False, True], repeat=LEAVES):
        values = [False, *leaves]
        for inputs in builder.inputs[len(values) :]:
            values.append(all(values[x >> 1] != bool(x & 1) for x in inputs))
        solution = [values[x >> 1] != bool(x & 1) for x in literals]
        assert solution == least_fixpoint(recursion, leaves)


def test_a_ring_is_solved_in_one_pass() -> None:
    size = 40
    builder = GateBuilder(2 * size)
    recursion = Recursion(
        [[[2 * i + 2]] for i in range(size)],
        [{(i + 1) % size: [[2 * (size + i) + 2]]} for i in range(size)],
    )
    assert solve(builder, recursion) is not None
    assert len(builder.inputs) < 10 * size  # unrolled it would be size * size


# Cells of a ring with bridges, of which moves remove some: which ones are connected?
RING = """
(role p) (cell 1) (cell 2) (cell 3) (cell 4) (cell 5)
(near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 5 1) (near 2 4)
(<= (beside ?x ?y) (near ?x ?y)) (<= (beside ?x ?y) (near ?y ?x))
(<= (init (on ?x)) (cell ?x))
(<= (legal p (clear ?x)) (true (on ?x)))
(<= (next (on ?x)) (true (on ?x)) (not (does p (clear ?x))))
CONNECTED
(<= split (true (on ?x)) (true (on ?y)) (distinct ?x ?y) (not (connected ?x ?y)))
(<= terminal split) (<= terminal (not (true (on 1))) (not (true (on 3))))
(<= (goal p 100) split) (<= (goal p 30) (not split) (connected 2 5)) (<= (goal p 0) (not split))
"""
STEP = "(<= (connected ?x ?y) (true (on ?x)) (beside ?x ?y) (true (on ?y)))"
LINEAR = STEP + "(<= (connected ?x ?z) (connected ?x ?y) (beside ?y ?z) (true (on ?z)))"
DOUBLING = STEP + "(<= (connected ?x ?z) (connected ?x ?y) (connected ?y ?z))"

# The equations of boards a and b are equal, those of c are not.
BOARDS = """
(board a) (board b) (board c)
(<= (linked ?b ?x ?y) (board ?b) (true (on ?x)) (beside ?x ?y) (true (on ?y)))
(<= (linked ?b ?x ?z) (linked ?b ?x ?y) (beside ?y ?z) (true (on ?z)))
(<= (linked c 1 3) (true (on 1)) (true (on 3)))
(<= (connected ?x ?y) (linked a ?x ?y))
(<= (connected ?x ?y) (linked b ?x ?y) (linked c ?x ?y))
(<= (connected 4 1) (linked c 1 4) (true (on 4)))
"""


@pytest.mark.parametrize(
    "connected", [LINEAR, DOUBLING, BOARDS], ids=["linear", "doubling", "boards"]
)
def test_networks_of_connected_cells_agree_with_the_rules(connected: str) -> None:
    sheet = read(RING.replace("CONNECTED", connected))
    prover, network = naive.Prover(sheet), build_network(sheet)

    def compare(moves: list[str], state: set[naive.Term]) -> int:
        machine = naive.Machine(network)
        for move in moves:
            machine.play([move])
        assert machine.terminal() == prover.terminal(state)
        assert machine.legal() == prover.legal(state)
        assert machine.goals() == prover.goals(state)
        if prover.terminal(state):
            return 1
        legal = prover.legal(state)[0]
        return sum(compare([*moves, move], prover.next(state, [move])) for move in legal)

    assert compare([], prover.start()) > 20
