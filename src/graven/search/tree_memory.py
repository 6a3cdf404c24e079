"""Memory of finished searches, kept for the next ones.

Memory from the operating system costs a page fault for every 4 KiB that is touched, which took a
sixth of a GRAVE search of 10,000 playouts. The buffers of a tree are therefore kept when its search
is gone, up to MOST_BYTES in a process, and the next tree takes them whatever its game.

A buffer is kept only if nothing else refers to it: a view of an array that is still in use, such as
one in a snapshot, counts as a reference to the buffer.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graven.search.layout import SPARE

# The most memory that is kept for later searches, and the most buffers for one array of the tree.
MOST_BYTES = 1 << 30
MOST_BUFFERS = 4

_kept: dict[str, list[NDArray[np.uint8]]] = {}
_kept_bytes = [0]


def take_buffer(name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
    """Return an array of any content for the tree's array `name`, longer by SPARE at least."""
    size = (length + SPARE) * np.dtype(dtype).itemsize
    buffers = _kept.get(name, [])
    for place in range(len(buffers) - 1, -1, -1):
        if buffers[place].nbytes >= size:
            try:
                buffer = buffers.pop(place)
            except IndexError:  # another thread took it
                break
            _kept_bytes[0] -= buffer.nbytes
            if buffer.nbytes >= size:
                return buffer[: buffer.nbytes - buffer.nbytes % 8].view(dtype)
    return np.empty(-(-size // 8) * 8, np.uint8).view(dtype)


def return_buffer(name: str, array: NDArray[Any]) -> None:
    """Keep the buffer of an array that `take_buffer` returned, unless it is still in use.

    The caller must hold the only reference to the array itself.
    """
    buffer = array.base
    # References: `array.base`, the variable, and the argument of getrefcount.
    if not isinstance(buffer, np.ndarray) or sys.getrefcount(buffer) > 3:
        return
    buffers = _kept.setdefault(name, [])
    if len(buffers) >= MOST_BUFFERS:
        # A tree that grew has returned small buffers before large ones: keep the largest.
        sizes = [kept.nbytes for kept in buffers]
        if min(sizes) >= buffer.nbytes:
            return
        with suppress(IndexError):  # another thread took it
            _kept_bytes[0] -= buffers.pop(sizes.index(min(sizes))).nbytes
    if _kept_bytes[0] + buffer.nbytes <= MOST_BYTES:
        _kept_bytes[0] += buffer.nbytes
        buffers.append(buffer)
