"""GGP messages, scrambled rules and the clock margin."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.gdl import sheets
from graven.gdl.language.kif_reader import read
from graven.interfaces.ggp.clock_margin import ClockMargin
from graven.interfaces.ggp.ggp_messages import (
    AbortMessage,
    GgpMessage,
    GgpMessageError,
    InfoMessage,
    PlayMessage,
    PreviewMessage,
    StartMessage,
    StopMessage,
    parse_message,
)
from graven.interfaces.ggp.rule_scrambling import Scrambler


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", InfoMessage()),
        ("(info)", InfoMessage()),
        ("INFO", InfoMessage()),
        ("( PREVIEW ((role a) (init b)) 5 )", PreviewMessage("(role a)\n(init b)", 5)),
        ("( START m1 a ((role a)) 30 15 )", StartMessage("m1", "a", "(role a)", 30, 15)),
        ("(PLAY m1 NIL)", PlayMessage("m1", None)),
        ("( play m1 nil )", PlayMessage("m1", None)),
        ("( PLAY m1 (( mark 2 1 ) noop ) )", PlayMessage("m1", ("( mark 2 1 )", "noop"))),
        ("(PLAY m1 ((mark 2 1)\tnoop))", PlayMessage("m1", ("( mark 2 1 )", "noop"))),
        ("( STOP m1 (( mark 2 2 ) noop ) )", StopMessage("m1", ("( mark 2 2 )", "noop"))),
        ("( ABORT m2 )", AbortMessage("m2")),
    ],
)
def test_messages_as_servers_send_them(text: str, message: object) -> None:
    assert parse_message(text) == message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a message is a list"),
        ("( HELLO )", "unknown message 'HELLO'"),
        ("( PLAY m1 )", r"PLAY takes 2 arguments \(match moves\), got 1"),
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
def test_an_invalid_message_raises_an_error_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(GgpMessageError, match=reason):
        parse_message(text)


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
    with suppress(GgpMessageError):
        assert isinstance(parse_message(text), GgpMessage)


@pytest.mark.parametrize("name", ["skirmish", "chinook"])
def test_scrambled_rules_are_the_same_game_in_other_words(name: str) -> None:
    text = sheets.text_of(name)
    scrambler = Scrambler(text, 1)
    scrambled = scrambler.scramble(text)
    assert read(scrambler.unscramble(scrambled)) == read(text)
    words = set(re.findall(r"[^\s()]+", scrambled))
    assert not words & {"white", "black", "control", "captures", "oddjump"}
    assert {"role", "init", "next", "legal", "goal", "terminal", "not", "100"} <= words


def test_the_margin_follows_the_observed_delays() -> None:
    margin = ClockMargin(0.5)
    usual = margin.seconds(10)
    assert usual == 0.5
    assert margin.seconds(1) == pytest.approx(0.2)  # a short clock leaves time to think
    margin.observe_delay(0.4)
    assert margin.seconds(10) >= 0.5 + 0.4
    after_delay = margin.seconds(10)
    margin.observe_replaced_move()
    assert margin.seconds(10) > after_delay
    for _ in range(50):
        margin.observe_delay(-0.1)
    assert margin.seconds(10) == pytest.approx(usual, abs=0.01)
    for _ in range(50):
        margin.observe_replaced_move()
    assert margin.seconds(10) < 10


def test_the_margin_falls_when_the_network_is_fast() -> None:
    margin = ClockMargin(0.5)
    for turnaround in (0.15, 1.5, 0.15, 0.9, 0.15):  # others sometimes think longer
        margin.observe_delay(-0.01)
        margin.observe_turnaround(turnaround)
    assert 0.15 < margin.seconds(2) < 0.3
    assert margin.seconds(10) < 0.3
    margin.observe_replaced_move()
    assert margin.seconds(10) >= 1.0
    slow = ClockMargin(0.5)
    for _ in range(20):
        slow.observe_turnaround(2.0)
    assert slow.seconds(10) == 0.5, "long turnarounds show nothing"
