"""Stored traces of simulations: few bits for each move.

A trace entry is player * codes + move. With at most MOST_BYTE_CODES of them, as in most games, a
stored trace has the low 8 bits of each entry as a byte, and before them the bits above as planes:
bit 8 of all entries, eight of them in each byte, then bit 9. With more, an entry takes two bytes,
or four.
"""

from __future__ import annotations

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.vectors import BYTE, pack_codes, unpack_codes
from graven.search.layout import UInt32
from graven.search.tree import LENGTH, MOST_BYTE_CODES, TRACED, Record, Tree, place_words
from graven.search.tree_nodes import in_words

BYTE_CODES = 1 << BYTE


@inlined
def planes_of(rules: Rules) -> int:
    """Return how many bits of an entry are stored as planes."""
    codes = rules.players * rules.num_codes
    if codes > MOST_BYTE_CODES:
        return 0
    return int(codes > BYTE_CODES) + int(codes > 2 * BYTE_CODES)


@inlined
def stored_size(rules: Rules, length: int) -> int:
    """Return the units of `traces` that a trace takes."""
    return length + planes_of(rules) * ((length + BYTE - 1) // BYTE)


@inlined
def stored_length(rules: Rules, size: int) -> int:
    """Return the length of a trace that takes so many units."""
    planes = planes_of(rules)
    if planes == 0:
        return size
    # Division by a constant is faster.
    blocks = size // (BYTE + 1) if planes == 1 else size // (BYTE + 2)
    return BYTE * blocks + max(0, size - blocks * (BYTE + planes) - planes)


@inlined
def write_trace(rules: Rules, tree: Tree, record: Record) -> int:
    """Store the trace of the record after all others; return the units that it takes."""
    start, length = tree.meta[TRACED], record.shape[LENGTH]
    codes = rules.players * rules.num_codes
    trace = record.trace
    if codes > MOST_BYTE_CODES:
        if codes <= 1 << 16:
            pairs = tree.traces.view(np.uint16)[start : start + length]
            for i in range(length):
                pairs[i] = trace[i]
        else:
            fours = tree.traces.view(np.uint32)[start : start + length]
            for i in range(length):
                fours[i] = trace[i]
        return length
    pack_codes(trace, length, planes_of(rules), tree.traces, start)
    return stored_size(rules, length)


@inlined
def read_trace(rules: Rules, tree: Tree, simulation: int, place: int, reread: UInt32) -> int:
    """Copy a stored trace to a half of `tree.reread`, from a place on; return its length."""
    start = tree.trace_start[simulation]
    size = tree.trace_start[simulation + 1] - start
    codes = rules.players * rules.num_codes
    if codes > MOST_BYTE_CODES:
        if codes <= 1 << 16:
            pairs = tree.traces.view(np.uint16)[start : start + size]
            for i in range(place, size):
                reread[i] = pairs[i]
        else:
            fours = tree.traces.view(np.uint32)[start : start + size]
            for i in range(place, size):
                reread[i] = fours[i]
        return size
    length = stored_length(rules, size)
    unpack_codes(tree.traces, start, length, planes_of(rules), place, reread)
    return length


@inlined
def write_place(rules: Rules, tree: Tree, link: int, place: int) -> None:
    """Store the place of a link's node in the trace."""
    if place_words(rules) == 1:
        tree.link_at[link] = place
    else:
        in_words(tree.link_at)[link] = place


@inlined
def read_place(rules: Rules, tree: Tree, link: int) -> int:
    """Return the place of a link's node in the trace."""
    return int(tree.link_at[link] if place_words(rules) == 1 else in_words(tree.link_at)[link])


@inlined
def half_of(tree: Tree, number: int) -> UInt32:
    """Return a half of the memory that stored traces are read to: that of number 0 or 1."""
    half = len(tree.reread) // 2
    return tree.reread[number * half : (number + 1) * half]
