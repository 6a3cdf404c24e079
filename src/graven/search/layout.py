"""Records of arrays: one declaration for each array, from which everything else is derived.

A record is a NamedTuple whose fields are annotated with their type and size:

    visits: Annotated[Int32, Size(group="nodes")]

`arrays_of` returns these declarations, `numba_type` the type that kernels are compiled for, and
`new_arrays` the arrays themselves. How a tree grows, is cleared and is pruned follows from the same
declarations (see `tree` and `reuse`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

import numpy as np
from numba import types
from numpy.typing import NDArray

from graven.core.atomics import own_lines
from graven.core.contract import Rules

Int8 = NDArray[np.int8]
UInt8 = NDArray[np.uint8]
UInt16 = NDArray[np.uint16]
Int32 = NDArray[np.int32]
UInt32 = NDArray[np.uint32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]


# The memory of an array goes on for so many entries after its end, which vector instructions may
# read, and write in scratch arrays: see `select.selection`.
SPARE = 16


def one(rules: Rules) -> int:
    """Return 1: the usual number of entries."""
    return 1


def by_player(rules: Rules) -> int:
    """Return the number of players."""
    return rules.players


@dataclass(frozen=True)
class Size:
    """The length of an array.

    A group of arrays (nodes, edges, ...) grows together; a unit of a group is one node or one edge.
    An array of a group has `entries(rules)` entries per unit, any other array `entries(rules)` in
    all. `refers` is the group whose units the values index; negative values mean none. `fill` is
    the initial value of arrays that belong to no group.
    """

    entries: Callable[[Rules], int] = one
    group: str = ""
    refers: str = ""
    fill: int = 0


@dataclass(frozen=True)
class ArrayLayout:
    """The declaration of one array."""

    name: str
    dtype: np.dtype[Any]
    size: Size


@cache
def arrays_of(record: type) -> tuple[ArrayLayout, ...]:
    """Return the declarations of a record's arrays, in order."""
    layouts = []
    space = vars(sys.modules[record.__module__])
    for name, hint in get_type_hints(record, space, include_extras=True).items():
        kind, size = get_args(hint)
        (dtype,) = get_args(get_args(kind)[-1])  # NDArray[dtype] is ndarray[shape, dtype[...]]
        layouts.append(ArrayLayout(name, np.dtype(dtype), size))
    return tuple(layouts)


def numba_type(record: type) -> Any:
    """Return the type of a record in kernels: a NamedTuple of C-contiguous arrays."""
    kinds = [types.Array(getattr(types, str(a.dtype)), 1, "C") for a in arrays_of(record)]
    return types.NamedTuple(kinds, record)


def new_arrays(record: type, rules: Rules, copies: int = 1) -> dict[str, NDArray[Any]]:
    """Return the arrays of a record that belong to no group, each so many times as long."""
    arrays = {}
    for array in ungrouped_arrays(record):
        length = copies * array.size.entries(rules)
        arrays[array.name] = own_lines(length + SPARE, array.dtype)[:length]
        if array.size.fill:
            arrays[array.name].fill(array.size.fill)
    return arrays


@cache
def ungrouped_arrays(record: type) -> tuple[ArrayLayout, ...]:
    """Return the declarations of a record's arrays that belong to no group."""
    return tuple(array for array in arrays_of(record) if not array.size.group)
