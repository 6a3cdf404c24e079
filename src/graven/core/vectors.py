"""Vector instructions that LLVM does not find by itself."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8  # numbers of a vector: the doubles of the longest ones

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


@intrinsic  # type: ignore[untyped-decorator]
def greatest_mask(typing_context: Any, values: Any, vectors: Any) -> Any:
    """Return the places of the greatest of LANES * vectors values, as the bits of a word.

    There must be 1 to 8 vectors. Not a number is never the greatest; the word is 0 if all are.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data

        def vector(index: Any) -> Any:
            place = builder.gep(data, [builder.shl(index, _INT64(3))])
            loaded = builder.load(builder.bitcast(place, _VECTOR.as_pointer()))
            loaded.align = 8
            return loaded

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


def _greater(builder: Any, one: Any, other: Any) -> Any:
    """Return the greater number in each lane; `other` if `one` is not a number."""
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _shuffled(builder: Any, vector: Any, lanes: Any) -> Any:
    """Return a vector of these lanes of another."""
    numbers = ir.Constant(ir.VectorType(_INT32, len(lanes)), list(lanes))
    return builder.shuffle_vector(vector, vector, numbers)
