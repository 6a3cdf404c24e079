"""The syntax name(key=value,...): what is read, and how it is written back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.calls import (
    CallSyntaxError,
    format_call,
    format_value,
    parse_arguments,
    parse_call,
    read_value,
    split,
)
from graven.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uct", ("uct", {})),
        ("uct()", ("uct", {})),
        (" UCT ( C = 0.7 , Ties=first ) ", ("uct", {"c": 0.7, "ties": "first"})),
        ("uct(reuse_tree=TRUE,ref=inf)", ("uct", {"reuse_tree": True, "ref": math.inf})),
        ("Dir/Mine.py:Tree(c=1)", ("Dir/Mine.py:Tree", {"c": 1})),
        ("x(digest=007,n=007)", ("x", {"digest": "007", "n": 7})),
        ("x(inner=y(a=1,b=2),c=3)", ("x", {"inner": "y(a=1,b=2)", "c": 3})),
    ],
)
def test_calls_are_read(text, expected):
    assert parse_call(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not written name"),
        ("uct(c=1)x", "is not written name"),
        ("uct(c)", "uct: 'c' is not written parameter=value"),
        ("uct(=1)", "uct: '=1' is not written parameter=value"),
        ("uct(c=1,)", "uct: '' is not written parameter=value"),
        ("uct(c=(1)", "has a '(' without its ')'"),
        ("uct(c=1))", "has a ')' without its '('"),
    ],
)
def test_syntax_errors_name_the_offending_part(text, message):
    with pytest.raises(CallSyntaxError) as error:
        parse_call(text)
    assert message in str(error.value)


def test_duplicate_keys_are_rejected():
    with pytest.raises(UsageError, match="uct: c is given twice"):
        parse_call("uct(c=1,C=2)")
    with pytest.raises(UsageError, match="hex: size is given twice"):
        parse_arguments("size=1,size=2", "hex")


def test_arguments_keep_their_case_and_may_have_empty_parts():
    assert parse_arguments(" Size = 6x5 ,, komi=7.5,", "go") == {"Size": "6x5", "komi": "7.5"}


def test_marks_inside_parentheses_do_not_split():
    assert split("a(b+c)+d", "+") == ["a(b+c)", "d"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (50, "50"), (50.0, "50"), (0.2, "0.2"), (1e-7, "1e-7"), (math.inf, "inf"),
     (1e20, "1e20"), ("mean", "mean")],
)  # fmt: skip
def test_values_are_written_in_their_shortest_form(value, text):
    assert format_value(value) == text
    assert read_value(text) == value


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True).filter(lambda key: key != "digest"),
        st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False)),
    )
)
def test_calls_survive_the_round_trip(values):
    assert parse_call(format_call("name", values)) == ("name", values)
