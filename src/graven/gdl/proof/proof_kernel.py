"""The prover's machine: it evaluates goals of compiled clauses and memoises their answers.

A query form is a relation of which some arguments are bound; with values for these it is a goal.
The answers of a goal are the values of its free arguments. Facts are goals that are complete from
the start, facts of the state and moves become such goals when they are first asked for. All other
goals are evaluated once, clause by clause (see `clause_code`), and remembered until what they
depend on changes: each lifetime has an epoch, and goals of an earlier one are evaluated again.

Goals of a strongly connected component of relations are tabled, as in SLG resolution: a goal that
is already being evaluated has its answers so far, and the leader, the first goal of its component,
is evaluated in rounds until a fixpoint. Negation is stratified, so that it does not occur within a
component, and answers are only ever added.

A clause is a list of instructions. An instruction that fails continues at its `fail` address, the
next answer of the loop before it. Frames are goals under evaluation, on a stack of their own:
nothing recurses. Where memory is missing the kernel returns before the instruction has changed
anything, and the instruction is then repeated.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import mix
from graven.core.compile import compiled, inlined

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class ProofStatus(IntEnum):
    """How a kernel ended."""

    OK = 0
    PAUSED = 1
    NEED_MEMORY = 2
    NEED_FORM = 3
    TOO_MANY_WORDS = 4
    # Of a step of a game, see `proof_step`.
    NEED_FACTS = 5
    BAD_MOVE = 6
    TOO_MANY_FACTS = 7
    TOO_MANY_LEGAL = 8
    TOO_MANY_MOVES = 9


# Kinds of query forms; an UNKNOWN one has to be compiled when it is first needed.
UNKNOWN, FACTS, TRUE, DOES, CLAUSES = range(5)
# What the answers of a form depend on.
STATIC, OF_STATE, OF_MOVE, LIFETIMES = range(4)
# The status of a goal.
NEW, ACTIVE, COMPLETE = range(3)
# Instructions; `run` and `clause_code` document their operands.
LOOP, NEXT, IF, UNLESS, EQUAL, DIFFER, UNPACK, BUILD, REPORT = range(9)
# What `meta` holds: counts, the answers and values of static goals, the answers that have left the
# hash table, what has changed (a lifetime), how many rows are needed, and the form or term that a
# status is about.
(
    GOALS,
    KEYS,
    ANSWERS,
    VALUES,
    FRAMES,
    TOP,
    STATE_FACTS,
    JOINT,
    ROOTS,
    ROOT,
    STATIC_ANSWERS,
    STATIC_VALUES,
    CLEARED,
    CHANGED,
    NEEDED,
    SUBJECT,
    META,
) = range(17)
# What `resolve` returns instead of a goal.
NO_ANSWER, PUSHED, FULL, NOT_COMPILED = -1, -2, -3, -4
LEADER = 2
"""In `frame_used`: the frame is a leader's."""
MAX_WORDS = 10_000
"""The maximum number of words of a term: subterms are shared in memory, but repeated in text."""


class TermArrays(NamedTuple):
    """All ground terms: a constant has no parts, a function its name and its arguments."""

    counts: Int64  # (2,) terms and parts
    first: Int32
    size: Int32
    words: Int32  # in its text
    parts: Int32
    slots: Int32  # hash table of functions: number + 1, or 0


