"""Semi-naive evaluation of rules: joins over indexed atoms, one new atom at a time.

An atom is a relation with values, interned: it exists once and has a number. New atoms wait in a
queue. Each in turn is put into the indexes and tried at every place of every rule that it fits; a
plan then searches for the rest of the rule's body among the atoms that came before. So each way to
satisfy a body is found exactly once, when the last of its atoms arrives.

A value below the number of constants is a constant; the others are functions, interned as atoms.

A plan is a list of steps with a cursor each; matching moves forward and backward over them without
recursion. Which variables are bound at a step is known in advance, so nothing has to be undone.

Kernels allocate nothing. Where an array is full they drop what the current atom has produced in the
current plan, and return a `Status` that names the array which has to grow; the plan is then
repeated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import mix
from graven.core.compile import compiled, inlined
from graven.core.hash_tables import free_slot, hash_row, is_same_row
from graven.core.status import Status

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

# Kinds of steps; `match_plan` and `join_plans` document the operands of each.
START, MATCH, FIND, ABSENT, NEGATE, DIFFER, CONSTANT, SPLIT, BUILD, DERIVE = range(10)
# What a column of a pattern does with a value: compare it or bind a variable.
SAME_CONSTANT, SAME_VARIABLE, BIND = range(3)
# The state of an atom: only named (negated) somewhere, waiting in the queue, in the indexes.
NAMED, WAITING, INDEXED = range(3)
# What `meta` holds: counts, the position in the current relation's triggers, the number of
# constants, and the plan that took too long.
(
    ATOMS,
    VALUES,
    QUEUED,
    TAKEN,
    ENTRIES,
    INSTANCES,
    LITERALS,
    STEPS,
    TRIGGER,
    CONSTANTS,
    FAULT,
    META,
) = range(12)


class FactStore(NamedTuple):
    """Atoms, their indexes, and the ground rules so far."""

    meta: Int64
    # atoms
    relation: Int32
    first: Int32  # where an atom's values start
    state: Int8
    values: Int32
    slots: Int32  # hash table: an atom's number + 1, or 0
    queue: Int32
    # indexes: chains of entries, newest first
    buckets: Int32  # an entry's number + 1, or 0
    entry_atom: Int32
    entry_next: Int32
    # ground rules
    instance_rule: Int32
    instance_head: Int32
    instance_end: Int64  # where a ground rule's literals end
    literals: Int32  # 2 * atom, + 1 where it is negated


class JoinPlans(NamedTuple):
    """The joins of some rules as numbers; see `join_plans`."""

    code: Int32
    steps: Int32  # where each step's code starts
    plan_first: Int32  # a plan's first step; one more than there are plans
    plan_rule: Int32
    plan_slots: Int32  # the number of literals of its ground rules; -1: they are not kept
    trigger_first: Int32  # [relation]: where its triggers start
    triggers: Int32  # plans that an atom of the relation starts
    index_first: Int32  # [relation]: where its indexes start
    indexes: Int32
    column_first: Int32  # [index]: where its columns start
    columns: Int32
    # scratch memory of matching
    cursor: Int32  # [step]: the next entry of an index
    bound: Int32  # [variable]: its value; operands of a step at the end
    body: Int32  # the literals of the ground rule


@compiled
def find(store: FactStore, relation: int, values: Int32, at: int, count: int) -> int:
    """Return the atom with these values, or -1."""
    h = hash_row(mix(count, relation), values, at, count)
    mask = len(store.slots) - 1
    slot = h & mask
    while True:
        atom = store.slots[slot] - 1
        if atom < 0:
            return -1
        if store.relation[atom] == relation:
            first = store.first[atom]
            if is_same_row(store.values, first, values, at, count):
                return atom
        slot = (slot + 1) & mask


@compiled
def intern(store: FactStore, relation: int, values: Int32, at: int, count: int) -> int:
    """Return the atom with these values, a new one if necessary; -1 if the arrays are full."""
    atom = find(store, relation, values, at=at, count=count)
    if atom >= 0:
        return atom
    meta = store.meta
    atom = meta[ATOMS]
    if (
        atom >= len(store.relation)
        or 2 * atom >= len(store.slots)
        or meta[VALUES] + count > len(store.values)
    ):
        return -1
    store.relation[atom] = relation
    store.first[atom] = meta[VALUES]
    store.state[atom] = NAMED
    for i in range(count):
        store.values[meta[VALUES] + i] = values[at + i]
    meta[VALUES] += count
    meta[ATOMS] += 1
    _insert(store, atom, count)
    return atom


@compiled
def _insert(store: FactStore, atom: int, count: int) -> None:
    relation, first = store.relation[atom], store.first[atom]
    h = hash_row(mix(count, relation), store.values, first, count)
    store.slots[free_slot(store.slots, h)] = atom + 1


@compiled
def rehash(store: FactStore, widths: Int32) -> None:
    """Fill an empty hash table; `widths` has the columns of each relation."""
    for atom in range(store.meta[ATOMS]):
        _insert(store, atom, widths[store.relation[atom]])


@compiled
def derive(store: FactStore, atom: int) -> None:
    """Queue an atom that may be true, unless it has been queued before."""
    if store.state[atom] == NAMED:
        store.state[atom] = WAITING
        store.queue[store.meta[QUEUED]] = atom
        store.meta[QUEUED] += 1


@compiled
def add_entry(store: FactStore, plans: JoinPlans, index: int, atom: int) -> bool:
    """Put an atom into one index; return False if the entries are full."""
    entry = store.meta[ENTRIES]
    if entry >= len(store.entry_atom):
        return False
    h = mix(17, index)
    first = store.first[atom]
    for i in range(plans.column_first[index], plans.column_first[index + 1]):
        h = mix(h, store.values[first + plans.columns[i]])
    bucket = h & (len(store.buckets) - 1)
    store.entry_atom[entry] = atom
    store.entry_next[entry] = store.buckets[bucket]
    store.buckets[bucket] = entry + 1
    store.meta[ENTRIES] += 1
    return True


@compiled
def fill(store: FactStore, plans: JoinPlans, indexes: Int32, relations: Int32) -> bool:
    """Put all indexed atoms into new indexes, of which `relations` are the relations."""
    for i in range(len(indexes)):
        for atom in range(store.meta[ATOMS]):
            if (
                store.state[atom] == INDEXED
                and store.relation[atom] == relations[i]
                and not add_entry(store, plans, indexes[i], atom)
            ):
                return False
    return True


@compiled
def run(store: FactStore, plans: JoinPlans, pause: int, max_steps: int) -> int:
    """Take atoms from the queue until it is empty or about `pause` steps are done.

    One atom in one plan may take `max_steps`. Another call continues; after NEED_..., the arrays
    must have grown.
    """
    meta = store.meta
    stop = meta[STEPS] + pause
    while meta[TAKEN] < meta[QUEUED]:
        if meta[STEPS] > stop:
            return Status.PAUSED
        atom = store.queue[meta[TAKEN]]
        relation = store.relation[atom]
        if store.state[atom] == WAITING:
            first, end = plans.index_first[relation], plans.index_first[relation + 1]
            if meta[ENTRIES] + end - first > len(store.entry_atom):
                return Status.NEED_ENTRIES
            for i in range(first, end):
                add_entry(store, plans, plans.indexes[i], atom)
            store.state[atom] = INDEXED
            meta[TRIGGER] = plans.trigger_first[relation]
        while meta[TRIGGER] < plans.trigger_first[relation + 1]:
            plan = plans.triggers[meta[TRIGGER]]
            result = match_plan(store, plans, plan, trigger=atom, max_steps=max_steps)
            if result != Status.OK:
                return result
            meta[TRIGGER] += 1
        meta[TAKEN] += 1
    return Status.OK


@compiled
def match_plan(store: FactStore, plans: JoinPlans, plan: int, trigger: int, max_steps: int) -> int:
    """Find all ways to satisfy a plan; `trigger` is the atom that starts it, or -1."""
    meta = store.meta
    instances, literals = meta[INSTANCES], meta[LITERALS]
    first = plans.plan_first[plan]
    code, bound, cursor = plans.code, plans.bound, plans.cursor
    steps = 0
    depth = 0
    forward = True
    while depth >= 0:
        steps += 1
        if steps > max_steps:
            meta[STEPS] += steps
            meta[FAULT] = plan
            meta[INSTANCES], meta[LITERALS] = instances, literals
            return Status.TOO_MANY_STEPS
        at = plans.steps[first + depth]
        kind = code[at]
        if kind == MATCH:
            # MATCH relation slot skip index key... | columns...
            if forward:
                h = mix(17, code[at + 4])
                for i in range(code[at + 5]):
                    h = mix(h, _value(code[at + 6 + i], bound))
                entry = store.buckets[h & (len(store.buckets) - 1)]
            else:
                entry = cursor[depth]
            pattern = at + 6 + code[at + 5]
            matched = False
            while entry:
                atom = store.entry_atom[entry - 1]
                entry = store.entry_next[entry - 1]
                steps += 1
                if (
                    store.relation[atom] == code[at + 1]
                    and not (code[at + 3] and atom == trigger)
                    and _fits(store, plans, pattern, store.first[atom])
                ):
                    matched = True
                    break
            cursor[depth] = entry
            if matched:
                if code[at + 2] >= 0:
                    plans.body[code[at + 2]] = 2 * atom
                forward = True
                depth += 1
            else:
                forward = False
                depth -= 1
            continue
        if not forward:
            # All other steps have one solution at most.
            depth -= 1
            continue
        passed = False
        if kind == START:
            # START relation slot skip | columns...
            passed = _fits(store, plans, at + 4, store.first[trigger])
            if passed and code[at + 2] >= 0:
                plans.body[code[at + 2]] = 2 * trigger
        elif kind == DIFFER:
            passed = _value(code[at + 1], bound) != _value(code[at + 2], bound)
        elif kind == CONSTANT:
            passed = _value(code[at + 1], bound) < meta[CONSTANTS]
        elif kind == SPLIT:
            # SPLIT operand function | columns...
            value = _value(code[at + 1], bound) - meta[CONSTANTS]
            if value >= 0 and store.relation[value] == code[at + 2]:
                passed = _fits(store, plans, at + 3, store.first[value])
        else:
            # FIND relation slot skip, ABSENT relation - -, NEGATE relation slot -,
            # BUILD function variable -, DERIVE relation - -; then count operands...
            count = code[at + 4]
            scratch = len(bound) - count
            for i in range(count):
                bound[scratch + i] = _value(code[at + 5 + i], bound)
            if kind in (FIND, ABSENT):
                atom = find(store, code[at + 1], bound, at=scratch, count=count)
                there = atom >= 0 and store.state[atom] == INDEXED
                if kind == ABSENT:
                    passed = not there
                elif there and not (code[at + 3] and atom == trigger):
                    passed = True
                    if code[at + 2] >= 0:
                        plans.body[code[at + 2]] = 2 * atom
            else:
                atom = intern(store, code[at + 1], bound, at=scratch, count=count)
                if atom < 0:
                    meta[STEPS] += steps
                    meta[INSTANCES], meta[LITERALS] = instances, literals
                    return Status.NEED_ATOMS
                if kind == NEGATE:
                    passed = True
                    plans.body[code[at + 2]] = 2 * atom + 1
                elif kind == BUILD:
                    passed = True
                    bound[code[at + 2]] = atom + meta[CONSTANTS]
                else:
                    derive(store, atom)
                    slots = plans.plan_slots[plan]
                    if slots >= 0:
                        if meta[INSTANCES] >= len(store.instance_head) or meta[
                            LITERALS
                        ] + slots > len(store.literals):
                            meta[STEPS] += steps
                            meta[INSTANCES], meta[LITERALS] = instances, literals
                            return Status.NEED_INSTANCES
                        for i in range(slots):
                            store.literals[meta[LITERALS] + i] = plans.body[i]
                        meta[LITERALS] += slots
                        store.instance_rule[meta[INSTANCES]] = plans.plan_rule[plan]
                        store.instance_head[meta[INSTANCES]] = atom
                        store.instance_end[meta[INSTANCES]] = meta[LITERALS]
                        meta[INSTANCES] += 1
                    # The last step: backtrack to the next solution.
        if passed:
            depth += 1
        else:
            forward = False
            depth -= 1
    meta[STEPS] += steps
    return Status.OK


@inlined
def _value(operand: int, bound: Int32) -> int:
    return bound[operand] if operand >= 0 else ~operand


@inlined
def _fits(store: FactStore, plans: JoinPlans, at: int, first: int) -> bool:
    """Return whether an atom's values fit a pattern: a count, then (action, operand) of each."""
    code, bound = plans.code, plans.bound
    fits = True
    for i in range(code[at]):
        value = store.values[first + i]
        action, operand = code[at + 1 + 2 * i], code[at + 2 + 2 * i]
        if action == BIND:
            bound[operand] = value
        elif action == SAME_VARIABLE:
            if bound[operand] != value:
                fits = False
                break
        elif operand != value:
            fits = False
            break
    return fits
