"""Every message of a page is either validated or refused with an error message."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.interfaces.web.web_messages import MESSAGE_TYPES, PageMessage, parse_message
from tests.interfaces.web.helpers import VALID_FIELDS, json_values


def test_every_type_has_an_example_here():
    assert set(VALID_FIELDS) == set(MESSAGE_TYPES)


@pytest.mark.parametrize("kind", VALID_FIELDS)
def test_a_valid_message_is_parsed_with_all_its_fields(kind):
    message = parse_message(json.dumps({"type": kind, **VALID_FIELDS[kind]}))
    assert message.type == kind
    assert set(message.values) == set(MESSAGE_TYPES[kind])
    for name, value in VALID_FIELDS[kind].items():
        assert message[name] == value


@given(st.text(max_size=200) | st.binary(max_size=200) | json_values.map(json.dumps))
def test_random_data_raises_a_usage_error(data):
    with pytest.raises(UsageError):
        parse_message(data)


@given(
    st.sampled_from(sorted(VALID_FIELDS)),
    st.dictionaries(
        st.sampled_from(sorted({name for fields in MESSAGE_TYPES.values() for name in fields})),
        json_values,
    ),
)
def test_a_mutated_message_is_parsed_or_refused(kind, changes):
    try:
        message = parse_message(json.dumps({"type": kind, **VALID_FIELDS[kind], **changes}))
    except UsageError as error:
        message, refusal = None, str(error)
    if message is None:
        assert 0 < len(refusal) < 1000
    else:
        assert isinstance(message, PageMessage)
        assert set(message.values) == set(MESSAGE_TYPES[kind])


@pytest.mark.parametrize(
    "invalid",
    [
        {"type": "play", "move": "a2a3", "player": 0},
        {"type": "play", "move": "a2a3", "player": 0, "ply": -1},
        {"type": "play", "move": "a2a3", "player": True, "ply": 0},
        {"type": "play", "move": "x" * 1000, "player": 0, "ply": 0},
        {"type": "new_game", "game": "nogo", "surprise": 1},
        {"type": "new_game", "game": "nogo", "seconds": 10**400},
        {"type": "new_game", "game": "nogo", "moves": ["A1"] * 5001},
        {"type": "new_game", "game": "nogo", "rules": "x" * ((1 << 20) + 1)},
        {"type": "analyse", "slot": "move", "agent": "grave"},
        {"type": "tree_node", "slot": "analysis", "path": [["A1"]]},
    ],
    ids=lambda invalid: next(reversed(invalid)),
)
def test_an_invalid_field_is_refused(invalid):
    with pytest.raises(UsageError) as caught:
        parse_message(json.dumps(invalid))
    assert len(str(caught.value)) < 1000


def test_deep_nesting_is_refused_without_a_stack_overflow():
    # A raised limit would turn deep recursion into a stack overflow of the process.
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        refuse_deep_nesting()
    finally:
        sys.setrecursionlimit(before)


def refuse_deep_nesting():
    with pytest.raises(UsageError):
        parse_message("[" * 100_000 + "]" * 100_000)
    with pytest.raises(UsageError):
        parse_message('{"type":' * 50_000 + "1" + "}" * 50_000)
