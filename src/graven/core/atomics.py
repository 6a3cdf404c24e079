"""Atomic access to arrays that several threads share, for kernels; and giving up the processor.

Orderings are those of LLVM: whatever a thread wrote before `store_release` is visible to a thread
that has read the stored value with `load_acquire`.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graven.core.compile import caller

# Arrays that different threads write begin on lines of their own. Processors fetch lines in pairs.
LINE_BYTES = 128
LINE_WORDS = LINE_BYTES // 8

YIELD = types.int64(types.int64)
call_yield = caller(YIELD)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [place])


@intrinsic  # type: ignore[untyped-decorator]
def load_acquire(typing_context: Any, array: Any, place: Any) -> Any:
    """Return array[place]; what was written before it was stored is visible afterwards."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = _pointer(context, builder, array, *values)
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_release(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    """Set array[place]; readers that use `load_acquire` then see all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = _pointer(context, builder, array, values[0], place=values[1])
        stored = context.cast(builder, values[2], value, array.dtype)
        builder.store_atomic(stored, pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, value), generate


@intrinsic  # type: ignore[untyped-decorator]
def fetch_add(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    """Add a value to array[place] and return what was there before, in one step."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = _pointer(context, builder, array, values[0], place=values[1])
        added = context.cast(builder, values[2], value, array.dtype)
        return builder.atomic_rmw("add", pointer, added, "seq_cst")

    return array.dtype(array, types.int64, value), generate


@intrinsic  # type: ignore[untyped-decorator]
def replace_if(typing_context: Any, array: Any, place: Any, expected: Any, value: Any) -> Any:
    """Set array[place] to a value if it is as expected, in one step; return whether it was."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = _pointer(context, builder, array, values[0], place=values[1])
        old = context.cast(builder, values[2], expected, array.dtype)
        new = context.cast(builder, values[3], value, array.dtype)
        pair = builder.cmpxchg(pointer, old, new, "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(array, types.int64, expected, value), generate


def own_lines(length: int, dtype: Any) -> NDArray[Any]:
    """Return an array of zeros that shares no line of the cache with other memory."""
    size = -(-length * np.dtype(dtype).itemsize // LINE_BYTES) * LINE_BYTES
    # Zeros come from the operating system: pages that are never touched cost nothing.
    memory = np.zeros(size + LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % LINE_BYTES
    return memory[start : start + size].view(dtype)[:length]


@cache
def yield_address() -> int:
    """Return the address of the system's function that lets other threads run first."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
