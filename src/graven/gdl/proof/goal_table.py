"""The goals of the prover and their answers, in hash tables; see `proof_kernel`."""

from __future__ import annotations

from graven.core.bits import mix
from graven.core.compile import compiled, inlined
from graven.core.hash_tables import free_slot, hash_row, is_same_row
from graven.gdl.proof.proof_memory import (
    ANSWERS,
    CLEARED,
    COMPLETE,
    FRAMES,
    GOALS,
    KEYS,
    NEEDED,
    NEW,
    STATIC,
    STATIC_ANSWERS,
    STATIC_VALUES,
    VALUES,
    Int32,
    ProofCode,
    ProofMemory,
)


@inlined
def has_room(memory: ProofMemory, rows: int) -> bool:
    """Return whether `rows` goals, answers and terms can be added, and one frame."""
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
    h = hash_row(mix(bound, form), memory.key, 0, bound)
    mask = len(memory.goal_slots) - 1
    slot = h & mask
    while True:
        goal = memory.goal_slots[slot] - 1
        if goal < 0:
            break
        if memory.goal_form[goal] == form:
            first = memory.goal_key[goal]
            if is_same_row(memory.keys, first, memory.key, 0, bound):
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
def renew(memory: ProofMemory, goal: int, epoch: int, status: int) -> None:
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
        renew(memory, goal, epoch, COMPLETE)
    for i in range(free):
        memory.values[memory.meta[VALUES] + i] = row[at + code.columns[first + bound + i]]
    add_answer(memory, code, goal, free)


@compiled
def add_rows(memory: ProofMemory, code: ProofCode, form: int, rows: Int32, width: int) -> bool:
    """Add all rows of a relation with facts; return False if there is no room."""
    count = len(rows) // max(width, 1)
    if not has_room(memory, count):
        return False
    for i in range(count):
        add_row(memory, code, form, rows, i * width)
    return True


@compiled
def clear_answer_table(memory: ProofMemory) -> None:
    """Empty the hash table of answers, while no goal is under evaluation."""
    for answer in range(memory.meta[CLEARED], memory.meta[ANSWERS]):
        if memory.answer_slot[answer] >= 0:
            memory.answer_slots[memory.answer_slot[answer]] = 0
    memory.meta[CLEARED] = memory.meta[ANSWERS]


@compiled
def rehash_answers(memory: ProofMemory) -> None:
    """Fill an empty hash table of answers."""
    for answer in range(memory.meta[CLEARED], memory.meta[ANSWERS]):
        if memory.answer_slot[answer] >= 0:
            first = memory.answer_first[answer]
            # The values of one answer end where those of the next one begin.
            end = memory.meta[VALUES]
            if answer + 1 < memory.meta[ANSWERS]:
                end = memory.answer_first[answer + 1]
            count = end - first
            h = hash_row(mix(count, memory.answer_goal[answer]), memory.values, first, count)
            slot = free_slot(memory.answer_slots, h)
            memory.answer_slots[slot] = answer + 1
            memory.answer_slot[answer] = slot


@compiled
def drop_goals(memory: ProofMemory, code: ProofCode) -> None:
    """Drop all goals that are neither complete nor static; `goal_slots` must be empty."""
    meta = memory.meta
    kept = 0
    keys = 0
    for goal in range(meta[GOALS]):
        form = memory.goal_form[goal]
        if code.form_life[form] == STATIC and memory.goal_status[goal] == COMPLETE:
            bound = code.form_bound[form]
            first = memory.goal_key[goal]
            for i in range(bound):
                memory.keys[keys + i] = memory.keys[first + i]
            memory.goal_form[kept] = form
            memory.goal_key[kept] = keys
            memory.goal_status[kept] = COMPLETE
            memory.goal_epoch[kept] = memory.goal_epoch[goal]
            memory.goal_stamp[kept] = memory.goal_stamp[goal]
            memory.goal_head[kept] = memory.goal_head[goal]
            memory.goal_tail[kept] = memory.goal_tail[goal]
            memory.goal_count[kept] = memory.goal_count[goal]
            h = hash_row(mix(bound, form), memory.keys, keys, bound)
            memory.goal_slots[free_slot(memory.goal_slots, h)] = kept + 1
            kept += 1
            keys += bound
    meta[GOALS] = kept
    meta[KEYS] = keys


@compiled
def rehash_goals(memory: ProofMemory, code: ProofCode) -> None:
    """Fill an empty hash table of goals."""
    for goal in range(memory.meta[GOALS]):
        form = memory.goal_form[goal]
        bound, first = code.form_bound[form], memory.goal_key[goal]
        h = hash_row(mix(bound, form), memory.keys, first, bound)
        memory.goal_slots[free_slot(memory.goal_slots, h)] = goal + 1
