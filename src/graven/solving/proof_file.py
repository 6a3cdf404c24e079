"""Save a proof search to a file and resume it.

The file has the transposition table, the playout statistics and the bounds found so far. A resumed
search starts again at the root and finds its numbers in the table. A file may be truncated, of
another game, or edited: sizes, types and ranges of all values are validated, and a checksum detects
damage.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graven.core.bounded_json import read_json
from graven.core.errors import UsageError
from graven.core.file_replacement import replaced
from graven.core.position import Position
from graven.solving.proof_line import MAX_LINE
from graven.solving.proof_number import (
    HIGHEST_MISSING,
    INFINITE,
    LOWEST_REACHING,
    NODES,
)
from graven.solving.solve_file import MAX_COUNT, check_new_file, fingerprint

if TYPE_CHECKING:
    from graven.solving.prove_run import ProofSession

FORMAT = "graven prove 1"
HEADER = "header"
COLUMNS = ("keys", "proof", "disproof", "work")
STATISTICS = ("playouts", "totals")
MAX_HEADER_BYTES = 1 << 18
SAVE_SECONDS = 30.0


def save_proof(session: ProofSession, path: str | Path) -> None:
    """Replace the file atomically, so that it is complete whenever the process dies."""
    used = session.table.work > 0
    arrays: dict[str, NDArray[Any]] = {name: getattr(session.table, name)[used] for name in COLUMNS}
    arrays |= {name: getattr(session.stack, name) for name in STATISTICS}
    header = {
        "format": FORMAT,
        "game": session.position.game.spec,
        "position": fingerprint(session.position),
        "memory_mib": session.memory_mib,
        "seed": session.seed,
        "nodes": session.nodes,
        "seconds": session.seconds,
        "bounds": [session.lower, session.upper],
        "question": [float(number) for number in session.stack.question],
        "best_code": session.best_code,
        "pv": list(session.pv),
        "random": int(session.stack.rng[0]),
        "checksum": _checksum(arrays),
    }
    arrays[HEADER] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    try:
        with replaced(path) as draft, draft.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
    except OSError as error:
        raise UsageError(f"cannot save to {str(path)!r}: {error.strerror}.") from None


def load_proof(path: str | Path, position: Position) -> ProofSession:
    """Return the proof search in a file, which must be of this position."""
    from graven.solving.prove_run import ProofSession

    file = Path(path)
    if not file.is_file():
        raise UsageError(f"there is no file {str(path)!r} to resume.")
    try:
        header = _read_header(file)
        if header["game"] != position.game.spec or header["position"] != fingerprint(position):
            raise UsageError(
                f"{str(path)!r} is a proof search of another game, position or rules: "
                f"{str(header['game'])[:100]}."
            )
        session = ProofSession(position, _integer(header["memory_mib"]), _integer(header["seed"]))
        arrays = _read_arrays(file, session)
        if header["checksum"] != _checksum(arrays):
            raise ValueError
        _restore(session, header, arrays)
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror or error}.") from None
    except (
        ValueError,
        NotImplementedError,
        KeyError,
        TypeError,
        OverflowError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
    ):
        raise UsageError(
            f"{str(path)!r} is damaged, or was not written by 'graven prove --save'."
        ) from None
    return session


def _read_header(file: Path) -> dict[str, Any]:
    _check_sizes(file, {HEADER: MAX_HEADER_BYTES})
    with np.load(file, allow_pickle=False) as saved:
        header = read_json(saved[HEADER].tobytes())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError
    return header


def _read_arrays(file: Path, session: ProofSession) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file after checking their number, size, type and range."""
    slots = len(session.table.keys)
    slack = 4096
    limits = dict.fromkeys(COLUMNS, 8 * slots + slack)
    limits |= {name: 8 * len(session.stack.playouts) + slack for name in STATISTICS}
    _check_sizes(file, limits)
    arrays: dict[str, NDArray[Any]] = {}
    with np.load(file, allow_pickle=False) as saved:
        for name in COLUMNS:
            arrays[name] = saved[name]
            own = getattr(session.table, name)
            length = len(arrays["keys"])
            if arrays[name].dtype != own.dtype or arrays[name].shape != (length,) or length > slots:
                raise ValueError
        for name in STATISTICS:
            arrays[name] = saved[name]
            own = getattr(session.stack, name)
            if arrays[name].dtype != own.dtype or arrays[name].shape != own.shape:
                raise ValueError
            if not (np.isfinite(arrays[name]).all() and (arrays[name] >= 0).all()):
                raise ValueError
    for name in COLUMNS[1:]:
        if len(arrays[name]) and not 0 <= arrays[name].min() <= arrays[name].max() <= INFINITE:
            raise ValueError
    return arrays