class ProofMemory(NamedTuple):
    """Goals, answers, and the stack of an evaluation."""

    meta: Int64
    epochs: Int64  # (LIFETIMES,)
    terms: TermArrays
    key: Int32  # scratch: the bound values of a goal, the parts of a term
    # goals
    goal_form: Int32
    goal_key: Int32  # where its bound values start in `keys`
    goal_status: Int8
    goal_epoch: Int64
    goal_stamp: Int64  # differs each time it is evaluated anew
    goal_head: Int32  # its first answer, or -1
    goal_tail: Int32
    goal_count: Int32  # answers; of a goal without free arguments 1 if it is proved
    goal_round: Int32
    goal_link: Int32  # the next goal of its component's tables, or -1
    goal_slots: Int32  # hash table: number + 1, or 0
    keys: Int32
    # answers
    answer_first: Int32  # where its values start
    answer_next: Int32  # or -1
    answer_goal: Int32
    answer_stamp: Int64
    answer_slot: Int32  # its place in the hash table, or -1
    answer_slots: Int32  # hash table of the answers of goals under evaluation: number + 1, or 0
    values: Int32
    # frames: goals under evaluation
    frame_goal: Int32
    frame_clause: Int32
    frame_at: Int32  # the next instruction; -1: the clause is done
    frame_base: Int32  # where its slots start
    frame_used: Int8  # the flag `group_used` before it, or LEADER
    frame_answers: Int64  # of a leader: `group_answers` at the start of the round
    slots: Int32
    # components of recursive relations
    group_round: Int32
    group_answers: Int64
    group_used: Int8  # whether an incomplete goal was read
    group_head: Int32  # the first goal in its tables, or -1
    # the state, the joint move and the goals that are asked for
    facts: Int32
    joint: Int32  # role, move, role, move, ...
    root_form: Int32
    root_key: Int32
    root_end: Int32  # where the answers to each goal that was asked for end in `out`
    out: Int32
    form_epoch: Int64  # when the facts of a form TRUE or DOES were added


class ProofCode(NamedTuple):
    """Query forms and their clauses."""

    code: Int32
    clause_at: Int32  # where the code of each clause starts
    columns: Int32  # for TRUE and DOES: the bound columns, then the free ones
    form_kind: Int8
    form_life: Int8
    form_bound: Int32  # the number of bound arguments
    form_free: Int32
    form_group: Int32  # the component of a recursive relation, or -1
    form_slots: Int32  # the slots of its largest clause
    form_first: Int32  # its first clause; for TRUE and DOES, its first column
    form_end: Int32
    form_name: Int32  # for TRUE: the function's name, or -1 for whole terms
    form_size: Int32  # and the number of its arguments


@inlined
def _value(operand: int, slots: Int32, base: int) -> int:
    return slots[base + operand] if operand >= 0 else ~operand


@compiled
def intern_term(terms: TermArrays, parts: Int32, at: int, size: int) -> int:
    """Return the function with the parts from `at` on, a new one if need be.

    Return -1 if the arrays are full, -2 if the term has too many words.
    """
    h = size
    for i in range(size):
        h = mix(h, parts[at + i])
    mask = len(terms.slots) - 1
    slot = h & mask
    while True:
        term = terms.slots[slot] - 1
        if term < 0:
            break
        if terms.size[term] == size:
            same = True
            for i in range(size):
                if terms.parts[terms.first[term] + i] != parts[at + i]:
                    same = False
                    break
            if same:
                return term
        slot = (slot + 1) & mask
    term, first = terms.counts[0], terms.counts[1]
    if term >= len(terms.first) or first + size > len(terms.parts):
        return -1
    words = 0
    for i in range(size):
        words += terms.words[parts[at + i]]
    if words > MAX_WORDS:
        return -2
    terms.first[term] = first
    terms.size[term] = size
    terms.words[term] = words
    for i in range(size):
        terms.parts[first + i] = parts[at + i]
    terms.slots[slot] = term + 1
    terms.counts[0] += 1
    terms.counts[1] += size
    return term


@compiled
def intern_terms(terms: TermArrays, parts: Int32, size: int, numbers: Int32) -> int:
    """Write the functions with these parts, `size` each; return how many there was room for."""
    for i in range(len(numbers)):
        numbers[i] = intern_term(terms, parts, i * size, size)
        if numbers[i] < 0:
            return i
    return len(numbers)


@compiled
def rehash_terms(terms: TermArrays) -> None:
    """Fill an empty hash table of functions."""
    mask = len(terms.slots) - 1
    for term in range(terms.counts[0]):
        if terms.size[term] > 0:
            h = terms.size[term]
            for i in range(terms.size[term]):
                h = mix(h, terms.parts[terms.first[term] + i])
            slot = h & mask
            while terms.slots[slot]:
                slot = (slot + 1) & mask
            terms.slots[slot] = term + 1


