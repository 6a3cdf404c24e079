"""Blocks of 256 bits, one bit per lane, for the batched kernel.

A block is four 64-bit words of an array, which fit one vector register of many processors. Numba
does not vectorise over four neighbouring words by itself, so the operations are intrinsics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

WIDTH = 4
"""Words in a block."""
LANES = 64 * WIDTH

_VECTOR = ir.VectorType(ir.IntType(64), WIDTH)


class _BlockType(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="GdlBlock")


_block = _BlockType()


@register_model(_BlockType)
class _BlockModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the block whose first word is `array[index]`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_pointer(context, builder, array, *values), align=8)

    return _block(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(typing_context: Any, array: Any, index: Any, block: Any) -> Any:
    """Write a block to `array[index]` and the words after it."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = _pointer(context, builder, array, values[0], index=values[1])
        builder.store(values[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, _block), generate


@intrinsic  # type: ignore[untyped-decorator]
def every(typing_context: Any, word: Any) -> Any:
    """Return a block of four times the same word."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _splat(builder, values[0])

    return _block(types.int64), generate


def _splat(builder: Any, word: Any) -> Any:
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, word, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, undefined, zeros)


def _of_two(name: str, text: str, combine: Callable[[Any, Any, Any], Any]) -> Any:
    def operation(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return combine(builder, *values)

        return _block(_block, _block), generate

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = text
    return intrinsic(operation)


def _shifted(name: str, text: str, combine: Callable[[Any, Any, Any], Any]) -> Any:
    def operation(typing_context: Any, block: Any, distance: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return combine(builder, values[0], _splat(builder, values[1]))

        return _block(_block, types.int64), generate

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = text
    return intrinsic(operation)


both = _of_two("both", "The bits that are in both.", lambda b, x, y: b.and_(x, y))
either = _of_two("either", "The bits that are in one at least.", lambda b, x, y: b.or_(x, y))
unlike = _of_two("unlike", "The bits that are in one only.", lambda b, x, y: b.xor(x, y))
without = _of_two(
    "without", "The first's bits that the second lacks.", lambda b, x, y: b.and_(x, b.not_(y))
)
up = _shifted("up", "Each word shifted left by 0 to 63 bits.", lambda b, x, n: b.shl(x, n))
down = _shifted("down", "Each word shifted right, zeros coming in.", lambda b, x, n: b.lshr(x, n))
