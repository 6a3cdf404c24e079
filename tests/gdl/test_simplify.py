"""Circuits say the same after they are simplified; and get smaller where they should."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from graven.gdl.circuit import circuit
from graven.gdl.simplify import rings, simplified, told
from tests.naive.breakthrough_network import breakthrough
from tests.naive.networks import Naive, random_network


def values(plain, state, moved):
    """Every unit's value in a circuit."""
    held = [*state, *(unit in moved for unit in range(plain.bases, plain.first))]
    for gate in plain.gates:
        held.append(any(held[literal >> 1] != bool(literal & 1) for literal in gate))
    return held


def holds(held, literal):
    return literal == -2 if literal < 0 else held[literal >> 1] != bool(literal & 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.booleans())
def test_every_stage_says_what_the_network_says(seed, roles, turns):
    network = random_network(seed, roles, turns and roles > 1)
    naive, chance = Naive(network), random.Random(seed)
    first = circuit(network)
    stages = [first, told(first), simplified(told(first)), simplified(told(first), factor=True)]
    state = naive.start()
    for _ in range(6):
        legal, goals, over = naive.legal(state), naive.goals(state), naive.terminal(state)
        for plain in stages:
            held = values(plain, state, ())
            found = [[m for m, x in enumerate(role) if holds(held, x)] for role in plain.legal]
            assert found == legal
            assert holds(held, plain.terminal) == over
            assert [[v for v, x in role if holds(held, x)] for role in plain.goals] == goals
        if not all(legal):
            return
        joint = [chance.choice(moves) for moves in legal]
        after = naive.next(state, joint)
        for plain in stages:
            moved = {does[move] for does, move in zip(plain.does, joint, strict=True)}
            held = values(plain, state, moved)
            assert tuple(holds(held, x) for x in plain.next) == after
        state = after


def test_whose_turn_it_is_is_a_ring():
    network = breakthrough(4)
    white, black = (network.bases.index(f"( control {role} )") for role in network.roles)
    assert [sorted(ring) for ring in rings(circuit(network))] == [[white, black]]


def test_two_that_are_on_at_once_are_no_ring():
    network = breakthrough(4)
    network.init[network.bases.index("( control black )")] = True
    assert rings(circuit(network)) == []


def test_a_turn_no_longer_reaches_every_move():
    """Factored, a base that all moves wait for is read by few gates."""
    network = breakthrough(6)
    plain = circuit(network)
    control = network.bases.index("( control white )")

    def readers(one):
        live = one.reached(one.outputs())
        return sum(control in {x >> 1 for x in one.inputs(unit)} for unit in live)

    moves = sum(text != "noop" for text in network.moves[0])
    assert readers(plain) >= moves
    any_move = [*plain.gates, tuple(sorted(plain.legal[0][:moves]))]
    asked = plain.changed(any_move, lambda x: x)
    asked.guards = [2 * (plain.first + len(plain.gates))]
    asked.legal = [[], []]
    assert readers(simplified(asked, factor=True)) <= 2