@inlined
def _has_room(memory: ProofMemory, rows: int) -> bool:
    """Return whether so many goals, answers and terms can be added, and one frame."""
    meta, terms, width = memory.meta, memory.terms, len(memory.key)
    room = (
        meta[GOALS] + rows <= len(memory.goal_form)
        and meta[KEYS] + rows * width <= len(memory.keys)
        and meta[ANSWERS] + rows <= len(memory.answer_first)
        and meta[VALUES] + rows * width <= len(memory.values)
        and terms.counts[0] + rows <= len(terms.first)
        and terms.counts[1] + rows * width <= len(terms.parts)
        and meta[FRAMES] < len(memory.frame_goal)
    )
    if not room:
        meta[NEEDED] = rows
    return room


@inlined
def goal_of(memory: ProofMemory, form: int, bound: int) -> int:
    """Return the goal of a form with the values in `key`; one that is NEW if there is none."""
    h = mix(bound, form)
    for i in range(bound):
        h = mix(h, memory.key[i])
    mask = len(memory.goal_slots) - 1
    slot = h & mask
    while True:
        goal = memory.goal_slots[slot] - 1
        if goal < 0:
            break
        if memory.goal_form[goal] == form:
            first = memory.goal_key[goal]
            same = True
            for i in range(bound):
                if memory.keys[first + i] != memory.key[i]:
                    same = False
                    break
            if same:
                return goal
        slot = (slot + 1) & mask
    meta = memory.meta
    goal, first = meta[GOALS], meta[KEYS]
    memory.goal_form[goal] = form
    memory.goal_key[goal] = first
    memory.goal_status[goal] = NEW
    memory.goal_epoch[goal] = -1
    memory.goal_stamp[goal] = 0
    memory.goal_head[goal] = -1
    memory.goal_count[goal] = 0
    for i in range(bound):
        memory.keys[first + i] = memory.key[i]
    memory.goal_slots[slot] = goal + 1
    meta[GOALS] += 1
    meta[KEYS] += bound
    return goal


@inlined
def _renew(memory: ProofMemory, goal: int, epoch: int, status: int) -> None:
    """Remove the answers of a goal."""
    memory.goal_status[goal] = status
    memory.goal_epoch[goal] = epoch
    memory.goal_stamp[goal] += 1
    memory.goal_head[goal] = -1
    memory.goal_tail[goal] = -1
    memory.goal_count[goal] = 0


@inlined
def add_answer(memory: ProofMemory, code: ProofCode, goal: int, free: int) -> None:
    """Add an answer, of which the values have been written behind all others."""
    memory.goal_count[goal] += 1
    if free == 0:
        memory.goal_count[goal] = 1
        return
    meta = memory.meta
    answer = meta[ANSWERS]
    memory.answer_first[answer] = meta[VALUES]
    memory.answer_next[answer] = -1
    memory.answer_goal[answer] = goal
    memory.answer_stamp[answer] = memory.goal_stamp[goal]
    memory.answer_slot[answer] = -1
    tail = memory.goal_tail[goal]
    if tail < 0:
        memory.goal_head[goal] = answer
    else:
        memory.answer_next[tail] = answer
    memory.goal_tail[goal] = answer
    meta[ANSWERS] += 1
    meta[VALUES] += free
    if code.form_life[memory.goal_form[goal]] == STATIC:
        meta[STATIC_ANSWERS] = meta[ANSWERS]
        meta[STATIC_VALUES] = meta[VALUES]


@inlined
def add_row(memory: ProofMemory, code: ProofCode, form: int, row: Int32, at: int) -> None:
    """Add a row of a relation to the goal that it is an answer of."""
    bound, free, first = code.form_bound[form], code.form_free[form], code.form_first[form]
    for i in range(bound):
        memory.key[i] = row[at + code.columns[first + i]]
    goal = goal_of(memory, form, bound)
    epoch = memory.epochs[code.form_life[form]]
    if memory.goal_epoch[goal] != epoch:
        _renew(memory, goal, epoch, COMPLETE)
    for i in range(free):
        memory.values[memory.meta[VALUES] + i] = row[at + code.columns[first + bound + i]]
    add_answer(memory, code, goal, free)


