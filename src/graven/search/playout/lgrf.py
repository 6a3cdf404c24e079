"""LGRF: the last good reply, forgotten once it fails (Baier and Drake 2010).

A reply is a player's move after the one or two moves before it, of any player. After a simulation
the replies of its winners are stored, and those of its losers removed if they are the
stored ones; neither winner nor loser is who has an equal score with everybody. A playout plays the
stored reply to the last two moves, else the one to the last move, else a move of the base playout
policy, wherever the reply is legal.

    lgrf(order=1)  LGRF-1: replies to the last move only
    lgrf(order=2)  LGRF-2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.layout import Int32, Int64
from graven.search.playout.loop import random_move
from graven.search.playout.ppa import wins
from graven.search.policy import Parameter, PlayoutPolicy, PlayoutVariant
from graven.search.tree import LENGTH, NONE, Record, Tree, all_codes

MOST_REPLIES = 1 << 22  # of the second order; beyond that they share places

_ODD: Any = np.int64(-7046029254386353131)
_LOW: Any = np.int64(0x7FFFFFFFF)


class ReplyMemory(NamedTuple):
    """The last good replies: a move or NONE.

    What is replied to, a move of a player, is an entry of a trace, player * codes + move.
    """

    order: int  # 1 or 2
    entries: int  # how many different trace entries there are
    first: Int32  # [entry * players + player]
    # [place of (entry before * entries + entry) * players + player], and whose reply is there.
    second: Int32
    keys: Int64  # empty if every reply has a place of its own


@inlined
def first_place(rules: Rules, record: Record, at: int, player: int) -> int:
    """Return where the reply to the trace entry before `at` is stored."""
    return np.int64(record.trace[at - 1]) * rules.players + player  # type: ignore[return-value]


@inlined
def second_key(rules: Rules, record: Record, memory: ReplyMemory, at: int, player: int) -> int:
    """Return a number for the two trace entries before `at`, and the player."""
    before: Any = np.int64(record.trace[at - 2])
    return (before * memory.entries + np.int64(record.trace[at - 1])) * rules.players + player


@inlined
def second_place(memory: ReplyMemory, key: int) -> int:
    """Return where the reply of a key is stored."""
    if len(memory.keys) == 0:
        return key
    mixed = key * _ODD
    return (mixed ^ ((mixed >> 29) & _LOW)) & (len(memory.keys) - 1)


def choose(rules: Rules, record: Record, memory: ReplyMemory, player: int) -> int:
    """Return the last good reply if there is a legal one, else the base playout's move."""
    length = record.shape[LENGTH]
    if length > 1 and memory.order > 1:
        key = second_key(rules, record, memory, at=length, player=player)
        place = second_place(memory, key)
        move: Any = np.int64(memory.second[place])
        known = len(memory.keys) == 0 or memory.keys[place] == key
        if move != NONE and known and is_legal(rules, record, player, move):
            return move
    if length > 0:
        move = np.int64(memory.first[first_place(rules, record, length, player)])
        if move != NONE and is_legal(rules, record, player, move):
            return move
    return random_move(rules, record, player)


@inlined
def is_legal(rules: Rules, record: Record, player: int, move: int) -> bool:
    """Return whether a move may be played in a playout."""
    return contract.is_playout_move(rules, record.state, player, move, moves=record.moves)


def learn(rules: Rules, tree: Tree, record: Record, memory: ReplyMemory) -> None:
    """Store the winners' replies, and forget those of the losers that failed."""
    for player in range(rules.players):
        record.joint[player] = wins(rules, record, player)
    for at in range(1, record.shape[LENGTH]):
        entry: Any = np.int64(record.trace[at])
        player, move = entry // rules.num_codes, entry % rules.num_codes
        won, lost = record.joint[player], loses(rules, record, player)
        place = first_place(rules, record, at, player)
        if won:
            memory.first[place] = move
        elif lost and memory.first[place] == move:
            memory.first[place] = NONE
        if at < 2 or memory.order < 2:
            continue
        key = second_key(rules, record, memory, at=at, player=player)
        place = second_place(memory, key)
        known = len(memory.keys) == 0 or memory.keys[place] == key
        if won:
            memory.second[place] = move
            if not known:
                memory.keys[place] = key
        elif lost and known and memory.second[place] == move:
            memory.second[place] = NONE


@inlined
def loses(rules: Rules, record: Record, player: int) -> bool:
    """Return whether some score is better than a player's."""
    better = False
    for opponent in range(rules.players):
        better |= record.scores[opponent] > record.scores[player]
    return better


def new_memory(rules: Rules, values: Mapping[str, Value]) -> ReplyMemory:
    """Return a memory without replies."""
    if rules.players == 1:
        raise UsageError(
            "LGRF learns from winners, and a game of one player has none: "
            "use 'graven solve' with nrpa for such games."
        )
    order, entries = int(values["order"]), all_codes(rules)
    pairs = entries * entries * rules.players if order > 1 else 0
    shared = pairs > MOST_REPLIES
    return ReplyMemory(
        order=order,
        entries=entries,
        first=np.full(entries * rules.players, NONE, np.int32),
        second=np.full(min(pairs, MOST_REPLIES), NONE, np.int32),
        keys=np.full(MOST_REPLIES if shared else 0, NONE, np.int64),
    )


PARAMETERS = (
    Parameter(
        "order",
        2,
        "how many moves a reply is to: 2, and 1 where there is none (LGRF-2); or 1 only (LGRF-1)",
        low=1,
        high=2,
    ),
    Parameter("over", "uniform", "the base playout policy: uniform, or one of the game"),
)

POLICIES = (
    PlayoutPolicy(
        "lgrf",
        "Plays the last good reply to the moves before, over uniform playouts or the game's own.",
        (
            PlayoutVariant(
                choose,
                PARAMETERS,
                learn=learn,
                reads_edges=False,
                memory=new_memory,
                selected_by="order",
                playout_fields=(),
            ),
        ),
        base="over",
    ),
)
