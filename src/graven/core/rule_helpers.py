"""Compile the helper functions that a rule function calls together with it.

Numba requires a decorator on every function that a compiled one calls. Rules and their helpers are
plain functions. Therefore a rule is compiled as a copy of itself in which plain helpers are
replaced by compiled ones, whether they come from its module, from an imported module or from an
enclosing function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba

# Modules whose functions are not helpers: Numba supports them, or they are compiled already.
LIBRARIES = {"numpy", "numba", "math", "graven"}


def with_helpers(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    """Return the function, or a copy of it that calls compiled helpers instead of plain ones.

    `options` are the options of numba.njit for the helpers.
    """
    copy, insert_helpers = _copy(function)
    insert_helpers(options, {})
    return copy


InsertHelpers = Callable[[dict[str, Any], dict[Any, Any]], None]


def _copy(function: Callable[..., Any]) -> tuple[Callable[..., Any], InsertHelpers]:
    """Return a copy, and a function that puts the compiled helpers into it.

    These are two steps because functions may call themselves or each other.
    """
    if not isinstance(function, FunctionType):
        return function, lambda options, compiled: None
    original, cells = function.__globals__, function.__closure__ or ()
    names_used = list(names_in(function.__code__))
    names = [name for name in names_used if _is_plain(original.get(name))]
    modules = {
        name: module
        for name, module in modules_in(function).items()
        if _helper_names(module, names_used)
    }
    closure = tuple(CellType() if _is_plain(content_of(cell)) else cell for cell in cells)
    if not names and not modules and closure == cells:
        return function, lambda options, compiled: None
    namespace = dict(original)
    copy = FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, closure
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__

    def insert_helpers(options: dict[str, Any], compiled: dict[Any, Any]) -> None:
        for name in names:
            namespace[name] = _compiled_helper(original[name], options, compiled)
        for name, module in modules.items():
            namespace[name] = module_copy = ModuleType(module.__name__)
            vars(module_copy).update(vars(module))
            for helper in _helper_names(module, names_used):
                function = getattr(module, helper)
                setattr(module_copy, helper, _compiled_helper(function, options, compiled))
        for old, new in zip(cells, closure, strict=True):
            if new is not old:
                new.cell_contents = _compiled_helper(old.cell_contents, options, compiled)

    return copy, insert_helpers


def _compiled_helper(
    function: FunctionType, options: dict[str, Any], compiled: dict[Any, Any]
) -> Any:
    """Return the compiled helper; `compiled` has those that were compiled before."""
    if function not in compiled:
        copy, insert_helpers = _copy(function)
        compiled[function] = numba.njit(**options)(copy)
        insert_helpers(options, compiled)
    return compiled[function]


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the global names and attributes that code uses, also in its comprehensions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def mentions(function: Any, attributes: Set[str]) -> bool:
    """Return whether a function, or a helper that it calls, reads one of some attributes."""
    return _mentions(function, attributes, set())


def _mentions(function: Any, attributes: Set[str], seen: set[Any]) -> bool:
    function = getattr(function, "py_func", function)  # of a function compiled by Numba
    if not _is_plain(function) or function in seen:
        return False
    seen.add(function)
    names = set(names_in(function.__code__))
    modules = modules_in(function).values()
    values = [content_of(cell) for cell in function.__closure__ or ()]
    values += [function.__globals__.get(name) for name in names]
    values += [vars(module).get(name) for module in modules for name in names]
    return not names.isdisjoint(attributes) or any(
        _mentions(value, attributes, seen) for value in values
    )


def modules_in(function: FunctionType) -> dict[str, ModuleType]:
    """Return the modules that a function uses, by their names in it, without `LIBRARIES`."""
    values = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    return {
        name: module
        for name, module in values.items()
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] not in LIBRARIES
    }


def _helper_names(module: ModuleType, names_used: list[str]) -> list[str]:
    return [name for name in names_used if _is_plain(vars(module).get(name))]


def _is_plain(value: Any) -> bool:
    return isinstance(value, FunctionType)


def content_of(cell: CellType) -> Any:
    """Return the value of a closure variable, or None if it is not assigned yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
