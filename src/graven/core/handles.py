"""Records whose type a kernel does not know: one integer that only the callee can unpack.

A kernel is compiled once, for all policies. What a policy remembers is a NamedTuple of its own, so
the kernel cannot receive it as an argument of a known type. It receives a handle instead: the
address of a block of 64-bit words that describe the record. The compiled entry of the policy's
function (see `compile.address`) rebuilds the typed NamedTuple from that block, once a call.

A block has, for each field in order: the address and then each dimension of an array, or the value
of a number. The `Handle` keeps the arrays and the block alive; its address is valid as long as the
`Handle` itself.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graven.core.errors import UsageError

# In a signature: the address of a handle's block.
HANDLE = types.int64

NO_RECORD = 0


@dataclass(frozen=True)
class Field:
    """One field of a record: an array of `dtype` with `dimensions`, or a number (0 dimensions)."""

    name: str
    dtype: str
    dimensions: int


@dataclass(frozen=True)
class Layout:
    """The type of a record: its NamedTuple class and its fields."""

    record: type
    fields: tuple[Field, ...]

    def unpacked(self, address: str) -> tuple[str, dict[str, Any]]:
        """Return source code that rebuilds the record at `address`, and the names that it uses.

        Both are for `compile.address`: part of its body, and its names. The code calls `carray`.
        """
        names: dict[str, Any] = {
            "record_class": self.record,
            "word_at": word_at,
            "float_at": float_at,
            "pointer_at": pointer_at,
        }
        parts, place = [], 0
        for field in self.fields:
            if field.dimensions:
                names[f"{field.name}_dtype"] = np.dtype(field.dtype).type
                shape = ", ".join(
                    f"word_at({address}, {place + 1 + i})" for i in range(field.dimensions)
                )
                parts.append(
                    f"carray(pointer_at({address}, {place}), ({shape},), {field.name}_dtype)"
                )
            elif field.dtype == "float64":
                parts.append(f"float_at({address}, {place})")
            elif field.dtype == "bool":
                parts.append(f"(word_at({address}, {place}) != 0)")
            elif field.dtype == "uint64":
                names["uint64"] = np.uint64
                parts.append(f"uint64(word_at({address}, {place}))")
            else:
                parts.append(f"word_at({address}, {place})")
            place += 1 + field.dimensions
        return f"record_class({', '.join(parts)})", names


class Handle:
    """A record as kernels pass it on: `words` is its block, `address` is 0 for None."""

    def __init__(self, record: Any = None) -> None:
        self.record = record
        self.layout = None if record is None else layout_of(record)
        self.words: NDArray[np.int64] = np.array(
            [] if record is None else list(_words(record)), np.int64
        )

    @property
    def address(self) -> int:
        """The address of the block, for an argument of the type HANDLE."""
        return NO_RECORD if self.layout is None else int(self.words.ctypes.data)

    def places_of(self, names: Iterable[str]) -> list[int]:
        """Return the places in the block where the addresses of these arrays are."""
        places, place = {}, 0
        for field in self.layout.fields if self.layout else ():
            places[field.name] = place
            place += 1 + field.dimensions
        return [places[name] for name in names]


def layout_of(record: Any) -> Layout:
    """Return the layout of a NamedTuple of arrays and numbers; UsageError if it is none."""
    names = getattr(record, "_fields", ())
    if not isinstance(record, tuple) or not names:
        raise UsageError(f"a policy's memory is a NamedTuple with fields, not {record!r}.")
    owner = type(record).__name__
    return Layout(
        type(record), tuple(_field(owner, *pair) for pair in zip(names, record, strict=True))
    )


def _field(owner: str, name: str, value: Any) -> Field:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf" or not value.dtype.isnative:
            raise UsageError(f"{owner}.{name} is an array of {value.dtype}: use one of numbers.")
        if not value.flags.c_contiguous or value.ndim < 1:
            raise UsageError(
                f"{owner}.{name} must be a C-contiguous array of 1 or more dimensions."
            )
        return Field(name, str(value.dtype), value.ndim)
    if isinstance(value, bool | np.bool_):
        return Field(name, "bool", 0)
    if isinstance(value, np.uint64):
        return Field(name, "uint64", 0)
    if isinstance(value, int | np.integer):
        return Field(name, "int64", 0)
    if isinstance(value, float | np.floating):
        return Field(name, "float64", 0)
    raise UsageError(
        f"{owner}.{name} is a {type(value).__name__}: the fields of a policy's memory are NumPy "
        "arrays of numbers, and single numbers."
    )


def _words(record: Any) -> Iterator[int]:
    """The block of a record, word by word."""
    for value in record:
        if isinstance(value, np.ndarray):
            yield value.ctypes.data
            yield from value.shape
        elif isinstance(value, float | np.floating):
            yield from struct.unpack("q", struct.pack("d", value))
        elif isinstance(value, np.uint64):
            yield from struct.unpack("q", struct.pack("Q", int(value)))
        else:
            yield int(value)


def _load(builder: Any, address: Any, index: Any, kind: Any) -> Any:
    """Load the word at an index of the block at an address as an LLVM type."""
    block = builder.inttoptr(address, kind.as_pointer())
    return builder.load(builder.gep(block, [index]))


@intrinsic  # type: ignore[untyped-decorator]
def word_at(typing_context: Any, address: Any, index: Any) -> Any:
    """Return a word of a block as a whole number."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _load(builder, values[0], values[1], ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def float_at(typing_context: Any, address: Any, index: Any) -> Any:
    """Return a word of a block as a floating-point number."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _load(builder, values[0], values[1], ir.DoubleType())

    return types.float64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def set_float_at(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Write a floating-point number to a word of a block."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = builder.inttoptr(values[0], ir.DoubleType().as_pointer())
        builder.store(values[2], builder.gep(block, [values[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def pointer_at(typing_context: Any, address: Any, index: Any) -> Any:
    """Return a word of a block as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = _load(builder, values[0], values[1], ir.IntType(64))
        return builder.inttoptr(word, ir.IntType(8).as_pointer())

    return types.voidptr(types.int64, types.int64), generate
