"""All that follows from rules: joins over indexed atoms, one new atom at a time.

An atom is a relation with values, interned: it exists once and has a number. New atoms wait in a
queue. Each in turn is put into the indexes and offered to every place of every rule that it fits;
a plan then looks for the rest of the rule's body among the atoms that came before. So each way to
satisfy a body is found exactly once, when the last of its atoms arrives: semi-naive evaluation.

A value below `constants` is a constant; the others are functions, interned as atoms are.

A plan is a list of steps with a cursor each; matching goes forth and back over them without
recursion. Which variables are bound at a step is known beforehand, so nothing is ever undone.

Kernels allocate nothing. Where room runs out they give back what they have found since the
current atom met the current plan, and say what has to grow; then that meeting is repeated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled, inlined

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

# Kinds of steps; what follows each in the code is said in plans.py.
START, MATCH, FIND, LACK, NAME, DIFFER, PLAIN, SPLIT, BUILD, EMIT = range(10)
# What a column of a pattern does with a value: compare or remember.
SAME_CONSTANT, SAME, KEEP = range(3)
# The state of an atom: only named somewhere, waiting in the queue, in the indexes.
NAMED, WAITING, DONE = range(3)
# What `meta` counts.
ATOMS, VALUES, QUEUED, TAKEN, ENTRIES, INSTANCES, LITERALS, STEPS, PLACE, CONSTANTS, FAULT, META = (
    range(12)
)
# What a kernel answers.
FINISHED, PAUSED, ROOM_ATOMS, ROOM_ENTRIES, ROOM_INSTANCES, TOO_LONG = range(6)


class Store(NamedTuple):
    """Atoms, their indexes, and the ground rules found so far."""

    meta: Int64
    # atoms
    relation: Int32
    first: Int32  # where its values start
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
    instance_end: Int64  # where its literals end
    literals: Int32  # 2 * atom, + 1 where it is denied


class Plans(NamedTuple):
    """The joins of some rules as numbers, see plans.py."""

    code: Int32
    steps: Int32  # where each step's code starts
    plan_first: Int32  # a plan's first step; one more than there are plans
    plan_rule: Int32
    plan_slots: Int32  # how many literals its instances have; -1: they are not kept
    trigger_first: Int32  # [relation]: where its triggers start
    triggers: Int32  # plans that an atom of the relation starts
    index_first: Int32  # [relation]: where its indexes start
    indexes: Int32
    column_first: Int32  # [index]: where its columns start
    columns: Int32
    # room for matching
    cursor: Int32
    bound: Int32
    found: Int32


@inlined
def _mix(h: int, value: int) -> int:
    h = (h ^ value) * -7046029254386353131
    return h ^ ((h >> 31) & 0x1FFFFFFFF)


@compiled
def find(store: Store, relation: int, values: Int32, at: int, count: int) -> int:
    """The atom with these values, or -1."""
    h = _mix(count, relation)
    for i in range(count):
        h = _mix(h, values[at + i])
    mask = len(store.slots) - 1
    slot = h & mask
    while True:
        atom = store.slots[slot] - 1
        if atom < 0:
            return -1
        if store.relation[atom] == relation:
            first = store.first[atom]
            same = True
            for i in range(count):
                if store.values[first + i] != values[at + i]:
                    same = False
                    break
            if same:
                return atom
        slot = (slot + 1) & mask


@compiled
def intern(store: Store, relation: int, values: Int32, at: int, count: int) -> int:
    """The atom with these values, made if need be; -1 where there is no room."""
    atom = find(store, relation, values, at, count)
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
    _seat(store, atom, count)
    return atom


@compiled
def _seat(store: Store, atom: int, count: int) -> None:
    relation, first = store.relation[atom], store.first[atom]
    h = _mix(count, relation)
    for i in range(count):
        h = _mix(h, store.values[first + i])
    mask = len(store.slots) - 1
    slot = h & mask
    while store.slots[slot]:
        slot = (slot + 1) & mask
    store.slots[slot] = atom + 1


@compiled
def seat_all(store: Store, widths: Int32) -> None:
    """Fill an empty hash table; `widths` has the columns of each relation."""
    for atom in range(store.meta[ATOMS]):
        _seat(store, atom, widths[store.relation[atom]])


@compiled
def derive(store: Store, atom: int) -> None:
    """The atom may hold: queue it, if it has not been."""
    if store.state[atom] == NAMED:
        store.state[atom] = WAITING
        store.queue[store.meta[QUEUED]] = atom
        store.meta[QUEUED] += 1


@compiled
def add_entry(store: Store, plans: Plans, index: int, atom: int) -> bool:
    """Put an atom into one index; False where there is no room."""
    entry = store.meta[ENTRIES]
    if entry >= len(store.entry_atom):
        return False
    h = _mix(17, index)
    first = store.first[atom]
    for i in range(plans.column_first[index], plans.column_first[index + 1]):
        h = _mix(h, store.values[first + plans.columns[i]])
    bucket = h & (len(store.buckets) - 1)
    store.entry_atom[entry] = atom
    store.entry_next[entry] = store.buckets[bucket]
    store.buckets[bucket] = entry + 1
    store.meta[ENTRIES] += 1
    return True


@compiled
def fill(store: Store, plans: Plans, indexes: Int32, relations: Int32) -> bool:
    """Put all atoms that are done into some indexes, each of its own relation."""
    for i in range(len(indexes)):
        for atom in range(store.meta[ATOMS]):
            if (
                store.state[atom] == DONE
                and store.relation[atom] == relations[i]
                and not add_entry(store, plans, indexes[i], atom)
            ):
                return False
    return True


@compiled
def run(store: Store, plans: Plans, pause: int, most: int) -> int:
    """Take atoms from the queue until it is empty, or about `pause` steps have been made.

    One atom in one plan may take `most` steps. Whatever is answered, calling again goes on; after
    ROOM_..., with more room.
    """
    meta = store.meta
    stop = meta[STEPS] + pause
    while meta[TAKEN] < meta[QUEUED]:
        if meta[STEPS] > stop:
            return PAUSED
        atom = store.queue[meta[TAKEN]]
        relation = store.relation[atom]
        if store.state[atom] == WAITING:
            first, end = plans.index_first[relation], plans.index_first[relation + 1]
            if meta[ENTRIES] + end - first > len(store.entry_atom):
                return ROOM_ENTRIES
            for i in range(first, end):
                add_entry(store, plans, plans.indexes[i], atom)
            store.state[atom] = DONE
            meta[PLACE] = plans.trigger_first[relation]
        while meta[PLACE] < plans.trigger_first[relation + 1]:
            answer = follow(store, plans, plans.triggers[meta[PLACE]], atom, most)
            if answer != FINISHED:
                return answer
            meta[PLACE] += 1
        meta[TAKEN] += 1
    return FINISHED


@compiled
def follow(store: Store, plans: Plans, plan: int, trigger: int, most: int) -> int:
    """Find all instances of a plan; `trigger` is the atom that starts it, or -1."""
    meta = store.meta
    instances, literals = meta[INSTANCES], meta[LITERALS]
    first = plans.plan_first[plan]
    code, bound, cursor = plans.code, plans.bound, plans.cursor
    steps = 0
    d = 0
    forth = True
    while d >= 0:
        steps += 1
        if steps > most:
            meta[STEPS] += steps
            meta[FAULT] = plan
            meta[INSTANCES], meta[LITERALS] = instances, literals
            return TOO_LONG
        at = plans.steps[first + d]
        kind = code[at]
        if kind == MATCH:
            # MATCH relation slot skip index key... | columns...
            if forth:
                h = _mix(17, code[at + 4])
                for i in range(code[at + 5]):
                    h = _mix(h, _value(code[at + 6 + i], bound))
                entry = store.buckets[h & (len(store.buckets) - 1)]
            else:
                entry = cursor[d]
            pattern = at + 6 + code[at + 5]
            matched = False
            while entry:
                atom = store.entry_atom[entry - 1]
                entry = store.entry_next[entry - 1]
                steps += 1
                if (
                    store.relation[atom] == code[at + 1]
                    and not (code[at + 3] and atom == trigger)
                    and _fits(store, code, pattern, store.first[atom], bound)
                ):
                    matched = True
                    break
            cursor[d] = entry
            if matched:
                if code[at + 2] >= 0:
                    plans.found[code[at + 2]] = 2 * atom
                forth = True
                d += 1
            else:
                forth = False
                d -= 1
            continue
        if not forth:
            # All other steps have one outcome: nothing else to try.
            d -= 1
            continue
        passed = False
        if kind == START:
            # START relation slot skip | columns...
            passed = _fits(store, code, at + 4, store.first[trigger], bound)
            if passed and code[at + 2] >= 0:
                plans.found[code[at + 2]] = 2 * trigger
        elif kind == DIFFER:
            passed = _value(code[at + 1], bound) != _value(code[at + 2], bound)
        elif kind == PLAIN:
            passed = _value(code[at + 1], bound) < meta[CONSTANTS]
        elif kind == SPLIT:
            # SPLIT operand function | columns...
            value = _value(code[at + 1], bound) - meta[CONSTANTS]
            if value >= 0 and store.relation[value] == code[at + 2]:
                passed = _fits(store, code, at + 3, store.first[value], bound)
        else:
            # FIND relation slot skip, LACK relation, NAME relation slot, BUILD function variable,
            # EMIT relation: then count and operands
            count = code[at + 4]
            scratch = len(bound) - count
            for i in range(count):
                bound[scratch + i] = _value(code[at + 5 + i], bound)
            if kind in (FIND, LACK):
                atom = find(store, code[at + 1], bound, scratch, count)
                there = atom >= 0 and store.state[atom] == DONE
                if kind == LACK:
                    passed = not there
                elif there and not (code[at + 3] and atom == trigger):
                    passed = True
                    if code[at + 2] >= 0:
                        plans.found[code[at + 2]] = 2 * atom
            else:
                atom = intern(store, code[at + 1], bound, scratch, count)
                if atom < 0:
                    meta[STEPS] += steps
                    meta[INSTANCES], meta[LITERALS] = instances, literals
                    return ROOM_ATOMS
                if kind == NAME:
                    passed = True
                    plans.found[code[at + 2]] = 2 * atom + 1
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
                            return ROOM_INSTANCES
                        for i in range(slots):
                            store.literals[meta[LITERALS] + i] = plans.found[i]
                        meta[LITERALS] += slots
                        store.instance_rule[meta[INSTANCES]] = plans.plan_rule[plan]
                        store.instance_head[meta[INSTANCES]] = atom
                        store.instance_end[meta[INSTANCES]] = meta[LITERALS]
                        meta[INSTANCES] += 1
                    # The last step: go back for the next instance.
        if passed:
            d += 1
        else:
            forth = False
            d -= 1
    meta[STEPS] += steps
    return FINISHED


@inlined
def _value(operand: int, bound: Int32) -> int:
    return bound[operand] if operand >= 0 else ~operand


@inlined
def _fits(store: Store, code: Int32, at: int, first: int, bound: Int32) -> bool:
    """Whether an atom's values fit a pattern: a count, then what to do and with what."""
    fits = True
    for i in range(code[at]):
        value = store.values[first + i]
        what, operand = code[at + 1 + 2 * i], code[at + 2 + 2 * i]
        if what == KEEP:
            bound[operand] = value
        elif what == SAME:
            if bound[operand] != value:
                fits = False
                break
        elif operand != value:
            fits = False
            break
    return fits
