"""Indices that are not negative, in the functions of this package.

In Python, and so in Numba, `array[-1]` is the last entry: each signed index is compared with 0, and
the length is added if it is less. The package's own kernels and rules never use that. Without the
comparison a search is 3 to 19 % faster (docs/decisions.md). User-defined functions keep Python's
meaning; they are compiled as functions of their own, whose names tell them apart.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.np import arrayobj

PREFIX = f"_ZN{len('graven')}graven"  # how the names of compiled functions of the package begin

_fix_integer_index = arrayobj.fix_integer_index


def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index as an offset; Numba calls this wherever it compiles an indexing operation."""
    if kind.signed and builder.function.name.startswith(PREFIX):
        return context.cast(builder, index, kind, types.intp)
    return _fix_integer_index(context, builder, kind, index, size)


def install() -> None:
    """Let Numba compile indexing in this way."""
    arrayobj.fix_integer_index = fix_integer_index
