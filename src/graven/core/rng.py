"""Random numbers: SplitMix64 (Steele, Lea and Flood 2014), one 64-bit word of state.

A generator is an array of one `uint64`, so that kernels and rule functions can advance it in
place. The same seed gives the same numbers everywhere; `derive` makes independent seeds for the
games of a match and the moves of a game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled, inlined
from graven.core.number_checks import whole_value

Rng = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S11 = (np.uint64(n) for n in (27, 30, 31, 32, 11))
_UNIT = 1.0 / (1 << 53)
_MASK = (1 << 64) - 1


def generator(seed: int) -> Rng:
    """Return a generator that starts at `seed`."""
    return np.array([_word(seed)], dtype=np.uint64)


def derive(seed: int, *parts: int) -> int:
    """Return a seed for one part of an experiment: equal for equal parts, else unrelated."""
    state = _word(seed)
    for part in parts:
        state = _scramble((state + (part + 1) * int(STEP)) & _MASK)
    return state


def _word(seed: int) -> int:
    """Return a seed as 64 bits; raise UsageError if it is not a whole number."""
    return (seed if type(seed) is int else whole_value("seed", seed)) & _MASK


def _scramble(z: int) -> int:
    z = ((z ^ (z >> 30)) * int(_MIX1)) & _MASK
    z = ((z ^ (z >> 27)) * int(_MIX2)) & _MASK
    return z ^ (z >> 31)


@inlined
def mixed(z: np.uint64) -> np.uint64:
    """Return the random bits of a generator's word, which is advanced by STEP before each draw."""
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@inlined
def drawn_ahead(stream: np.uint64, number: int) -> np.uint64:
    """Return the draw that a generator with this state makes after `number` others."""
    return mixed(stream + np.uint64(number + 1) * STEP)


@inlined
def advanced(stream: np.uint64, draws: int) -> np.uint64:
    """Return a generator's state after so many draws."""
    return stream + np.uint64(draws) * STEP


@inlined
def scaled(random: np.uint64, n: int) -> int:
    """Return a number from 0 to n - 1 made of 64 random bits; see `below`."""
    return np.int64(((random >> _S32) * np.uint64(n)) >> _S32)  # type: ignore[return-value]


@compiled
def draw(rng: Rng) -> np.uint64:
    """Return the next 64 random bits."""
    rng[0] += STEP
    return mixed(rng[0])


@compiled
def fill(rng: Rng, words: NDArray[np.int64]) -> None:
    """Fill an array with random bits: the next draws, in order."""
    first = rng[0]
    for i in range(len(words)):
        words[i] = np.int64(drawn_ahead(first, i))
    rng[0] = advanced(first, len(words))


@compiled
def below(rng: Rng, n: int) -> int:
    """Return a random integer from 0 to n - 1 (n below 2**32); its bias is under n / 2**32."""
    return scaled(draw(rng), n)


@compiled
def uniform(rng: Rng) -> float:
    """Return a random number from 0 up to, but not including, 1."""
    return np.float64(draw(rng) >> _S11) * _UNIT
