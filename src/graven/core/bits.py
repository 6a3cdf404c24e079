"""Sets of up to 64 elements as the bits of a signed 64-bit word, for rules with bitboards."""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from graven.core.compile import inlined

# Numba tests every signed index for being negative. `state[index(i)]` is unsigned and avoids the
# test, which takes a fifth of the time of Go's playouts.
index = np.uint64

_ODD = -7046029254386353131  # 2**64 divided by the golden ratio, as a signed word


def words_for(elements: int) -> int:
    """Return how many words a set of so many elements takes."""
    return -(-elements // 64)


@intrinsic  # type: ignore[untyped-decorator]
def count(typing_context: Any, word: Any) -> Any:
    """Return how many bits are set."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return numba.int64(numba.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def lowest(typing_context: Any, word: Any) -> Any:
    """Return the index of the lowest set bit; undefined for 0."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return numba.int64(numba.int64), generate


@inlined
def down(word: int, distance: int) -> int:
    """Return the word shifted right by 0 to 63 bits, filled with zeros."""
    return np.int64(np.uint64(word) >> np.uint64(distance))  # type: ignore[return-value]


@inlined
def mix(key: int, value: int) -> int:
    """Return a hash of a key and one more value."""
    key = (key ^ value) * _ODD
    return key ^ ((key >> 31) & 0x1FFFFFFFF)


@inlined
def nth(word: int, n: int) -> int:
    """Return the index of the n-th lowest set bit, counted from 0."""
    return lowest(nth_bit(word, n))


@intrinsic  # type: ignore[untyped-decorator]
def nth_bit(typing_context: Any, word: Any, n: Any) -> Any:
    """Return a word with only the n-th lowest set bit of `word`, counted from 0.

    One instruction, `pdep`, where the processor has a fast one. Which code is generated is decided
    when it is compiled; Numba keeps the cached code of different processors apart.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if not deposits_fast():
            return context.compile_internal(builder, nth_bit_by_halves, signature, values)
        i64 = ir.IntType(64)
        deposit = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(i64, [i64, i64]), "llvm.x86.bmi.pdep.64"
        )
        return builder.call(deposit, [builder.shl(i64(1), values[1]), values[0]])

    return numba.int64(numba.int64, numba.int64), generate


@cache
def deposits_fast() -> bool:
    """Return whether `nth_bit` is one instruction on this processor."""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return has_fast_deposit(processor, features)


def has_fast_deposit(processor: str, features: str) -> bool:
    """Return whether a processor, by LLVM's names, deposits bits in a few cycles.

    AMD's first two Zen generations take one cycle or more for every bit.
    """
    return "+bmi2" in features.split(",") and processor not in ("znver1", "znver2")


def nth_bit_by_halves(word: int, n: int) -> int:
    """Return what `nth_bit` returns, on any processor.

    Halves the word six times instead of clearing n bits: no branch to mispredict.
    """
    at = np.int64(0)
    for half in (32, 16, 8, 4, 2, 1):
        low = count(word & ((np.int64(1) << half) - 1))
        above = n >= low
        n -= low * above
        at += half * above
        word = down(word, half * above)
    return np.int64(1) << at  # type: ignore[return-value]
