"""Saved games as JSON: the page and `graven play` write and open the same files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graven import __version__
from graven.core.bounded_json import read_json
from graven.core.errors import UsageError

PERSON = "person"  # the seat of a person; all other seats are specs of agents
MAX_FILE_BYTES = 1 << 24


@dataclass(frozen=True, kw_only=True)
class SavedGame:
    """A game in progress or finished.

    `game` is its spec, or the title of `rules` if those are its GDL text. `seats` has the spec of
    each agent, or "person".
    """

    game: str
    seats: Sequence[str]
    moves: Sequence[str]
    rules: str | None = None
    playouts: int | None = None
    seconds: float | None = None
    seed: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain values."""
        return {
            "graven": __version__,
            "game": self.game,
            "rules": self.rules,
            "seats": list(self.seats),
            "playouts": self.playouts,
            "seconds": self.seconds,
            "seed": self.seed,
            "moves": list(self.moves),
        }


def saved_text(values: Mapping[str, Any]) -> str:
    """Return a game's plain values as the text of a file."""
    return json.dumps(values, indent=1) + "\n"


def read_saved_game(path: str) -> SavedGame:
    """Read a saved game; raise UsageError if the file is not one."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "invalid file name"
        raise UsageError(f"cannot open {path!r}: {reason}.") from None
    try:
        values = read_json(data)
    except ValueError:
        values = None
    if not isinstance(values, dict) or not _is_valid(values):
        raise UsageError(f"{path!r} is not a game saved by graven.")
    return SavedGame(
        game=values["game"],
        seats=values["seats"],
        moves=values["moves"],
        rules=values.get("rules"),
        playouts=values.get("playouts"),
        seconds=values.get("seconds"),
        seed=values.get("seed"),
    )


def _is_valid(values: Mapping[str, Any]) -> bool:
    def texts(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)

    def number(value: Any) -> bool:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

    seed = values.get("seed")
    return (
        isinstance(values.get("game"), str)
        and texts(values.get("seats"))
        and texts(values.get("moves"))
        and isinstance(values.get("rules"), str | None)
        and number(values.get("playouts"))
        and number(values.get("seconds"))
        and number(seed)
        and not isinstance(seed, float)
    )
