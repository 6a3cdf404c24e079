"""JSON from outside is read, or refused before it can exhaust the stack."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.bounded_json import DEEPEST, depth, read_json

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
def test_brackets_count_where_they_nest(value):
    text = json.dumps(value)
    assert depth(text) == nesting(value)
    assert read_json(text) == read_json(text.encode()) == value


def test_brackets_in_many_texts_are_no_nesting():
    moves = ["[a{"] * 1000
    assert read_json(json.dumps(moves)) == moves


@pytest.mark.parametrize("opening", ["[", '{"a":', "[[[{" + '"b":'])
def test_what_is_too_deep_is_refused_whatever_the_recursion_limit_is(opening):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)  # as the prover of GDL does, for all of the process
    try:
        with pytest.raises(ValueError, match="deep"):
            read_json(opening * 100_000)
    finally:
        sys.setrecursionlimit(before)


def test_as_deep_as_allowed():
    text = "[" * DEEPEST + "]" * DEEPEST
    assert nesting(read_json(text)) == DEEPEST
    with pytest.raises(ValueError, match="deep"):
        read_json(f"[{text}]")


@pytest.mark.parametrize(
    ("data", "says"),
    [("", "Expecting"), ("[1", "Expecting"), (b"\xff", "utf-8"), ('{"a": }', "Expecting")],
)
def test_what_is_no_json_is_a_value_error(data, says):
    with pytest.raises(ValueError, match=says):
        read_json(data)
