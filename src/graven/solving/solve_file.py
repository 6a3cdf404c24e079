"""Save a solve to a JSON file and resume it exactly where it stopped.

A file may be truncated, of another game, or edited by hand. All values are validated, and its games
are replayed by the rules.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graven.core.bounded_json import read_json
from graven.core.errors import UsageError
from graven.core.file_replacement import replaced
from graven.core.position import Position
from graven.solving.method import PLAYOUTS, check_codes, check_integers
from graven.solving.method_registry import parse_method
from graven.solving.move_replay import replayed

if TYPE_CHECKING:
    from graven.solving.solve_run import SolveSession

FORMAT = "graven solve 1"
MAX_FILE_BYTES = 1 << 28
MAX_COUNT = (1 << 62) - 1


def as_json(session: SolveSession) -> dict[str, Any]:
    """Return a solve as JSON values; the moves of the best game also as text."""
    best, solution = session.search.best, session.solution
    return {
        "format": FORMAT,
        "game": session.start.game.spec,
        "position": fingerprint(session.start),
        "method": session.method.text,
        "seed": session.seed,
        "points": solution.points if solution else None,
        "moves": list(solution.moves) if solution else None,
        "best": best[1] if best else None,
        "playouts": session.search.playouts,
        "seconds": session.seconds,
        "runs": session.runs,
        "random": int(session.rng[0]),
        "run": session.search.save(),
    }


def fingerprint(position: Position) -> str:
    """Return a digest of the rules' constants and the position."""
    digest = hashlib.sha256(position.game.constants.tobytes())
    digest.update(position.state.tobytes())
    return digest.hexdigest()[:32]


def check_new_file(path: str | Path) -> None:
    """Raise UsageError if the file exists, or if its folder does not."""
    file = Path(path)
    try:
        exists, has_folder = file.exists(), file.parent.is_dir()
    except (OSError, ValueError):
        exists, has_folder = False, False
    if exists:
        raise UsageError(f"{str(path)!r} exists already: resume it, or save to another file.")
    if not has_folder:
        raise UsageError(f"there is no folder to save {str(path)!r} in.")


def save(session: SolveSession, path: str | Path) -> None:
    """Replace the file atomically, so that it is complete whenever the process dies."""
    try:
        with replaced(path) as draft, draft.open("w") as file:
            json.dump(as_json(session), file)
    except OSError as error:
        raise UsageError(f"cannot save to {str(path)!r}: {error.strerror}.") from None


def load(path: str | Path, position: Position) -> SolveSession:
    """Return the solve in a file, which must be of this position."""
    from graven.solving.solve_run import SolveSession

    saved = _read(path)
    game = position.game
    if saved.get("game") != game.spec:
        raise UsageError(f"{str(path)!r} is not a solve of {game.spec}: {_game_of(saved)}.")
    if saved.get("position") != fingerprint(position):
        raise UsageError(
            f"{str(path)!r} is a solve of another position of {game.spec}, or of other rules."
        )
    try:
        (seed,) = check_integers([saved["seed"]], -MAX_COUNT, MAX_COUNT, 1)
        session = SolveSession(position, parse_method(saved["method"]), seed)
        (random,) = check_integers([saved["random"]], 0, (1 << 64) - 1, 1)
        playouts, runs = check_integers([saved["playouts"], saved["runs"]], 0, MAX_COUNT, 2)
        seconds = float(saved["seconds"])
        if not 0 <= seconds < math.inf:
            raise ValueError
        if saved["best"] is not None:
            moves = check_codes(saved["best"], game.rules)
            _, score = replayed(game.rules, position.state, moves)
            if score is None:
                raise ValueError
            session.search.set_best(score, moves)
        elif playouts:
            raise ValueError
        session.search.load(saved["run"])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, AttributeError, UsageError):
        raise damaged(path) from None
    session.search.counters[PLAYOUTS] = playouts
    session.rng[0] = random
    session.runs, session.seconds = runs, seconds
    return session


def _read(path: str | Path) -> dict[str, Any]:
    file = Path(path)
    try:
        if not file.is_file():
            raise UsageError(f"there is no file {str(path)!r} to resume.")
        if file.stat().st_size > MAX_FILE_BYTES:
            raise UsageError(f"{str(path)!r} is too large to be a saved solve.")
        saved = read_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except ValueError:
        raise damaged(path) from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise damaged(path)
    return saved


def _game_of(saved: dict[str, Any]) -> str:
    game = saved.get("game")
    return f"it is a solve of {game[:100]}" if isinstance(game, str) else "it names no game"


def damaged(path: str | Path) -> UsageError:
    """Return the error for a file that is not a saved solve."""
    return UsageError(f"{str(path)!r} is damaged, or was not written by 'graven solve --save'.")
