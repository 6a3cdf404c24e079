"""The log of finished simulations that the threads of a search exchange (`parallel=sync`).

Each thread writes a stream of words, one simulation after another, and every other thread reads it
from its beginning to its end. A thread has two streams, for rounds with an even and with an odd
number, so that it can write while others still read what it wrote in the round before.

A simulation in the stream:

    shape            edges taken, nodes on the path, length of the trace: see `shape_word`
    size             words before the trace, and the length of the trace when the playout began
    scores           of each player
    for each edge taken, from the root on (in a second level, see `two_levels`, up to its leaf):
        choice       of each player to move, or of chance: which of the node's edges, and its move
                     or outcome, in one word; the first one says which of the following there are
        odds         of each of them, at simultaneous moves with `rules.regrets`
        list         the node's moves, or outcomes and their probabilities, if the thread has listed
                     them since its last simulation
        key, turn    of the node that the edge leads to, if other threads may not have that node
        value        of the leaf of a second level, if moves have minimax values: that of the edge
    trace            if `whole`: player * codes + move, ply after ply, two in a word

Streams are read once and in order, which processors foresee: a word that another core has written
takes as long as a short playout to arrive otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from graven.core.atomics import LINE_WORDS, own_lines
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.core.handles import Handle
from graven.core.status import Status
from graven.search.layout import Float64, Int32, Int64, UInt32
from graven.search.tree import (
    BEGUN,
    DEPTH,
    EDGES,
    LENGTH,
    NONE,
    STEPS,
    Record,
    Tree,
    depth_capacity,
    trace_capacity,
)
from graven.search.tree_nodes import choosers, clear_edges, note_joint_moves, read_list

# Entries of `position`. The round; until how many simulations of the search are done the thread
# simulates in it, or 0 before it knows; and whether it has done so. Writing: the simulations logged
# in the round, the words written, and the first edge whose list is not logged. Reading: the thread
# whose stream is read, the simulations of it that have been added, and the words read.
# BRIEF: whether the round is a brief one, see `rounds`. AHEAD: how many threads are assumed to be
# ahead of this one on the path of its descent, see `virtual_loss`. HELD: whether the tree waits for
# memory, so that no other thread may advance it. ENDED: whether the thread makes no more rounds.
# LEAF_DEPTH: the nodes on the path to the leaf of the second level, or 0, see `two_levels`.
# UNLISTED_MOVES: the first place in the tree's lists whose list is not logged, see `few_edges`.
ROUND, UNTIL, SIMULATED, LOGGED, WRITTEN, UNLISTED, SOURCE, ADDED, READ = range(9)
BRIEF, AHEAD, HELD, ENDED, LEAF_DEPTH, UNLISTED_MOVES, POSITIONS = range(9, 16)

# How many threads are assumed to be ahead at most, see `virtual_loss`.
MOST_AHEAD = 7

# In the first word of a choice: whether a list, a key and a value follow.
LISTED, KEYED, VALUED = 1, 2, 4
_NUMBER, _MOVE = 3, 32  # the places of the edge's number and of the move in the word
_DEPTH, _LENGTH = 20, 40  # the places of the nodes on the path and of the length in `shape_word`
_BEGUN = 32  # the place of the length when the playout began in `size_word`


class RecordLog(NamedTuple):
    """The streams of all threads, as one of them sees them.

    Half `round & 1` of the stream of a thread begins at `stream_start`. The arrays `words`,
    `reals`, `signed` and `codes` are the same memory.
    """

    thread: int
    threads: int
    slots: int  # the most simulations of a thread in a round
    most_words: int  # the most words of a simulation without lists
    stride: int  # the words of a stream
    active: int  # whether finished simulations are logged
    whole: int  # whether with their traces, for playouts that learn
    traced: int  # whether with their traces in complete rounds, for AMAF tables
    every_key: int  # whether keys are logged for edges that have been taken before
    position: Int64  # of this thread, see above
    words: Int64
    reals: Float64
    signed: Int32  # two entries for each word
    codes: UInt32
    # What a playout leaves in the policy's memory for `learn`: see `PlayoutVariant.playout_fields`.
    block: Int64  # this thread's block of the memory, see `core.handles`
    fields: Int64  # [i]: where in the block the address of such an array is
    addresses: Int64  # [place * len(fields) + i]: the address of the array of each simulation


_INTS = types.Array(types.int64, 1, "C")
RECORD_LOG = types.NamedTuple(
    [types.int64] * 9
    + [_INTS] * 2
    + [
        types.Array(types.float64, 1, "C"),
        types.Array(types.int32, 1, "C"),
        types.Array(types.uint32, 1, "C"),
    ]
    + [_INTS] * 3,
    RecordLog,
)


@inlined
def stream_start(log: RecordLog, thread: int) -> int:
    """Return where the stream of a thread in the current round begins."""
    return ((log.position[ROUND] & 1) * log.threads + thread) * log.stride


@inlined
def place_of(log: RecordLog, thread: int, simulation: int) -> int:
    """Return the place of the arrays of a simulation's playout in the current round."""
    half = log.position[ROUND] & 1
    return (half * log.threads + thread) * log.slots + simulation


