"""Simplified networks compute the same game; and get smaller where they should."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from graven.gdl.network.gate_merging import merge_gates
from graven.gdl.network.legality import assume_legality, turn_cycles
from graven.gdl.network.propositional import FIRST_BASE
from tests.naive.breakthrough_gates import breakthrough
from tests.naive.gdl import held
from tests.naive.networks import Naive, random_gates


def node_values(network, state, moved):
    """Every node's value in a network."""
    values = [False, *state]
    values += [node in moved for node in range(len(values), network.first_gate)]
    for gate in network.gates:
        values.append(all(held(values, literal) for literal in gate))
    return values


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.booleans())
def test_every_stage_computes_the_same_game(seed, roles, turns):
    gates = random_gates(seed, roles, turns and roles > 1)
    naive, chance = Naive(gates), random.Random(seed)
    first = gates.network()
    legal = assume_legality(first)
    stages = [first, legal, merge_gates(legal), merge_gates(legal, factor=True)]
    state = naive.start()
    for _ in range(6):
        legal, goals, over = naive.legal(state), naive.goals(state), naive.terminal(state)
        for network in stages:
            values = node_values(network, state, ())
            moves = [[m for m, x in enumerate(role) if held(values, x)] for role in network.legal]
            assert moves == legal
            assert held(values, network.terminal) == over
            assert [[v for v, x in role if held(values, x)] for role in network.goals] == goals
        if not all(legal):
            return
        joint = [chance.choice(moves) for moves in legal]
        after = naive.next(state, joint)
        for network in stages:
            moved = {does[move] for does, move in zip(network.does, joint, strict=True)}
            values = node_values(network, state, moved)
            assert tuple(held(values, x) for x in network.next) == after
        state = after


def test_bases_that_take_turns_are_a_cycle():
    network = breakthrough(4).network()
    turns = [FIRST_BASE + network.bases.index(f"( control {role} )") for role in network.roles]
    assert [sorted(cycle) for cycle in turn_cycles(network)] == [turns]


def test_two_bases_that_are_true_together_do_not_take_turns():
    gates = breakthrough(4)
    gates.init[gates.bases.index("( control black )")] = True
    assert turn_cycles(gates.network()) == []


def test_a_turn_no_longer_reaches_every_move():
    """Factored, a base that all moves need is read by few gates."""
    network = breakthrough(6).network()
    control = FIRST_BASE + network.bases.index("( control white )")

    def readers(network):
        needed = network.cone(network.outputs())
        return sum(
            control in {x >> 1 for x in gate}
            for gate, live in zip(network.inputs, needed, strict=True)
            if live
        )

    moves = sum(text != "noop" for text in network.moves[0])
    assert readers(network) >= moves
    no_move = tuple(sorted(literal ^ 1 for literal in network.legal[0][:moves]))
    any_move = 2 * len(network.inputs) + 1
    inputs = [*network.inputs, no_move]
    asked = replace(network, inputs=inputs, guards=[any_move], legal=[[], []])
    assert readers(merge_gates(asked, factor=True)) <= 2


def test_a_network_prints_its_sizes_only():
    network = breakthrough().network()
    assert repr(network).startswith("Network(roles=2, bases=")
    assert len(repr(network)) < 100
