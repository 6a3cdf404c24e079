"""Methods by name, with their parameters: `nmcs`, `nrpa(level=3,alpha=1)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graven.core.calls import Value, check_text, format_call, parse_call
from graven.core.errors import UsageError, unknown
from graven.solving import nmcs, nrpa
from graven.solving.method import SolveMethod

MAX_TEXT = 1000


def methods() -> dict[str, SolveMethod]:
    """Return every method by name."""
    return {method.name: method for module in (nmcs, nrpa) for method in module.METHODS}


@dataclass(frozen=True)
class MethodSpec:
    """A method with a value for each of its parameters."""

    method: SolveMethod
    values: Mapping[str, Value]

    @property
    def text(self) -> str:
        """The canonical form: `nrpa(level=3,iterations=100,alpha=1,code=feature)`."""
        unnamed = {each.name: each.default for each in self.method.parameters if not each.named}
        values = {name: value for name, value in self.values.items() if value != unnamed.get(name)}
        return format_call(self.method.name, values)


def parse_method(text: str, **keywords: Value | None) -> MethodSpec:
    """Parse a method; raise a UsageError that names the valid values.

    Parameters can also be given as keywords; None means that a parameter is not given.
    """
    check_text("a method", text, "nrpa(level=3)")
    if len(text) > MAX_TEXT:
        raise UsageError(f"the method has {len(text)} characters; at most {MAX_TEXT} are allowed.")
    name, arguments = parse_call(text)
    if name not in methods():
        raise unknown("method", name, methods())
    method = methods()[name]
    parameters = {parameter.name: parameter for parameter in method.parameters}
    for key, value in keywords.items():
        if value is not None and key in arguments:
            raise UsageError(f"{name}: {key} is given twice, in {text!r} and as an option.")
        if value is not None:
            arguments[key] = value
    for key in arguments:
        if key not in parameters:
            raise unknown(f"parameter of {name}", key, parameters)
    values = {
        key: parameter.check(arguments[key], name) if key in arguments else parameter.default
        for key, parameter in parameters.items()
    }
    return MethodSpec(method, values)
