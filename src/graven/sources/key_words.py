"""Keys of user-defined classes, which are any hashable values, as words.

Python's `hash` would merge positions: hash(-1) == hash(-2), so a man -1 and a king -2 would be the
same, and the hash of an integer is its remainder by 2**61 - 1, so bits 0 and 61 of a bitboard would
be the same. It also differs between processes for texts, which read each other's proofs.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

from graven.sources.object_rules import KEY_MASK


def key_word(key: Hashable) -> int:
    """Return a number of 63 bits: the same for equal keys, else practically never."""
    if isinstance(key, int) and 0 <= key <= KEY_MASK:
        return key
    digest = blake2b(_serialised(key), digest_size=8).digest()
    return int.from_bytes(digest, "little") & KEY_MASK


def _serialised(value: Any) -> bytes:
    """Return bytes that are equal for equal values, and differ for different ones.

    Of numbers, texts, and tuples and sets of these; of another object they are its hash.
    """
    if isinstance(value, tuple):
        board = _packed(value)
        if board is None:
            parts = [_exact(part) for part in value]
            whole = all(isinstance(part, int) for part in parts)
            board = (whole and _packed(parts)) or _joined(b"(", map(_serialised, parts))
        return board
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if isinstance(value, frozenset):
        return _joined(b"{", sorted(map(_serialised, value)))
    value = _exact(value)
    if isinstance(value, int):
        return b"i%x" % value
    if isinstance(value, float):
        return b"f" + value.hex().encode()
    return b"b" + value if isinstance(value, bytes) else b"h%x" % hash(value)


def _packed(numbers: Sequence[Any]) -> bytes | None:
    """Return integers of 64 bits as bytes, in one fast call; None if one is something else."""
    try:
        return b"q" + struct.pack(f"{len(numbers)}q", *numbers)
    except struct.error:
        return None


def _joined(kind: bytes, parts: Iterable[bytes]) -> bytes:
    """Return parts as one, each after its length."""
    return kind + b"".join([b"%d:%b" % (len(part), part) for part in parts])


def _exact(value: Any) -> Any:
    """Return a number as an integer if it is one, else as a float; other values unchanged."""
    if isinstance(value, int) or hasattr(value, "__index__"):  # such as a NumPy integer
        return int(value)
    if hasattr(value, "is_integer"):  # a float or a NumPy float
        return int(value) if value.is_integer() else float(value)
    return value
