"""Somebody's own Python file, with a game or a policy in it: what it is made of, and running it.

A file may import others that lie beside it. They belong to it: its digest covers them, so that
records tell apart what was played before and after a change in any of them, and it is run with its
own, even if a file in another folder has neighbours of the same names.

Running a file does whatever is written in it. Only do so with a path that a person has given to
their own program: never with one that comes over a network or out of a database.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from graven.core.callbacks import described
from graven.core.errors import GravenError, UsageError, unknown
from graven.core.game import Option

LARGEST = 1 << 24  # bytes of a file
MOST_FILES = 1000

_FOREIGN = {"graven", *sys.stdlib_module_names}
_run: set[str] = set()  # the neighbours, by their paths, that were imported for own files


@dataclass(frozen=True)
class OwnFile:
    """Somebody's own Python file, as it is now: `digest` tells its content and its neighbours'."""

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
    digest = hashlib.sha256()
    for source, content in _sources(full).items():
        if source != full:
            digest.update(os.path.relpath(source, os.path.dirname(full)).encode())
        digest.update(content)
    found = digest.hexdigest()[:12]
    if wanted is not None and str(wanted) != found:
        raise UsageError(
            f"{path} has changed, or a file beside it that it imports: {wanted} is not its digest "
            f"any more, which is {found}. Without the digest it is taken as it is now."
        )
    return OwnFile(full, found)


def _sources(path: str) -> dict[str, bytes]:
    """The file, then those beside it that it imports, itself or through others."""
    sources: dict[str, bytes] = {}
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if source in sources:
            continue
        if len(sources) == MOST_FILES:
            raise UsageError(f"{path} imports more than {MOST_FILES} files from beside it.")
        sources[source] = _read(source)
        for name in _imports(sources[source]):
            waiting += _neighbours(os.path.dirname(path), name)
    return sources


def _neighbours(folder: str, name: str) -> list[str]:
    """The files of a module of that name that lies in a folder; of a package, all of them.

    As Python has it, a folder without an `__init__.py` is a package if there is no such module.
    """
    package = Path(folder, name)
    if not (package / "__init__.py").is_file() and os.path.isfile(file := f"{package}.py"):
        return [file]
    return sorted(map(str, islice(package.rglob("*.py"), MOST_FILES)))


@lru_cache(maxsize=64)
def _imports(content: bytes) -> tuple[str, ...]:
    """The first names of the modules that a source imports, but for those that are not beside."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # running it will say what is wrong
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return tuple(sorted(names - _FOREIGN))


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
    """The file's module, run once for each of its contents.

    Its name is that of the file alone: compiled code on disk knows its module by name, and code
    that a change has not touched is still good.
    """
    name = f"graven_file_{hashlib.sha256(path.encode()).hexdigest()[:16]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file.")
    module = module_from_spec(spec)
    former = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _beside(path):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if former is None:
            del sys.modules[name]
        else:
            sys.modules[name] = former
        if isinstance(error, GravenError):
            raise
        if isinstance(error, SyntaxError):
            line = f", line {error.lineno}" if error.lineno else ""
            raise UsageError(f"{error.filename or path}{line}: {error.msg}.") from None
        raise UsageError(f"{path} cannot be run: {described(error)}.") from error
    return module


@contextmanager
def _beside(path: str) -> Iterator[None]:
    """Imports find what lies beside a file: its own neighbours, as they are now."""
    folder = os.path.dirname(path)
    neighbours = set(_sources(path)) - {path}
    names = {_first_name(folder, neighbour) for neighbour in neighbours}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in names and getattr(module, "__file__", None) in _run:
            del sys.modules[name]
    _run.update(neighbours)
    invalidate_caches()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)  # for what its functions import when they are called


def _first_name(folder: str, file: str) -> str:
    return Path(file).relative_to(folder).parts[0].removesuffix(".py")
