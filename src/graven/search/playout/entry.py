"""Compile the functions of a playout policy for the kernels, which know none of their memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graven.core.compile import address
from graven.core.contract import (
    BATCH_CHOICE,
    PLAYOUT_FUNCTIONS,
    BatchChoice,
    LeafPlayouts,
    Rules,
)
from graven.core.handles import Handle
from graven.core.status import Status
from graven.search.plan import (
    BEGIN_LEAF,
    LEARN,
    PLAY_BATCH,
    PLAYOUT,
    READY,
    SETTLE,
    state_at,
)
from graven.search.playout.by_values import play_batch, play_called
from graven.search.playout.decisive_moves import DEFENDS, decisive_choice, not_noted
from graven.search.playout.loop import play_with
from graven.search.policy import BatchLearning, PlayoutVariant

# What the machine code of a playout does: read the search's state at the address {0} and rebuild
# `memory` from its handle, then one of these.
READ_STATE = "search = state_at({0})\n    handle = search.plan.memory\n    "
CHOOSE = "return play_with(inner, rules, search.record, memory)"
BEGIN = (
    "status = begin(search.rules, search.tree, search.record, memory)\n"
    "    if status != OK: return status\n    "
)
PLAY_OUT = "return inner(search.rules, search.tree, search.record, memory)"
LEARN_ONCE = "inner(search.rules, search.tree, search.record, memory)"
# Of a batch: rules {0}, the fields of `LeafPlayouts`, and the handle {9}.
BATCH_ONCE = (
    "return play_batch({0}, inner(memory), LeafPlayouts({1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}))"
)
CHOOSE_ONE = "return inner(memory, BatchChoice({1}, {2}, {3}, {4}, {5}, {6}))"
SETTLE_ONCE = "inner({0}, memory)"
READY_ONCE = "return inner({0}, memory)"
BEGIN_LEAF_ONCE = "inner(search.rules, search.tree, search.record, memory, {1}, {2})"


Functions = Mapping[str, Callable[..., Any]]


def playout_address(
    variant: PlayoutVariant,
    memory: Handle,
    functions: Functions | None = None,
    decisive: str = "off",
) -> int:
    """Return the address of a variant's playout, for the signature PLAYOUT.

    `functions` are those of a game that the playout is compiled together with; `decisive` is the
    search option.
    """
    assert variant.function is not None
    before, names = _unpacked_from_state(memory)
    if variant.play_out:
        return address(variant.play_out, PLAYOUT, before + PLAY_OUT, names=names, arguments=4)
    names["play_with"] = play_with
    choose = variant.function
    if decisive != "off":
        forced = variant.forced or not_noted
        # The names are not used: they distinguish this code from that of other policies.
        names |= {"policy": choose, "forced": forced, "decisive": decisive}
        choose = decisive_choice(choose, forced, decisive == DEFENDS)
    rules, functions_by_name = _rules_with(functions or {})
    before += rules
    names |= functions_by_name
    if variant.begin:
        before += BEGIN
        names |= {"begin": variant.begin, "OK": int(Status.OK)}
    return address(choose, PLAYOUT, before + CHOOSE, names=names, arguments=4)


def _rules_with(functions: Functions) -> tuple[str, dict[str, Any]]:
    """Return a line of code that sets `rules`, with some functions in it, and the names it uses."""
    if not functions:
        return "rules = search.rules\n    ", {}
    fields = [
        (name if name in functions else "0")
        if name in PLAYOUT_FUNCTIONS
        else f"search.rules.{name}"
        for name in Rules._fields
    ]
    return f"rules = Rules({', '.join(fields)})\n    ", {"Rules": Rules, **functions}


def learn_address(variant: PlayoutVariant, memory: Handle) -> int:
    """Return the address of a variant's `learn`, for the signature LEARN; 0 if it has none."""
    if variant.learn is None:
        return 0
    before, names = _unpacked_from_state(memory)
    return address(variant.learn, LEARN, before + LEARN_ONCE, names=names, arguments=4)


class BatchAddresses(NamedTuple):
    """The compiled functions of a `BatchLearning`; 0 where it has none."""

    play: int = 0  # PLAY_BATCH
    choose: int = 0  # BATCH_CHOICE
    ready: int = 0  # READY
    begin: int = 0  # BEGIN_LEAF
    learn: int = 0  # LEARN
    settle: int = 0  # SETTLE


def batch_addresses(learning: BatchLearning, memory: Handle) -> BatchAddresses:
    """Compile how a policy plays batches and learns from them."""
    addresses = {}
    if learning.policy is not None:
        before, names = _unpacked(memory, "{9}")
        names |= {"play_batch": play_batch, "LeafPlayouts": LeafPlayouts}
        body = before + BATCH_ONCE
        addresses["play"] = address(learning.policy, PLAY_BATCH, body, names=names, arguments=1)
    else:
        assert learning.choose is not None
        addresses["play"] = address(play_called, PLAY_BATCH)
        before, names = _unpacked(memory, "{0}")
        names["BatchChoice"] = BatchChoice
        addresses["choose"] = address(
            learning.choose, BATCH_CHOICE, before + CHOOSE_ONE, names=names, arguments=2
        )
    from_rules, rules_names = _unpacked(memory, "{1}")
    from_state, state_names = _unpacked_from_state(memory)
    for name, function, signature, body, given in (
        ("ready", learning.ready, READY, from_rules + READY_ONCE, 2),
        ("begin", learning.begin, BEGIN_LEAF, from_state + BEGIN_LEAF_ONCE, 6),
        ("learn", learning.count, LEARN, from_state + LEARN_ONCE, 4),
        ("settle", learning.settle, SETTLE, from_rules + SETTLE_ONCE, 2),
    ):
        if function is not None:
            names = rules_names if given == 2 else state_names
            addresses[name] = address(function, signature, body, names=names, arguments=given)
    return BatchAddresses(**addresses)


def _unpacked_from_state(memory: Handle) -> tuple[str, dict[str, Any]]:
    """Return lines of code that set `search` and `memory`, and the names that they use."""
    before, names = _unpacked(memory, "handle")
    return READ_STATE + before, {"state_at": state_at, **names}


def _unpacked(memory: Handle, handle: str) -> tuple[str, dict[str, Any]]:
    """Return a line of code that sets `memory`, and the names that it uses."""
    source, names = ("None", {}) if memory.layout is None else memory.layout.unpacked(handle)
    return f"memory = {source}\n    ", names
