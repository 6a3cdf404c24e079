"""One step of a game that is played by proof: from a state and a joint move to the next state.

Everything about a position is written into its state (see the layout below), so that the rule
functions which only read it need no proof. Positions are memoised by the key of the position before
and the joint move: a search makes the same moves many times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Moves, State
from graven.core.rng import STEP as RNG_STEP
from graven.core.rng import mixed
from graven.gdl.proof import proof_kernel as kernel
from graven.gdl.proof import proof_memory as layout
from graven.gdl.proof.proof_memory import Int32, Int64, ProofCode, ProofMemory, ProofStatus

# The words of a state: the turn, the step, the key, the number of facts; for each role its goal,
# its number of legal moves and the offset of the first one; then the legal moves and the facts, two
# in a word.
TURN, STEP, KEY, FACTS, HEAD = range(5)
WORDS_PER_ROLE = 3
# What `limits` holds: the sizes of a state, and the steps of a match.
PLAYERS, LEGAL_AT, FACTS_AT, MAX_LEGAL, MAX_FACTS, MAX_STEPS, LIMITS = range(7)
# What `counts` holds: moves with a code, terms with a key, the phase of the current step, the key
# of the state whose facts the prover has, the entries of the memo, and their numbers.
CODED, KEYED, PHASE, CURRENT, ENTRIES, POOLED, COUNTS = range(7)
# Phases of a step.
BEGIN, NEXT_STATE, POSITION = range(3)
NO_STATE = -1
MASK = (1 << 63) - 1
FACT_SEED, STEP_SEED = 0x66616374, 0x73746570
"""The seeds of the keys of facts and steps."""


class StepTables(NamedTuple):
    """The moves and goals of a game, and the memo of positions."""

    limits: Int64  # (LIMITS,)
    counts: Int64  # (COUNTS,)
    roots: Int32  # the forms next, terminal, legal and goal
    roles: Int32  # the term of each role
    move_of: Int32  # [code]: the term
    code_of: Int32  # [term]: the code of a move, or -1
    goal_of: Int32  # [term]: the value of a goal, or -1
    key_of: Int64  # [term]: the key of a fact
    marks: Int64  # bits of codes, all 0 between two uses
    # the memo: a hash table of entries, each a part of `pool`
    memo_state: Int64  # the key of the position before, or NO_STATE
    memo_joint: Int64  # the joint move
    memo_first: Int32
    pool: Int32


@inlined
def _derived(seed: int, part: int) -> int:
    """Return `derive(seed, part)` without its highest bit."""
    word = np.uint64(seed) + np.uint64(part + 1) * RNG_STEP
    return int(np.int64(mixed(word) & np.uint64(MASK)))


@compiled
def position_key(state: State) -> int:
    """Return the key of a state's facts, without the step."""
    return (state[KEY] - _derived(STEP_SEED, state[STEP])) & MASK


@compiled
def _joint_key(tables: StepTables, state: State, joint: Moves) -> int:
    """Return the key of a joint move; only the moves of roles to move count."""
    key = 0
    for player in range(tables.limits[PLAYERS]):
        if state[TURN] == SIMULTANEOUS or state[TURN] == player:
            key = _derived(key, joint[player])
    return key


@compiled
def step(
    memory: ProofMemory,
    code: ProofCode,
    tables: StepTables,
    state: State,
    joint: Moves,
    pause: int,
) -> int:
    """Write the state after a joint move of the roles to move; other roles have one move.

    The status is that of `proof_kernel.run`; the step is continued by another call. After
    `begin_position`, write the position of the facts in `memory`.
    """
    counts = tables.counts
    if counts[PHASE] == BEGIN:
        if _recall(tables, state, joint):
            return ProofStatus.OK
        status = _set_moves(memory, tables, state, joint)
        if status != ProofStatus.OK:
            return status
        counts[PHASE] = NEXT_STATE
    if counts[PHASE] == NEXT_STATE:
        status = kernel.run(memory, code, pause)
        if status != ProofStatus.OK:
            return status
        count = memory.root_end[0]
        if count > len(memory.facts) or count > tables.limits[MAX_FACTS]:
            return ProofStatus.TOO_MANY_FACTS
        for i in range(count):
            memory.facts[i] = memory.out[i]
        begin_position(memory, tables, count)
    status = kernel.run(memory, code, pause)
    if status == ProofStatus.OK:
        status = _write_position(memory, tables, state, joint)
        counts[PHASE] = BEGIN
    return status


