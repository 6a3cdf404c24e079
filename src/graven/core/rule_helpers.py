"""Functions that a rule function calls: compiled with it, without anybody having to say so.

Numba wants every function marked that a compiled one calls. Rules are plain functions, and what
they call should be, too: so a rule is compiled as a copy of itself whose plain helpers, wherever
they are named (in its module, in one that it imports, or around it), are compiled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba

# Modules whose functions are no helpers: Numba knows them, or they are marked.
LIBRARIES = {"numpy", "numba", "math", "graven"}


def with_helpers(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """The function, or a copy of it that calls compiled helpers where it calls plain ones."""
    copy, fill = _copied(function)
    fill(options, {})
    return copy


Fill = Callable[[dict[str, Any], dict[Any, Any]], None]


def _copied(function: Callable[..., Any]) -> tuple[Callable[..., Any], Fill]:
    """A copy, and what puts the compiled helpers into it: apart, for functions that call
    themselves or each other."""
    if not isinstance(function, FunctionType):
        return function, lambda options, known: None
    original, cells = function.__globals__, function.__closure__ or ()
    wanted = list(names_in(function.__code__))
    names = [name for name in wanted if _plain(original.get(name))]
    modules = {
        name: module for name, module in modules_in(function).items() if _helpers(module, wanted)
    }
    closure = tuple(CellType() if _plain(content_of(cell)) else cell for cell in cells)
    if not names and not modules and closure == cells:
        return function, lambda options, known: None
    space = dict(original)
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__

    def fill(options: dict[str, Any], known: dict[Any, Any]) -> None:
        for name in names:
            space[name] = _helper(original[name], options, known)
        for name, module in modules.items():
            space[name] = own = ModuleType(module.__name__)
            vars(own).update(vars(module))
            for helper in _helpers(module, wanted):
                setattr(own, helper, _helper(getattr(module, helper), options, known))
        for old, new in zip(cells, closure, strict=True):
            if new is not old:
                new.cell_contents = _helper(old.cell_contents, options, known)

    return copy, fill


def _helper(function: FunctionType, options: dict[str, Any], known: dict[Any, Any]) -> Any:
    """The compiled helper; each function once."""
    if function not in known:
        copy, fill = _copied(function)
        known[function] = numba.njit(**options)(copy)
        fill(options, known)
    return known[function]


def names_in(code: CodeType) -> Iterator[str]:
    """The names that code takes from outside, those of its comprehensions among them."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from names_in(part)


def modules_in(function: FunctionType) -> dict[str, ModuleType]:
    """The modules that a function names, by their names in it, but for libraries (`np`)."""
    found = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    return {
        name: module
        for name, module in found.items()
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] not in LIBRARIES
    }


def _helpers(module: ModuleType, wanted: list[str]) -> list[str]:
    return [name for name in wanted if _plain(vars(module).get(name))]


def _plain(value: Any) -> bool:
    return isinstance(value, FunctionType)


def content_of(cell: CellType) -> Any:
    """What a function has from around it; None if that is not there yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
