"""Compilation with Numba, and a disk cache that notices every change of the package.

Two kinds of things are compiled:

* kernels, marked `@compiled`: called from Python or from other kernels;
* functions that travel as values (a game's rules, a tree policy, a playout policy): plain Python
  functions that `address` compiles for one fixed signature and turns into the address of machine
  code. Kernels receive addresses as integers and call them with the callers that `caller` makes.

Numba has first-class function values of its own. Each of them costs 16 microseconds whenever it
crosses from Python into a kernel, an integer costs nothing; see docs/design.md.

Numba's own cache looks at the time stamp of one source file, so it misses a change in a function
that another file defines. Ours lies in a directory named after a digest of the sources of all
packages that contain kernels and of the Numba version: a change in any of them starts an empty
cache, a change in the layers above them does not.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, EnumType
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.ccallback import CFunc
from numba.core.errors import NumbaError, NumbaWarning
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from graven.core.callbacks import Callback, hear
from graven.core.compile_errors import explained
from graven.core.errors import RuleCompileError
from graven.core.rule_helpers import LIBRARIES, content_of, modules_in, names_in, with_helpers

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}
# Kernels allocate nothing, so nothing in them needs to be counted: without Numba's run time
# library an array can be sliced or taken out of a tuple for nothing (see docs/design.md).
_BARE = {"nogil": True, "error_model": "numpy", "_nrt": False}

PACKAGE = Path(__file__).resolve().parents[1]
MARKER = "graven-compiled-code"
KEEP_CACHES = 4
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
    """Where compiled code is kept: `GRAVEN_CACHE_DIR`, or `graven` in the user's cache folder."""
    if chosen := os.environ.get("GRAVEN_CACHE_DIR"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graven"


@cache
def cache_directory() -> Path:
    """This version's own cache; the oldest ones of other versions are removed on the way.

    Each has a marker that tells when it was last used. What has none is not ours to remove.
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
    """Tells Numba where a function's compiled code lies and when it is out of date."""

    def __init__(self, function: Callable[..., Any], source: str) -> None:
        self._source = source
        path = Path(source).resolve()
        inside = path.is_relative_to(PACKAGE)
        self._stamp = _stamp_in_package(path) if inside else stamp_of(function)
        self._file = Path(source).exists()
        self._line = str(function.__code__.co_firstlineno) if self._file else self._stamp[:16]

    def get_cache_path(self) -> str:
        # `_source` in the name keeps two files with equally named functions apart. A notebook's
        # cell has the name of a file that does not exist, another one in every session: its
        # functions go by what they are made of alone.
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
    """A digest of all that somebody's own function, or a list of such, is made of: its code, and
    every value and function that it names, in whatever file they are written."""
    digest = hashlib.sha256()
    for part in _parts(value, {}):
        digest.update(part.encode() if isinstance(part, str) else part)
        digest.update(b"\n")
    return digest.hexdigest()


def _parts(value: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[str | bytes]:
    """What a value is made of, the same in every process."""
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
    if isinstance(value, FunctionType) and is_own(value):
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


def is_own(function: Callable[..., Any]) -> bool:
    """Whether somebody else than graven, Python or a library has written a function."""
    root = (function.__module__ or "").partition(".")[0]
    # Python says "builtins" of functions that are made without a module, as by `exec`.
    return root not in LIBRARIES and (root == "builtins" or root not in sys.stdlib_module_names)


_SCALARS = (bool, int, float, complex, str, bytes, np.generic, Enum)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any], variant: str = "") -> None:
        super().__init__(function)
        self._variant = variant

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), self._variant)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except ImportError:  # of a module that is called otherwise now, or is gone
            return None


def _cache_of(function: Callable[..., Any], variant: str = "") -> _Cache | None:
    """The function's disk cache, or None where none can be kept (a read-only home, a REPL)."""
    if not PACKAGE.is_dir():  # inside an archive, whose sources cannot be told apart
        return None
    try:
        return _Cache(function, variant)
    except (RuntimeError, OSError):
        return None


def compiled(function: F) -> F:
    """Compile `function` on its first call, without the GIL, and keep the result on disk."""
    return _compiled(function, _BARE)


def allocating(function: F) -> F:
    """The same for a function that makes arrays of its own."""
    return _compiled(function, {**_BARE, "_nrt": True})


def _compiled(function: F, options: dict[str, Any]) -> F:
    dispatcher = numba.njit(**options)(function)
    if disk := _cache_of(function):
        dispatcher._cache = disk
    return dispatcher


def inlined(function: F) -> F:
    """Mark a small helper of kernels and rules: it is copied into whoever calls it."""
    return numba.njit(inline="always", **_BARE)(function)


# What Numba says of a function that makes an array, without its run time library.
_ALLOCATES = ("NRT required", "Only accept returning of array passed into the function")

_code: dict[tuple[Any, ...], Any] = {}

ONCE = "return inner({})"


