"""Compilation with Numba.

Two kinds of functions are compiled:

* kernels, marked `@compiled`: called from Python or from other kernels;
* functions that are passed as values (a game's rules, a tree policy, a playout policy): plain
  Python functions that `address` compiles for one fixed signature and turns into the address of
  machine code. Kernels receive addresses as integers and call them with the callers that `caller`
  makes.

Numba has first-class function values as well. Each of them costs 16 microseconds whenever it is
passed from Python to a kernel, an integer costs nothing; see docs/decisions.md.

Compiled code is kept on disk: see `compile_cache` and `disk_cache`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.core.errors import NumbaError, NumbaWarning
from numba.core.typing.templates import Signature
from numba.extending import intrinsic
from numba.np import linalg

from graven.core import plain_indices
from graven.core.callbacks import Callback, capture_exceptions_of_rules
from graven.core.compile_cache import (
    is_user_defined,
    made_with,
    package_stamp,
    stamp_of,
)
from graven.core.compile_errors import explain
from graven.core.disk_cache import DiskCache, cache_of
from graven.core.errors import RuleCompileError
from graven.core.rule_helpers import with_helpers

F = TypeVar("F", bound=Callable[..., Any])


def _import_without_scipy() -> None:
    """Import the module of Numba that looks for SciPy's BLAS while it is loaded.

    Importing SciPy takes a fifth of a second. Where a function needs BLAS, Numba looks again, and
    imports it then.
    """
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


_import_without_scipy()
plain_indices.install()

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}
# Kernels allocate nothing, so nothing in them needs to be counted: without Numba's run time
# library an array can be sliced or taken out of a tuple for nothing (see docs/decisions.md).
_BARE = {"nogil": True, "error_model": "numpy", "_nrt": False}


def compiled(function: F) -> F:
    """Compile a kernel on its first call, to run without the GIL; keep the code on disk."""
    return _compiled(function, _BARE)


def allocating(function: F) -> F:
    """Compile a kernel that allocates arrays, as `compiled`."""
    return _compiled(function, {**_BARE, "_nrt": True})


def _compiled(function: F, options: dict[str, Any]) -> F:
    dispatcher = numba.njit(**options)(function)
    if disk := cache_of(function):
        dispatcher._cache = disk
        dispatcher.compile = disk.released_after(dispatcher.compile)
    return dispatcher


def inlined(function: F) -> F:
    """Mark a small helper of kernels and rules: it is copied into its callers."""
    return numba.njit(inline="always", **_BARE)(function)


# Numba's messages about a function that allocates, compiled without its run-time library.
_ALLOCATES = ("NRT required", "Only accept returning of array passed into the function")

_code: dict[tuple[Any, ...], Any] = {}
# Addresses of code that is made of the package's own functions, which never change: looking one up
# must be quick, since every search does so. The signature is kept so that its id stays unique.
_package_addresses: dict[tuple[Any, ...], tuple[Signature, int]] = {}

ONCE = "return inner({})"


def address(
    function: Callable[..., Any] | Callback,
    signature: Signature,
    body: str = ONCE,
    careful: bool = False,
    names: Mapping[str, Any] | None = None,
    arguments: int | None = None,
) -> int:
    """Compile a function for a signature; return its address, valid as long as the process.

    A `Callback` is not compiled: it has an address already, at which Python is called.

    `body` is what the code does with the arguments, written {0}, {1} and so on, and with `inner`,
    the function: to call it once, or in a loop that is then compiled together with it. `names` are
    further values and functions that the body mentions; plain functions among them are compiled.
    `arguments` is how many arguments the body calls `inner` with, for error messages.

    `careful` code of a user-defined function raises where it indexes beyond an array: for tests.
    """
    if isinstance(function, Callback):
        return function.address(signature)
    names = names or {}
    shortcut = (function, id(signature), body, *names.items())
    if shortcut in _package_addresses:
        return _package_addresses[shortcut][1]
    # A user-defined function may name a value that another cell of a notebook has changed since.
    stamp = ""
    functions = (function, *made_with(function), *names.values())
    if own := any(isinstance(f, FunctionType) and is_user_defined(f) for f in functions):
        stamp = " ".join(stamp_of(f) for f in (function, *made_with(function)))
        capture_exceptions_of_rules()
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
            raise RuleCompileError(explain(function, expected, error, names.values())) from None
    compiled_address = int(_code[key].address)
    if not own:
        _package_addresses[shortcut] = signature, compiled_address
    return compiled_address


def _variant(body: str, names: Mapping[str, Any]) -> str:
    """Return what distinguishes code compiled from the same function for the same signature."""
    if body == ONCE and not names:
        return ""
    digest = hashlib.sha256(body.encode())
    for name, value in names.items():
        described = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        digest.update(f"\n{name} {described} {stamp_of(value)}".encode())
    digest.update(package_stamp(*names.values()).encode())
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
    disk = None if careful else cache_of(entry.function, variant, entry.names.values())
    try:
        return _compile_with(entry, options, disk)
    except NumbaError as error:
        # A function that allocates, as a rule of a user-defined game may.
        if not any(text in str(error) for text in _ALLOCATES):
            raise
        return _compile_with(entry, {**options, "_nrt": True}, disk)


def _compile_with(entry: _Entry, options: dict[str, Any], disk: DiskCache | None) -> Any:
    function, flat = entry.build(options)
    code: Any = CFunc(function, (tuple(flat), entry.signature.return_type), {}, _OPTIONS)
    if disk:
        code._cache = disk
        code.compile = disk.released_after(code.compile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)
        code.compile()
    return code


@intrinsic  # type: ignore[untyped-decorator]
def is_given(typing_context: Any, function: Any) -> Any:
    """Return whether a function of a record is given: an address but 0, or compiled along."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if isinstance(function, types.Dispatcher):
            return ir.IntType(1)(1)
        return builder.icmp_unsigned("!=", values[0], values[0].type(0))

    return types.boolean(function), generate


def caller(signature: Signature) -> Callable[..., Any]:
    """Return a function for kernels, `call(address, (arguments...))`, that calls an address.

    In place of the address there may be a compiled function, which LLVM can then inline.
    """
    result, expected = signature.return_type, signature.args

    def call_compiled(typing_context: Any, function: Any, arguments: Any) -> Any:
        called = function.get_call_type(typing_context, expected, {})

        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            given = [
                context.cast(builder, builder.extract_value(values[1], i), actual, kind)
                for i, (actual, kind) in enumerate(zip(arguments.types, expected, strict=True))
            ]
            code = context.get_function(function, called)
            context.add_linking_libs(getattr(code, "libs", ()))
            answer = code(builder, given)
            if result == types.void:
                return context.get_dummy_value()
            return context.cast(builder, answer, called.return_type, result)

        return result(function, arguments), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, address: Any, arguments: Any) -> Any:
        if isinstance(address, types.Dispatcher):
            return call_compiled(typing_context, address, arguments)

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
