"""Whatever a page says is a message with checked fields, or a sentence for the one who said it."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.interfaces.web.web_messages import TYPES, Message, read

RIGHT = {
    "new": {"game": "nogo(size=5)", "seats": ["person", "grave"], "playouts": 100, "moves": ["A1"]},
    "seats": {"seats": ["uct", "rave"], "seconds": 0.5},
    "move": {"move": "a2a3", "player": 0, "ply": 0},
    "undo": {},
    "jump": {"ply": 3},
    "swap": {},
    "resign": {},
    "pause": {"on": True},
    "step": {},
    "watch": {"lens": "a", "agent": "grave"},
    "stop": {"lens": "move"},
    "tree": {"lens": "b", "path": ["a2a3"], "ref": 50, "most": 10},
    "agent": {"agent": "grave(ref=50)"},
    "save": {"format": "json"},
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_every_type_has_an_example_here():
    assert set(RIGHT) == set(TYPES)


@pytest.mark.parametrize("kind", RIGHT)
def test_a_right_message_is_read_with_all_its_fields(kind):
    message = read(json.dumps({"type": kind, **RIGHT[kind]}))
    assert message.type == kind
    assert set(message.values) == set(TYPES[kind])
    for name, value in RIGHT[kind].items():
        assert message[name] == value


@given(st.text(max_size=200) | st.binary(max_size=200) | json_values.map(json.dumps))
def test_nonsense_is_a_usage_error(data):
    with pytest.raises(UsageError):
        read(data)


@given(
    st.sampled_from(sorted(RIGHT)),
    st.dictionaries(
        st.sampled_from(sorted({name for fields in TYPES.values() for name in fields})), json_values
    ),
)
def test_a_mutated_message_is_read_or_refused(kind, changes):
    try:
        message = read(json.dumps({"type": kind, **RIGHT[kind], **changes}))
    except UsageError as error:
        message, said = None, str(error)
    if message is None:
        assert 0 < len(said) < 1000
    else:
        assert isinstance(message, Message)
        assert set(message.values) == set(TYPES[kind])


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "move", "move": "a2a3", "player": 0},
        {"type": "move", "move": "a2a3", "player": 0, "ply": -1},
        {"type": "move", "move": "a2a3", "player": True, "ply": 0},
        {"type": "move", "move": "x" * 1000, "player": 0, "ply": 0},
        {"type": "new", "game": "nogo", "surprise": 1},
        {"type": "new", "game": "nogo", "seconds": 10**400},
        {"type": "new", "game": "nogo", "moves": ["A1"] * 5001},
        {"type": "new", "game": "nogo", "rules": "x" * ((1 << 20) + 1)},
        {"type": "watch", "lens": "move", "agent": "grave"},
        {"type": "tree", "lens": "a", "path": [["A1"]]},
    ],
    ids=lambda wrong: next(reversed(wrong)),
)
def test_a_wrong_field_is_named(wrong):
    with pytest.raises(UsageError) as caught:
        read(json.dumps(wrong))
    assert len(str(caught.value)) < 1000


def test_deep_nesting_is_refused_without_a_stack_overflow():
    # As the prover of GDL does, for all of the process.
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        refuse_deep_nesting()
    finally:
        sys.setrecursionlimit(before)


def refuse_deep_nesting():
    with pytest.raises(UsageError):
        read("[" * 100_000 + "]" * 100_000)
    with pytest.raises(UsageError):
        read('{"type":' * 50_000 + "1" + "}" * 50_000)
