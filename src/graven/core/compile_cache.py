"""A disk cache of compiled code that notices every change of the sources.

Numba's own cache compares the time stamp of one source file, so it misses a change in a function
that another file defines. This one lies in a folder named after a digest of the sources of all
packages that contain kernels and of the Numba version: a change in any of them starts an empty
cache, a change in the layers above them does not. A user-defined function is identified by a digest
of its code and of all that it names.

Every file has a checksum: a damaged one is compiled again. Where the cache cannot be written, as on
a full disk, compiled code stays in memory.
"""

from __future__ import annotations

import hashlib
import os
import pickle
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
from numba import types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)

from graven.core.rule_helpers import LIBRARIES, content_of, modules_in, names_in

PACKAGE = Path(__file__).resolve().parents[1]
MARKER = "graven-compiled-code"
KEEP_CACHES = 4
CHECKSUM_BYTES = 16
DAY = 86_400.0


# Layers above the kernels: editing them invalidates no compiled code of the layers below.
UPPER_LAYERS = frozenset({"agents", "bench", "interfaces", "lab", "testing"})


@cache
def kernel_digest() -> str:
    """Return a digest of all sources that kernels are compiled from, and of Numba's version."""
    return hashlib.sha256(f"{numba.__version__} {_digest(UPPER_LAYERS)}".encode()).hexdigest()[:16]


@cache
def sources_digest() -> str:
    """Return a digest of every Python source of the package; it identifies this exact version."""
    return _digest(frozenset())


def _digest(excluded: frozenset[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] not in excluded:
            digest.update(str(relative).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _stamp_in_package(source: Path) -> str:
    """Return the digest that dates a function of the package itself."""
    upper = source.relative_to(PACKAGE).parts[0] in UPPER_LAYERS
    return sources_digest() if upper else kernel_digest()


def cache_home() -> Path:
    """Return the folder of all caches: GRAVEN_CACHE_DIR, or `graven` in the user's cache."""
    if chosen := os.environ.get("GRAVEN_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graven"


@cache
def cache_directory() -> Path:
    """Return the cache of this version; remove the oldest caches of other versions.

    A marker file in each records when it was last used. A folder without one is never removed.
    """
    home = cache_home()
    mine = home / kernel_digest()
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


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Where Numba finds the compiled code of a function, and whether it is out of date."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        self._source = source
        path = Path(source).resolve()
        inside = path.is_relative_to(PACKAGE)
        self._stamp = _stamp_in_package(path) if inside else stamp_of(function)
        self._file = Path(source).exists()
        self._line = str(function.__code__.co_firstlineno) if self._file else self._stamp[:16]

    def get_cache_path(self) -> str:
        # `_source` in the name keeps two files with equally named functions apart. A cell of a
        # notebook has the name of a file that does not exist, another one in every session: its
        # functions are identified by their content alone.
        source = self._source if self._file else "<cell>"
        folder = hashlib.sha256(source.encode()).hexdigest()[:12]
        return str(cache_directory() / folder)

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
    print(
        f"graven: compiled code cannot be kept in {cache_home()} ({reason}); it is compiled again "
        "by every program. GRAVEN_CACHE_DIR names another folder.",
        file=sys.stderr,
        flush=True,
    )


class DiskCache(FunctionCache):  # type: ignore[misc]
    """The compiled code of one function on disk, for every signature and variant of it."""

    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any], variant: str = "") -> None:
        super().__init__(function)
        self._variant = variant
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
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self.disable()
            _report_unwritable(error.strerror or str(error))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature, or None if there is none."""
        if _names_functions(sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except ImportError:  # a module was renamed or removed
            return None


def _names_functions(signature: Any) -> bool:
    """Return whether an argument is a record of compiled functions.

    Such code is part of an entry, which is kept as a whole; the functions have no lasting names.
    """
    return any(
        isinstance(kind, types.BaseTuple)
        and any(isinstance(part, types.Dispatcher) for part in kind)
        for kind in getattr(signature, "args", signature)
    )


def cache_of(function: Callable[..., Any], variant: str = "") -> DiskCache | None:
    """Return the disk cache of a function, or None where there can be none (read-only home, REPL).

    `variant` distinguishes code that is compiled from the same function for the same signature.
    """
    if not PACKAGE.is_dir():  # inside an archive, whose sources have no files
        return None
    try:
        return DiskCache(function, variant)
    except (RuntimeError, OSError):
        return None
