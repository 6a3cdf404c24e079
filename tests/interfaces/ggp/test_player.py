"""The GGP player's answers to messages, without HTTP."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.agents import SearchResult
from graven.core.game import Game
from graven.core.position import Position
from graven.interfaces.ggp.ggp_messages import (
    AbortMessage,
    GgpMessageError,
    InfoMessage,
    PlayMessage,
    PreviewMessage,
    StartMessage,
    StopMessage,
    parse_message,
)
from graven.interfaces.ggp.ggp_player import GgpPlayer
from graven.interfaces.ggp.pondering import PonderingSearch
from tests.interfaces.ggp.helpers import ONE_LINE, RULES, SPEC


def started(player: GgpPlayer, match: str = "m1", role: str = "x", clock: float = 0.5) -> str:
    return player.answer(parse_message(f"( START {match} {role} ({ONE_LINE}) {clock} {clock} )"))


def test_a_match_by_the_protocol() -> None:
    player = GgpPlayer(SPEC)
    assert player.answer(InfoMessage()) == "( ( name graven ) ( status available ) )"
    assert player.answer(PreviewMessage(RULES, 5)) == "ready"
    assert started(player) == "ready"
    assert player.answer(InfoMessage()) == "( ( name graven ) ( status busy ) )"
    first = player.answer(parse_message("( PLAY m1 NIL )"))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    assert player.answer(PlayMessage("m1", (first, "wait"))) == "wait"
    assert player.answer(StopMessage("m1", ("wait", "( put 9 9 )"))) == "done"
    assert player.answer(InfoMessage()) == "( ( name graven ) ( status available ) )"


def test_messages_of_other_matches_and_repeated_messages() -> None:
    player = GgpPlayer(SPEC)
    assert player.answer(PlayMessage("m1", None)) == "busy"
    assert player.answer(StopMessage("m1", None)) == "busy"
    assert player.answer(AbortMessage("m1")) == "busy"
    started(player)
    assert started(player) == "ready"  # the same again
    assert started(player, "m2") == "busy"
    first = player.answer(PlayMessage("m1", None))
    assert player.answer(PlayMessage("m1", None)) == first
    reply = player.answer(PlayMessage("m1", (first, "wait")))
    assert player.answer(PlayMessage("m1", (first, "wait"))) == reply
    assert player.answer(PlayMessage("m2", None)) == "busy"
    assert player.answer(AbortMessage("m1")) == "aborted"
    assert player.answer(AbortMessage("m1")) == "aborted"
    assert player.answer(PlayMessage("m1", None)) == "busy"
    assert started(player, "m2") == "ready"
    assert player.answer(StopMessage("m2", None)) == "done"
    assert player.answer(StopMessage("m2", None)) == "done"


def test_illegal_and_replaced_moves_do_not_end_the_match() -> None:
    player = GgpPlayer(SPEC)
    started(player)
    first = player.answer(PlayMessage("m1", None))
    other = "( put 1 1 )" if first != "( put 1 1 )" else "( put 2 2 )"
    # The server replaced our move: the replacement counts.
    assert player.answer(PlayMessage("m1", (other, "wait"))) == "wait"
    # An illegal joint move does not change the position.
    assert player.answer(PlayMessage("m1", ("( fly 1 )", "( put 7 7 )"))) == "wait"
    with pytest.raises(GgpMessageError, match="2 moves are expected"):
        player.answer(PlayMessage("m1", ("wait",)))
    played = player.answer(PlayMessage("m1", ("wait", "( put 3 3 )")))
    assert re.fullmatch(r"\( put [123] [123] \)", played)
    assert played not in (other, "( put 3 3 )")
    player.close()


def test_invalid_rules_are_refused() -> None:
    player = GgpPlayer(SPEC)
    with pytest.raises(GgpMessageError, match="no role 'z'"):
        started(player, role="z")
    with pytest.raises(GgpMessageError):
        player.answer(StartMessage("m1", "a", "(role a)", 1, 1))
    assert not player.is_busy


def test_a_match_that_cannot_be_grounded_is_played_legally(monkeypatch) -> None:
    from graven.gdl.grounding.numbered_rules import TooLargeError
    from graven.interfaces.ggp import rule_preparation

    def refuse(*arguments: object) -> None:
        raise TooLargeError("the relation huge has too many atoms.")

    monkeypatch.setattr(rule_preparation, "network_game_of", refuse)
    player = GgpPlayer(SPEC)
    started(player)
    first = player.answer(PlayMessage("m1", None))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    player.close()


def test_moves_are_legal_while_the_rules_are_grounded(monkeypatch) -> None:
    """The first move is proved; the network takes over when it is ready, in the same position."""
    from graven.gdl.sheet_loader import network_game_of
    from graven.interfaces.ggp import rule_preparation

    is_released, is_grounding = threading.Event(), threading.Event()

    def grounded_later(*arguments: Any) -> Game:
        is_grounding.set()
        assert is_released.wait(120)
        return network_game_of(*arguments)

    monkeypatch.setattr(rule_preparation, "network_game_of", grounded_later)
    player = GgpPlayer(SPEC)
    started(player)
    assert is_grounding.wait(120)
    first = player.answer(PlayMessage("m1", None))
    assert re.fullmatch(r"\( put [123] [123] \)", first)
    state = player._match.state
    assert state.position.game.in_python
    is_released.set()
    until = time.monotonic() + 120
    while state.position.game.in_python:
        assert time.monotonic() < until, "the network was never used"
        time.sleep(0.05)
    reply = "( put 3 3 )" if first != "( put 3 3 )" else "( put 2 2 )"
    assert player.answer(PlayMessage("m1", (first, "wait"))) == "wait"
    second = player.answer(PlayMessage("m1", ("wait", reply)))
    assert re.fullmatch(r"\( put [123] [123] \)", second)
    assert second not in (first, reply)
    player.close()


def test_a_long_batch_is_waited_for_within_the_margin(monkeypatch) -> None:
    timeouts, latest_result = [], PonderingSearch.latest_result

    def noted(self: PonderingSearch, position: Position, timeout: float) -> SearchResult | None:
        timeouts.append(timeout)
        return latest_result(self, position, timeout)

    monkeypatch.setattr(PonderingSearch, "latest_result", noted)
    player = GgpPlayer(SPEC, margin=10.0)
    player.answer(parse_message(f"( START m1 x ({ONE_LINE}) 0.5 2.5 )"))
    player.answer(PlayMessage("m1", None))
    player.close()
    assert timeouts == [0.25]  # half of a fifth of the clock


# There are infinitely many legal moves: proving them never ends.
ENDLESS = ONE_LINE + " (nat z) (<= (nat (s ?x)) (nat ?x)) (<= (legal x (go ?n)) (nat ?n))"


def test_aborting_a_match_cancels_its_preparation() -> None:
    player = GgpPlayer(SPEC)
    start = parse_message(f"( START m1 x ({ENDLESS}) 0.2 0.2 )")
    threading.Thread(target=player.answer, args=(start,), daemon=True).start()
    until = time.monotonic() + 30
    while not player.is_busy:
        assert time.monotonic() < until
    player.answer(AbortMessage("m1"))
    while any(thread.name == "grounding" for thread in threading.enumerate()):
        assert time.monotonic() < until, "still proving"
        time.sleep(0.05)


def test_a_match_is_not_abandoned_while_its_start_clock_runs(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.ggp_match.ABANDON_SECONDS", 0.0)
    player = GgpPlayer(SPEC)
    start = StartMessage("m1", "x", RULES, 60, 0.001)
    threading.Thread(target=player.answer, args=(start,), daemon=True).start()
    until = time.monotonic() + 30
    while not player.is_busy:
        assert time.monotonic() < until
    time.sleep(0.1)  # ten play clocks, and more
    assert player.is_busy
    assert player.answer(PlayMessage("m1", None)) != "busy"
    time.sleep(0.1)
    assert not player.is_busy


def test_a_match_that_its_server_gave_up_is_dropped_for_a_new_one(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.ggp_match.SILENCE_SECONDS", 0.3)
    player = GgpPlayer(SPEC)
    player.answer(StartMessage("m1", "x", RULES, 0.2, 0.2))
    player.answer(PlayMessage("m1", None))
    # The old match may still go on, so the new one waits; then it is played.
    assert player.answer(StartMessage("m2", "x", RULES, 5, 0.5)) == "ready"
    assert player.answer(PlayMessage("m1", ("( put 1 1 )", "wait"))) == "busy"
    assert player.answer(PlayMessage("m2", None)).startswith("( put")
    player.close()


def test_a_match_that_goes_on_keeps_its_player_busy(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.ggp_match.SILENCE_SECONDS", 60.0)
    player = GgpPlayer(SPEC)
    player.answer(StartMessage("m1", "x", RULES, 0.2, 0.2))
    assert player.is_busy
    assert player.answer(StartMessage("m2", "x", RULES, 0.2, 0.2)) == "busy"
    assert player.answer(PlayMessage("m1", None)).startswith("( put")
    player.close()


def test_a_silent_match_is_not_reported_as_busy(monkeypatch) -> None:
    monkeypatch.setattr("graven.interfaces.ggp.ggp_match.SILENCE_SECONDS", 0.0)
    player = GgpPlayer(SPEC)
    player.answer(StartMessage("m1", "x", RULES, 0.2, 0.2))
    time.sleep(0.3)
    assert "available" in player.answer(InfoMessage())
    assert player.answer(PlayMessage("m1", None)).startswith("( put"), "it may still go on"
    player.close()


def test_a_closed_player_stops_searching() -> None:
    def searching() -> bool:
        return any(thread.name == "pondering" for thread in threading.enumerate())

    for name in ("m1", "m2", "m3"):
        player = GgpPlayer(SPEC)
        player.answer(StartMessage(name, "x", RULES, 0.2, 0.2))
        player.close()
        end = time.monotonic() + 20
        while searching() and time.monotonic() < end:
            time.sleep(0.01)
        assert not searching()


# Both players repeat the same moves, so the joint move of the next step is the same again.
SAME_MOVES = """(role x) (role o) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (go ?m)) (role ?r) (move ?m)) (move a) (move b)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 3)))
(goal x 50) (goal o 50)"""


def test_a_play_that_arrives_before_the_answer_is_the_same_step() -> None:
    player = GgpPlayer(SPEC)
    player.answer(StartMessage("m1", "x", SAME_MOVES, 0.3, 0.5))
    first = player.answer(PlayMessage("m1", None))
    joint = (first, "( go a )")
    sent = time.monotonic()
    second = player.answer(PlayMessage("m1", joint), sent)
    assert player.answer(PlayMessage("m1", joint), sent + 0.01) == second
    assert player._match.state.steps == 1
    player.close()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                InfoMessage(),
                PlayMessage("m1", None),
                PlayMessage("m1", ("wait", "wait")),
                PlayMessage("m1", ("( put 1 1 )", "wait")),
                PlayMessage("m1", ("wait", "( put 2 2 )")),
                StopMessage("m1", None),
                AbortMessage("m1"),
                AbortMessage("m2"),
                StartMessage("m1", "x", ONE_LINE, 0.1, 0.1),
                StartMessage("m2", "o", ONE_LINE, 0.1, 0.1),
            ]
        ),
        max_size=8,
    )
)
def test_any_order_of_messages_gets_answers(messages: list) -> None:
    player = GgpPlayer(SPEC)
    for message in messages:
        reply = player.answer(message)
        # noop: on a busy machine the rules are not read within the clock of 0.1 s.
        answers = ("ready", "busy", "done", "aborted", "wait", "noop")
        assert reply in answers or reply.startswith("( ")
    player.close()
