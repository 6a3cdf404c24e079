"""Untrusted JSON is parsed, or rejected before it can exhaust the stack."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.bounded_json import MAX_DEPTH, nesting_depth, read_json

VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='ab"\\[]{}'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


def nesting(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(nesting, value), default=0) if isinstance(value, list) else 0


@given(VALUES)
def test_the_depth_is_that_of_the_value(value):
    text = json.dumps(value)
    assert nesting_depth(text) == nesting(value)
    assert read_json(text) == read_json(text.encode()) == value


def test_brackets_inside_strings_do_not_nest():
    moves = ["[a{"] * 1000
    assert read_json(json.dumps(moves)) == moves


@pytest.mark.parametrize("opening", ["[", '{"a":', "[[[{" + '"b":'])
def test_deep_nesting_is_rejected_for_any_recursion_limit(opening):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        with pytest.raises(ValueError, match="deep"):
            read_json(opening * 100_000)
    finally:
        sys.setrecursionlimit(before)


def test_the_deepest_allowed_nesting():
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert nesting(read_json(text)) == MAX_DEPTH
    with pytest.raises(ValueError, match="deep"):
        read_json(f"[{text}]")


@pytest.mark.parametrize(
    ("data", "message"),
    [("", "Expecting"), ("[1", "Expecting"), (b"\xff", "utf-8"), ('{"a": }', "Expecting")],
)
def test_invalid_json_raises_a_value_error(data, message):
    with pytest.raises(ValueError, match=message):
        read_json(data)
