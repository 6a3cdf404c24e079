"""Methods by name, with their parameters: `nmcs`, `nrpa(level=3,alpha=1)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graven.core.calls import Value, format_call, parse_call
from graven.core.errors import UsageError, unknown
from graven.solving import nmcs, nrpa
from graven.solving.method import Method

LONGEST = 1000


def methods() -> dict[str, Method]:
    """Every method, by name."""
    return {method.name: method for module in (nmcs, nrpa) for method in module.METHODS}


@dataclass(frozen=True)
class Chosen:
    """A method, every parameter of which has its value."""

    method: Method
    values: Mapping[str, Value]

    @property
    def text(self) -> str:
        """The canonical form: `nrpa(level=3,iterations=100,alpha=1,code=feature)`."""
        return format_call(self.method.name, self.values)


def parse_method(text: str, **beside: Value | None) -> Chosen:
    """Read a method; every mistake is one sentence that names what would be right.

    Parameters may also be given beside the text; None means that one is not.
    """
    if len(text) > LONGEST:
        raise UsageError(f"a method has at most {LONGEST} characters; this one {len(text)}.")
    name, given = parse_call(text)
    if name not in methods():
        raise unknown("method", name, methods())
    method = methods()[name]
    own = {parameter.name: parameter for parameter in method.parameters}
    for key, value in beside.items():
        if value is not None and key in given:
            raise UsageError(f"{name}: {key} is given twice, in {text!r} and beside it.")
        if value is not None:
            given[key] = value
    for key in given:
        if key not in own:
            raise unknown(f"parameter of {name}", key, own)
    values = {
        key: parameter.check(given[key], name) if key in given else parameter.default
        for key, parameter in own.items()
    }
    return Chosen(method, values)
