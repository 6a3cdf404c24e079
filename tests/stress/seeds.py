"""Random choices of the stress tests: the same for the same seed, on every machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

# With less time than this a test may leave out some of its kinds of faults, and never otherwise.
WHOLE_ROUND = 20.0


def shuffled(values: Iterable[T], seed: int) -> list[T]:
    """Return the values in an order that depends on the seed."""
    ordered = list(values)
    random.Random(seed).shuffle(ordered)
    return ordered


def mutated(data: bytes, rng: random.Random, words: Sequence[bytes] = (b"\0",)) -> bytes:
    """Return the data with some bytes changed, removed, repeated or replaced by one of the words.

    Up to eight changes, half of the time just one.
    """
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 5, 8))):
        at = rng.randrange(len(changed) + 1)
        end = min(len(changed), at + rng.choice((1, 1, 2, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del changed[at:end]
        elif kind == 2:
            changed[at:at] = changed[at:end] * rng.choice((1, 2, 100))
        elif kind == 3:
            changed[at:at] = rng.choice(words)
        elif kind == 4:
            changed[at:end] = rng.randbytes(end - at)
        else:
            del changed[at:]
    return bytes(changed)


def fuzz(
    examples: Sequence[bytes],
    words: Sequence[bytes],
    receive: Callable[[bytes], object],
    expected: type[Exception] | tuple[type[Exception], ...],
    seed: int,
    seconds: float,
) -> tuple[int, list[str]]:
    """Pass mutated examples to a function, which may raise the expected exceptions only."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        data = mutated(rng.choice(examples), rng, words)
        tried += 1
        try:
            receive(data)
        except expected:
            pass
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error} for {data[:300]!r}")
            if len(failures) == 20:
                break
    return tried, failures
