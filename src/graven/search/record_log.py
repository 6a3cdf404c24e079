"""The log of finished simulations that the threads of a search exchange (`parallel=sync`).

All threads share the arrays; each writes only its own part, one half in rounds with an even number
and the other half in rounds with an odd one, so that a thread can write while others still read
what it wrote in the round before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core.atomics import LINE_WORDS, own_lines
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.core.handles import Handle
from graven.search.layout import Float64, Int64, UInt32
from graven.search.tree import DEPTH, LENGTH, STEPS, Record, Tree, trace_capacity

# Entries of `position`: the round, and the simulations that the thread has logged in it.
ROUND, LOGGED = range(2)

NO_KEY = 0  # where simultaneous moves lead out of the tree


class RecordLog(NamedTuple):
    """The logs of all threads, as one of them sees them.

    A place is ((round & 1) * threads + thread) * slots + simulation.
    """

    thread: int
    threads: int
    slots: int  # the most simulations of a thread in a round
    active: int  # whether finished simulations are logged
    whole: int  # whether with the moves of their playouts, for playouts that learn
    position: Int64  # of this thread, see above
    in_tree: Int64  # [place]: entries of the trace that were chosen in the tree
    lengths: Int64  # [place]: entries of the trace
    traces: UInt32  # [place * trace_capacity + i]: player * codes + move
    edges: UInt32  # [place * trace_capacity + i]: which of the node's edges, in the tree
    keys: Int64  # [place * trace_capacity + i]: of the node after simultaneous moves up to i
    scores: Float64  # [place * players + player]
    odds: Float64  # [place * trace_capacity + i]: an edge's probability, at simultaneous moves
    # What a playout leaves in the policy's memory for `learn`: see `PlayoutVariant.playout_fields`.
    block: Int64  # this thread's block of the memory, see `core.handles`
    fields: Int64  # [i]: where in the block the address of such an array is
    addresses: Int64  # [place * len(fields) + i]: the address of the array of each simulation


_INTS = types.Array(types.int64, 1, "C")
_UINTS = types.Array(types.uint32, 1, "C")
RECORD_LOG = types.NamedTuple(
    [types.int64] * 5
    + [_INTS] * 3
    + [_UINTS] * 2
    + [_INTS]
    + [types.Array(types.float64, 1, "C")] * 2
    + [_INTS] * 3,
    RecordLog,
)


@inlined
def place_of(log: RecordLog, thread: int, simulation: int) -> int:
    """Return the place of a simulation of a thread in the current round."""
    half = log.position[ROUND] & 1
    return (half * log.threads + thread) * log.slots + simulation


@inlined
def use_memory_of(log: RecordLog, place: int) -> None:
    """Let the policy's memory have the arrays in which the playout at this place is, or will be."""
    fields = len(log.fields)
    for i in range(fields):
        log.block[log.fields[i]] = log.addresses[place * fields + i]


@inlined
def append(rules: Rules, tree: Tree, record: Record, log: RecordLog) -> None:
    """Log a finished simulation."""
    place, players = place_of(log, log.thread, log.position[LOGGED]), rules.players
    start, entry = place * len(record.trace), place * len(record.trace)
    for depth in range(record.shape[STEPS]):
        node = record.path[depth]
        turn = tree.turns[node]
        if turn != SIMULTANEOUS:
            edge = record.edges[depth * players + turn]
            log.edges[entry] = edge - tree.first[node * players + turn]
            entry += 1
        else:
            for player in range(players):
                edge = record.edges[depth * players + player]
                log.edges[entry] = edge - tree.first[node * players + player]
                if rules.regrets:
                    log.odds[entry] = record.odds[depth * players + player]
                entry += 1
            entered = depth + 1 < record.shape[DEPTH]
            log.keys[entry - 1] = tree.keys[record.path[depth + 1]] if entered else NO_KEY
    log.in_tree[place] = entry - start
    log.lengths[place] = record.shape[LENGTH]
    for i in range(record.shape[LENGTH] if log.whole else entry - start):
        log.traces[start + i] = record.trace[i]
    for player in range(players):
        log.scores[place * players + player] = record.scores[player]
    log.position[LOGGED] += 1
    if log.position[LOGGED] < log.slots:
        use_memory_of(log, place + 1)


def no_log() -> RecordLog:
    """Return a log that is not used."""
    nothing = np.zeros(1, np.int64)
    return RecordLog(
        thread=0,
        threads=1,
        slots=0,
        active=0,
        whole=0,
        position=nothing,
        in_tree=nothing,
        lengths=nothing,
        traces=np.zeros(1, np.uint32),
        edges=np.zeros(1, np.uint32),
        keys=nothing,
        scores=np.zeros(1, np.float64),
        odds=np.zeros(1, np.float64),
        block=nothing,
        fields=nothing,
        addresses=nothing,
    )


class SharedLog:
    """The memory of the logs of all threads.

    `memory` is the playout policy's memory and `fields` those of its arrays that a playout leaves
    for `learn`: every simulation of a round has its own.
    """

    def __init__(
        self, rules: Rules, threads: int, slots: int, memory: Handle, fields: tuple[str, ...]
    ) -> None:
        places = 2 * threads * slots
        self.threads, self.slots = threads, slots
        self.in_tree = np.zeros(places, np.int64)
        self.lengths = np.zeros(places, np.int64)
        self.traces, self.edges = (
            own_lines(places * trace_capacity(rules), np.uint32) for _ in range(2)
        )
        self.odds = own_lines(places * trace_capacity(rules) * rules.regrets, np.float64)
        self.keys = own_lines(places * trace_capacity(rules), np.int64)
        self.scores = np.zeros(places * rules.players)
        self.fields = np.array(memory.places_of(fields), np.int64)
        self._arrays = [
            own_lines(getattr(memory.record, field).size, getattr(memory.record, field).dtype)
            for _ in range(places)
            for field in fields
        ]
        self.addresses = np.array([array.ctypes.data for array in self._arrays], np.int64)

    def of_thread(self, thread: int, position: Int64, memory: Handle, *, whole: bool) -> RecordLog:
        """Return the logs as a thread with this memory sees them."""
        return RecordLog(
            thread=thread,
            threads=self.threads,
            slots=self.slots,
            active=1,
            whole=int(whole),
            position=position,
            in_tree=self.in_tree,
            lengths=self.lengths,
            traces=self.traces,
            edges=self.edges,
            keys=self.keys,
            scores=self.scores,
            odds=self.odds,
            block=memory.words,
            fields=self.fields,
            addresses=self.addresses,
        )


def log_bytes(rules: Rules, memory: Handle, fields: tuple[str, ...]) -> int:
    """Return how much memory one place of the log takes, about."""
    arrays = sum(getattr(memory.record, field).nbytes for field in fields)
    return arrays + 4 * trace_capacity(rules) + 8 * (rules.players + LINE_WORDS)
