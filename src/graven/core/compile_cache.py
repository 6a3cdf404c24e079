"""Which compiled code is out of date: digests of the sources that a function depends on.

Numba's own cache compares the time stamp of one source file, so it misses a change in a function
that another file defines. Here the code of a function lies in a folder named after a digest of the
sources that it can depend on, and of the Numba version: those of the function's own subpackage
(`search`, `games`, ...) and of all subpackages that it imports. Editing a game keeps the compiled
search, and the other way round. A user-defined function is identified by a digest of its code and
of all that it names, together with all sources that contain kernels.

The files in these folders are those of `disk_cache`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, EnumType
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from graven.core.rule_helpers import LIBRARIES, content_of, modules_in, names_in

PACKAGE = Path(__file__).resolve().parents[1]
MARKER = "graven-compiled-code"
KEEP_CACHES = 24
DAY = 86_400.0


# Layers above the kernels: editing them invalidates no compiled code of the layers below.
UPPER_LAYERS = frozenset({"agents", "bench", "interfaces", "lab", "testing"})
_IMPORT = re.compile(rb"^[ \t]*(?:from|import) graven\.(\w+)", re.MULTILINE)


@cache
def sources_digest() -> str:
    """Return a digest of every Python source of the package; it identifies this exact version."""
    return _digest(_files_by_part())


@cache
def kernel_digest() -> str:
    """Return a digest of all sources that kernels are compiled from, and of Numba's version."""
    return _digest(part for part in _files_by_part() if part not in UPPER_LAYERS)


@cache
def digest_of_parts(parts: frozenset[str]) -> str:
    """Return a digest of some parts of the package and all that they import."""
    known = _files_by_part().keys()
    found, waiting = {"core"} & known, set(parts)
    while waiting:
        part = waiting.pop()
        found.add(part)
        imported = {name for text in _sources_of(part).values() for name in _IMPORT.findall(text)}
        waiting |= ({name.decode() for name in imported} & known) - found
    return _digest(found)


# Every command reads what these two functions return: they avoid `Path`, which is slow.


@cache
def _files_by_part() -> dict[str, list[str]]:
    """Return the paths of the sources in the package by part: a subpackage or a module at the top.

    The separator of a path is "/" everywhere.
    """
    files: dict[str, list[str]] = {}
    for folder, _, names in os.walk(PACKAGE):
        inside = os.path.relpath(folder, PACKAGE).replace(os.sep, "/")
        for name in names:
            if name.endswith(".py"):
                path = name if inside == "." else f"{inside}/{name}"
                files.setdefault(path.partition("/")[0].removesuffix(".py"), []).append(path)
    return files


@cache
def _sources_of(part: str) -> dict[str, bytes]:
    """Return the sources of a part by path."""
    sources = {}
    for name in sorted(_files_by_part()[part]):
        with open(os.path.join(PACKAGE, name), "rb") as file:
            sources[name] = file.read()
    return sources


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for part in sorted(parts):
        for name, text in _sources_of(part).items():
            digest.update(f"\n{name}\n".encode())
            digest.update(text)
    return digest.hexdigest()[:16]


def package_stamp(*values: Any) -> str:
    """Return the digest of the sources that compiled functions of the package depend on.

    `values` are the functions, and whatever else they are compiled with. Where the origin of one
    cannot be told from its module, as with functions made by intrinsics, all sources count; and the
    content of user-defined functions that they were made with.
    """
    user_defined = [stamp_of(function) for value in values for function in made_with(value)]
    stamp = _stamp_of_parts(values)
    if not user_defined:
        return stamp
    return hashlib.sha256(" ".join([stamp, *user_defined]).encode()).hexdigest()[:16]


def made_with(function: Any) -> list[FunctionType]:
    """Return the user-defined functions among the closure variables of a function of the package.

    Such a function is made by another one, which user-defined functions were passed to.
    """
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType) or is_user_defined(function):
        return []
    found = []
    for cell in function.__closure__ or ():
        value = content_of(cell)
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            found += [value] if is_user_defined(value) else made_with(value)
    return found


