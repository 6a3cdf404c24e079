"""A disk cache of compiled code that notices every change of the sources.

Numba's own cache compares the time stamp of one source file, so it misses a change in a function
that another file defines. Here the code of a function lies in a folder named after a digest of the
sources that it can depend on, and of the Numba version: those of the function's own subpackage
(`search`, `games`, ...) and of all subpackages that it imports. Editing a game keeps the compiled
search, and the other way round. A user-defined function is identified by a digest of its code and
of all that it names, together with all sources that contain kernels.

Every file has a checksum: a damaged one is compiled again. Where the cache cannot be written, as on
a full disk, compiled code stays in memory.

Processes that need the same code at the same time compile it once: the others wait for the first.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, EnumType
from functools import cache, wraps
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.runtime import rtsys

from graven.core.process_locks import locks_of
from graven.core.rule_helpers import LIBRARIES, content_of, modules_in, names_in

log = logging.getLogger("graven.core")
PACKAGE = Path(__file__).resolve().parents[1]
MARKER = "graven-compiled-code"
KEEP_CACHES = 24
CHECKSUM_BYTES = 16
DAY = 86_400.0
# How long a process waits for code that another one compiles, before it compiles it itself.
MOST_WAIT_SECONDS = 60.0


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


@cache
def _make_writable_folder(path: str) -> None:
    """Make a folder; raise OSError if files cannot be made in it."""
    os.makedirs(path, exist_ok=True)
    with tempfile.TemporaryFile(dir=path):
        pass


@cache
def _resolved(source: str) -> Path:
    """Return the path of a source file without symbolic links."""
    return Path(source).resolve()


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Where Numba finds the compiled code of a function, and whether it is out of date."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        path = _resolved(source)
        # The path in the name keeps two files with equally named functions apart. A cell of a
        # notebook has the name of a file that does not exist, another one in every session: its
        # functions are identified by their content alone.
        if path.is_relative_to(PACKAGE):
            self._source = path.relative_to(PACKAGE).as_posix()
            self._stamp = package_stamp(function)
            self._folder = cache_directory(self._stamp)
        else:
            self._source = source if path.exists() else "<cell>"
            self._stamp = stamp_of(function)
            self._folder = cache_directory()
        self._line = self._stamp[:16]
        if self._source != "<cell>":
            self._line = str(function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Raise OSError if the cache cannot be written."""
        _make_writable_folder(self.get_cache_path())

    def get_cache_path(self) -> str:
        name = hashlib.sha256(self._source.encode()).hexdigest()[:12]
        return str(self._folder / name)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._line

    @classmethod
    def from_function(cls, function: Callable[..., Any], source: str) -> _Locator | None:
        try:
            locator = cls(function, source)
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


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


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files, each with a checksum; a damaged file is as good as none.

    A data file also contains the key of its code, since two processes that compile at the same time
    can write two codes under the same name.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        entry = super().load(key)
        return entry[1] if entry is not None and entry[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(_read_checked(self._index_path))
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        content = self._dump((self._version, self._source_stamp, overloads))
        self._write_checked(self._index_path, content)

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_read_checked(self._data_path(name)))

    def _save_data(self, name: str, data: Any) -> None:
        self._write_checked(self._data_path(name), self._dump(data))

    def _write_checked(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(_checksum(content))
            file.write(content)


class DamagedCacheError(OSError):
    """A file of the cache whose content does not match its checksum."""


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def _read_checked(path: str) -> bytes:
    """Return the content of a file; raise OSError if it is damaged or cannot be read."""
    data = Path(path).read_bytes()
    content = data[CHECKSUM_BYTES:]
    if data[:CHECKSUM_BYTES] != _checksum(content):
        raise DamagedCacheError(f"{path} is damaged")
    return content


@cache
def _report_unwritable(reason: str) -> None:
    """Report, once in a process, that compiled code is kept in memory only."""
    log.warning(
        "graven: compiled code cannot be kept in %s (%s); it is compiled again by every program. "
        "GRAVEN_CACHE_DIR names another folder.",
        cache_home(),
        reason,
    )


class DiskCache(FunctionCache):  # type: ignore[misc]
    """The compiled code of one function on disk, for every signature and variant of it."""

    _impl_class = _CacheImpl

    def __init__(
        self, function: Callable[..., Any], variant: str = "", with_user_code: bool = True
    ) -> None:
        super().__init__(function)
        self._variant = variant
        self._with_user_code = with_user_code
        self._locks = locks_of(self._cache_path)
        self._locked: set[str] = set()
        locator = self._impl.locator
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=locator.get_source_stamp(),
        )

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._variant)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature; if it cannot be written, it stays in memory."""
        if _names_functions(sig):
            return
        # Two processes that write one index at the same time would lose an entry.
        index = self._impl.filename_base
        locked = self._locks.acquire(index, MOST_WAIT_SECONDS)
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self.disable()
            _report_unwritable(error.strerror or str(error))
        finally:
            if locked:
                self._locks.release(index)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature, or None if the caller has to compile it.

        While another process compiles it, wait. A caller that compiles must call `release`.
        """
        if _names_functions(sig):
            return None
        code = self._load(sig, target_context)
        if code is None and self._enabled:
            name = repr((self._impl.filename_base, *self._index_key(sig, target_context.codegen())))
            if self._locks.acquire(name, MOST_WAIT_SECONDS):
                self._locked.add(name)
                code = self._load(sig, target_context)
            if code is not None:
                self.release()
        return code

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            if self._with_user_code:
                return super().load_overload(sig, target_context)
            # Numba would import and register all that it can compile, a seventh of the start-up
            # time of a search. Code of the package refers to nothing but Numba's run-time library.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except ImportError:  # a module was renamed or removed
            return None
        return None

    def release(self) -> None:
        """Let other processes compile what this one has compiled, or could not compile."""
        while self._locked:
            self._locks.release(self._locked.pop())

    def released_after(self, compile_code: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that compiles, and then calls `release`."""

        @wraps(compile_code)
        def compile_and_release(*arguments: Any) -> Any:
            try:
                return compile_code(*arguments)
            finally:
                self.release()

        return compile_and_release


def _has_user_code(value: Any) -> bool:
    """Return whether a value is not of the package, or was made with a user-defined function."""
    value = getattr(value, "py_func", value)
    if isinstance(value, tuple | list):
        return any(map(_has_user_code, value))
    if not isinstance(value, FunctionType):
        return isinstance(value, type) and is_user_defined(value)
    return is_user_defined(value) or bool(made_with(value))


def _names_functions(signature: Any) -> bool:
    """Return whether an argument is a record of compiled functions.

    Such code is part of an entry, which is kept as a whole; the functions have no lasting names.
    """
    return any(
        isinstance(kind, types.BaseTuple)
        and any(isinstance(part, types.Dispatcher) for part in kind)
        for kind in getattr(signature, "args", signature)
    )


def cache_of(
    function: Callable[..., Any], variant: str = "", names: Iterable[Any] = ()
) -> DiskCache | None:
    """Return the disk cache of a function, or None where there can be none (read-only home, REPL).

    `variant` distinguishes code that is compiled from the same function for the same signature;
    `names` are the values and functions that it is compiled with.
    """
    if not PACKAGE.is_dir():  # inside an archive, whose sources have no files
        return None
    try:
        return DiskCache(function, variant, any(map(_has_user_code, (function, *names))))
    except (RuntimeError, OSError):
        return None