@compiled
def begin_position(memory: ProofMemory, tables: StepTables, facts: int) -> None:
    """Query the end, legal moves and goals of the position of the first facts in `memory`."""
    meta, players = memory.meta, tables.limits[PLAYERS]
    _sort(memory.facts, facts)
    meta[layout.STATE_FACTS] = facts
    meta[layout.CHANGED] = layout.OF_STATE
    meta[layout.JOINT] = 0
    memory.root_form[0] = tables.roots[1]
    for player in range(players):
        memory.root_form[1 + player] = tables.roots[2]
        memory.root_key[1 + player] = tables.roles[player]
        memory.root_form[1 + players + player] = tables.roots[3]
        memory.root_key[1 + players + player] = tables.roles[player]
    meta[layout.ROOT] = 0
    meta[layout.ROOTS] = 1 + 2 * players
    tables.counts[PHASE] = POSITION


@compiled
def _set_moves(memory: ProofMemory, tables: StepTables, state: State, joint: Moves) -> int:
    """Query the next state."""
    meta, numbers = memory.meta, state.view(np.int32)
    current = position_key(state)
    if current != tables.counts[CURRENT]:
        first = 2 * tables.limits[FACTS_AT]
        if state[FACTS] > len(memory.facts):
            meta[layout.NEEDED] = state[FACTS]
            return ProofStatus.NEED_FACTS
        for i in range(state[FACTS]):
            memory.facts[i] = numbers[first + i]
        meta[layout.STATE_FACTS] = state[FACTS]
        meta[layout.CHANGED] = layout.OF_STATE
        tables.counts[CURRENT] = current
    elif meta[layout.CHANGED] == layout.STATIC:
        meta[layout.CHANGED] = layout.OF_MOVE
    for player in range(tables.limits[PLAYERS]):
        if state[TURN] == SIMULTANEOUS or state[TURN] == player:
            move = joint[player]
        else:
            offset = state[HEAD + WORDS_PER_ROLE * player + 2]
            move = numbers[2 * tables.limits[LEGAL_AT] + offset]
        if move < 0 or move >= tables.counts[CODED]:
            return ProofStatus.BAD_MOVE
        memory.joint[2 * player] = tables.roles[player]
        memory.joint[2 * player + 1] = tables.move_of[move]
    meta[layout.JOINT] = 2 * tables.limits[PLAYERS]
    memory.root_form[0] = tables.roots[0]
    meta[layout.ROOT] = 0
    meta[layout.ROOTS] = 1
    return ProofStatus.OK


