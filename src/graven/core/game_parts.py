"""The records that a `Game` is built from: rule functions, bounds and display functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import FunctionType
from typing import Any

import numpy as np

from graven.core.callbacks import Callback
from graven.core.contract import Constants, State
from graven.core.errors import ContractError

RuleFunction = Callable[..., Any] | Callback
REQUIRED_FUNCTIONS = ("start", "turn", "legal", "play", "scores")
# Largest allowed value of each bound that a game declares.
BOUND_LIMITS = {
    "players": 100,
    "state_words": 1 << 26,
    "num_codes": 1 << 24,
    "max_moves": 1 << 24,
    "max_plies": 1 << 24,
}


@dataclass(frozen=True, kw_only=True)
class RuleFunctions:
    """The functions of the game contract; `graven.core.contract` has their signatures.

    Each is a plain Python function that Numba can compile, or a `Callback`. The order of the fields
    is part of `Game.fingerprint`: append new ones at the end.
    """

    start: RuleFunction
    turn: RuleFunction
    legal: RuleFunction
    play: RuleFunction
    scores: RuleFunction
    tree_moves: RuleFunction | None = None
    playout_moves: RuleFunction | None = None
    sample: RuleFunction | None = None
    key: RuleFunction | None = None
    feature: RuleFunction | None = None
    is_playout_move: RuleFunction | None = None
    playout_moves_with_features: RuleFunction | None = None
    batch_playouts: RuleFunction | None = None
    rollout: RuleFunction | None = None
    batch_policy_playouts: RuleFunction | None = None
    prior: RuleFunction | None = None
    evaluate: RuleFunction | None = None
    chance: RuleFunction | None = None
    winning_move: RuleFunction | None = None
    defence: RuleFunction | None = None
    proof_moves: RuleFunction | None = None

    def by_name(self) -> dict[str, RuleFunction | None]:
        """Return the functions by their names in the contract."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Sizes of a game: exact for a state and for codes, upper bounds for moves and plies.

    `state_words` is the number of 64-bit words of a state. Move codes go from 0 to `num_codes` - 1,
    feature codes from 0 to `num_features` - 1 (as many as move codes if it is 0). `max_moves`
    bounds the legal moves of one player in a position, `max_plies` the plies of a game.
    `batch_scratch` is the number of words of scratch memory that each of
    `batch_playouts` and `batch_policy_playouts` needs, `proof_scratch` that of `proof_moves`.
    """

    state_words: int
    num_codes: int
    max_moves: int
    max_plies: int
    num_features: int = 0
    batch_scratch: int = 1
    proof_scratch: int = 1


def outcome_as_text(code: int) -> str:
    """Return the code of an outcome as its text: the default of `Display.format_outcome`."""
    return str(code)


def code_as_text(player: int, code: int) -> str:
    """Return a move's code as its text: the default of `Display.format_move`."""
    return str(code)


@dataclass(frozen=True, kw_only=True)
class Display:
    """How a game is written and drawn, and how its moves are read.

    `format_move(player, code)` returns a move's text. `parse_move(player, text)` returns the code
    of a move's text, or None; it is needed only if `format_move` cannot list the texts of all codes
    in advance. `render(state, colour)` returns the board as text (with ANSI colours if `colour`),
    `svg(state)` as an SVG picture. `points(state)` returns the first player's result in the game's
    usual unit, where that differs from the score; more points must mean a higher score.
    `move_object(player, code)` returns the value that the rules themselves use for a move, where
    they are written in Python: what a class lists in `moves`, or an action of OpenSpiel.
    `object_code(player, value)` is its inverse: the code that a value given as a move means, or
    None. Without it a value is a text or a code.
    `summary(state)` says about a position of a game without `render` what is not in its moves.
    `rule_names` are the names of rule functions for error messages, such as {"legal": "moves"},
    where users have written them under other names.
    `format_outcome(code)` returns the text of the outcome of a chance event.
    `parse_position(game, text)` returns the position of a text such as `render` returns.
    """

    format_move: Callable[[int, int], str] = code_as_text
    parse_move: Callable[[int, str], int | None] | None = None
    render: Callable[[State, bool], str] | None = None
    svg: Callable[[State], str] | None = None
    summary: Callable[[State], str] | None = None
    points: Callable[[State], float] | None = None
    player_names: Sequence[str] = ()
    rule_names: Mapping[str, str] = field(default_factory=dict)
    move_object: Callable[[int, int], Any] | None = None
    object_code: Callable[[int, Any], int | None] | None = None
    parse_position: Callable[[Any, str], Any] | None = None
    format_outcome: Callable[[int], str] = outcome_as_text


def check_bounds(game: str, players: int, bounds: Bounds) -> None:
    """Raise ContractError if a declared size is not an integer in its range."""
    if not isinstance(bounds, Bounds):
        raise ContractError(f"game {game!r}: `bounds` must be a gv.Bounds, got {bounds!r}.")
    for name, limit in BOUND_LIMITS.items():
        value = players if name == "players" else getattr(bounds, name)
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise ContractError(f"game {game!r}: `{name}` must be an integer, got {value!r}.")
        if value < 1:
            raise ContractError(f"game {game!r}: `{name}` must be at least 1, got {value}.")
        if value > limit:
            raise ContractError(
                f"game {game!r}: `{name}` must be at most {limit:,}, got {value:,}."
            )


def check_functions(game: str, functions: RuleFunctions) -> RuleFunctions:
    """Return the functions without Numba's wrappers; raise ContractError if one is no function."""
    checked: dict[str, Any] = {}
    for name, function in functions.by_name().items():
        inner = getattr(function, "py_func", function)  # of a function compiled by numba.njit
        required = name in REQUIRED_FUNCTIONS
        if not isinstance(inner, FunctionType | Callback) and (required or inner is not None):
            value = "nothing" if inner is None else f"a {type(inner).__name__}"
            raise ContractError(
                f"game {game!r}: `{name}` must be a Python function written with `def`, got "
                f"{value}."
            )
        checked[name] = inner
    return RuleFunctions(**checked)


def constant_vector(game: str, values: Any) -> Constants:
    """Return the constants of a game as a read-only array of 64-bit integers."""
    try:
        numbers = np.asarray(values)
        if numbers.size and numbers.dtype.kind not in "iub":
            raise TypeError
        constants: Constants = np.array(numbers, dtype=np.int64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise ContractError(
            f"game {game!r}: `constants` must be a list or an array of 64-bit integers."
        ) from None
    constants.setflags(write=False)
    return constants
