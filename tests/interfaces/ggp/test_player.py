"""The GGP player by itself: what it answers to which message."""

from __future__ import annotations

import re
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.agents import SearchResult
from graven.core.game import Position
from graven.interfaces.ggp.ggp_messages import (
    Abort,
    Info,
    MessageError,
    Play,
    Preview,
    Start,
    Stop,
    parse,
)
from graven.interfaces.ggp.ggp_player import Player
from graven.interfaces.ggp.pondering import Thinker
from tests.interfaces.ggp.small import ONE_LINE, RULES, SPEC


def started(player: Player, match: str = "m1", role: str = "x", clock: float = 0.5) -> str:
    return player.answer(parse(f"( START {match} {role} ({ONE_LINE}) {clock} {clock} )"))


def test_a_match_as_the_protocol_goes() -> None:
    player = Player(SPEC)
    assert player.answer(Info()) == "( ( name graven ) ( status available ) )"
    assert player.answer(Preview(RULES, 5)) == "ready"
    assert started(player) == "ready"
    assert player.answer(Info()) == "( ( name graven ) ( status busy ) )"
    first = player.answer(parse("( PLAY m1 NIL )"))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    assert player.answer(Play("m1", (first, "wait"))) == "wait"
    assert player.answer(Stop("m1", ("wait", "( put 9 9 )"))) == "done"
    assert player.answer(Info()) == "( ( name graven ) ( status available ) )"


def test_messages_for_other_matches_and_twice() -> None:
    player = Player(SPEC)
    assert player.answer(Play("m1", None)) == "busy"
    assert player.answer(Stop("m1", None)) == "busy"
    assert player.answer(Abort("m1")) == "busy"
    started(player)
    assert started(player) == "ready"  # the same again
    assert started(player, "m2") == "busy"
    first = player.answer(Play("m1", None))
    assert player.answer(Play("m1", None)) == first
    reply = player.answer(Play("m1", (first, "wait")))
    assert player.answer(Play("m1", (first, "wait"))) == reply
    assert player.answer(Play("m2", None)) == "busy"
    assert player.answer(Abort("m1")) == "aborted"
    assert player.answer(Abort("m1")) == "aborted"
    assert player.answer(Play("m1", None)) == "busy"
    assert started(player, "m2") == "ready"
    assert player.answer(Stop("m2", None)) == "done"
    assert player.answer(Stop("m2", None)) == "done"


def test_moves_that_cannot_be_are_survived() -> None:
    player = Player(SPEC)
    started(player)
    first = player.answer(Play("m1", None))
    other = "( put 1 1 )" if first != "( put 1 1 )" else "( put 2 2 )"
    # Somebody else's move was played for us: that is how it is now.
    assert player.answer(Play("m1", (other, "wait"))) == "wait"
    # Nonsense leaves us where we are.
    assert player.answer(Play("m1", ("( fly 1 )", "( put 7 7 )"))) == "wait"
    with pytest.raises(MessageError, match="2 moves are expected"):
        player.answer(Play("m1", ("wait",)))
    played = player.answer(Play("m1", ("wait", "( put 3 3 )")))
    assert re.fullmatch(r"\( put [123] [123] \)", played)
    assert played not in (other, "( put 3 3 )")
    player.close()


def test_rules_that_are_none_are_refused() -> None:
    player = Player(SPEC)
    with pytest.raises(MessageError, match="no role 'z'"):
        started(player, role="z")
    with pytest.raises(MessageError):
        player.answer(Start("m1", "a", "(role a)", 1, 1))
    assert not player.busy


def test_a_match_that_cannot_be_grounded_is_played_legally(monkeypatch) -> None:
    from graven.gdl.grounding.numbered_rules import TooLargeError
    from graven.interfaces.ggp import ggp_match as match

    def refuse(*arguments: object) -> None:
        raise TooLargeError("the relation huge has too many atoms.")

    monkeypatch.setattr(match, "network_game_of", refuse)
    player = Player(SPEC)
    started(player)
    first = player.answer(Play("m1", None))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    player.close()


def test_a_long_batch_is_waited_for_within_the_margin(monkeypatch) -> None:
    waits, harvest = [], Thinker.harvest

    def noted(self: Thinker, position: Position, grace: float) -> SearchResult | None:
        waits.append(grace)
        return harvest(self, position, grace)

    monkeypatch.setattr(Thinker, "harvest", noted)
    player = Player(SPEC, margin=10.0)
    player.answer(parse(f"( START m1 x ({ONE_LINE}) 0.5 2.5 )"))
    player.answer(Play("m1", None))
    player.close()
    assert waits == [0.25]  # half of a fifth of the clock


# The legal moves have no end: proving them takes as long as it may.
ENDLESS = ONE_LINE + " (nat z) (<= (nat (s ?x)) (nat ?x)) (<= (legal x (go ?n)) (nat ?n))"


def test_a_match_that_is_aborted_leaves_its_time_to_others() -> None:
    player = Player(SPEC)
    start = parse(f"( START m1 x ({ENDLESS}) 0.2 0.2 )")
    threading.Thread(target=player.answer, args=(start,), daemon=True).start()
    until = time.monotonic() + 30
    while not player.busy:
        assert time.monotonic() < until
    player.answer(Abort("m1"))
    while any(thread.name == "grounding" for thread in threading.enumerate()):
        assert time.monotonic() < until, "still proving"
        time.sleep(0.05)


def test_a_match_is_not_given_up_while_its_start_clock_runs(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.ggp_match.PATIENCE", 0.0)
    player = Player(SPEC)
    start = Start("m1", "x", RULES, 60, 0.001)
    threading.Thread(target=player.answer, args=(start,), daemon=True).start()
    until = time.monotonic() + 30
    while not player.busy:
        assert time.monotonic() < until
    time.sleep(0.1)  # ten play clocks, and more
    assert player.busy
    assert player.answer(Play("m1", None)) != "busy"
    time.sleep(0.1)
    assert not player.busy


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                Info(),
                Play("m1", None),
                Play("m1", ("wait", "wait")),
                Play("m1", ("( put 1 1 )", "wait")),
                Play("m1", ("wait", "( put 2 2 )")),
                Stop("m1", None),
                Abort("m1"),
                Abort("m2"),
                Start("m1", "x", ONE_LINE, 0.1, 0.1),
                Start("m2", "o", ONE_LINE, 0.1, 0.1),
            ]
        ),
        max_size=8,
    )
)
def test_any_order_of_messages_gets_answers(messages: list) -> None:
    player = Player(SPEC)
    for message in messages:
        reply = player.answer(message)
        assert reply in ("ready", "busy", "done", "aborted", "wait") or reply.startswith("( ")
    player.close()
