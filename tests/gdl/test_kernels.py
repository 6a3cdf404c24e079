"""Both kernels agree with gates evaluated one by one in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core import contract
from graven.core.contract import (
    GREEDY,
    SIMULTANEOUS,
    TERMINAL,
    WEIGHTED,
    LeafPlayouts,
    ValuePolicy,
)
from graven.core.rng import generator
from graven.core.status import Status
from graven.gdl.kernels import unit_numbers
from graven.gdl.kernels.batched_tables import schedule
from graven.gdl.network_game import network_game
from tests.naive.networks import Naive, random_gates
from tests.naive.value_playouts import ValuePlayouts

STEPS = 12


def bases_of(gates, state):
    return tuple(bool(int(state[i >> 6]) >> (i & 63) & 1) for i in range(len(gates.bases)))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([1, 2, 3, 4]),
    st.booleans(),
)
def test_single_positions_agree_with_the_gates(seed, roles, turns, toggled, dependent):
    """Also where small gates count inputs, and where gates of one word read each other."""
    gates = random_gates(seed, roles, turns and roles > 1)
    naive, chance = Naive(gates), random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit_numbers, "MAX_TOGGLED", toggled)
        if dependent:
            patch.setattr(unit_numbers, "MIN_PADDED", -1)
            patch.setattr(unit_numbers, "MAX_PADDING", 0)
        game = network_game(gates.network(), steps=STEPS)
    rules, position = game.rules, naive.start()
    state, moves = contract.new_state(rules), contract.new_moves(rules)
    contract.start(rules, state)
    for step in range(STEPS + 1):
        assert bases_of(gates, state) == position
        legal = naive.legal(position)
        for player in range(roles):
            assert moves[: contract.legal(rules, state, player, moves)].tolist() == legal[player]
        turn = contract.turn(rules, state)
        choosers = [player for player in range(roles) if len(legal[player]) > 1]
        if naive.terminal(position) or not all(legal) or step == STEPS:
            assert turn == TERMINAL
        elif len(choosers) > 1:
            assert turn == SIMULTANEOUS
        elif choosers:
            assert turn == choosers[0]
        else:
            assert 0 <= turn < roles
        out = np.full(roles, np.nan)
        contract.scores(rules, state, out)
        expected = [max(goals, default=0) / 100 for goals in naive.goals(position)]
        assert out.tolist() == expected
        if turn == TERMINAL:
            return
        joint = [chance.choice(codes) for codes in legal]
        contract.play(rules, state, np.array(joint, dtype=np.int32))
        position = naive.next(position, joint)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.booleans(), st.sampled_from([1, 100, 300]))
def test_batched_playouts_agree_with_the_gates(seed, roles, turns, each):
    """Each trace, replayed gate by gate, is legal, and as long and scored as it says."""
    gates = random_gates(seed, roles, turns and roles > 1)
    naive, game = Naive(gates), network_game(gates.network(), steps=STEPS)
    rules, leaves = game.batch_rules, 2
    states = np.zeros(leaves * rules.state_words, dtype=np.int64)
    first, second = states[: rules.state_words], states[rules.state_words :]
    contract.start(rules, first)
    second[:] = first
    begins = [naive.start(), naive.start()]
    begun = 0
    if contract.turn(rules, first) != TERMINAL:
        joint = [codes[0] for codes in naive.legal(begins[1])]
        contract.play(rules, second, np.array(joint, dtype=np.int32))
        begins[1], begun = naive.next(begins[1], joint), 1
    count, stride = leaves * each, STEPS * roles
    traces = np.zeros(count * stride, dtype=np.uint32)
    lengths, out = np.full(count, -1, dtype=np.int64), np.full(count * roles, np.nan)
    scratch = np.full(rules.batch_scratch, seed, dtype=np.int64)
    rng = generator(seed)
    before = states.copy()
    status = contract.batch_playouts(
        rules, states, leaves, each, scratch, traces, lengths, out, rng
    )
    assert status == Status.OK
    assert (states == before).all()
    for number in random.Random(seed).sample(range(count), min(count, 12)):
        trace = traces[number * stride :][: lengths[number]].tolist()
        position, step = begins[number // each], begun * (number // each)
        while True:
            legal = naive.legal(position)
            if naive.terminal(position) or not all(legal) or step == STEPS:
                break
            joint = [codes[0] for codes in legal]
            choosers = [player for player in range(roles) if len(legal[player]) > 1]
            for _ in range(roles if len(choosers) > 1 else 1):
                player, move = divmod(trace.pop(0), game.num_codes)
                assert move in legal[player]
                joint[player] = move
            position, step = naive.next(position, joint), step + 1
        assert not trace
        expected = [max(goals, default=0) / 100 for goals in naive.goals(position)]
        assert out[number * roles :][:roles].tolist() == expected


def test_a_full_trace_is_reported():
    gates = next(
        gates
        for gates in map(random_gates, range(100))
        if not Naive(gates).terminal(Naive(gates).start())
    )
    rules = network_game(gates.network(), steps=STEPS).batch_rules
    states = contract.new_state(rules)
    contract.start(rules, states)
    traces, lengths = np.zeros(0, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    scratch, out = np.zeros(rules.batch_scratch, dtype=np.int64), np.zeros(rules.players)
    status = contract.batch_playouts(
        rules, states, 1, 1, scratch, traces, lengths, out, generator(1)
    )
    assert status == Status.TOO_LONG


@pytest.mark.parametrize("roles", [1, 2])
def test_random_gatess_are_not_all_alike(roles):
    """What the tests above are worth: games that go on, that end, and in which moves matter."""
    lengths = set()
    for seed in range(40):
        naive, chance = Naive(random_gates(seed, roles)), random.Random(seed)
        position, step = naive.start(), 0
        while step < STEPS and all(naive.legal(position)) and not naive.terminal(position):
            joint = [chance.choice(codes) for codes in naive.legal(position)]
            position, step = naive.next(position, joint), step + 1
        lengths.add(step)
    assert {0, STEPS} < lengths


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([(GREEDY, 0.0), (GREEDY, 0.4), (GREEDY, 1.0), (WEIGHTED, 0.0)]),
    st.sampled_from([1, 2, 5, 1000]),
)
def test_batched_playouts_by_values_are_those_of_the_twin(seed, roles, turns, policy, levels):
    gates = random_gates(seed, roles, turns and roles > 1)
    rules = network_game(gates.network(), steps=STEPS).batch_rules
    chance = np.random.default_rng(seed)
    values = chance.integers(0, levels, roles * rules.num_codes) / levels
    states = [contract.new_state(rules) for _ in range(2)]
    contract.start(rules, states[0])
    states[1][:] = states[0]
    if contract.turn(rules, states[1]) != TERMINAL:
        moves, joint = contract.new_moves(rules), contract.new_joint(rules)
        for player in range(roles):
            contract.legal(rules, states[1], player, moves)
            joint[player] = moves[0]
        contract.play(rules, states[1], joint)
    per_leaf, stride = 140, STEPS * roles
    count = 2 * per_leaf
    traces, lengths = np.zeros(count * stride, np.uint32), np.full(count, -1, np.int64)
    out = np.full(count * roles, np.nan)
    scratch, rng = np.full(rules.batch_scratch, seed, np.int64), generator(seed)
    batch = LeafPlayouts(np.concatenate(states), 2, per_leaf, scratch, traces, lengths, out, rng)
    assert (
        contract.batch_policy_playouts(rules, ValuePolicy(*policy, values, 0, 0), batch)
        == Status.OK
    )
    twin = ValuePlayouts(rules, *policy, values)
    for number, (trace, scores) in enumerate(twin.batch(states, per_leaf, generator(seed))):
        mine = traces[number * stride :][: lengths[number]].tolist()
        assert [divmod(entry, rules.num_codes) for entry in mine] == trace
        assert out[number * roles :][:roles].tolist() == scores


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 30))), max_size=40))
def test_schedules_are_greedy_runs_of_one_shape(rows):
    """`rows` has for each gate its shape and its inputs, as distances to gates before it."""
    shapes = [shape for shape, _ in rows]
    inputs = [{gate - 1 - x for x in back if x < gate} for gate, (_, back) in enumerate(rows)]
    edges = [(source, gate) for gate, sources in enumerate(inputs) for source in sources]
    sources, readers = np.array(edges, np.int32).reshape(-1, 2).T
    runs = schedule(np.array(shapes, np.int32), sources, readers)
    left, done = list(range(len(rows))), set()
    order = iter(runs.gates.tolist())

    def ready(shape):
        return [gate for gate in left if shapes[gate] == shape and inputs[gate] <= done]

    for shape, size in zip(runs.shapes.tolist(), runs.sizes.tolist(), strict=True):
        assert len(ready(shape)) == max(len(ready(other)) for other in range(4)) > 0
        for _ in range(size):
            gate = next(order)
            assert gate in ready(shape)
            left.remove(gate)
            done.add(gate)
        assert not ready(shape)
    assert not left
