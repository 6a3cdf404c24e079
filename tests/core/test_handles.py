"""Records that a kernel passes on without knowing their type."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from graven.core.compile import address, caller, compiled
from graven.core.errors import UsageError
from graven.core.handles import HANDLE, Handle, layout_of

SUM = types.float64(HANDLE)
_call = caller(SUM)


class Numbers(NamedTuple):
    whole: int
    part: float
    flag: bool
    big: np.uint64
    row: np.ndarray
    grid: np.ndarray


class Letters(NamedTuple):
    row: np.ndarray
    factor: float


def total(record):
    record.row[0] += 1.0
    corner = record.grid[1, 2] if record.flag else 0.0
    return record.whole + record.part + (record.big >> np.uint64(60)) + record.row.sum() + corner


def scaled(record):
    return record.factor * record.row[1]


def none_at_all(record):
    return 1.0 if record is None else 0.0


@compiled
def call(code, handle):
    return _call(code, (handle,))


def code_of(function, handle):
    source, names = handle.layout.unpacked("{0}") if handle.layout else ("None", {})
    return address(function, SUM, f"return inner({source})", names=names, arguments=1)


def numbers(size=3):
    return Numbers(
        whole=-5,
        part=0.25,
        flag=True,
        big=np.uint64(0xF000_0000_0000_0000),
        row=np.arange(size, dtype=np.float32),
        grid=np.arange(6, dtype=np.int64).reshape(2, 3),
    )


def test_one_kernel_calls_functions_with_records_of_any_type():
    first, second = Handle(numbers()), Handle(Letters(np.array([1, 8], np.int8), 0.5))
    assert call(code_of(total, first), first.address) == -5 + 0.25 + 15 + 4 + 5
    assert call(code_of(scaled, second), second.address) == 4.0


def test_arrays_are_shared_and_numbers_are_copied():
    handle = Handle(numbers())
    code = code_of(total, handle)
    before = call(code, handle.address)
    assert handle.record.row[0] == 1.0
    handle.record.row[2] = 100.0
    assert call(code, handle.address) == before + 1 + 98


def test_a_larger_record_of_the_same_layout_is_called_by_the_same_code():
    small, large = Handle(numbers()), Handle(numbers(5))
    assert small.layout == large.layout
    assert code_of(total, small) == code_of(total, large)
    assert call(code_of(total, small), large.address) == -5 + 0.25 + 15 + 11 + 5


def test_equal_functions_of_different_layouts_are_compiled_apart():
    ints, floats = (Handle(Letters(np.array([1, 3], kind), 0.5)) for kind in (np.int32, np.float64))
    assert ints.layout != floats.layout
    assert code_of(scaled, ints) != code_of(scaled, floats)
    for handle in (ints, floats):
        assert call(code_of(scaled, handle), handle.address) == 1.5


def test_no_record_is_none():
    handle = Handle()
    assert (handle.address, handle.layout) == (0, None)
    assert call(code_of(none_at_all, handle), handle.address) == 1.0


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ((1, 2), "a NamedTuple with fields"),
        (Letters("abc", 0.5), r"Letters\.row is a str"),
        (Letters(np.array(["a"]), 0.5), "an array of <U1"),
        (Letters(np.zeros((4, 4))[:, 1], 0.5), "C-contiguous"),
        (Letters(np.array(3.0), 0.5), "1 or more dimensions"),
    ],
)
def test_what_cannot_be_passed_is_refused(record, message):
    with pytest.raises(UsageError, match=message):
        layout_of(record)
