"""Rule functions that run in Python: kernels call them where a game cannot be compiled.

    RuleFunctions(..., turn=turn, play=Callback("play", play))

A `Callback` replaces a function that compiles. Kernels call it like any other, by its address, with
the contract's arguments. It takes the GIL, which kernels do not hold, while it runs. A call costs
one to two microseconds more than the function itself (through `ctypes`; a Numba `objmode` block
costs three).

Arrays arrive as NumPy views of the kernel's memory: they are valid only during the call, so a
function must copy what it keeps. A `feature` gets all moves at once, as the kernel requests them:
(constants, state, player, moves, count, codes), and writes `codes`.

Machine code cannot propagate a Python exception. The first exception of a thread is stored; this
call and every later callback of the thread return `BROKEN`, which is neither a player nor a number
of moves, so that the search ends. `raise_fault`, called wherever a kernel has returned (by
`Position`, searches and solvers), raises the stored exception.

Compiled rules that raise continue with an arbitrary value, and Numba passes the exception to
`sys.unraisablehook`. `capture_exceptions_of_rules` installs a hook that stores the first of them in
the same way.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import Signature
from numpy.typing import NDArray

from graven.core.cancellation import SearchCancelled
from graven.core.errors import ContractError, GravenError

# Returned by `turn` and `legal` after an exception. A function that only writes the state, such as
# `play`, should leave a state with this `turn` when it raises.
BROKEN = -9
MAX_VIEWS = 256

_PACKAGE = str(Path(__file__).resolve().parents[1])
# Numba's message about a function that returns a number in some of its branches only.
_NO_NUMBER = re.compile(r"expected \w+, got None")
_thread = threading.local()
# Kernels hold addresses as integers: like compiled code, a callback lives as long as the process.
_code_in_use: list[Any] = []


class Callback:
    """A Python function as a rule function; `name` is its name in the contract, such as "play".

    `game` is the game's name and `where(state)` describes how a position was reached ("after the
    moves a1 b2"): both are for error messages.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        game: str = "",
        where: Callable[[Any], str] | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self.game = game
        self.where = where
        self._addresses: dict[str, int] = {}

    def address(self, signature: Signature) -> int:
        """Return the address that kernels call; `signature` is one of the contract's."""
        key = str(signature)
        if key not in self._addresses:
            code = _prototype(signature)(self._entry(signature))
            _code_in_use.append(code)
            self._addresses[key] = int(ctypes.cast(code, ctypes.c_void_p).value or 0)
        return self._addresses[key]

    def _entry(self, signature: Signature) -> Callable[..., Any]:
        """Return a function of pointers, lengths and numbers that calls the Python function."""
        function, return_type = self.function, signature.return_type
        convert = {types.int64: int, types.boolean: bool}.get(return_type)
        broken = BROKEN if return_type is types.int64 else False if convert else None
        layout: list[tuple[int, _ArrayViews | None]] = []
        index = 0
        for argument in signature.args:
            views = _ArrayViews(argument) if isinstance(argument, types.Array) else None
            layout.append((index, views))
            index += 2 if views else 1

        def entry(*flat: int) -> Any:
            if _thread.__dict__:
                return broken
            arguments: list[Any] = [
                views.at(flat[index], flat[index + 1]) if views else flat[index]
                for index, views in layout
            ]
            try:
                value = function(*arguments)
                return convert(value) if convert else None
            except BaseException as error:
                self._store(error, arguments[1])
                return broken

        return entry

    def _store(self, error: BaseException, state: Any) -> None:
        """Store an exception for `raise_fault`."""
        if isinstance(error, SearchCancelled) or not isinstance(error, Exception):  # Ctrl-C
            _thread.fault = error
            return
        where = ""
        if self.where is not None:
            with suppress(Exception):
                where = f" ({self.where(state)})"
        message = str(error).removesuffix(".")
        if isinstance(error, GravenError) and not isinstance(error, ContractError):
            message = f"{self.game}: {message}" if self.game else message
        elif not isinstance(error, ContractError):
            owner = f" of {self.game}" if self.game else ""
            message = f"`{self.name}`{owner} raised {describe_exception(error)}"
        _thread.fault = fault = ContractError(f"{message}{where}.")
        fault.__cause__ = error.__cause__ if isinstance(error, ContractError) else error


@cache
def capture_exceptions_of_rules() -> None:
    """Install the hook that stores exceptions of compiled rules for `raise_fault`.

    A process has only one hook: everything else is passed on to the previous one.
    """
    previous = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        error = unraisable.exc_value
        if error is None or not str(unraisable.object).startswith("<numba."):
            previous(unraisable)
        elif not _thread.__dict__:
            message = f"compiled rules or policies raised {describe_exception(error)}."
            _thread.fault = fault = ContractError(message)
            fault.__cause__ = error

    sys.unraisablehook = hook


def raise_fault() -> None:
    """Raise the exception that rules of this thread have raised since the last call, if any."""
    if _thread.__dict__:
        fault = _thread.fault
        del _thread.fault
        raise fault


def describe_exception(error: BaseException) -> str:
    """Return type and message of an exception, and the line in the user's files that raised it."""
    reason = str(error)
    if isinstance(error, TypeError) and _NO_NUMBER.fullmatch(reason):
        reason = (
            "a function returned None instead of a number: end each of its branches with a "
            "`return` of a number"
        )
    message = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(("<graven", _PACKAGE + os.sep))
    ]
    if not frames:
        return message
    last = frames[-1]
    return f"{message.removesuffix('.')} ({last.filename}, line {last.lineno}, in {last.name})"


class _ArrayViews:
    """NumPy arrays on a kernel's memory.

    Kernels pass the same few arrays again and again, so the views are cached. A view is accessed
    only while a kernel owns memory at its address.
    """

    def __init__(self, array_type: Any) -> None:
        self._views: dict[tuple[int, int], NDArray[Any]] = {}
        self._dtype = np.dtype(str(array_type.dtype))
        self._writable = bool(array_type.mutable)

    def at(self, pointer: int | None, length: int) -> NDArray[Any]:
        """Return the array of `length` elements at an address."""
        key = (pointer or 0, length)
        array = self._views.get(key)
        if array is None:
            size = length * self._dtype.itemsize
            memory: Any = (ctypes.c_char * size).from_address(key[0]) if size else b""
            array = np.frombuffer(memory, dtype=self._dtype)
            array.setflags(write=self._writable and size > 0)
            if len(self._views) >= MAX_VIEWS:
                self._views.clear()
            self._views[key] = array
        return array


_C_TYPES = {types.int64: ctypes.c_int64, types.boolean: ctypes.c_bool, types.void: None}


def _prototype(signature: Signature) -> Any:
    """Return the C function type of a signature; an array is a pointer and a length."""
    flat: list[Any] = []
    for argument in signature.args:
        flat += (
            [ctypes.c_void_p, ctypes.c_int64]
            if isinstance(argument, types.Array)
            else [_C_TYPES[argument]]
        )
    return ctypes.CFUNCTYPE(_C_TYPES[signature.return_type], *flat)