def _stamp_of_parts(values: Iterable[Any]) -> str:
    """Return the digest of the parts of the package that values come from, or of all sources.

    Numbers and arrays are of no part: those of a closure are in the key of the cached code.
    """
    parts: set[str] = set()
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        value = getattr(value, "py_func", value)
        if id(value) in seen or value is None or isinstance(value, (*_SCALARS, np.ndarray)):
            continue
        seen.add(id(value))
        if isinstance(value, tuple | list):
            waiting += value
        elif isinstance(value, FunctionType | type) and _is_of_package(value.__module__):
            parts.add(value.__module__.split(".")[1])
            waiting += [content_of(cell) for cell in getattr(value, "__closure__", None) or ()]
        else:
            return kernel_digest()
    return digest_of_parts(frozenset(parts))


def _is_of_package(module: str) -> bool:
    root, _, rest = module.partition(".")
    return root == PACKAGE.name and rest.partition(".")[0] in _files_by_part()


def cache_home() -> Path:
    """Return the folder of all caches: GRAVEN_CACHE_DIR, or `graven` in the user's cache."""
    if chosen := os.environ.get("GRAVEN_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graven"


@cache
def cache_directory(stamp: str = "") -> Path:
    """Return the cache of code with a stamp, by default of all sources that contain kernels.

    Removes the oldest caches of other versions. A marker file in each records when it was last
    used. A folder without one is never removed.
    """
    home = cache_home()
    mine = home / (stamp or kernel_digest())
    known = mine.exists()
    mine.mkdir(parents=True, exist_ok=True)
    (mine / MARKER).touch()
    if not known:
        markers = [marker for marker in home.glob(f"*/{MARKER}") if marker.parent != mine]
        markers.sort(key=lambda marker: marker.stat().st_mtime, reverse=True)
        for old in markers[KEEP_CACHES:]:
            if time.time() - old.stat().st_mtime > DAY:
                shutil.rmtree(old.parent, ignore_errors=True)
    return mine


def stamp_of(value: Any) -> str:
    """Return a digest of user-defined functions: their code, and all values and functions that they
    name, in whatever file those are written."""
    digest = hashlib.sha256()
    for part in _parts(value, {}):
        digest.update(part.encode() if isinstance(part, str) else part)
        digest.update(b"\n")
    return digest.hexdigest()


def _parts(value: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[str | bytes]:
    """Yield the content of a value, the same in every process."""
    value = getattr(value, "py_func", value)
    if value is None or isinstance(value, _SCALARS):
        yield f"{type(value).__name__} {value!r}"
        return
    if id(value) in seen:
        yield f"again {seen[id(value)][0]}"
        return
    seen[id(value)] = len(seen), value
    yield f"{type(value).__module__}.{type(value).__qualname__}"
    inner: Iterable[Any] = ()
    if isinstance(value, FunctionType) and is_user_defined(value):
        code, space = value.__code__, value.__globals__
        inner = [code, value.__defaults__, value.__kwdefaults__]
        inner += [content_of(cell) for cell in value.__closure__ or ()]
        for where in (space, *map(vars, modules_in(value).values())):
            for name in dict.fromkeys(names_in(code)):
                if name in where and not isinstance(where[name], ModuleType):
                    inner += [name, where[name]]
    elif isinstance(value, CodeType):
        inner = [value.co_code, value.co_names, value.co_consts]
    elif isinstance(value, np.ndarray):
        inner = [str(value.dtype), value.shape, value.tobytes()]
    elif isinstance(value, dict):
        inner = [part for pair in value.items() for part in pair]
    elif isinstance(value, set | frozenset):
        inner = sorted(value, key=repr)
    elif isinstance(value, tuple | list):
        inner = value
    elif isinstance(value, EnumType):
        inner = [value.__qualname__, *dict(value.__members__).items()]
    elif isinstance(value, type):
        inner = [value.__qualname__, getattr(value, "_fields", None)]
    for part in inner:
        yield from _parts(part, seen)


def is_user_defined(function: Callable[..., Any]) -> bool:
    """Return whether a function is user-defined: not of graven, Python or a library."""
    root = (function.__module__ or "").partition(".")[0]
    # The module of functions that are made without one, as by `exec`, is "builtins".
    return root not in LIBRARIES and (root == "builtins" or root not in sys.stdlib_module_names)


_SCALARS = (bool, int, float, complex, str, bytes, np.generic, Enum)