def _check_sizes(file: Path, limits: dict[str, int]) -> None:
    """Raise ValueError if an array is missing or larger than its limit, before it is read."""
    with zipfile.ZipFile(file) as archive:
        for name, limit in limits.items():
            if archive.getinfo(f"{name}.npy").file_size > limit:
                raise ValueError


def _restore(session: ProofSession, header: dict[str, Any], arrays: dict[str, Any]) -> None:
    lower, upper = (float(bound) for bound in header["bounds"])
    goal, reaching, missing = (float(number) for number in header["question"])
    seconds, nodes = float(header["seconds"]), _integer(header["nodes"])
    numbers = (lower, upper, goal, reaching, missing)
    if not all(0 <= number <= 1 for number in numbers) or lower > upper:
        raise ValueError
    if not 0 <= seconds < float("inf") or not 0 <= nodes <= MAX_COUNT:
        raise ValueError
    code, random = _integer(header["best_code"]), _integer(header["random"])
    if code not in session.position.legal_codes_of(session.prover) or not 0 <= random < 1 << 64:
        raise ValueError
    session.pv = _line(header.get("pv", []), session.position)
    session.restore_table(arrays)
    for name in STATISTICS:
        getattr(session.stack, name)[:] = arrays[name]
    session.lower, session.upper, session.best_code = lower, upper, code
    session.seconds = seconds
    session.restart_question(goal)
    session.stack.question[LOWEST_REACHING] = min(reaching, session.stack.question[LOWEST_REACHING])
    session.stack.question[HIGHEST_MISSING] = max(missing, session.stack.question[HIGHEST_MISSING])
    session.stack.counters[NODES] = nodes
    session.stack.rng[0] = random


def _line(moves: Any, position: Position) -> tuple[str, ...]:
    """Return a line of moves if they are legal one after another; it is new in the format."""
    if not isinstance(moves, list) or len(moves) > MAX_LINE:
        raise ValueError
    line = tuple(str(move) for move in moves)
    try:
        position.play_moves(line)
    except UsageError:
        raise ValueError from None
    return line


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise ValueError
    return value


def _checksum(arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in (*COLUMNS, *STATISTICS):
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


class ProofAutosave:
    """Saves a proof search every SAVE_SECONDS and at the end, in at most a tenth of the time."""

    def __init__(
        self, session: ProofSession, save: str | Path | None, resume: str | Path | None
    ) -> None:
        if save is not None and save != resume:
            check_new_file(save)
        self._session = session
        self._path = save if save is not None else resume
        self._last_save = time.monotonic()
        self._interval = SAVE_SECONDS

    def update(self) -> None:
        """Save if it is time."""
        if self._path is not None and time.monotonic() - self._last_save > self._interval:
            begin = time.monotonic()
            save_proof(self._session, self._path)
            self._last_save = time.monotonic()
            self._interval = max(SAVE_SECONDS, 10 * (self._last_save - begin))

    def close(self) -> None:
        """Save for the last time."""
        if self._path is not None:
            save_proof(self._session, self._path)