@compiled
def add_rows(memory: ProofMemory, code: ProofCode, form: int, rows: Int32, width: int) -> bool:
    """Add all rows of a relation with facts; return False if there is no room."""
    count = len(rows) // max(width, 1)
    if not _has_room(memory, count):
        return False
    for i in range(count):
        add_row(memory, code, form, rows, i * width)
    return True


@compiled
def _add_state(memory: ProofMemory, code: ProofCode, form: int) -> None:
    """Add the facts of the state, or the moves, to the goals of a form."""
    meta, terms = memory.meta, memory.terms
    kind, name = code.form_kind[form], code.form_name[form]
    source = memory.joint
    count = meta[JOINT] // 2
    if kind == TRUE:
        source = memory.facts if name < 0 else terms.parts
        count = meta[STATE_FACTS]
    for i in range(count):
        at = 2 * i if kind == DOES else i
        if kind == TRUE and name >= 0:
            term = memory.facts[i]
            at = terms.first[term] + 1
            if terms.size[term] != code.form_size[form] + 1 or terms.parts[at - 1] != name:
                continue
        add_row(memory, code, form, source, at)
    memory.form_epoch[form] = memory.epochs[code.form_life[form]]


@inlined
def resolve(memory: ProofMemory, code: ProofCode, form: int) -> int:
    """Return the goal of a form with the values in `key`, once its answers can be read.

    NO_ANSWER: it has none. PUSHED: its evaluation has begun, ask again after it. FULL: memory is
    missing. NOT_COMPILED: the form has to be compiled.
    """
    meta, kind, bound = memory.meta, code.form_kind[form], code.form_bound[form]
    if kind == UNKNOWN:
        meta[SUBJECT] = form
        return NOT_COMPILED
    epoch = memory.epochs[code.form_life[form]]
    rows = 1
    outdated = kind in (TRUE, DOES) and memory.form_epoch[form] != epoch
    if outdated:
        rows += meta[STATE_FACTS] + meta[JOINT]
    if not _has_room(memory, rows):
        return FULL
    if outdated:
        key = meta[KEYS] + (rows - 1) * bound
        for i in range(bound):
            memory.keys[key + i] = memory.key[i]
        _add_state(memory, code, form)
        for i in range(bound):
            memory.key[i] = memory.keys[key + i]
    goal = goal_of(memory, form, bound)
    if kind != CLAUSES:
        return goal if memory.goal_epoch[goal] == epoch else NO_ANSWER
    is_new = memory.goal_epoch[goal] != epoch or memory.goal_status[goal] == NEW
    if not is_new and memory.goal_status[goal] == COMPLETE:
        return goal
    group = code.form_group[form]
    if not is_new and memory.goal_round[goal] == memory.group_round[group]:
        memory.group_used[group] = 1
        return goal
    # Evaluate it.
    if meta[TOP] + code.form_slots[form] > len(memory.slots):
        meta[NEEDED] = 1
        return FULL
    frame = meta[FRAMES]
    memory.frame_used[frame] = 0
    if is_new:
        _renew(memory, goal, epoch, ACTIVE)
    if group >= 0:
        memory.frame_used[frame] = memory.group_used[group]
        if is_new:
            if memory.group_head[group] < 0:
                memory.frame_used[frame] = LEADER
                memory.frame_answers[frame] = memory.group_answers[group]
                memory.group_round[group] += 1
            memory.goal_link[goal] = memory.group_head[group]
            memory.group_head[group] = goal
        memory.goal_round[goal] = memory.group_round[group]
        memory.group_used[group] = 0
    memory.frame_goal[frame] = goal
    memory.frame_clause[frame] = code.form_first[form] - 1
    memory.frame_at[frame] = -1
    memory.frame_base[frame] = meta[TOP]
    for i in range(bound):
        memory.slots[meta[TOP] + i] = memory.key[i]
    meta[TOP] += code.form_slots[form]
    meta[FRAMES] += 1
    return PUSHED


