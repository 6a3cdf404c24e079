"""Games in somebody's own Python file: `./mygame.py:game`, or `mygame.py:make(size=7)`.

The name after the colon is a `Game`, a class to be wrapped (see `wrap`), or a function that returns
a `Game`. The text that records store has a digest of the file and of what it imports from beside
it, so that games before and after a change are never counted together; a text with a digest is
refused once something has changed.

Reading such a game runs the file (see `own_file`).
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any

from graven.core.callbacks import described
from graven.core.calls import DIGEST, parse_arguments
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game, Option, spec_of
from graven.sources.python_class import from_class
from graven.sources.user_module import OwnFile, own_file

_TEXT = re.compile(
    r"\s*(misere-)?(?P<path>[^\n]*?\.py):(?P<name>\w+)\s*(?:\((?P<options>[^()]*)\))?\s*"
)


def is_file_game(text: str) -> bool:
    """Whether a text names a game in a Python file."""
    return re.search(r"\.py\s*(?::|$)", text) is not None


def file_game(text: str, **options: Option) -> Game:
    """The game that a text such as `mygame.py:game` names."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text!r} names no game: write the file and the name in it, such as mygame.py:game."
        )
    given = {**_options(match["options"] or "", text), **options}
    file = own_file(match["path"], given.pop(DIGEST, None))
    game = _made(file, match["name"], tuple(sorted(given.items())))
    return game.as_misere() if match[1] else game


def _options(inside: str, text: str) -> dict[str, Option]:
    """Return the arguments of a function that makes a game; a digest stays a text."""
    options = parse_arguments(inside, repr(text))
    for name in options:
        if not name.isidentifier():
            raise UsageError(f"{text!r}: options are written name=value, not {name!r}.")
    return {name: value if name == DIGEST else _number(value) for name, value in options.items()}


def _number(text: str) -> Option:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@cache
def _made(file: OwnFile, name: str, options: tuple[tuple[str, Option], ...]) -> Game:
    found = file.named(name, "game", Game)
    path = file.path
    given = dict(options)
    if isinstance(found, type):
        game = from_class(partial(found, **given) if given else found, name=_title(found))
    elif isinstance(found, Game):
        if given:
            raise UsageError(f"{name} in {path} is a finished game: it takes no options.")
        game = found
    elif callable(found):
        game = _called(found, name, path, given)
    else:
        raise UsageError(
            f"{name} in {path} is a {type(found).__name__}: no game, no class to wrap, and no "
            "function that makes a game."
        )
    source = spec_of(f"{file.shown}:{name}", {**given, DIGEST: file.digest})
    return game.changed(source=source)


def _title(cls: Any) -> str:
    own = getattr(cls, "name", None)
    return own if isinstance(own, str) else cls.__name__.lower()


def _called(make: Any, name: str, path: str, given: dict[str, Option]) -> Game:
    try:
        game = make(**given)
    except GravenError:
        raise
    except Exception as error:
        raise UsageError(f"{name} in {path} cannot be made: {described(error)}.") from error
    if not isinstance(game, Game):
        raise UsageError(f"{name} in {path} returned a {type(game).__name__}, which is no game.")
    return game
