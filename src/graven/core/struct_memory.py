"""NamedTuples of arrays and numbers in memory, which compiled functions pass by address.

Numba passes a NamedTuple by value: each array in it is seven words, a search's tree some hundreds,
and all of them are copied in every call. A tuple that many calls share is written to memory once,
and each callee reads the fields that it needs.

All fields are words of eight bytes, so that nothing lies between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numpy.typing import NDArray

# In a signature: the address of a tuple in memory.
ADDRESS = types.int64

WORD_BYTES = 8


def words_of(kind: Any) -> int:
    """Return the words that a value of a Numba type takes."""
    if isinstance(kind, types.BaseTuple):
        return sum(words_of(field) for field in kind.types)
    return 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


def new_memory(kind: Any) -> tuple[NDArray[np.int64], int]:
    """Return memory for a value of a Numba type, and its address, valid as long as the memory."""
    words = np.zeros(words_of(kind), np.int64)
    return words, int(words.ctypes.data)


def reader(kind: Any) -> Callable[[int], Any]:
    """Return a function for kernels that returns the value of a Numba type at an address."""

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return context.unpack_value(builder, kind, _pointer(context, builder, kind, values[0]))

        return kind(types.int64), generate

    return read


def writer(kind: Any) -> Callable[[int, Any], None]:
    """Return a function for kernels that writes a value of a Numba type to an address."""

    @intrinsic  # type: ignore[untyped-decorator]
    def write(typing_context: Any, address: Any, value: Any) -> Any:
        if value != kind:
            raise TypingError(f"cannot write {value} as {kind}")

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            pointer = _pointer(context, builder, kind, values[0])
            context.pack_value(builder, kind, values[1], pointer)
            return context.get_dummy_value()

        return types.void(types.int64, kind), generate

    return write


def _pointer(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    return builder.inttoptr(address, context.get_data_type(kind).as_pointer())
