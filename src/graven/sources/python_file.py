"""Games in user-defined Python files: `./mygame.py:game`, or `mygame.py:make(size=7)`.

The name after the colon is a `Game`, a class (see `from_class`), or a function that returns a
`Game`. The text that stores keep has a digest of the file and of its neighbours (see
`user_module`), so that games before and after a change are never merged; a text with an old digest
is rejected.

Loading such a game runs the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from graven.core.callbacks import describe_exception
from graven.core.calls import DIGEST, parse_arguments
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game, Option, spec_of
from graven.sources.python_class import from_class
from graven.sources.user_module import UserModule, find_user_module

_TEXT = re.compile(
    r"\s*(misere-)?(?P<path>[^\n]*?\.py):(?P<name>\w+)\s*(?:\((?P<options>[^()]*)\))?\s*"
)


def is_file_game(text: str) -> bool:
    """Return whether a text names a game in a Python file."""
    return re.search(r"\.py\s*(?::|$)", text) is not None


def file_game(text: str, **options: Option) -> Game:
    """Return the game that a text such as `mygame.py:game` names."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text!r} names no game: write the file and the name in it, such as mygame.py:game."
        )
    all_options = {**_options(match["options"] or "", text), **options}
    file = find_user_module(match["path"], all_options.pop(DIGEST, None))
    game = _load(file, match["name"], tuple(sorted(all_options.items())))
    return game.as_misere() if match[1] else game


def _options(inside: str, text: str) -> dict[str, Option]:
    """Return the arguments of a function that makes a game; a digest stays a text."""
    options = parse_arguments(inside, repr(text))
    for name in options:
        if not name.isidentifier():
            raise UsageError(f"{text!r}: options are written name=value, not {name!r}.")
    return {
        name: value if name == DIGEST else _number_or_text(value) for name, value in options.items()
    }


def _number_or_text(text: str) -> Option:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


@cache
def _load(file: UserModule, name: str, options: tuple[tuple[str, Option], ...]) -> Game:
    module = file.module.__name__
    value = file.attribute(name, "game", lambda value: _is_game(value, module))
    path = file.path
    keywords = dict(options)
    if isinstance(value, type):
        game = from_class(partial(value, **keywords) if keywords else value, name=_title(value))
    elif isinstance(value, Game):
        if keywords:
            raise UsageError(f"{name} in {path} is a finished game: it takes no options.")
        game = value
    elif callable(value):
        game = _call(value, name, path, keywords)
    else:
        raise UsageError(
            f"{name} in {path} is a {type(value).__name__}: expected a game, a class, or a "
            "function that returns a game."
        )
    source = spec_of(f"{file.short_path}:{name}", {**keywords, DIGEST: file.digest})
    return game.changed(source=source)


def _is_game(value: Any, module: str) -> bool:
    """Return whether a value is a game, or a class of this module that may be the class of one."""
    if isinstance(value, type):
        members = {*dir(value), *getattr(value, "__annotations__", ())}
        return value.__module__ == module and {"moves", "play"} <= members
    return isinstance(value, Game)


def _title(cls: Any) -> str:
    name = getattr(cls, "name", None)
    return name if isinstance(name, str) else cls.__name__.lower()


def _call(make: Any, name: str, path: str, options: Mapping[str, Option]) -> Game:
    try:
        game = make(**options)
    except GravenError:
        raise
    except Exception as error:
        raise UsageError(f"{name} in {path} failed: {describe_exception(error)}.") from error
    if not isinstance(game, Game):
        raise UsageError(f"{name} in {path} returned a {type(game).__name__}, not a Game.")
    return game
