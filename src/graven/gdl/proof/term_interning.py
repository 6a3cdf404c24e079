"""Number the ground terms of the prover: equal terms have one number."""

from __future__ import annotations

from graven.core.bits import mix
from graven.core.compile import compiled
from graven.gdl.proof.proof_memory import (
    MAX_WORDS,
    Int32,
    TermArrays,
)


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
