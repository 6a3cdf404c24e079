"""Solving in a file: all that is needed to go on exactly where it stopped, as JSON.

A file comes from outside and may be wrong in any way: cut short, of another game, made by hand.
Whatever it says is checked, and its games are played by the rules before they are believed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graven.core.bounded_json import read_json
from graven.core.errors import UsageError
from graven.core.game import Position
from graven.solving.method import PLAYOUTS, whole_numbers
from graven.solving.method_registry import parse_method
from graven.solving.move_replay import replayed

if TYPE_CHECKING:
    from graven.solving.solve_run import Solving

FORMAT = "graven solve 1"
LARGEST = 1 << 28
MOST = (1 << 62) - 1


def as_json(solving: Solving) -> dict[str, Any]:
    """Everything about it as plain values; the moves of the best game also as text."""
    best, found = solving.solver.best, solving.solution
    return {
        "format": FORMAT,
        "game": solving.start.game.spec,
        "position": fingerprint(solving.start),
        "method": solving.chosen.text,
        "seed": solving.seed,
        "points": found.points if found else None,
        "moves": list(found.moves) if found else None,
        "best": best[1] if best else None,
        "playouts": solving.solver.playouts,
        "seconds": solving.seconds,
        "runs": solving.runs,
        "random": int(solving.rng[0]),
        "run": solving.solver.save(),
    }


def fingerprint(position: Position) -> str:
    """Tells the rules and the position apart from others: a digest of their numbers."""
    digest = hashlib.sha256(position.game.constants.tobytes())
    digest.update(position.state.tobytes())
    return digest.hexdigest()[:32]


def check_place(path: str | Path) -> None:
    """Refuse to write over a file that is there, or where there is no folder."""
    place = Path(path)
    try:
        there, folder = place.exists(), place.parent.is_dir()
    except (OSError, ValueError):
        there, folder = False, False
    if there:
        raise UsageError(f"{str(path)!r} is there already: resume it, or save to another file.")
    if not folder:
        raise UsageError(f"there is no folder to save {str(path)!r} in.")


def save(solving: Solving, path: str | Path) -> None:
    """Write the file anew, so that there is always a whole one, whenever the process dies."""
    place = Path(path)
    new = place.with_name(f"{place.name}.{os.getpid()}.new")
    try:
        with new.open("w") as file:
            json.dump(as_json(solving), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, place)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UsageError(f"cannot save to {str(path)!r}: {error.strerror}.") from None


def load(path: str | Path, position: Position) -> Solving:
    """The solving that a file holds, which must be of this position."""
    from graven.solving.solve_run import Solving

    said = _read(path)
    game = position.game
    if said.get("game") != game.spec:
        raise UsageError(f"{str(path)!r} is not about {game.spec}: {_named(said)}.")
    if said.get("position") != fingerprint(position):
        raise UsageError(
            f"{str(path)!r} is about another position of {game.spec}, or other rules of it."
        )
    try:
        (seed,) = whole_numbers([said["seed"]], -MOST, MOST, 1)
        solving = Solving(position, parse_method(said["method"]), seed)
        (random,) = whole_numbers([said["random"]], 0, (1 << 64) - 1, 1)
        playouts, runs = whole_numbers([said["playouts"], said["runs"]], 0, MOST, 2)
        seconds = float(said["seconds"])
        if not 0 <= seconds < math.inf:
            raise ValueError
        solver = solving.solver
        if said["best"] is not None:
            line = whole_numbers(said["best"], 0, game.num_codes - 1, game.max_plies)
            _, score = replayed(game.rules, position.state, line)
            if score is None:
                raise ValueError
            solver.keep(score, line)
        elif playouts:
            raise ValueError
        solver.load(said["run"])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, AttributeError, UsageError):
        raise damaged(path) from None
    solver.counters[PLAYOUTS] = playouts
    solving.rng[0] = random
    solving.runs, solving.seconds = runs, seconds
    return solving


def _read(path: str | Path) -> dict[str, Any]:
    place = Path(path)
    try:
        if not place.is_file():
            raise UsageError(f"there is no file {str(path)!r} to resume.")
        if place.stat().st_size > LARGEST:
            raise UsageError(f"{str(path)!r} is too large to be a saved solve.")
        said = read_json(place.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from None
    except ValueError:
        raise damaged(path) from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise damaged(path)
    return said


def _named(said: dict[str, Any]) -> str:
    game = said.get("game")
    return f"it is about {game[:100]}" if isinstance(game, str) else "it names no game"


def damaged(path: str | Path) -> UsageError:
    """The error for a file that is no saved solve."""
    return UsageError(
        f"{str(path)!r} is damaged, or no file that 'graven solve --save' has written."
    )