@inlined
def use_memory_of(log: RecordLog, place: int) -> None:
    """Let the policy's memory have the arrays in which the playout at this place is, or will be."""
    fields = len(log.fields)
    for i in range(fields):
        log.block[log.fields[i]] = log.addresses[place * fields + i]


@inlined
def has_trace(log: RecordLog) -> bool:
    """Return whether the simulations of this round are logged with their traces."""
    return log.whole != 0 or (log.traced != 0 and log.position[BRIEF] == 0)


@inlined
def threads_ahead(log: RecordLog) -> int:
    """Return how many threads are assumed to descend before this one."""
    return 0 if log.position[BRIEF] else min(log.thread, MOST_AHEAD)


@inlined
def may_pass(log: RecordLog) -> bool:
    """Return whether a thread ahead is assumed to have added a node; it is no longer ahead then."""
    if not log.active or log.position[AHEAD] == 0:
        return False
    log.position[AHEAD] -= 1
    return True


# Words.


@inlined
def shape_word(steps: int, depth: int, length: int) -> int:
    """Return the word for edges taken, nodes on the path and the length of the trace."""
    return steps | depth << _DEPTH | length << _LENGTH


@inlined
def shape_of(word: int) -> tuple[int, int, int]:
    """Return what `shape_word` has packed."""
    mask = (1 << _DEPTH) - 1
    return word & mask, (word >> _DEPTH) & mask, word >> _LENGTH


@inlined
def size_word(size: int, begun: int) -> int:
    """Return the word for the words before the trace and its length when the playout began."""
    return size | begun << _BEGUN


@inlined
def size_of(word: int) -> tuple[int, int]:
    """Return what `size_word` has packed."""
    return word & ((1 << _BEGUN) - 1), word >> _BEGUN


@inlined
def choice_word(number: int, move: int) -> int:
    """Return the word for an edge of a node: its number among them and its move."""
    return number << _NUMBER | move << _MOVE


@inlined
def choice_of(word: int) -> tuple[int, int]:
    """Return what `choice_word` has packed."""
    return (word & ((1 << _MOVE) - 1)) >> _NUMBER, word >> _MOVE


@inlined
def list_words(rules: Rules, count: int) -> int:
    """Return the words of a player's moves in a list, without their number."""
    words = (count + 1) // 2
    if rules.feature:
        words += (count + 1) // 2
    if rules.prior:
        words += count
    if rules.implicit:
        words += count
    if rules.chance:
        words += count
    return words


# Writing.


