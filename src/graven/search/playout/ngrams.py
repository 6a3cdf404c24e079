"""Sequences of plies that end with a move, and their places in a hash table: for NST and NPA.

A sequence is what was played in the plies before, by all who moved then, and a move of one player.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import CHANCE, SIMULTANEOUS, Rules
from graven.search.layout import Int64
from graven.search.tree import LENGTH, STEPS, Record, Tree

_ODD: Any = np.int64(-7046029254386353131)
_LOW: Any = np.int64(0x7FFFFFFFF)
_SALT: Any = np.int64(0x5851F42D4C957F2D)
_NOTHING: Any = np.int64(0)
FREE = 0  # in `keys`: a slot of the hash table that is not used


class NgramMemory(Protocol):
    """What these functions need of the memory of a playout policy."""

    @property
    def longest(self) -> int:
        """The plies of the longest sequences."""

    @property
    def keys(self) -> Int64:
        """[slot]: the key of a sequence, or FREE; a power of two long."""

    @property
    def plies(self) -> Int64:
        """[1]: the plies of the simulation so far."""

    @property
    def starts(self) -> Int64:
        """[ply]: where in the trace the ply begins."""


class Context(NamedTuple):
    """What was played before a ply: keys of the ply before, and of the two plies before."""

    longest: int  # plies of the longest sequences that end with the ply
    second: int
    third: int


@inlined
def mixed(key: int, part: int) -> int:
    """Return a key extended by one more part."""
    key = (key ^ (part + 1)) * _ODD
    return key ^ ((key >> 29) & _LOW)


@inlined
def key_of_plies(plies: int) -> int:
    """Return the key of so many plies in which nothing was played yet."""
    return _SALT * plies


@inlined
def begin_ply(memory: NgramMemory, at: int) -> None:
    """Note that a ply begins at this place of the trace."""
    memory.starts[memory.plies[0]] = at
    memory.plies[0] += 1


@inlined
def key_before(record: Record, memory: NgramMemory, ply: int, plies: int) -> int:
    """Return a key of all that was played in the `plies` plies before a ply."""
    key = key_of_plies(plies)
    for place in range(memory.starts[ply - plies], memory.starts[ply]):
        key = mixed(key, record.trace[place])
    return key


@inlined
def context_of(record: Record, memory: NgramMemory, ply: int) -> Context:
    """Return what was played before a ply."""
    longest = min(memory.longest, ply + 1)
    second = key_before(record, memory, ply, 1) if longest > 1 else _NOTHING
    third = key_before(record, memory, ply, 2) if longest > 2 else _NOTHING
    return Context(longest, second, third)


@inlined
def sequence_key(context: Context, length: int, single: int) -> int:
    """Return the key of the sequence of `length` plies that ends with a move."""
    return mixed(context.second if length == 2 else context.third, single)


@inlined
def slot_of(memory: NgramMemory, key: int) -> int:
    """Return the slot of a sequence in the hash table, or the one where it would be entered."""
    mask = len(memory.keys) - 1
    slot = key & mask
    while memory.keys[slot] != key and memory.keys[slot] != FREE:
        slot = (slot + 1) & mask
    return slot


@inlined
def note_ply(rules: Rules, record: Record, memory: NgramMemory, player: int) -> None:
    """Note the beginning of a ply if this is its first player."""
    if player == 0 or contract.turn(rules, record.state) != SIMULTANEOUS:
        begin_ply(memory, record.shape[LENGTH])


def note_forced_ply(
    rules: Rules, record: Record, memory: NgramMemory, player: int, move: int
) -> None:
    """Note the ply of a decisive move, which the policy has not chosen."""
    note_ply(rules, record, memory, player)


@inlined
def note_tree_plies(rules: Rules, tree: Tree, record: Record, memory: NgramMemory) -> None:
    """Begin a simulation: note the plies of its part in the tree."""
    memory.plies[0] = 0
    place = 0
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn == CHANCE:
            continue
        begin_ply(memory, place)
        place += rules.players if turn == SIMULTANEOUS else 1
