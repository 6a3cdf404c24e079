"""Pack arrays into the one vector of 64-bit words that a game's functions receive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class TablePacker:
    """A growing vector of words. Positions are word numbers, or numbers of 32-bit halves."""

    def __init__(self, header: int) -> None:
        self.header = [0] * header
        self._parts: list[NDArray[np.int64]] = []
        self._length = header

    def words(self, values: Sequence[int] | NDArray[np.integer[Any]]) -> int:
        """Add words; return the position of the first."""
        return self._add(np.asarray(values, dtype=np.int64))

    def halves(self, values: Sequence[int] | NDArray[np.integer[Any]]) -> int:
        """Add 32-bit numbers; return the position of the first, counted in 32-bit numbers."""
        narrow = np.asarray(values, dtype=np.int32)
        even = np.zeros(len(narrow) + len(narrow) % 2, dtype=np.int32)
        even[: len(narrow)] = narrow
        return 2 * self._add(even.view(np.int64))

    def _add(self, part: NDArray[np.int64]) -> int:
        position = self._length
        self._parts.append(part)
        self._length += len(part)
        return position

    def vector(self) -> NDArray[np.int64]:
        """Return the whole vector, the header first."""
        return np.concatenate([np.array(self.header, dtype=np.int64), *self._parts])


def bit_words(values: Sequence[bool]) -> list[int]:
    """Pack truth values into the bits of signed words."""
    padded = np.zeros(-(-max(1, len(values)) // 64) * 64, dtype=np.uint8)
    padded[: len(values)] = values
    packed: list[int] = np.packbits(padded, bitorder="little").view("<i8").tolist()
    return packed
