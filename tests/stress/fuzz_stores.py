"""Damaged store files: an error that leaves the file as it is, or exactly the recorded games."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from graven.core.errors import GravenError
from graven.lab.store.store import Store
from tests.lab.stored_examples import PAIRING, content, filled, result
from tests.stress.seeds import mutated


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the file with a flipped bit, overwritten pages, a part missing, or mutated."""
    changed = bytearray(data)
    kind = rng.randrange(5)
    if kind < 2:
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    elif kind == 2:
        at = rng.randrange(len(changed))
        changed[at : at + 512] = rng.randbytes(len(changed[at : at + 512]))
    elif kind == 3:
        del changed[rng.randrange(len(changed)) :]
    else:
        return mutated(data, rng)
    return bytes(changed)


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Open and read damaged files."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = filled(Path(folder, "a.db"), 40)
        with Store(path) as store:
            store.add(store.pairing_id(PAIRING), result(40))
        expected, intact = content(path), path.read_bytes()
        while time.monotonic() < deadline:
            tried += 1
            data = damaged(intact, rng)
            path.write_bytes(data)
            try:
                if content(path) != expected:
                    failures.append(f"file {tried}: other games were read")
            except GravenError:
                pass
            except Exception as error:
                failures.append(f"file {tried}: {type(error).__name__}: {error}")
            if path.read_bytes() != data:
                failures.append(f"file {tried}: a reader changed it")
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
    return tried, failures
