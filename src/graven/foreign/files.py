"""Games in somebody's own Python file: `./mygame.py:game`, or `mygame.py:make(size=7)`.

The name after the colon is a `Game`, a class to be wrapped (see `wrap`), or a function that returns
a `Game`. The text that records store has a digest of the file, so that games of a file before and
after a change are never counted together; a text with a digest is refused once the file has
changed.

Reading such a game runs the file. Only do so with a text that a person has given to their own
program: never with one that comes over a network or out of a database.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from graven.core.callbacks import described
from graven.core.errors import GravenError, UsageError, unknown
from graven.core.game import Game, Option
from graven.foreign.wrap import wrap

DIGEST = "digest"
LARGEST = 1 << 24
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


@dataclass(frozen=True)
class OwnFile:
    """Somebody's own Python file, as it is now: `digest` tells its content."""

    path: str
    digest: str

    @property
    def shown(self) -> str:
        """The path as records write it: from here if it is below here."""
        where = os.path.relpath(self.path)
        return self.path if where.startswith(os.pardir) else where

    @property
    def module(self) -> ModuleType:
        """What running the file makes; it is run once."""
        return _module(self.path, self.digest)

    def named(self, name: str, kind: str, kinds: type | tuple[type, ...]) -> Any:
        """What the file calls `name`; if there is nothing, `kinds` are what could be meant."""
        if not hasattr(self.module, name):
            known = [each for each, value in vars(self.module).items() if isinstance(value, kinds)]
            raise unknown(f"{kind} in {self.path}", name, known)
        return getattr(self.module, name)


def own_file(path: str, wanted: Option | None = None) -> OwnFile:
    """A file by its path; with a digest, only if it still has that one."""
    full = os.path.abspath(os.path.expanduser(path))
    digest = hashlib.sha256(_read(full)).hexdigest()[:12]
    if wanted is not None and str(wanted) != digest:
        raise UsageError(
            f"{path} has changed: {wanted} is not its digest any more, which is {digest}. "
            f"Without the digest it is taken as it is now."
        )
    return OwnFile(full, digest)


def _options(text: str, whole: str) -> dict[str, Option]:
    options: dict[str, Option] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name.isidentifier() and equals and value):
            raise UsageError(f"{whole!r}: options are written name=value, not {part!r}.")
        if name in options:
            raise UsageError(f"the option {name!r} is given twice in {whole!r}.")
        # A digest may look like a number, 1e5 or 007: it is a text.
        options[name] = value if name == DIGEST else _number(value)
    return options


def _number(text: str) -> Option:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB.")
    return content


@cache
def _module(path: str, digest: str) -> ModuleType:
    """The file's module, run once for each of its contents."""
    name = f"graven_file_{hashlib.sha256(path.encode()).hexdigest()[:8]}_{digest}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file.")
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.append(folder)  # for what it imports from beside it
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except GravenError:
        del sys.modules[name]
        raise
    except SyntaxError as error:
        del sys.modules[name]
        raise UsageError(f"{path}, line {error.lineno}: {error.msg}.") from None
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(f"{path} cannot be run: {described(error)}.") from error
    return module


@cache
def _made(file: OwnFile, name: str, options: tuple[tuple[str, Option], ...]) -> Game:
    found = file.named(name, "game", Game)
    path = file.path
    given = dict(options)
    if isinstance(found, type):
        game = wrap(partial(found, **given) if given else found, name=_title(found))
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
    said = [*(f"{option}={value}" for option, value in options), f"{DIGEST}={file.digest}"]
    return game.changed(source=f"{file.shown}:{name}({','.join(said)})")


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