def address(
    function: Callable[..., Any] | Callback,
    signature: Signature,
    body: str = ONCE,
    careful: bool = False,
    names: Mapping[str, Any] | None = None,
    arguments: int | None = None,
) -> int:
    """The address of `function` compiled for `signature`; the code lives as long as the process.

    A `Callback` is not compiled: it has an address of its own, at which Python is called.

    `body` is what the code does with the arguments, written {0}, {1} and so on, and with `inner`,
    the function: to call it once, or in a loop that is then compiled together with it. `names` are
    further values and functions that the body mentions; plain functions among them are compiled.
    `arguments` is how many arguments the body calls `inner` with, for error messages.

    `careful` code of somebody's own function raises where it reaches beyond an array: for tests.
    """
    if isinstance(function, Callback):
        return function.address(signature)
    names = names or {}
    # Somebody's own function may name a value that another cell of a notebook has changed since.
    stamp = ""
    if own := any(isinstance(f, FunctionType) and is_own(f) for f in (function, *names.values())):
        stamp = stamp_of(function)
        hear()
    variant = _variant(body, names)
    key = (function, str(signature), variant, stamp, careful and own)
    if key not in _code:
        entry = _Entry(function, signature, body, names)
        try:
            _code[key] = _compile(entry, careful and own, variant)
        except Exception as error:
            # Of what Numba raises for a program that it cannot compile, not all is a NumbaError.
            if os.environ.get("GRAVEN_DEBUG"):
                raise
            expected = len(signature.args) if arguments is None else arguments
            raise RuleCompileError(explained(function, expected, error)) from None
    return int(_code[key].address)


def _variant(body: str, names: Mapping[str, Any]) -> str:
    """Return what distinguishes code compiled from the same function for the same signature."""
    if body == ONCE and not names:
        return ""
    digest = hashlib.sha256(body.encode())
    for name, value in names.items():
        described = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        digest.update(f"\n{name} {described} {stamp_of(value)}".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Entry:
    """What the code at an address is compiled from; see `address`."""

    function: Callable[..., Any]
    signature: Signature
    body: str
    names: Mapping[str, Any]

    def build(self, options: dict[str, Any]) -> tuple[Callable[..., Any], list[Any]]:
        """Return a function that takes arrays as pointers and lengths, and its argument types.

        An array is seven words to Numba, and what does not fit into registers goes through memory:
        with pointers and lengths a call costs a third. The functions are inlined into the entry.
        """
        parameters, values, flat = [], [], []
        for i, kind in enumerate(self.signature.args):
            if isinstance(kind, types.Array):
                parameters += [f"pointer{i}", f"length{i}"]
                values.append(f"carray(pointer{i}, length{i})")
                flat += [types.CPointer(kind.dtype), types.int64]
            else:
                parameters.append(f"value{i}")
                values.append(f"value{i}")
                flat.append(kind)
        once = self.body == ONCE
        does = self.body.format(", ".join(values)) if once else self.body.format(*values)
        source = f"def entry({', '.join(parameters)}):\n    {does}\n"
        space: dict[str, Any] = {"__name__": __name__, "carray": numba.carray}
        for name, value in (("inner", self.function), *self.names.items()):
            if isinstance(value, FunctionType):
                value = numba.njit(forceinline=True, **options)(with_helpers(value, options))
            space[name] = value
        exec(compile(source, "<graven entry>", "exec"), space)
        return space["entry"], flat


def _compile(entry: _Entry, careful: bool, variant: str) -> Any:
    options = {**_BARE, "boundscheck": careful}
    disk = None if careful else _cache_of(entry.function, variant)
    try:
        return _compile_with(entry, options, disk)
    except NumbaError as error:
        # A function that allocates, as a rule of somebody's own game may.
        if not any(text in str(error) for text in _ALLOCATES):
            raise
        return _compile_with(entry, {**options, "_nrt": True}, disk)


def _compile_with(entry: _Entry, options: dict[str, Any], disk: _Cache | None) -> Any:
    function, flat = entry.build(options)
    code: Any = CFunc(function, (tuple(flat), entry.signature.return_type), {}, _OPTIONS)
    if disk:
        code._cache = disk
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)
        code.compile()
    return code


def caller(signature: Signature) -> Callable[..., Any]:
    """A function `call(address, (arguments...))` for kernels: calls the code at an address."""
    result, expected = signature.return_type, signature.args

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, address: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            given = []
            for i, (actual, kind) in enumerate(zip(arguments.types, expected, strict=True)):
                value = context.cast(builder, builder.extract_value(values[1], i), actual, kind)
                if isinstance(kind, types.Array):
                    array = context.make_array(kind)(context, builder, value)
                    given += [array.data, array.nitems]
                else:
                    given.append(value)
            code = ir.FunctionType(context.get_value_type(result), [value.type for value in given])
            return builder.call(builder.inttoptr(values[0], code.as_pointer()), given)

        return result(types.int64, arguments), generate

    return call
