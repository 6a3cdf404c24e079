"""The tables of `one`: a circuit as fans of edges, and a picture of the first position."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from graven.core.bits import words_for
from graven.gdl import one
from graven.gdl.circuit import Builder, Circuit
from graven.gdl.network import ALWAYS, NEVER
from graven.gdl.pack import Pack, bit_words
from graven.gdl.simplify import Factors, tidied

FEWEST_GUARDED = 4
"""Moves that must wait for a literal for it to be a guard."""
GUARDED_ROLES = 60
"""Roles that can have a guard: flags are one word."""


def guarded(circuit: Circuit) -> tuple[Circuit, list[list[bool]]]:
    """Leave out of the legal moves of each role what most of them wait for, if that is many.

    The guards of the circuit, one for each role, are these literals (ALWAYS where there is none);
    the second result says which moves of each role wait for it.
    """
    factors, builder = Factors(circuit), Builder.resume(circuit)
    guards, legal, shut = [], [], []
    for player, literals in enumerate(circuit.legal):
        waits: Counter[int] = Counter()
        for literal in literals:
            waits.update(factors.of(literal))
        guard, times = max(waits.items(), key=lambda item: (item[1], -item[0]), default=(ALWAYS, 0))
        if times < FEWEST_GUARDED or player >= GUARDED_ROLES:
            guard = ALWAYS
        closed = [guard in factors.of(literal) for literal in literals]
        guards.append(guard)
        shut.append(closed)
        legal.append(
            [
                factors.without(builder, literal, guard) if waiting else literal
                for literal, waiting in zip(literals, closed, strict=True)
            ]
        )
    whole = replace(circuit, gates=builder.gates, legal=legal, guards=guards)
    return tidied(whole), shut


@dataclass(frozen=True)
class Packed:
    """The tables, but for what `many` adds, and the size of a state."""

    pack: Pack
    words: int


def pack_one(circuit: Circuit, counted: bool, most: int) -> Packed:
    """Lay out the state and write the tables.

    `counted` says whether the state counts steps, and `most` how many it allows then.
    """
    whole, shut = guarded(circuit)
    roles = len(whole.legal)
    deciding = [*whole.next, whole.terminal, *whole.guards]
    for literals in whole.legal:
        deciding += literals
    live = whole.reached(deciding)
    judging = whole.reached(whole.goal_literals()) - live

    # Bases keep their numbers; moves and gates follow in order, then the gates of goals alone.
    number = {unit: unit for unit in range(whole.first)}
    for units in (live, judging):
        for unit in sorted(units):
            if unit >= whole.first:
                number[unit] = len(number)
    first_goal = len(number) - sum(unit >= whole.first for unit in judging)

    # The state.
    bases = words_for(max(1, whole.bases))
    spans = [words_for(len(literals)) for literals in whole.legal]
    words = 0
    place = {}
    waiting = words_for(first_goal)
    for name, size in (
        ("bases", bases),
        (one.STEP, 1),
        (one.FLAGS, 1),
        (one.TURN, 1),
        (one.NUMBERS, roles),
        (one.ONLY, roles),
        (one.CHANGES, bases),
        (one.CHANGING, bases),
        ("legal", sum(spans)),
        (one.WAITING, waiting),
        (one.SUMMARY, words_for(waiting)),
        (one.COUNTS, -(-len(number) // 4)),
    ):
        place[name] = words
        words += size
    state = np.zeros(words, dtype=np.int64)

    held = whole.values()

    def holds(literal: int) -> bool:
        return literal == ALWAYS if literal < 0 else held[literal >> 1] != bool(literal & 1)

    # What each unit toggles, in bits of the state, and the gates that it feeds.
    edges: list[list[int]] = [[] for _ in number]
    toggles: list[list[int]] = [[] for _ in number]

    def watch(literal: int, bit: int) -> None:
        if literal >= 0:
            toggles[number[literal >> 1]].append(bit)
        if holds(literal):
            state[bit >> 6] ^= np.int64(np.uint64(1 << (bit & 63)))

    counts = state[place[one.COUNTS] :].view(np.int16)
    for base, literal in enumerate(whole.next):
        watch(literal, 64 * place[one.CHANGES] + base)
    state[:bases] = bit_words(whole.init)
    state[place[one.CHANGES] : place[one.CHANGES] + bases] ^= state[:bases]
    counts[: whole.bases] = whole.init
    watch(whole.terminal, 64 * place[one.FLAGS] + one.TERMINAL_FLAG)
    at = place["legal"]
    for span, literals in zip(spans, whole.legal, strict=True):
        for move, literal in enumerate(literals):
            watch(literal, 64 * at + move)
        at += span
    for player, literal in enumerate(whole.guards[:GUARDED_ROLES]):
        watch(literal, 64 * place[one.FLAGS] + 1 + player)
    for unit in sorted(live):
        for literal in whole.inputs(unit):
            edges[number[literal >> 1]].append(2 * number[unit] + (literal & 1))
            counts[number[unit]] += holds(literal)

    # The tables.
    pack = Pack(one.HEADER)
    header = pack.header
    for name, where in place.items():
        if isinstance(name, int):
            header[name] = where
    header[one.COUNTS] = 4 * place[one.COUNTS]
    header[one.PLAYERS], header[one.BASES], header[one.WORDS] = roles, bases, words
    header[one.SUMMARIES] = words_for(waiting)
    header[one.COUNTED], header[one.MOST] = int(counted), most
    header[one.INIT] = pack.words(state)
    header[one.FANS] = _fans(pack, edges, toggles)
    order = sorted((unit for unit in judging if unit >= whole.first), key=number.__getitem__)
    header[one.GOAL_GATES], header[one.GOAL_COUNT] = first_goal, len(order)
    header[one.GOAL_FANS] = _fans(
        pack,
        [[2 * number[literal >> 1] + (literal & 1) for literal in whole.inputs(u)] for u in order],
    )
    records: list[int] = []
    at = place["legal"]
    for player in range(roles):
        goals = [
            (value, literal if literal < 0 else 2 * number[literal >> 1] + (literal & 1))
            for value, literal in whole.goals[player]
            if literal != NEVER
        ]
        mask = bit_words(shut[player])
        flag = 1 + player if player < GUARDED_ROLES else 0
        records += [
            at,
            spans[player],
            pack.words(mask),
            flag,
            pack.halves(whole.does[player]),
            pack.words([part for pair in goals for part in pair]),
            len(goals),
        ]
        at += spans[player]
    header[one.ROLES] = pack.words(records)
    return Packed(pack, words)


def _fans(pack: Pack, *kinds: list[list[int]]) -> int:
    """For each unit and kind of list, where it begins; the lists themselves come first.

    The numbers are positions among the 32-bit numbers of the finished vector.
    """
    lists = [part for unit in zip(*kinds, strict=True) for part in unit]
    flat = [number for part in lists for number in part]
    begin = pack.halves(flat)
    sizes = np.array([0, *(len(part) for part in lists)], dtype=np.int64)
    return pack.halves((begin + np.cumsum(sizes)).tolist())