@inlined
def _finish(memory: ProofMemory, code: ProofCode) -> None:
    """Complete the goal of the last frame, or begin the next round of a leader."""
    meta = memory.meta
    frame = meta[FRAMES] - 1
    goal = memory.frame_goal[frame]
    form = memory.goal_form[goal]
    group = code.form_group[form]
    proved = code.form_free[form] == 0 and memory.goal_count[goal] > 0
    if group < 0:
        memory.goal_status[goal] = COMPLETE
    elif memory.frame_used[frame] == LEADER:
        fixpoint = (
            memory.group_used[group] == 0
            or memory.group_answers[group] == memory.frame_answers[frame]
        )
        if not proved and not fixpoint:
            memory.group_round[group] += 1
            memory.group_used[group] = 0
            memory.goal_round[goal] = memory.group_round[group]
            memory.frame_answers[frame] = memory.group_answers[group]
            memory.frame_clause[frame] = code.form_first[form] - 1
            memory.frame_at[frame] = -1
            return
        # A fixpoint completes all tables. Otherwise others may be incomplete: they are dropped.
        member = memory.group_head[group]
        while member >= 0:
            if memory.goal_status[member] == ACTIVE:
                memory.goal_status[member] = COMPLETE if fixpoint or member == goal else NEW
            member = memory.goal_link[member]
        memory.group_head[group] = -1
    elif memory.group_used[group] == 0 or proved:
        # It has read no incomplete goal.
        memory.goal_status[goal] = COMPLETE
        memory.group_used[group] = memory.frame_used[frame]
    else:
        memory.group_used[group] = 1
    meta[TOP] = memory.frame_base[frame]
    meta[FRAMES] -= 1


@inlined
def _report(memory: ProofMemory, code: ProofCode, goal: int, free: int) -> bool:
    """Add the answer in `key` unless the goal has it; return whether it is new."""
    h = mix(free, goal)
    for i in range(free):
        h = mix(h, memory.key[i])
    mask = len(memory.answer_slots) - 1
    slot = h & mask
    while True:
        answer = memory.answer_slots[slot] - 1
        if answer < 0:
            break
        if (
            memory.answer_goal[answer] == goal
            and memory.answer_stamp[answer] == memory.goal_stamp[goal]
        ):
            first = memory.answer_first[answer]
            same = True
            for i in range(free):
                if memory.values[first + i] != memory.key[i]:
                    same = False
                    break
            if same:
                return False
        slot = (slot + 1) & mask
    answer = memory.meta[ANSWERS]
    for i in range(free):
        memory.values[memory.meta[VALUES] + i] = memory.key[i]
    add_answer(memory, code, goal, free)
    memory.answer_slot[answer] = slot
    memory.answer_slots[slot] = answer + 1
    return True


@compiled
def clear_answer_table(memory: ProofMemory) -> None:
    """Empty the hash table of answers, while no goal is under evaluation."""
    for answer in range(memory.meta[CLEARED], memory.meta[ANSWERS]):
        if memory.answer_slot[answer] >= 0:
            memory.answer_slots[memory.answer_slot[answer]] = 0
    memory.meta[CLEARED] = memory.meta[ANSWERS]


@compiled
def _write(memory: ProofMemory, code: ProofCode, root: int, goal: int) -> bool:
    """Write the answers to a goal that was asked for; return False if there is no room."""
    end = memory.root_end[root - 1] if root > 0 else 0
    if goal >= 0 and memory.goal_count[goal] > 0:
        free = code.form_free[memory.goal_form[goal]]
        size = memory.goal_count[goal] * max(free, 1)
        if end + size > len(memory.out):
            memory.meta[NEEDED] = end + size
            return False
        if free == 0:
            memory.out[end] = 0
            end += 1
        else:
            answer = memory.goal_head[goal]
            while answer >= 0:
                for i in range(free):
                    memory.out[end + i] = memory.values[memory.answer_first[answer] + i]
                end += free
                answer = memory.answer_next[answer]
    memory.root_end[root] = end
    return True


@compiled
def _forget(memory: ProofMemory) -> None:
    """Forget the answers that depend on what has changed, while no goal is under evaluation."""
    meta = memory.meta
    clear_answer_table(memory)
    if meta[CHANGED] == OF_STATE:
        meta[ANSWERS] = meta[STATIC_ANSWERS]
        meta[VALUES] = meta[STATIC_VALUES]
        meta[CLEARED] = meta[ANSWERS]
        memory.epochs[OF_STATE] += 1
    memory.epochs[OF_MOVE] += 1
    meta[CHANGED] = STATIC


