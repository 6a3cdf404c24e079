"""GGP messages: what is understood, what is refused, and how long a clock is trusted."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.gdl import sheets
from graven.gdl.language.kif_reader import read
from graven.interfaces.ggp.clock_margin import Margin
from graven.interfaces.ggp.ggp_messages import (
    Abort,
    Info,
    Message,
    MessageError,
    Play,
    Preview,
    Start,
    Stop,
    parse,
)
from graven.interfaces.ggp.scramble import Scramble


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("INFO", Info()),
        ("( PREVIEW ((role a) (init b)) 5 )", Preview("(role a)\n(init b)", 5)),
        ("( START m1 a ((role a)) 30 15 )", Start("m1", "a", "(role a)", 30, 15)),
        ("(PLAY m1 NIL)", Play("m1", None)),
        ("( play m1 nil )", Play("m1", None)),
        ("( PLAY m1 (( mark 2 1 ) noop ) )", Play("m1", ("( mark 2 1 )", "noop"))),
        ("(PLAY m1 ((mark 2 1)\tnoop))", Play("m1", ("( mark 2 1 )", "noop"))),
        ("( STOP m1 (( mark 2 2 ) noop ) )", Stop("m1", ("( mark 2 2 )", "noop"))),
        ("( ABORT m2 )", Abort("m2")),
    ],
)
def test_messages_as_servers_send_them(text: str, message: object) -> None:
    assert parse(text) == message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a message is a list"),
        ("( HELLO )", "there is no message 'HELLO'"),
        ("( PLAY m1 )", "PLAY is followed by match moves"),
        ("( PLAY m1 noop )", "a list in parentheses, or NIL"),
        ("( PLAY m1 ((? )) )", "a name is expected|question mark|variable"),
        ("( START m1 a ((role a)) soon 15 )", "a clock is a number"),
        ("( START m1 a ((role a)) 30 -1 )", "a clock is a number"),
        ("( START m1 a ((role a)) nan 1 )", "a clock is a number"),
        ("( START m1 a rules 30 15 )", "the rules are a list"),
        ("( PLAY m1 (( mark 1 ", "never closed"),
        ("(" * 5000, "nested more than"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(MessageError, match=says):
        parse(text)


WORDS = st.sampled_from(
    [
        "(",
        ")",
        "PLAY",
        "START",
        "STOP",
        "ABORT",
        "INFO",
        "PREVIEW",
        "m1",
        "NIL",
        "noop",
        "(role",
        "a)",
        "?x",
        "30",
        "-1",
        "<=",
        ";",
        '"',
        "|",
        "'",
        "\x00",
        "é",
    ]
)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=30).map(" ".join) | st.text(max_size=60))
def test_any_text_is_a_message_or_refused(text: str) -> None:
    with suppress(MessageError):
        assert isinstance(parse(text), Message)


@pytest.mark.parametrize("name", ["skirmish", "chinook"])
def test_scrambled_rules_are_the_same_game_in_other_words(name: str) -> None:
    text = sheets.text_of(name)
    scramble = Scramble(text, 1)
    there = scramble.there(text)
    assert read(scramble.back(there)) == read(text)
    words = set(re.findall(r"[^\s()]+", there))
    assert not words & {"white", "black", "control", "captures", "oddjump"}
    assert {"role", "init", "next", "legal", "goal", "terminal", "not", "100"} <= words


def test_the_margin_follows_what_it_sees() -> None:
    margin = Margin(0.5)
    usual = margin.seconds(10)
    assert usual == 0.5
    assert margin.seconds(1) == pytest.approx(0.2)  # a short clock leaves time to think
    margin.observe(0.4)
    assert margin.seconds(10) >= 0.5 + 0.4
    after_delay = margin.seconds(10)
    margin.replaced()
    assert margin.seconds(10) > after_delay
    for _ in range(50):
        margin.observe(-0.1)
    assert margin.seconds(10) == pytest.approx(usual, abs=0.01)
    for _ in range(50):
        margin.replaced()
    assert margin.seconds(10) < 10
