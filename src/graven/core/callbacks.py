"""Rule functions that run in Python: what a kernel calls when a game cannot be compiled.

    RuleFunctions(..., turn=turn, play=Callback("play", play))

A `Callback` stands where `Game` expects a function that compiles. Kernels call it like any other,
by its address, with the contract's arguments; it takes the GIL, which kernels do not hold, for as
long as it runs. A call costs one to two microseconds beside what the function itself does (through
`ctypes`; a Numba `objmode` block costs three).

Arrays arrive as NumPy arrays on the kernel's own memory: they are valid during the call only, so a
function copies what it wants to keep. A `feature` gets all moves at once, as the kernel asks for
them: (tables, state, player, moves, count, codes), and writes `codes`.

Machine code cannot carry a Python exception. The first one that a function raises is kept, that
function and every later callback of the thread return `BROKEN`, which no kernel takes for a player
or a number of moves, so that the search ends; `raise_fault`, called wherever a kernel has returned,
raises what was kept. `Position`, searches and solvers do that.

Compiled rules that raise go on with some value, and Numba tells Python's hook for exceptions that
nobody can catch. `hear` sets a hook that keeps the first of them in the same way.
"""

from __future__ import annotations

import ctypes
import os
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
from graven.core.errors import ContractError

# What `turn` and `legal` say once something has been raised. A function that only writes the
# state, such as `play`, should leave a state whose `turn` is this when it raises.
BROKEN = -9
MOST_VIEWS = 256

_PACKAGE = str(Path(__file__).resolve().parents[1])
_thread = threading.local()
_alive: list[Any] = []  # addresses stay valid as long as the process, like those of compiled code


class Callback:
    """A Python function as a rule function. `name` is its part in the contract: "play", "legal".

    `where(state)` says, for errors, how a position was reached, such as "after the moves a1 b2";
    `owner` is the game's name.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        owner: str = "",
        where: Callable[[Any], str] | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self.owner = owner
        self.where = where
        self._addresses: dict[str, int] = {}

    def address(self, signature: Signature) -> int:
        """The address that kernels call; `signature` is one of the contract's."""
        key = str(signature)
        if key not in self._addresses:
            code = _prototype(signature)(self._entry(signature))
            _alive.append(code)
            self._addresses[key] = int(ctypes.cast(code, ctypes.c_void_p).value or 0)
        return self._addresses[key]

    def _entry(self, signature: Signature) -> Callable[..., Any]:
        """A function of pointers, lengths and numbers that hands the arrays to the real one."""
        function, returned = self.function, signature.return_type
        result = {types.int64: int, types.boolean: bool}.get(returned)
        broken = BROKEN if returned is types.int64 else False if result else None
        layout: list[tuple[int, _Viewer | None]] = []
        place = 0
        for kind in signature.args:
            layout.append((place, _Viewer(kind) if isinstance(kind, types.Array) else None))
            place += 2 if layout[-1][1] else 1

        def entry(*flat: int) -> Any:
            if _thread.__dict__:
                return broken
            arguments: list[Any] = [
                viewer.at(flat[place], flat[place + 1]) if viewer else flat[place]
                for place, viewer in layout
            ]
            try:
                value = function(*arguments)
                return result(value) if result else None
            except BaseException as error:
                self._keep(error, arguments[1])
                return broken

        return entry

    def _keep(self, error: BaseException, state: Any) -> None:
        """Remember an exception until `raise_fault`."""
        if isinstance(error, SearchCancelled) or not isinstance(error, Exception):  # Ctrl-C
            _thread.fault = error
            return
        where = ""
        if self.where is not None:
            with suppress(Exception):
                where = f" ({self.where(state)})"
        said = str(error).removesuffix(".")
        if not isinstance(error, ContractError):
            owner = f" of {self.owner}" if self.owner else ""
            said = f"`{self.name}`{owner} raised {described(error)}"
        _thread.fault = fault = ContractError(f"{said}{where}.")
        fault.__cause__ = error.__cause__ if isinstance(error, ContractError) else error


@cache
def hear() -> None:
    """From now on, keep what compiled rules raise; everything else goes on to the former hook."""
    former = sys.unraisablehook

    def heard(dropped: sys.UnraisableHookArgs) -> None:
        error = dropped.exc_value
        if error is None or not str(dropped.object).startswith("<numba."):
            former(dropped)
        elif not _thread.__dict__:
            _thread.fault = fault = ContractError(f"compiled rules raised {described(error)}.")
            fault.__cause__ = error

    sys.unraisablehook = heard


def raise_fault() -> None:
    """Raise what a callback of this thread has raised since the last time, if anything."""
    if _thread.__dict__:
        fault = _thread.fault
        del _thread.fault
        raise fault


def described(error: BaseException) -> str:
    """An exception in words, and the line of somebody's file that raised it."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame for frame in frames if not frame.filename.startswith(("<graven", _PACKAGE + os.sep))
    ]
    if not own:
        return said
    last = own[-1]
    return f"{said.removesuffix('.')} ({last.filename}, line {last.lineno}, in {last.name})"


class _Viewer:
    """NumPy arrays on a kernel's memory. Kernels use the same few arrays again and again, so the
    views are kept; one is only ever looked at while a kernel holds memory there."""

    def __init__(self, kind: Any) -> None:
        self._seen: dict[tuple[int, int], NDArray[Any]] = {}
        self._dtype = np.dtype(str(kind.dtype))
        self._writable = bool(kind.mutable)

    def at(self, pointer: int | None, length: int) -> NDArray[Any]:
        """The array of `length` elements at an address."""
        key = (pointer or 0, length)
        array = self._seen.get(key)
        if array is None:
            size = length * self._dtype.itemsize
            memory: Any = (ctypes.c_char * size).from_address(key[0]) if size else b""
            array = np.frombuffer(memory, dtype=self._dtype)
            array.setflags(write=self._writable and size > 0)
            if len(self._seen) >= MOST_VIEWS:
                self._seen.clear()
            self._seen[key] = array
        return array


_KINDS = {types.int64: ctypes.c_int64, types.boolean: ctypes.c_bool, types.void: None}


def _prototype(signature: Signature) -> Any:
    flat: list[Any] = []
    for kind in signature.args:
        flat += (
            [ctypes.c_void_p, ctypes.c_int64] if isinstance(kind, types.Array) else [_KINDS[kind]]
        )
    return ctypes.CFUNCTYPE(_KINDS[signature.return_type], *flat)
