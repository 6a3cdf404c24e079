"""The compiled code of one function on disk, in the folder that `compile_cache` names.

Every file has a checksum: a damaged one is compiled again. Where the cache cannot be written, as on
a full disk, compiled code stays in memory.

Processes that need the same code at the same time compile it once: the others wait for the first.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, wraps
from pathlib import Path
from types import FunctionType
from typing import Any

from numba import types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.runtime import rtsys

from graven.core.compile_cache import (
    PACKAGE,
    cache_directory,
    cache_home,
    is_user_defined,
    made_with,
    package_stamp,
    stamp_of,
)
from graven.core.process_locks import locks_of

log = logging.getLogger("graven.core")
CHECKSUM_BYTES = 16
# How long a process waits for code that another one compiles, before it compiles it itself.
MOST_WAIT_SECONDS = 60.0


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
