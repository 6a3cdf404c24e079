"""Vector instructions that LLVM does not find by itself."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8  # numbers of a vector: the doubles of the longest ones
COLUMNS = 4  # sums that are added up at the same time
BLOCK = 16  # numbers that are added between two branches
BYTE = 8  # codes that are packed at a time, and the low bits of each that make a byte
PLANES = 2  # the most bits of a packed code above these

_INT8, _INT32, _INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_BYTES, _CODES = ir.VectorType(_INT8, BYTE), ir.VectorType(_INT32, BYTE)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_ROW = ir.VectorType(ir.DoubleType(), COLUMNS)
_ROW_OF_PLACES = ir.VectorType(_INT64, COLUMNS)


@intrinsic  # type: ignore[untyped-decorator]
def greatest_mask(typing_context: Any, values: Any, vectors: Any) -> Any:
    """Return the places of the greatest of LANES * vectors values, as the bits of a word.

    There must be 1 to 8 vectors. Not a number is never the greatest; the word is 0 if all are.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data

        def vector(index: Any) -> Any:
            return _loaded(builder, data, builder.shl(index, _INT64(3)))

        top = cgutils.alloca_once_value(builder, vector(_INT64(0)))
        with cgutils.for_range(builder, arguments[1], start=_INT64(1)) as loop:
            builder.store(_greater(builder, vector(loop.index), builder.load(top)), top)
        folded, width = builder.load(top), LANES
        while width > 1:
            width //= 2
            low = _shuffled(builder, folded, range(width))
            high = _shuffled(builder, folded, range(width, 2 * width))
            folded = _greater(builder, high, low)
        everywhere = _shuffled(builder, folded, [0] * LANES)
        places = cgutils.alloca_once_value(builder, _INT64(0))
        with cgutils.for_range(builder, arguments[1]) as loop:
            equal = builder.fcmp_ordered("==", vector(loop.index), everywhere)
            bits = builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _INT64)
            bits = builder.shl(bits, builder.shl(loop.index, _INT64(3)))
            builder.store(builder.or_(builder.load(places), bits), places)
        return builder.load(places)

    return types.int64(values, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def greatest_of(typing_context: Any, values: Any, vectors: Any) -> Any:
    """Return the greatest of LANES * vectors values, which is no number only if none of them is.

    There must be at least one vector.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        top = cgutils.alloca_once_value(builder, _loaded(builder, data, _INT64(0)))
        with cgutils.for_range(builder, arguments[1], start=_INT64(1)) as loop:
            vector = _loaded(builder, data, builder.shl(loop.index, _INT64(3)))
            builder.store(_greater(builder, builder.load(top), vector), top)
        folded, width = builder.load(top), LANES
        while width > 1:
            width //= 2
            low = _shuffled(builder, folded, range(width))
            high = _shuffled(builder, folded, range(width, 2 * width))
            folded = _greater(builder, high, low)
        return builder.extract_element(folded, _INT32(0))

    return types.float64(values, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def equal_mask(typing_context: Any, values: Any, first: Any, vectors: Any, number: Any) -> Any:
    """Return which of LANES * vectors values, from `first` on, equal a number: bits of a word.

    There must be at most 8 vectors.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        _, first, vectors, number = arguments
        everywhere = _everywhere(builder, number, _VECTOR)
        places = cgutils.alloca_once_value(builder, _INT64(0))
        with cgutils.for_range(builder, vectors) as loop:
            lane = builder.shl(loop.index, _INT64(3))
            vector = _loaded(builder, data, builder.add(first, lane))
            equal = builder.fcmp_ordered("==", vector, everywhere)
            bits = builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _INT64)
            builder.store(builder.or_(builder.load(places), builder.shl(bits, lane)), places)
        return builder.load(places)

    return types.int64(values, types.int64, types.int64, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def column_sums(
    typing_context: Any, values: Any, first: Any, codes: Any, mask: Any, size: Any, sums: Any
) -> Any:
    """Return the sums of values[first + (codes[i] & mask)], i < size, in COLUMNS columns.

    Column i % COLUMNS has value i; sums[i] receives the sum of its column up to value i. `codes` is
    read and `sums` is written in blocks of BLOCK entries: after `size` the sums stay the same.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data_of(number: int) -> Any:
            kind, value = signature.args[number], arguments[number]
            return context.make_array(kind)(context, builder, value).data

        values, codes, sums = data_of(0), data_of(2), data_of(5)
        _, first, _, mask, size, _ = arguments
        values = builder.gep(values, [first])
        sizes = _everywhere(builder, size, _ROW_OF_PLACES)
        nothing = ir.Constant(_ROW, [0.0] * COLUMNS)
        reached = cgutils.alloca_once_value(builder, nothing)
        with cgutils.for_range(builder, _blocks(builder, size)) as loop:
            for row in range(0, BLOCK, COLUMNS):
                place = builder.add(builder.mul(loop.index, _INT64(BLOCK)), _INT64(row))
                added: Any = ir.Constant(_ROW, ir.Undefined)
                for column in range(COLUMNS):
                    # One code at a time: a processor may have to wait where a vector is read
                    # that several instructions have just written.
                    code = builder.gep(codes, [builder.add(place, _INT64(column))])
                    code = builder.and_(builder.zext(builder.load(code), _INT64), mask)
                    value = builder.load(builder.gep(values, [code]))
                    added = builder.insert_element(added, value, _INT32(column))
                places = _everywhere(builder, place, _ROW_OF_PLACES)
                places = builder.add(places, ir.Constant(_ROW_OF_PLACES, list(range(COLUMNS))))
                counts = builder.icmp_signed("<", places, sizes)
                added = builder.select(counts, added, nothing)
                total = builder.fadd(builder.load(reached), added)
                builder.store(total, reached)
                address = builder.bitcast(builder.gep(sums, [place]), _ROW.as_pointer())
                builder.store(total, address).align = 8
        total = builder.load(reached)
        columns = [builder.extract_element(total, _INT32(column)) for column in range(COLUMNS)]
        return context.make_tuple(builder, signature.return_type, columns)

    result = types.UniTuple(types.float64, COLUMNS)
    return result(values, types.int64, codes, types.int64, types.int64, sums), generate


@intrinsic  # type: ignore[untyped-decorator]
def count_reached(typing_context: Any, sums: Any, size: Any, column: Any, limit: Any) -> Any:
    """Return how many `sums` of `column_sums` in a column are at most `limit`.

    The sums after `size`, up to the end of a block, count as well.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        _, size, column, limit = arguments
        limits = _everywhere(builder, limit, _VECTOR)
        lanes = sum(1 << lane for lane in range(0, LANES, COLUMNS))
        chosen = builder.shl(_INT64(lanes), column)
        count = cgutils.alloca_once_value(builder, _INT64(0))
        with cgutils.for_range(builder, _blocks(builder, size)) as loop:
            for row in range(0, BLOCK, LANES):
                place = builder.add(builder.mul(loop.index, _INT64(BLOCK)), _INT64(row))
                reached = _loaded(builder, data, place)
                below = builder.fcmp_ordered("<=", reached, limits)
                below = builder.zext(builder.bitcast(below, ir.IntType(LANES)), _INT64)
                found = builder.ctpop(builder.and_(below, chosen))
                builder.store(builder.add(builder.load(count), found), count)
        return builder.load(count)

    return types.int64(sums, types.int64, types.int64, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def pack_codes(
    typing_context: Any, codes: Any, count: Any, planes: Any, out: Any, start: Any
) -> Any:
    """Write the low BYTE + planes bits of codes (uint32) to the bytes `out`, from `start` on.

    Planes of bits come first: bit BYTE of all codes, BYTE of them in each byte, and so on. The low
    BYTE bits of each code come after them. There are at most PLANES planes. Reads up to BYTE - 1
    codes after `count`, and writes as many bytes after the end.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        codes, out = (_data_of(context, builder, signature, arguments, i) for i in (0, 3))
        _, count, planes, _, start = arguments
        blocks = builder.udiv(builder.add(count, _INT64(BYTE - 1)), _INT64(BYTE))
        low = builder.add(start, builder.mul(planes, blocks))
        with cgutils.for_range(builder, blocks) as loop:
            place = builder.mul(loop.index, _INT64(BYTE))
            block = builder.load(
                builder.bitcast(builder.gep(codes, [place]), _CODES.as_pointer()), align=4
            )
            for plane in range(PLANES):
                with builder.if_then(builder.icmp_signed(">", planes, _INT64(plane))):
                    bit = ir.Constant(_CODES, [1 << (BYTE + plane)] * BYTE)
                    nothing = ir.Constant(_CODES, [0] * BYTE)
                    found = builder.icmp_unsigned("!=", builder.and_(block, bit), nothing)
                    begin = builder.add(start, builder.mul(_INT64(plane), blocks))
                    at = builder.gep(out, [builder.add(begin, loop.index)])
                    builder.store(builder.bitcast(found, _INT8), at)
            at = builder.gep(out, [builder.add(low, place)])
            stored = builder.trunc(block, _BYTES)
            builder.store(stored, builder.bitcast(at, _BYTES.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(codes, types.int64, types.int64, out, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def unpack_codes(
    typing_context: Any, stored: Any, start: Any, count: Any, planes: Any, first: Any, out: Any
) -> Any:
    """Write codes that `pack_codes` has stored at `start` to `out` (uint32), from `first` on.

    Begins up to BYTE - 1 codes before `first`, and writes as many after the last one.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        stored, out = (_data_of(context, builder, signature, arguments, i) for i in (0, 5))
        _, start, count, planes, first, _ = arguments
        blocks = builder.udiv(builder.add(count, _INT64(BYTE - 1)), _INT64(BYTE))
        low = builder.add(start, builder.mul(planes, blocks))
        begun = builder.udiv(first, _INT64(BYTE))
        codes = cgutils.alloca_once(builder, _CODES)
        with cgutils.for_range(builder, blocks, start=begun) as loop:
            place = builder.mul(loop.index, _INT64(BYTE))
            at = builder.gep(stored, [builder.add(low, place)])
            block = builder.load(builder.bitcast(at, _BYTES.as_pointer()), align=1)
            builder.store(builder.zext(block, _CODES), codes)
            for plane in range(PLANES):
                with builder.if_then(builder.icmp_signed(">", planes, _INT64(plane))):
                    begin = builder.add(start, builder.mul(_INT64(plane), blocks))
                    bits = builder.load(builder.gep(stored, [builder.add(begin, loop.index)]))
                    found = builder.bitcast(bits, ir.VectorType(ir.IntType(1), BYTE))
                    bit = ir.Constant(_CODES, [1 << (BYTE + plane)] * BYTE)
                    nothing = ir.Constant(_CODES, [0] * BYTE)
                    more = builder.select(found, bit, nothing)
                    builder.store(builder.or_(builder.load(codes), more), codes)
            at = builder.bitcast(builder.gep(out, [place]), _CODES.as_pointer())
            builder.store(builder.load(codes), at, align=4)
        return context.get_dummy_value()

    return types.void(stored, *[types.int64] * 4, out), generate


def _data_of(context: Any, builder: Any, signature: Any, arguments: Any, number: int) -> Any:
    """Return the address of the entries of an array among the arguments."""
    return context.make_array(signature.args[number])(context, builder, arguments[number]).data


def _blocks(builder: Any, size: Any) -> Any:
    """Return how many blocks so many numbers take."""
    return builder.udiv(builder.add(size, _INT64(BLOCK - 1)), _INT64(BLOCK))


def _loaded(builder: Any, data: Any, place: Any) -> Any:
    """Return the vector of doubles that begins at an entry of an array."""
    loaded = builder.load(builder.bitcast(builder.gep(data, [place]), _VECTOR.as_pointer()))
    loaded.align = 8
    return loaded


def _everywhere(builder: Any, number: Any, kind: Any) -> Any:
    """Return a vector with the same number in each lane."""
    lanes = builder.insert_element(ir.Constant(kind, ir.Undefined), number, _INT32(0))
    return _shuffled(builder, lanes, [0] * kind.count)


def _greater(builder: Any, one: Any, other: Any) -> Any:
    """Return the greater number in each lane; `other` if `one` is not a number."""
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _shuffled(builder: Any, vector: Any, lanes: Any) -> Any:
    """Return a vector of these lanes of another."""
    numbers = ir.Constant(ir.VectorType(_INT32, len(lanes)), list(lanes))
    return builder.shuffle_vector(vector, vector, numbers)
