"""Number the ground terms of the prover: equal terms have one number."""

from __future__ import annotations

from graven.core.compile import compiled
from graven.core.hash_tables import free_slot, hash_row, is_same_row
from graven.gdl.proof.proof_memory import (
    MAX_WORDS,
    Int32,
    TermArrays,
)


@compiled
def intern_term(terms: TermArrays, parts: Int32, at: int, size: int) -> int:
    """Return the function with the parts from `at` on, a new one if necessary.

    Return -1 if the arrays are full, -2 if the term has too many words.
    """
    h = hash_row(size, parts, at, size)
    mask = len(terms.slots) - 1
    slot = h & mask
    while True:
        term = terms.slots[slot] - 1
        if term < 0:
            break
        same_size = terms.size[term] == size
        if same_size and is_same_row(terms.parts, terms.first[term], parts, at, size):
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
    """Write the functions with these parts, `size` each; return how many the arrays could hold."""
    for i in range(len(numbers)):
        numbers[i] = intern_term(terms, parts, i * size, size)
        if numbers[i] < 0:
            return i
    return len(numbers)


@compiled
def rehash_terms(terms: TermArrays) -> None:
    """Fill an empty hash table of functions."""
    for term in range(terms.counts[0]):
        size = terms.size[term]
        if size > 0:
            h = hash_row(size, terms.parts, terms.first[term], size)
            terms.slots[free_slot(terms.slots, h)] = term + 1