@compiled
def _sort(values: Int32, count: int) -> None:
    """Sort the first values (Shell sort with the gaps of Knuth 1973)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@compiled
def _write_position(memory: ProofMemory, tables: StepTables, state: State, joint: Moves) -> int:
    """Write the answers about a position into its state, and memoise them."""
    limits, counts, ends = tables.limits, tables.counts, memory.root_end
    players, numbers = limits[PLAYERS], state.view(np.int32)
    while counts[KEYED] < memory.terms.counts[0]:
        tables.key_of[counts[KEYED]] = _derived(FACT_SEED, counts[KEYED])
        counts[KEYED] += 1
    facts = memory.meta[layout.STATE_FACTS]
    key = 0
    for i in range(facts):
        key = (key + tables.key_of[memory.facts[i]]) & MASK
    before, joint_key = NO_STATE, 0
    if state[TURN] >= 0 or state[TURN] == SIMULTANEOUS:
        before, joint_key = position_key(state), _joint_key(tables, state, joint)
    # Legal moves, sorted by code.
    offset, choosers, chooser, stuck = 0, 0, 0, False
    first = 2 * limits[LEGAL_AT]
    for player in range(players):
        begin, end = ends[player], ends[player + 1]
        if offset + end - begin > limits[MAX_LEGAL]:
            return ProofStatus.TOO_MANY_LEGAL
        lowest, highest = len(tables.marks), -1
        for i in range(begin, end):
            move = tables.code_of[memory.out[i]]
            if move < 0:
                move = counts[CODED]
                if move >= len(tables.move_of):
                    return ProofStatus.TOO_MANY_MOVES
                tables.move_of[move] = memory.out[i]
                tables.code_of[memory.out[i]] = move
                counts[CODED] += 1
            tables.marks[move >> 6] |= 1 << (move & 63)
            lowest, highest = min(lowest, move >> 6), max(highest, move >> 6)
        at = HEAD + WORDS_PER_ROLE * player
        state[at + 1] = end - begin
        state[at + 2] = offset
        for word in range(lowest, highest + 1):
            bits = tables.marks[word]
            tables.marks[word] = 0
            place = 0
            while bits != 0:
                if bits & 1:
                    numbers[first + offset] = 64 * word + place
                    offset += 1
                bits = (bits >> 1) & MASK
                place += 1
        if end - begin > 1:
            choosers += 1
            chooser = player
        stuck |= end == begin
    for player in range(players):
        begin, end = ends[players + player], ends[players + player + 1]
        goal = 0
        for i in range(begin, end):
            goal = max(goal, tables.goal_of[memory.out[i]])
        state[HEAD + WORDS_PER_ROLE * player] = goal
    first = 2 * limits[FACTS_AT]
    for i in range(facts):
        numbers[first + i] = memory.facts[i]
    state[FACTS] = facts
    turn = chooser if choosers == 1 else 0
    if choosers > 1:
        turn = SIMULTANEOUS
    if ends[0] > 0 or stuck:
        turn = TERMINAL
    counts[CURRENT] = key
    if before != NO_STATE:
        _remember(tables, state, before, joint_key, turn, key, offset)
    _enter(tables, state, turn, key)
    return ProofStatus.OK


@compiled
def _enter(tables: StepTables, state: State, turn: int, key: int) -> None:
    """Set the turn, the step and the key of the position that follows a state."""
    state[STEP] += 1
    state[KEY] = (key + _derived(STEP_SEED, state[STEP])) & MASK
    state[TURN] = TERMINAL if state[STEP] >= tables.limits[MAX_STEPS] else turn


@inlined
def _memo_slot(tables: StepTables, before: int, joint_key: int) -> int:
    """Return the place of an entry in the memo, or the free one where it belongs."""
    mask = len(tables.memo_state) - 1
    slot = (before ^ joint_key) & mask
    while tables.memo_state[slot] != NO_STATE and (
        tables.memo_state[slot] != before or tables.memo_joint[slot] != joint_key
    ):
        slot = (slot + 1) & mask
    return slot


@compiled
def _remember(
    tables: StepTables,
    state: State,
    before: int,
    joint_key: int,
    turn: int,
    key: int,
    legal: int,
) -> None:
    """Add a position to the memo, which is emptied when it is full."""
    counts, pool, players = tables.counts, tables.pool, tables.limits[PLAYERS]
    size = 4 + 2 * players + legal + state[FACTS]
    if size > len(pool):
        return
    if 2 * counts[ENTRIES] >= len(tables.memo_state) or counts[POOLED] + size > len(pool):
        tables.memo_state[:] = NO_STATE
        counts[ENTRIES] = 0
        counts[POOLED] = 0
    slot = _memo_slot(tables, before, joint_key)
    at = counts[POOLED]
    tables.memo_state[slot] = before
    tables.memo_joint[slot] = joint_key
    tables.memo_first[slot] = at
    counts[ENTRIES] += 1
    counts[POOLED] += size
    pool[at] = turn
    pool[at + 1] = state[FACTS]
    pool[at + 2] = key >> 32
    pool[at + 3] = key & 0xFFFFFFFF
    at += 4
    for player in range(players):
        pool[at] = state[HEAD + WORDS_PER_ROLE * player]
        pool[at + 1] = state[HEAD + WORDS_PER_ROLE * player + 1]
        at += 2
    numbers = state.view(np.int32)
    for i in range(legal):
        pool[at + i] = numbers[2 * tables.limits[LEGAL_AT] + i]
    at += legal
    for i in range(state[FACTS]):
        pool[at + i] = numbers[2 * tables.limits[FACTS_AT] + i]


@compiled
def _recall(tables: StepTables, state: State, joint: Moves) -> bool:
    """Write the next state if it is in the memo; return whether it is."""
    before, joint_key = position_key(state), _joint_key(tables, state, joint)
    slot = _memo_slot(tables, before, joint_key)
    if tables.memo_state[slot] == NO_STATE:
        return False
    pool, at, numbers = tables.pool, tables.memo_first[slot], state.view(np.int32)
    turn, facts = pool[at], pool[at + 1]
    key = (int(pool[at + 2]) << 32) | (int(pool[at + 3]) & 0xFFFFFFFF)
    at += 4
    offset = 0
    for player in range(tables.limits[PLAYERS]):
        state[HEAD + WORDS_PER_ROLE * player] = pool[at]
        state[HEAD + WORDS_PER_ROLE * player + 1] = pool[at + 1]
        state[HEAD + WORDS_PER_ROLE * player + 2] = offset
        offset += pool[at + 1]
        at += 2
    for i in range(offset):
        numbers[2 * tables.limits[LEGAL_AT] + i] = pool[at + i]
    at += offset
    for i in range(facts):
        numbers[2 * tables.limits[FACTS_AT] + i] = pool[at + i]
    state[FACTS] = facts
    _enter(tables, state, turn, key)
    return True
