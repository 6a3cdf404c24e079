"""Sets of up to 64 elements as the bits of a 64-bit word, for bitboards, and hashes of words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from graven.core.compile import inlined
from graven.core.rng import Rng, below, mixed

# Numba tests every signed index for being negative. `state[index(i)]` is unsigned and avoids the
# test, which takes a fifth of the time of Go's playouts.
index = np.uint64

_I64 = ir.IntType(64)
_BYTES, _MASK = ir.VectorType(ir.IntType(8), 64), ir.VectorType(ir.IntType(1), 64)
_SIXTEEN = ir.VectorType(ir.IntType(32), 16)
COMPRESS = "llvm.x86.avx512.mask.compress.v64i8"


def words_for(elements: int) -> int:
    """Return how many words a set of so many elements takes."""
    return -(-elements // 64)


def word_of(indices: Iterable[int]) -> int:
    """Return the word with these bits set, for constants of rules."""
    word = 0
    for element in indices:
        word |= 1 << element
    return word - (1 << 64) if word >> 63 else word


@inlined
def bit(element: int) -> int:
    """Return the word with one bit set."""
    return np.int64(1) << np.int64(element)  # type: ignore[return-value]


@inlined
def draw(words: tuple[int, ...], rng: Rng) -> tuple[int, int]:
    """Draw one of the set bits of several words: return the word's place and the bit's index.

    Each set bit of each word has the same probability. Returns (-1, -1) if there is none. There is
    no branch that depends on the draw, which no processor could predict.
    """
    total = 0
    for word in words:
        total += count(word)
    if total == 0:
        return -1, -1
    skip = below(rng, total)
    place, chosen, before, seen = 0, words[0], 0, 0
    for i in range(len(words)):
        place, chosen, before = (i, words[i], seen) if skip >= seen else (place, chosen, before)
        seen += count(words[i])
    return place, nth(chosen, skip - before)


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
    """Return a hash of a key and one more value.

    Each bit of both may change any other. After a single multiplication high bits would have
    changed few others, and the next value could undo that: two positions had the same key.
    """
    return np.int64(mixed(np.uint64(key ^ value)))  # type: ignore[return-value]


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


@inlined
def append(moves: Any, size: int, word: int, factor: int = 1, offset: int = 0) -> int:
    """Write factor * i + offset for every set bit i, from the lowest up, to moves[size:].

    Returns the new size. `moves` is an array of 32-bit integers. Its entries after the new size may
    be overwritten too: where the processor has AVX-512, and the array is long enough, 16 entries
    are written at once.
    """
    return append_all(moves, size, word, factor, offset)


@intrinsic  # type: ignore[untyped-decorator]
def append_all(
    typing_context: Any, moves: Any, size: Any, word: Any, factor: Any, offset: Any
) -> Any:
    """Do what `append` does, which has the same arguments."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        def one_by_one() -> Any:
            return context.compile_internal(builder, append_one_by_one, signature, values)

        if not compresses_bytes() or moves.layout != "C":
            return one_by_one()
        array = context.make_array(signature.args[0])(context, builder, values[0])
        _, size, word, factor, offset = values
        has_room = builder.icmp_signed("<=", builder.add(size, _I64(64)), array.nitems)
        result = cgutils.alloca_once(builder, _I64)
        with builder.if_else(has_room, likely=True) as (then, otherwise):
            with then:
                _store_sixteens(builder, array.data, size, word, factor=factor, offset=offset)
                builder.store(builder.add(size, builder.ctpop(word)), result)
            with otherwise:
                builder.store(one_by_one(), result)
        return builder.load(result)

    return numba.int64(moves, *[numba.int64] * 4), generate


def _store_sixteens(
    builder: Any, data: Any, size: Any, word: Any, *, factor: Any, offset: Any
) -> None:
    """Store factor * i + offset for the set bits i of a word at data[size:], 16 at a time."""
    compress = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_BYTES, [_BYTES, _BYTES, _MASK]), COMPRESS
    )
    places = ir.Constant(_BYTES, list(range(64)))
    none = ir.Constant(_BYTES, [0] * 64)
    packed = builder.call(compress, [places, none, builder.bitcast(word, _MASK)])
    factors, offsets = (_repeated(builder, number) for number in (factor, offset))

    def store(first: int) -> None:
        lanes = ir.Constant(_SIXTEEN, list(range(first, first + 16)))
        wide = builder.zext(builder.shuffle_vector(packed, packed, lanes), _SIXTEEN)
        place = builder.gep(data, [builder.add(size, _I64(first))])
        place = builder.bitcast(place, _SIXTEEN.as_pointer())
        builder.store(builder.add(builder.mul(wide, factors), offsets), place).align = 4

    store(0)
    elements = builder.ctpop(word)
    with builder.if_then(builder.icmp_signed(">", elements, _I64(16)), likely=False):
        store(16)
        with builder.if_then(builder.icmp_signed(">", elements, _I64(32)), likely=False):
            store(32)
            store(48)


def _repeated(builder: Any, number: Any) -> Any:
    """Return a vector of 16 times the same number."""
    lanes = ir.Constant(_SIXTEEN, ir.Undefined)
    lanes = builder.insert_element(lanes, builder.trunc(number, ir.IntType(32)), _I64(0))
    return builder.shuffle_vector(lanes, lanes, ir.Constant(_SIXTEEN, [0] * 16))


def append_one_by_one(moves: Any, size: int, word: int, factor: int, offset: int) -> int:
    """Do what `append` does, on any processor."""
    while word:
        moves[np.uint64(size)] = factor * lowest(word) + offset
        size += 1
        word &= word - 1
    return size


@cache
def compresses_bytes() -> bool:
    """Return whether this processor packs the chosen ones of 64 bytes in one instruction."""
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    return {"+avx512vbmi2", "+avx512bw"} <= set(features.split(","))


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
