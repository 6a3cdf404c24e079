"""NamedTuples of arrays and numbers in memory, which compiled functions pass by address.

Numba passes a NamedTuple by value: each array in it is seven words, a search's tree some hundreds,
and all of them are copied in every call. A tuple that many calls share is written to memory once,
and each callee reads the fields that it needs: what `stored` returns has the same fields, and reads
each of them where it is used. LLVM takes minutes for a kernel that reads all of them at once.

All fields are words of eight bytes, so that nothing lies between them. Kernels never write a tuple
that they read in this way, so LLVM may read a field once and keep it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
)
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


def packed(value: Any) -> NDArray[np.int64]:
    """Return memory with a NamedTuple of arrays, numbers and such tuples, as kernels read it.

    It is valid as long as the arrays are. Nothing is compiled, unlike `writer`.
    """
    return np.array(list(_words(value)), np.int64)


def _words(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        for field in value:
            yield from _words(field)
    elif isinstance(value, np.ndarray):
        # The fields of Numba's arrays: the owner of the memory (none), the number
        # and the size of the entries, where they are, and the shape and strides.
        yield from (0, 0, value.size, value.itemsize, value.ctypes.data)
        yield from value.shape
        yield from value.strides
    elif isinstance(value, float):
        yield int(np.float64(value).view(np.int64))
    else:
        yield int(value)


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


class StoredTuple(types.Type):  # type: ignore[misc]
    """The Numba type of a NamedTuple in memory, known by its address."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        # The type of each field would make the names of compiled functions very long.
        digest = hashlib.sha256(str(kind).encode()).hexdigest()[:8]
        super().__init__(name=f"Stored{kind.instance_class.__name__}{digest}")

    @property
    def key(self) -> Any:
        """The value that identifies the type."""
        return self.kind

    def place(self, name: str) -> int:
        """Return where a field begins, in words."""
        index = self.kind.fields.index(name)
        return sum(words_of(field) for field in self.kind.types[:index])


@register_model(StoredTuple)
class _AddressModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(8 * WORD_BYTES))


@infer_getattr
class _StoredFields(AttributeTemplate):  # type: ignore[misc]
    key = StoredTuple

    def generic_resolve(self, stored: StoredTuple, name: str) -> Any:
        if name not in stored.kind.fields:
            return None
        field = stored.kind.types[stored.kind.fields.index(name)]
        return StoredTuple(field) if isinstance(field, types.BaseTuple) else field


@lower_getattr_generic(StoredTuple)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, stored: StoredTuple, address: Any, name: str) -> Any:
    field = stored.kind.types[stored.kind.fields.index(name)]
    place = builder.add(address, address.type(stored.place(name) * WORD_BYTES))
    if isinstance(field, types.BaseTuple):
        return place
    return _load(context, builder, field, place)


def _load(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    """Read a number or an array that never changes while the kernel runs."""
    pointer = _pointer(context, builder, kind, address)
    if not isinstance(kind, types.Array):
        return _never_changing(builder, builder.load(pointer))
    value = cgutils.create_struct_proxy(kind)(context, builder)
    source = cgutils.create_struct_proxy(kind)(context, builder, ref=pointer)
    for i in range(len(source)):
        part = source._get_ptr_by_index(i)
        if isinstance(part.type.pointee, ir.ArrayType):
            for j in range(part.type.pointee.count):
                word = builder.load(cgutils.gep_inbounds(builder, part, 0, j))
                target = cgutils.gep_inbounds(builder, value._get_ptr_by_index(i), 0, j)
                builder.store(_never_changing(builder, word), target)
        else:
            value[i] = _never_changing(builder, builder.load(part))
    return value._getvalue()


def _never_changing(builder: Any, load: Any) -> Any:
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load


@lower_cast(StoredTuple, types.BaseTuple)  # type: ignore[untyped-decorator]
def _read_all(context: Any, builder: Any, stored: StoredTuple, kind: Any, address: Any) -> Any:
    """Read all fields, for a function that receives the tuple by value."""
    return context.unpack_value(builder, kind, _pointer(context, builder, kind, address))


def stored(kind: Any) -> Callable[[int], Any]:
    """Return a function for kernels that returns the tuple at an address, its fields unread."""

    @intrinsic  # type: ignore[untyped-decorator]
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return values[0]

        return StoredTuple(kind)(types.int64), generate

    return at


def _pointer(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    return builder.inttoptr(address, context.get_data_type(kind).as_pointer())
