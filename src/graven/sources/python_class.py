"""Games written as ordinary Python classes: `gv.from_class(Nim)`.

    class Nim:
        players = 2                      # optional, 2 by default

        def __init__(self): ...          # the initial position
        def moves(self): ...             # the legal moves: any distinguishable values
        def play(self, move): ...        # modify this object, or return a new one
        over: bool                       # whether the game has ended
        scores: Sequence[float]          # at the end: each player's score, from 0 to 1

`moves`, `over` and `scores` may be attributes, properties or methods. Also optional: `turn` (or
`player`), the player to move, from 0 (by default players alternate); `copy()` (by default
`copy.deepcopy`, which is slow); `key`, a number or any hashable value that is equal for equal
positions (by default positions reached by different moves are different); `__str__` for the board
as text and `svg()` for a picture of it (see `graven.drawing`); `code(move)`, the move's code, from
0 to `num_codes` - 1 (by default moves are numbered in the order in which they appear);
`chances()`, where dice decide: pairs of an outcome and its probability, empty where a player moves
(`play` then gets an outcome); `prior(move)`, how good a move looks, from 0 to 1; `evaluate()`, the
expected score of each player, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from inspect import Parameter, getattr_static, signature
from types import FunctionType
from typing import Any

from graven.core.callbacks import describe_exception
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Display
from graven.sources.class_rules import (
    LIMITS,
    REQUIRED_MEMBERS,
    ClassRules,
    member_reader,
    move_text,
)
from graven.sources.object_rules import ObjectBounds, object_game
from graven.sources.replay_check import check_replays

# A state has about max_moves + max_plies words, and an AMAF table has two entries per code.
DEFAULTS = {"players": 2, "num_codes": 4096, "max_moves": 512, "max_plies": 1024}
# The members of a class behind the rule functions.
RULE_NAMES = {"start": "__init__", "legal": "moves", "render": "__str__", "format_move": "str"}
# Attributes of an object that is shown without `__str__`: characters of one, and of all.
MAX_ATTRIBUTE, MAX_ATTRIBUTES = 120, 400


def from_class(
    cls: Callable[[], Any],
    *,
    name: str | None = None,
    players: int | None = None,
    num_codes: int | None = None,
    max_moves: int | None = None,
    max_plies: int | None = None,
) -> Game:
    """Return the game of a class, or of a function that makes its objects.

    `help("graven.sources.python_class")` says which methods the class has.
    `num_codes`, `max_moves` and `max_plies` are upper bounds: different moves in the whole game,
    legal moves in a position, moves in a game; by default 4,096, 512 and 1,024. A game that exceeds
    them raises an error. All arguments may also be attributes of the class.
    """
    declared = getattr(cls, "func", cls)  # the class inside a functools.partial
    title = name or getattr(declared, "name", None) or getattr(declared, "__name__", "game").lower()
    if not isinstance(title, str):
        raise UsageError(f"the name of a game must be a text, got {title!r}.")
    arguments = {
        "players": players,
        "num_codes": num_codes,
        "max_moves": max_moves,
        "max_plies": max_plies,
    }
    bounds = {bound: _bound(title, bound, value, declared) for bound, value in arguments.items()}
    players = bounds.pop("players")
    first = _first_object(cls, title)
    make_rules = partial(ClassRules, cls, title, first, players, num_codes=bounds["num_codes"])
    rules = make_rules()

    def check_once() -> None:
        # Other rules, whose codes are their own. A function may make an object that is over.
        begins = isinstance(cls, type)
        check_replays(title, make_rules(), bounds["max_plies"], begins)

    has_text = getattr_static(first, "__str__") is not object.__str__
    class_name = getattr(declared, "__name__", title)
    game = object_game(
        name=title,
        players=players,
        rules=rules,
        bounds=ObjectBounds(**bounds, declared_in=f"gv.from_class({class_name}, ...)"),
        display=Display(
            format_move=lambda player, code: rules.text(code),
            parse_move=lambda player, text: rules.code_of_text.get(move_text(text).lower()),
            move_object=lambda player, code: rules.moves.get(code),
            object_code=lambda player, move: rules.code_of_value(move),
            format_outcome=rules.text,
            rule_names=RULE_NAMES,
        ),
        position_text=str if has_text else None,
        position_summary=_attributes,
        position_svg=(lambda position: str(position.svg())) if hasattr(first, "svg") else None,
        history_dependent=member_reader(first, "key") is None,
        source_functions=_functions(type(first)),
        check_once=check_once,
    )
    game.origin = (_from_class, (cls, {"name": name, **arguments}))
    return game


def _from_class(cls: Callable[[], Any], arguments: Mapping[str, Any]) -> Game:
    """Make the game of a pickled game of a class."""
    return from_class(cls, **arguments)


def _bound(title: str, bound: str, value: int | None, declared: Any) -> int:
    """Return a bound: the argument, else the attribute of the class, else the default."""
    if value is None:
        attribute = getattr(declared, bound, None)
        # An object may compute it: a property is not a bound.
        value = attribute if isinstance(attribute, int) else DEFAULTS[bound]
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{title}: `{bound}` must be an integer, got {value!r}.")
    if not 1 <= value <= LIMITS[bound]:
        raise UsageError(f"{title}: `{bound}` must be from 1 to {LIMITS[bound]:,}, got {value:,}.")
    return value


def _first_object(cls: Callable[[], Any], title: str) -> Any:
    """Return an initial position that has all required members."""
    try:
        first = cls()
    except Exception as error:
        if isinstance(error, TypeError) and "argument" in str(error):
            if getattr(
                cls, "keywords", None
            ):  # a partial: the command line's ./file.py:Nim(heaps=5)
                raise UsageError(f"{title} cannot be created: {error}.") from None
            class_name = getattr(cls, "__name__", title)
            remedy = (
                f" Pass a function that makes it, gv.from_class(lambda: {class_name}(5)); on the "
                f"command line ./file.py:{class_name}({_required(cls)}=5)."
                if isinstance(cls, type)
                else ""
            )
            raise UsageError(
                f"{title} cannot be created without arguments: {error}.{remedy}"
            ) from None
        raise UsageError(f"{title} cannot be created: {describe_exception(error)}.") from error
    for member in REQUIRED_MEMBERS:
        if member_reader(first, member) is None:
            raise UsageError(
                f"{title} has no `{member}`: a game needs {', '.join(REQUIRED_MEMBERS)}."
            )
    return first


def _required(cls: type) -> str:
    """Return the name of the first argument without which a class makes no object."""
    with suppress(TypeError, ValueError):
        for name, parameter in signature(cls).parameters.items():
            if parameter.default is Parameter.empty:
                return name
    return "n"


def _attributes(position: Any) -> str:
    """Return the public attributes of an object with short values, in one line."""
    shown: list[str] = []
    for name, value in getattr(position, "__dict__", {}).items():
        try:
            text = f"{name}={' '.join(repr(value).split())}"
        except Exception:
            continue
        fits = len(text) <= MAX_ATTRIBUTE and len(", ".join([*shown, text])) <= MAX_ATTRIBUTES
        if not name.startswith("_") and fits and " at 0x" not in text:
            shown.append(text)
    return ", ".join(shown)


def _functions(cls: type) -> list[FunctionType]:
    """Return the functions of a class and of its base classes."""
    functions = []
    for base in cls.__mro__:
        for member in vars(base).values():
            inner = getattr(member, "fget", getattr(member, "__func__", member))
            if isinstance(inner, FunctionType):
                functions.append(inner)
    return functions