@compiled
def run(memory: ProofMemory, code: ProofCode, pause: int) -> int:
    """Evaluate the goals that are asked for, and write their answers to `out`.

    The answer of a goal without free arguments is 0.

    Returns PAUSED after so many instructions. After NEED_MEMORY there must be more memory, after
    NEED_FORM the form in `meta` must be compiled. After TOO_MANY_WORDS `meta` has the name of the
    function.
    """
    meta, words, slots = memory.meta, code.code, memory.slots
    if meta[CHANGED] != STATIC:
        _forget(memory)
    for _ in range(pause):
        frame = meta[FRAMES] - 1
        at, base, kind, fail, form = 0, 0, LOOP, 0, -1
        is_finished = False
        if frame < 0:
            if meta[ROOT] >= meta[ROOTS]:
                return ProofStatus.OK
            form = memory.root_form[meta[ROOT]]
            memory.key[0] = memory.root_key[meta[ROOT]]
        else:
            at, base = memory.frame_at[frame], memory.frame_base[frame]
            if at < 0:
                clause = memory.frame_clause[frame] + 1
                is_finished = clause >= code.form_end[memory.goal_form[memory.frame_goal[frame]]]
                if not is_finished:
                    memory.frame_clause[frame] = clause
                    at = code.clause_at[clause]
                    memory.frame_at[frame] = at
            if at >= 0:
                kind, fail = words[at], words[at + 1]
        if is_finished:
            pass
        elif frame >= 0 and kind == NEXT:
            # NEXT fail cursor target count
            answer = slots[base + words[at + 2]]
            if answer < 0:
                memory.frame_at[frame] = fail
                continue
            slots[base + words[at + 2]] = memory.answer_next[answer]
            first, target = memory.answer_first[answer], base + words[at + 3]
            for i in range(words[at + 4]):
                slots[target + i] = memory.values[first + i]
            memory.frame_at[frame] = at + 5
        elif frame < 0 or kind <= UNLESS:
            # LOOP fail form cursor key..., IF fail form - key..., UNLESS fail form - key...
            if frame >= 0:
                form = words[at + 2]
                for i in range(code.form_bound[form]):
                    memory.key[i] = _value(words[at + 4 + i], slots, base)
            goal = resolve(memory, code, form)
            if goal == PUSHED:
                continue
            if goal == FULL:
                return ProofStatus.NEED_MEMORY
            if goal == NOT_COMPILED:
                return ProofStatus.NEED_FORM
            after = at + 4 + code.form_bound[form]
            if frame < 0:
                if not _write(memory, code, meta[ROOT], goal):
                    return ProofStatus.NEED_MEMORY
                meta[ROOT] += 1
            elif kind == LOOP:
                slots[base + words[at + 3]] = memory.goal_head[goal] if goal >= 0 else -1
                memory.frame_at[frame] = after
            else:
                holds = goal >= 0 and memory.goal_count[goal] > 0
                memory.frame_at[frame] = after if holds == (kind == IF) else fail
        elif kind <= DIFFER:
            # EQUAL fail operand operand, DIFFER fail operand operand
            same = _value(words[at + 2], slots, base) == _value(words[at + 3], slots, base)
            memory.frame_at[frame] = at + 4 if same == (kind == EQUAL) else fail
        elif kind == UNPACK:
            # UNPACK fail operand name count target
            terms = memory.terms
            term = _value(words[at + 2], slots, base)
            first, count = terms.first[term], words[at + 4]
            if terms.size[term] == count + 1 and terms.parts[first] == words[at + 3]:
                for i in range(count):
                    slots[base + words[at + 5] + i] = terms.parts[first + 1 + i]
                memory.frame_at[frame] = at + 6
            else:
                memory.frame_at[frame] = fail
        elif kind == BUILD:
            # BUILD fail target count operands...
            count = words[at + 3]
            for i in range(count):
                memory.key[i] = _value(words[at + 4 + i], slots, base)
            term = intern_term(memory.terms, memory.key, 0, count)
            if term == -1:
                meta[NEEDED] = 1
                return ProofStatus.NEED_MEMORY
            if term < 0:
                meta[SUBJECT] = memory.key[0]
                return ProofStatus.TOO_MANY_WORDS
            slots[base + words[at + 2]] = term
            memory.frame_at[frame] = at + 4 + count
        else:
            # REPORT fail count operands...
            count = words[at + 2]
            if not _has_room(memory, 1):
                return ProofStatus.NEED_MEMORY
            if 2 * (meta[ANSWERS] - meta[CLEARED]) >= len(memory.answer_slots):
                meta[NEEDED] = 1
                return ProofStatus.NEED_MEMORY
            goal = memory.frame_goal[frame]
            for i in range(count):
                memory.key[i] = _value(words[at + 3 + i], slots, base)
            is_new = memory.goal_count[goal] == 0
            if count == 0:
                memory.goal_count[goal] = 1
                is_finished = True  # one proof is enough
            else:
                is_new = _report(memory, code, goal, count)
                memory.frame_at[frame] = fail
            group = code.form_group[memory.goal_form[goal]]
            if is_new and group >= 0:
                memory.group_answers[group] += 1
        if is_finished:
            _finish(memory, code)
    return ProofStatus.PAUSED