@inlined
def append(rules: Rules, tree: Tree, record: Record, log: RecordLog) -> None:
    """Log a finished simulation."""
    players, words, position = rules.players, log.words, log.position
    steps, depth, length = record.shape[STEPS], record.shape[DEPTH], record.shape[LENGTH]
    leaf_depth = position[LEAF_DEPTH]
    if leaf_depth:
        depth, steps = leaf_depth, min(steps, leaf_depth)
    start = stream_start(log, log.thread)
    begin = start + position[WRITTEN]
    at = begin
    # Lists may fill what the simulations that may follow do not need.
    end = start + log.stride - (log.slots - position[LOGGED]) * log.most_words
    words[at] = shape_word(steps, depth, length)
    at += 2
    for player in range(players):
        log.reals[at + player] = record.scores[player]
    at += players
    for step in range(steps):
        node = record.path[step]
        turn = tree.turns[node]
        low, high = choosers(turn, players)
        choice = at
        for mover in range(low, high):
            edge = record.edges[step * players + mover]
            first = tree.first[node * players + mover]
            words[at] = choice_word(edge - first, tree.moves[edge])
            at += 1
        if rules.regrets and turn == SIMULTANEOUS:
            for mover in range(low, high):
                log.reals[at] = record.odds[step * players + mover]
                at += 1
        if position[BRIEF] == 0 and is_unlisted(rules, tree, log, node, low):
            size = 0
            for mover in range(low, high):
                size += 1 + list_words(rules, moves_of(rules, tree, node, mover))
            if at + size <= end:
                words[choice] |= LISTED
                at = write_list(rules, tree, log, node, low=low, high=high, at=at)
                if has_list(rules, tree, node):
                    position[UNLISTED_MOVES] = tree.listed_at[node] + 1
                else:
                    last = node * players + high - 1
                    position[UNLISTED] = tree.first[last] + tree.degree[last]
        child = NONE
        if turn == SIMULTANEOUS:
            child = record.path[step + 1] if step + 1 < depth else NONE
        else:
            edge = record.edges[step * players + low]
            if position[BRIEF]:
                proves = step + 1 < depth and tree.turns[record.path[step + 1]] == TERMINAL
                if rules.score_bounds and proves:
                    child = tree.children[edge]
            elif step + 1 != leaf_depth and (log.every_key or tree.counts[edge] <= 1):
                child = tree.children[edge]
        if child != NONE:
            words[choice] |= KEYED
            words[at] = tree.keys[child]
            words[at + 1] = tree.turns[child]
            at += 2
        if rules.implicit and step + 1 == leaf_depth and turn >= 0:
            words[choice] |= VALUED
            log.reals[at] = tree.implicit[record.edges[step * players + low]]
            at += 1
    words[begin + 1] = size_word(at - begin, record.shape[BEGUN])
    if has_trace(log):
        codes = log.codes[2 * at : 2 * at + length]
        for i in range(length):
            codes[i] = record.trace[i]
        at += (length + 1) // 2
    position[WRITTEN] = at - start
    position[LOGGED] += 1
    if position[LOGGED] < log.slots:
        use_memory_of(log, place_of(log, log.thread, position[LOGGED]))


@inlined
def has_list(rules: Rules, tree: Tree, node: int) -> bool:
    """Return whether a node has a list of its moves, and edges for some of them only."""
    return rules.few_edges != 0 and tree.listed_at[node] != NONE


@inlined
def is_unlisted(rules: Rules, tree: Tree, log: RecordLog, node: int, low: int) -> bool:
    """Return whether other threads may not know the moves of a node that has been listed."""
    if has_list(rules, tree, node):
        return tree.listed_at[node] >= log.position[UNLISTED_MOVES]
    return tree.first[node * rules.players + low] >= log.position[UNLISTED]


@inlined
def moves_of(rules: Rules, tree: Tree, node: int, mover: int) -> int:
    """Return how many moves a player has at a node whose moves have been listed."""
    if has_list(rules, tree, node):
        return read_list(rules, tree, tree.listed_at[node])
    return tree.degree[node * rules.players + mover]


@inlined
def write_list(
    rules: Rules, tree: Tree, log: RecordLog, node: int, low: int, high: int, at: int
) -> int:
    """Write the moves of players low..high-1 at a node; return where the next word is written."""
    for mover in range(low, high):
        first = tree.first[node * rules.players + mover]
        count = moves_of(rules, tree, node, mover)
        log.words[at] = count
        at += 1
        target = log.signed[2 * at : 2 * at + count]
        if has_list(rules, tree, node):
            for i in range(count):
                target[i] = read_list(rules, tree, tree.listed_at[node] + 1 + i)
        else:
            source = tree.moves[first : first + count]
            for i in range(count):
                target[i] = source[i]
        at += (count + 1) // 2
        if rules.feature:
            for i in range(count):
                log.codes[2 * at + i] = tree.codes[first + i]
            at += (count + 1) // 2
        if rules.prior:
            for i in range(count):
                log.reals[at + i] = tree.priors[first + i]
            at += count
        if rules.implicit:
            for i in range(count):
                log.reals[at + i] = tree.implicit[first + i]
            at += count
        if rules.chance:
            for i in range(count):
                log.reals[at + i] = tree.chances[first + i]
            at += count
    return at


# Reading.


@inlined
def skip_list(rules: Rules, log: RecordLog, movers: int, at: int) -> int:
    """Return where a list of so many players ends."""
    for _ in range(movers):
        at += 1 + list_words(rules, log.words[at])
    return at


