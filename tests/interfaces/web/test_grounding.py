"""Rules that take minutes to ground: they are cancelled, limited, and delay nobody else."""

from __future__ import annotations

import asyncio
import os

from graven.interfaces.web import grounding_pool
from tests.interfaces.web.helpers import join, run_in_loop, send, until, with_sessions
from tests.interfaces.web.take_away_rules import TAKE_AWAY_RULES

# The initial state has 60^4 facts.
HOSTILE = (
    "(role p) (legal p go) (goal p 50) (<= terminal (true (s 0 0 0 1))) "
    "(<= (init (s ?a ?b ?c ?d)) (n ?a) (n ?b) (n ?c) (n ?d)) "
    + " ".join(f"(n {number})" for number in range(60))
)


def busy_processes(sessions):
    pool = sessions._workers.grounding
    return [each.pid for each in pool._busy if each.pid is not None]


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_rules_of_a_closed_tab_are_not_grounded_on():
    async def work(sessions):
        session, tab = await join(sessions)
        command = asyncio.create_task(send(session, tab, "new_game", game="x.kif", rules=HOSTILE))
        pool = sessions._workers.grounding
        await until(lambda: pool._idle_first and busy_processes(sessions))  # after the first try
        (pid,) = busy_processes(sessions)
        session.leave(tab)
        await command
        assert session.game is None
        await until(lambda: not is_running(pid))

    with_sessions(work)


def test_large_rules_delay_neither_small_rules_nor_other_commands(monkeypatch):
    # On a busy machine the large rules would reach their limit before the small ones are ready.
    monkeypatch.setattr(grounding_pool, "GROUNDING_SECONDS", 600.0)

    async def work(sessions):
        attackers = [await join(sessions) for _ in range(3)]
        commands = [
            asyncio.create_task(send(*each, "new_game", game="x.kif", rules=HOSTILE))
            for each in attackers
        ]
        await until(lambda: busy_processes(sessions))
        _, tab = await join(sessions, game="nogo(size=3)")
        assert tab.last("state")
        _, tab = await join(sessions, game="small.kif", rules=TAKE_AWAY_RULES)
        assert tab.last("state")["game"]["name"] == "gdl"
        assert not any(command.done() for command in commands), "they should still be grounded"
        limit = grounding_pool.FIRST_JOBS + grounding_pool.QUICK_JOBS + grounding_pool.LONG_JOBS
        assert len(busy_processes(sessions)) <= limit
        for session, tab in attackers:
            session.leave(tab)
        await asyncio.gather(*commands)

    with_sessions(work)


def test_large_rules_are_refused_at_the_limit(monkeypatch):
    monkeypatch.setattr(grounding_pool, "GROUNDING_SECONDS", 0.5)
    monkeypatch.setattr(grounding_pool, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(grounding_pool, "QUICK_SECONDS", 0.1)
    monkeypatch.setattr(grounding_pool, "PROOF_SECONDS", 1.0)

    async def work(sessions):
        session, tab = await join(sessions)
        await send(session, tab, "new_game", game="x.kif", rules=HOSTILE)
        assert "x.kif is too large for this page" in tab.last("error")["text"]
        monkeypatch.undo()  # on a busy machine small rules may take longer than these limits
        await send(session, tab, "new_game", game="small.kif", rules=TAKE_AWAY_RULES)
        assert tab.last("state")

    with_sessions(work)


def test_errors_in_rules_are_shown_with_their_line():
    async def work(sessions):
        session, tab = await join(sessions)
        await send(session, tab, "new_game", game="x.kif", rules="(p ?x)" + TAKE_AWAY_RULES)
        assert "x.kif, line 1: ?x in the head is not bound" in tab.last("error")["text"]

    with_sessions(work)


def test_a_process_limits_its_memory(monkeypatch):
    monkeypatch.setattr(grounding_pool, "GROUNDING_MEMORY_MIB", 300)

    async def work(sessions):
        session, tab = await join(sessions)
        await send(session, tab, "new_game", game="x.kif", rules=HOSTILE)
        assert "too large" in tab.last("error")["text"]

    with_sessions(work)


def test_small_rules_do_not_wait_until_a_try_of_large_ones_is_over(monkeypatch):
    # Nothing but the first try ends while this runs.
    monkeypatch.setattr(grounding_pool, "QUICK_SECONDS", 600.0)

    async def work(sessions):
        attackers = [await join(sessions) for _ in range(6)]
        commands = [
            asyncio.create_task(send(*each, "new_game", game="x.kif", rules=HOSTILE))
            for each in attackers
        ]
        await until(lambda: len(busy_processes(sessions)) > grounding_pool.QUICK_JOBS)
        for _ in range(3):
            _, tab = await join(sessions, game="small.kif", rules=TAKE_AWAY_RULES)
            assert tab.last("state")["game"]["name"] == "gdl"
        assert not any(command.done() for command in commands), "they should still be grounded"
        for session, tab in attackers:
            session.leave(tab)
        await asyncio.gather(*commands)

    with_sessions(work)


def test_a_closed_tab_does_not_cost_the_process_for_small_rules(monkeypatch):
    async def work(sessions):
        await join(sessions, game="small.kif", rules=TAKE_AWAY_RULES)
        (process,) = sessions._workers.grounding._idle_first
        session, tab = await join(sessions)
        command = asyncio.create_task(send(session, tab, "new_game", game="x.kif", rules=HOSTILE))
        await until(lambda: busy_processes(sessions))
        session.leave(tab)
        await command
        _, tab = await join(sessions, game="small.kif", rules=TAKE_AWAY_RULES)
        assert tab.last("state")
        assert sessions._workers.grounding._idle_first == [process]
        assert is_running(process.pid)

    with_sessions(work)


def order_of(waiters, cancelled=()):
    """The order in which waiters, whose names begin with the name of their client, get a slot."""

    async def work():
        slots, order = grounding_pool.FairSlots(1), []

        async def use(name):
            async with slots.slot(name.split()[0]):
                order.append(name)
                await asyncio.sleep(0)

        async with slots.slot("other"):
            tasks = {name: asyncio.create_task(use(name)) for name in waiters}
            await asyncio.sleep(0)
            for name in cancelled:
                tasks[name].cancel()
            await asyncio.sleep(0)
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        async with asyncio.timeout(5), slots.slot("other"):
            return order

    return run_in_loop(work)


def test_the_latest_rules_are_tried_first_and_cancelled_ones_leave_the_queue():
    assert order_of(["a 1", "a 2", "a 3"], cancelled=["a 2"]) == ["a 3", "a 1"]


def test_clients_take_turns_however_many_rules_one_of_them_sends():
    waiters = ["a 1", "b 1", "a 2", "a 3", "a 4"]
    order = order_of(waiters)
    assert order.index("b 1") <= 1
    assert sorted(order) == sorted(waiters)
