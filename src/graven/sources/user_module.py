"""User-defined Python files, with a game or a policy in them: their digest, and running them.

A file may import neighbours, files in the same folder. They belong to it: its digest covers them,
so that stores distinguish what was played before and after a change in any of them. A file is run
with its own neighbours, even if a file in another folder has neighbours of the same names.

Running a file executes arbitrary code. Only pass paths that the user gave to the program, never one
that comes from a network or a database.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from graven.core.callbacks import describe_exception
from graven.core.errors import GravenError, UsageError, unknown
from graven.core.game import Option

MAX_BYTES = 1 << 24  # of one file
MAX_FILES = 1000

_NOT_NEIGHBOURS = {"graven", *sys.stdlib_module_names}
_imported_neighbours: set[str] = set()  # paths


@dataclass(frozen=True)
class UserModule:
    """A user-defined Python file; `digest` covers its content and that of its neighbours."""

    path: str
    digest: str

    @property
    def short_path(self) -> str:
        """The path as stores keep it: relative if it is below the current folder."""
        relative = os.path.relpath(self.path)
        return self.path if relative.startswith(os.pardir) else relative

    @property
    def module(self) -> ModuleType:
        """The module; the file is run when it is first needed."""
        return _run(self.path, self.digest)

    def attribute(self, name: str, kind: str, suits: Callable[[Any], bool]) -> Any:
        """Return the module's `name`; the error lists its values that suit.

        `kind` names in the error what was expected, such as "game".
        """
        if not hasattr(self.module, name):
            choices = [key for key, value in vars(self.module).items() if suits(value)]
            error = unknown(f"{kind} in {self.path}", name, choices)
            if len(choices) == 1:
                error = UsageError(f"{error} Write {self.short_path}:{choices[0]}.")
            raise error
        return getattr(self.module, name)


def find_user_module(path: str, expected_digest: Option | None = None) -> UserModule:
    """Return the file at a path; raise UsageError if it does not have the expected digest."""
    full = os.path.abspath(os.path.expanduser(path))
    sha256 = hashlib.sha256()
    for source, content in _sources(full).items():
        if source != full:
            sha256.update(os.path.relpath(source, os.path.dirname(full)).encode())
        sha256.update(content)
    digest = sha256.hexdigest()[:12]
    if expected_digest is not None and str(expected_digest) != digest:
        raise UsageError(
            f"{path} has changed, or a file beside it that it imports: the expected digest is "
            f"{expected_digest}, the current one {digest}. Omit the digest to use the current "
            "version."
        )
    return UserModule(full, digest)


def _sources(path: str) -> dict[str, bytes]:
    """Return the contents of the file and of its neighbours, imported directly or indirectly."""
    sources: dict[str, bytes] = {}
    pending = [path]
    while pending:
        source = pending.pop()
        if source in sources:
            continue
        if len(sources) == MAX_FILES:
            raise UsageError(f"{path} imports more than {MAX_FILES} files from its folder.")
        sources[source] = _read(source)
        for name in _imports(sources[source]):
            pending += _files_of_module(os.path.dirname(path), name)
    return sources


def _files_of_module(folder: str, name: str) -> list[str]:
    """Return the files of a module in a folder; of a package, all of them.

    As in Python, a folder without `__init__.py` is a package if there is no module of that name.
    """
    package = Path(folder, name)
    if not (package / "__init__.py").is_file() and os.path.isfile(file := f"{package}.py"):
        return [file]
    return sorted(map(str, islice(package.rglob("*.py"), MAX_FILES)))


@lru_cache(maxsize=64)
def _imports(content: bytes) -> tuple[str, ...]:
    """Return the top-level names of the imports of a source that may be neighbours."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # running the file reports the error
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return tuple(sorted(names - _NOT_NEIGHBOURS))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES >> 20} MiB.")
    return content


@cache
def _run(path: str, digest: str) -> ModuleType:
    """Return the file's module; each version of the file is run once.

    The module's name depends on the path only: the cache of compiled code identifies a module by
    its name, and code that a change has not touched stays valid.
    """
    name = f"graven_file_{hashlib.sha256(path.encode()).hexdigest()[:16]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file.")
    module = module_from_spec(spec)
    previous = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _importable_neighbours(path), _no_bytecode():
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if previous is None:
            del sys.modules[name]
        else:
            sys.modules[name] = previous
        if isinstance(error, GravenError):
            raise
        if isinstance(error, SyntaxError):
            line = f", line {error.lineno}" if error.lineno else ""
            raise UsageError(f"{error.filename or path}{line}: {error.msg}.") from None
        raise UsageError(f"{path} cannot be run: {describe_exception(error)}.") from error
    return module


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Let Python write no bytecode files of modules that are imported.

    A bytecode file counts as valid if its source has the same size and the same time in seconds: a
    change right after the first run would not be noticed.
    """
    previous = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = previous


@contextmanager
def _importable_neighbours(path: str) -> Iterator[None]:
    """Let imports find the file's neighbours, in their current versions."""
    folder = os.path.dirname(path)
    neighbours = set(_sources(path)) - {path}
    names = {_top_level_name(folder, neighbour) for neighbour in neighbours}
    for name, module in list(sys.modules.items()):
        if (
            name.partition(".")[0] in names
            and getattr(module, "__file__", None) in _imported_neighbours
        ):
            del sys.modules[name]
    _imported_neighbours.update(neighbours)
    invalidate_caches()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)  # for imports inside functions that run later


def _top_level_name(folder: str, file: str) -> str:
    return Path(file).relative_to(folder).parts[0].removesuffix(".py")
