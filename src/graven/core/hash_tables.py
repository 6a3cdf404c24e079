"""Hash tables with open addressing, for kernels: their keys are rows of numbers in arrays.

The number of slots is a power of two, and an empty slot is 0.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from graven.core.bits import mix
from graven.core.compile import compiled, inlined


@compiled
def hash_words(words: NDArray[Any], count: int) -> int:
    """Return a 64-bit hash of the first `count` words."""
    return hash_row(count, words, 0, count)


@inlined
def hash_row(key: int, numbers: NDArray[Any], first: int, count: int) -> int:
    """Return a 64-bit hash of `key` and of `count` numbers from the place `first` on."""
    mixed = key
    for i in range(first, first + count):
        mixed = mix(mixed, numbers[i])
    return mixed


@inlined
def is_same_row(
    numbers: NDArray[Any], first: int, others: NDArray[Any], second: int, count: int
) -> bool:
    """Return whether `count` numbers from `first` on equal those of `others` from `second` on."""
    same = True
    for i in range(count):
        if numbers[first + i] != others[second + i]:
            same = False
            break
    return same


@inlined
def free_slot(slots: NDArray[Any], hashed: int) -> int:
    """Return the first empty slot for a key with this hash."""
    mask = len(slots) - 1
    slot = hashed & mask
    while slots[slot]:
        slot = (slot + 1) & mask
    return slot