@compiled
def rehash_answers(memory: ProofMemory) -> None:
    """Fill an empty hash table of answers."""
    mask = len(memory.answer_slots) - 1
    for answer in range(memory.meta[CLEARED], memory.meta[ANSWERS]):
        if memory.answer_slot[answer] >= 0:
            first = memory.answer_first[answer]
            # The values of one answer end where those of the next one begin.
            end = memory.meta[VALUES]
            if answer + 1 < memory.meta[ANSWERS]:
                end = memory.answer_first[answer + 1]
            h = mix(end - first, memory.answer_goal[answer])
            for i in range(first, end):
                h = mix(h, memory.values[i])
            slot = h & mask
            while memory.answer_slots[slot]:
                slot = (slot + 1) & mask
            memory.answer_slots[slot] = answer + 1
            memory.answer_slot[answer] = slot


@compiled
def drop_goals(memory: ProofMemory, code: ProofCode) -> None:
    """Drop all goals that are neither complete nor static; `goal_slots` must be empty."""
    meta = memory.meta
    kept = 0
    keys = 0
    mask = len(memory.goal_slots) - 1
    for goal in range(meta[GOALS]):
        form = memory.goal_form[goal]
        if code.form_life[form] == STATIC and memory.goal_status[goal] == COMPLETE:
            bound = code.form_bound[form]
            first = memory.goal_key[goal]
            h = mix(bound, form)
            for i in range(bound):
                memory.keys[keys + i] = memory.keys[first + i]
                h = mix(h, memory.keys[keys + i])
            memory.goal_form[kept] = form
            memory.goal_key[kept] = keys
            memory.goal_status[kept] = COMPLETE
            memory.goal_epoch[kept] = memory.goal_epoch[goal]
            memory.goal_stamp[kept] = memory.goal_stamp[goal]
            memory.goal_head[kept] = memory.goal_head[goal]
            memory.goal_tail[kept] = memory.goal_tail[goal]
            memory.goal_count[kept] = memory.goal_count[goal]
            slot = h & mask
            while memory.goal_slots[slot]:
                slot = (slot + 1) & mask
            memory.goal_slots[slot] = kept + 1
            kept += 1
            keys += bound
    meta[GOALS] = kept
    meta[KEYS] = keys


@compiled
def rehash_goals(memory: ProofMemory, code: ProofCode) -> None:
    """Fill an empty hash table of goals."""
    mask = len(memory.goal_slots) - 1
    for goal in range(memory.meta[GOALS]):
        form = memory.goal_form[goal]
        bound, first = code.form_bound[form], memory.goal_key[goal]
        h = mix(bound, form)
        for i in range(bound):
            h = mix(h, memory.keys[first + i])
        slot = h & mask
        while memory.goal_slots[slot]:
            slot = (slot + 1) & mask
        memory.goal_slots[slot] = goal + 1