@inlined
def copy_list(
    rules: Rules, tree: Tree, log: RecordLog, node: int, low: int, high: int, at: int
) -> int:
    """Give a node the moves of a list; return NEED_EDGES if there is no space for them."""
    edges = tree.meta[EDGES]
    if edges + (high - low) * rules.max_moves > len(tree.moves):
        return Status.NEED_EDGES
    for mover in range(low, high):
        count = log.words[at]
        at += 1
        tree.first[node * rules.players + mover] = edges
        tree.degree[node * rules.players + mover] = count
        moves, children = tree.moves[edges : edges + count], tree.children[edges : edges + count]
        source = log.signed[2 * at : 2 * at + count]
        for i in range(count):
            moves[i] = source[i]
        for i in range(count):
            children[i] = NONE
        at += (count + 1) // 2
        if rules.feature:
            for i in range(count):
                tree.codes[edges + i] = log.codes[2 * at + i]
            at += (count + 1) // 2
        if rules.prior:
            for i in range(count):
                tree.priors[edges + i] = log.reals[at + i]
            at += count
        if rules.implicit:
            for i in range(count):
                tree.implicit[edges + i] = log.reals[at + i]
            at += count
        if rules.chance:
            for i in range(count):
                tree.chances[edges + i] = log.reals[at + i]
            at += count
        clear_edges(tree, edges, count)
        edges += count
    tree.meta[EDGES] = edges
    if rules.score_bounds and tree.turns[node] == SIMULTANEOUS:
        note_joint_moves(rules.players, tree, node)
    return Status.OK


def no_log() -> RecordLog:
    """Return a log that is not used."""
    nothing = np.zeros(POSITIONS, np.int64)
    return RecordLog(
        thread=0,
        threads=1,
        slots=0,
        most_words=0,
        stride=0,
        active=0,
        whole=0,
        traced=0,
        every_key=0,
        position=nothing,
        words=nothing,
        reals=np.zeros(1, np.float64),
        signed=np.zeros(1, np.int32),
        codes=np.zeros(1, np.uint32),
        block=nothing,
        fields=nothing,
        addresses=nothing,
    )


class SharedLog:
    """The memory of the streams of all threads.

    `memory` is the playout policy's memory and `fields` those of its arrays that a playout leaves
    for `learn`: every simulation of a round has its own.
    """

    def __init__(
        self, rules: Rules, threads: int, slots: int, memory: Handle, fields: tuple[str, ...]
    ) -> None:
        self.threads, self.slots = threads, slots
        self.most_words = most_words(rules)
        stride = slots * (self.most_words + longest_list(rules))
        self.stride = -(-stride // LINE_WORDS) * LINE_WORDS
        self.words: Int64 = own_lines(2 * threads * self.stride, np.int64)
        self.fields = np.array(memory.places_of(fields), np.int64)
        self._arrays = [
            own_lines(getattr(memory.record, field).size, getattr(memory.record, field).dtype)
            for _ in range(2 * threads * slots)
            for field in fields
        ]
        self.addresses = np.array([array.ctypes.data for array in self._arrays], np.int64)

    def of_thread(
        self,
        thread: int,
        position: Int64,
        memory: Handle,
        *,
        whole: bool,
        traced: bool,
        every_key: bool,
    ) -> RecordLog:
        """Return the streams as a thread with this memory sees them."""
        return RecordLog(
            thread=thread,
            threads=self.threads,
            slots=self.slots,
            most_words=self.most_words,
            stride=self.stride,
            active=1,
            whole=int(whole),
            traced=int(traced),
            every_key=int(every_key),
            position=position,
            words=self.words,
            reals=self.words.view(np.float64),
            signed=self.words.view(np.int32),
            codes=self.words.view(np.uint32),
            block=memory.words,
            fields=self.fields,
            addresses=self.addresses,
        )


def most_words(rules: Rules) -> int:
    """Return the most words of a simulation, without lists."""
    choices = rules.players * (2 if rules.regrets else 1)
    path = depth_capacity(rules) * (choices + 2)
    return 2 + rules.players + path + (trace_capacity(rules) + 1) // 2


def longest_list(rules: Rules) -> int:
    """Return the words of the longest list of a node's moves."""
    return rules.players * (1 + int(list_words.py_func(rules, rules.max_moves)))  # type: ignore[attr-defined]


def log_bytes(rules: Rules, memory: Handle, fields: tuple[str, ...]) -> int:
    """Return how much memory a simulation may take in the log."""
    arrays = sum(getattr(memory.record, field).nbytes for field in fields)
    return arrays + 8 * (most_words(rules) + longest_list(rules))
