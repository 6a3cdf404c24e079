"""The exponential function, eight numbers at a time.

`math.exp` is a call for every number. Here it is plain arithmetic, which LLVM compiles to vector
instructions where it is computed for LANES numbers in a row: about a quarter of the time, within
one unit in the last place, and the same result on every platform.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.vectors import LANES

LOWEST, HIGHEST = -800.0, 709.0  # what is below and above counts as this; exp(-800) is 0
_LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts. The first has so few digits that its multiples are exact.
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# The coefficients of the Taylor series.
_T2, _T3, _T4, _T5, _T6, _T7, _T8, _T9, _T10, _T11, _T12, _T13 = (
    1 / factorial(n) for n in range(2, 14)
)


@intrinsic  # type: ignore[untyped-decorator]
def _from_bits(typing_context: Any, word: Any) -> Any:
    """Return the number that the bits of a word stand for."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.DoubleType())

    return types.float64(types.int64), generate


@inlined
def exponential(x: float) -> float:
    """Return exp(x), for x up to 709."""
    x = min(max(x, LOWEST), HIGHEST)
    n = np.rint(x * _LOG2_E)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW  # at most ln(2) / 2
    r2 = r * r
    r4 = r2 * r2
    low = (_T2 + r * _T3) + r2 * (_T4 + r * _T5)
    middle = (_T6 + r * _T7) + r2 * (_T8 + r * _T9)
    high = (_T10 + r * _T11) + r2 * (_T12 + r * _T13)
    part = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
    # 2**n in two factors: one alone may be too small for a number of full precision.
    power = np.int64(n)
    half = power >> 1
    return (part * _from_bits((half + 1023) << 52)) * _from_bits((power - half + 1023) << 52)


@inlined
def exponentials(values: NDArray[np.float64]) -> None:
    """Replace the first LANES values by their exponentials."""
    for lane in range(LANES):
        values[lane] = exponential(values[lane])
