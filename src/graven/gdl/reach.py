"""What of the ground rules matters: in which order, and what can never be otherwise.

Works on arrays, since there may be millions of ground rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

FALSE, TRUE, EITHER = range(3)
"""What is known of an atom over all states that can be reached."""


class Rules(NamedTuple):
    """Ground rules, by the atom that they give."""

    first: Int64  # (atoms + 1,) an atom's rules are first[atom] : first[atom + 1]
    start: Int64  # (rules + 1,) a rule's literals are literals[start[rule] : start[rule + 1]]
    literals: Int32  # 2 * atom, + 1 where it is denied


def by_head(atoms: int, heads: Int32, ends: Int64, literals: Int32) -> Rules:
    """Ground rules brought into the order of their heads."""
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
    order = np.argsort(heads, kind="stable")
    lengths = (ends - starts)[order]
    start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    picked = np.arange(start[-1]) + np.repeat(starts[order] - start[:-1], lengths)
    first = np.searchsorted(heads[order], np.arange(atoms + 1)).astype(np.int64)
    return Rules(first, start, literals[picked])


class Walk(NamedTuple):
    """A depth-first walk over atoms: what it has found, and the room that it needs."""

    meta: Int64  # atoms numbered, groups and atoms found
    number: Int32  # (atoms,) when an atom was first seen, from 1; 0: never
    low: Int32  # the earliest atom that it leads back to; -1: it has been found
    stack: Int32
    path: Int32
    place: Int64
    found: Int32  # atoms, each after all that its rules name
    group: Int32  # the component of each of them


def new_walk(atoms: int) -> Walk:
    """A walk that has not begun."""
    number, low, stack, path = (np.zeros(atoms, np.int32) for _ in range(4))
    return Walk(
        np.zeros(3, np.int64),
        number,
        low,
        stack,
        path,
        np.zeros(atoms, np.int64),
        np.zeros(atoms, np.int32),
        np.zeros(atoms, np.int32),
    )


@compiled
def walk(rules: Rules, roots: Int32, done: Walk) -> None:
    """Go on with all atoms that some roots depend on (Tarjan 1972: components in order)."""
    meta, number, low, stack, path, place, found, group = done
    for i in range(len(roots)):
        root = roots[i]
        if number[root] != 0:
            continue
        meta[0] += 1
        number[root] = meta[0]
        low[root] = meta[0]
        stack[0] = root
        kept = 1
        height = 0
        path[0] = root
        place[0] = rules.start[rules.first[root]]
        while height >= 0:
            node = path[height]
            end = rules.start[rules.first[node + 1]]
            descended = False
            while place[height] < end:
                need = rules.literals[place[height]] >> 1
                place[height] += 1
                if number[need] == 0:
                    meta[0] += 1
                    number[need] = meta[0]
                    low[need] = meta[0]
                    stack[kept] = need
                    kept += 1
                    height += 1
                    path[height] = need
                    place[height] = rules.start[rules.first[need]]
                    descended = True
                    break
                if low[need] >= 0 and number[need] < low[node]:
                    low[node] = number[need]
            if descended:
                continue
            height -= 1
            if height >= 0 and low[node] < low[path[height]]:
                low[path[height]] = low[node]
            if low[node] == number[node]:
                while True:
                    kept -= 1
                    member = stack[kept]
                    low[member] = -1
                    found[meta[2]] = member
                    group[meta[2]] = meta[1]
                    meta[2] += 1
                    if member == node:
                        break
                meta[1] += 1


@compiled
def settle(
    rules: Rules, atoms: Int32, groups: Int32, known: Int8, fixed: Int8, rule_known: Int8
) -> None:
    """Work out what is known of all atoms, given what is known of those that are `fixed`.

    `atoms` and their `groups` are in the order of a walk. Of a group of several atoms nothing is
    known, unless no rule can give it.
    """
    for i in range(len(atoms)):
        atom = atoms[i]
        if fixed[atom]:
            continue
        together = (i > 0 and groups[i - 1] == groups[i]) or (
            i + 1 < len(atoms) and groups[i + 1] == groups[i]
        )
        if together:
            known[atom] = EITHER
    for i in range(len(atoms)):
        atom = atoms[i]
        if fixed[atom]:
            continue
        best = FALSE
        for rule in range(rules.first[atom], rules.first[atom + 1]):
            worst = TRUE
            for place in range(rules.start[rule], rules.start[rule + 1]):
                literal = rules.literals[place]
                value = known[literal >> 1]
                if literal & 1 and value != EITHER:
                    value = TRUE - value
                if literal >> 1 == atom:
                    value = FALSE  # a rule that needs what it gives, gives nothing
                if value == FALSE:
                    worst = FALSE
                    break
                if value == EITHER:
                    worst = EITHER
            rule_known[rule] = worst
            if worst == TRUE or (worst == EITHER and best == FALSE):
                best = worst
        known[atom] = best
