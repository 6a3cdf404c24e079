"""How policies describe themselves: their parameters, formulas and functions.

A file in `select/` or `playout/` that defines `POLICIES` is all it takes to add one:
`tree_policies` and `playout_policies` find it, the spec language and `graven agents` read its
parameters.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.plan import Learner

Value = float | int | str | bool


@dataclass(frozen=True)
class Parameter:
    """A named setting: its default, what it means, and which values make sense."""

    name: str
    default: Value
    doc: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    infinite: bool = False  # whether infinity makes sense

    def check(self, value: Value, owner: str) -> Value:
        """The value in its proper type, or an error that says what would be right."""
        if self.choices:
            if str(value) in self.choices:
                return str(value)
            raise UsageError(f"{owner}: {self.name} is one of {', '.join(self.choices)}.")
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise UsageError(f"{owner}: {self.name} is true or false, not {value!r}.")
        if isinstance(value, str | bool) or value != value:
            raise UsageError(f"{owner}: {self.name} is a number, not {value!r}.")
        if abs(value) == math.inf and not self.infinite:
            raise UsageError(f"{owner}: {self.name} is a finite number, not {value!r}.")
        if isinstance(self.default, int) and abs(value) != math.inf and value != int(value):
            raise UsageError(f"{owner}: {self.name} is a whole number, not {value!r}.")
        if not self.low <= value <= self.high:
            raise UsageError(f"{owner}: {self.name} must be {self.range}, not {value!r}.")
        return int(value) if isinstance(self.default, int) and abs(value) != math.inf else value

    @property
    def range(self) -> str:
        """Which numbers are valid, in words."""
        if self.high == math.inf:
            return f"at least {self.low:g}"
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Form:
    """One formula of a tree policy: the function, and the parameters it gets after fpu and ties.

    `fixed` values follow the parameters' own. `tell` is the parameter that chooses this formula
    when it is given; where several are, the first formula of the policy.
    """

    name: str
    select: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    fixed: tuple[float, ...] = ()
    tell: str = ""


BETA_DOC = (
    "the formula for the weight of AMAF; naming a parameter that only one formula has chooses it, "
    "too. orego1 and orego2 are models 1 and 2 of Javins, Drake and Chen"
)


@dataclass(frozen=True)
class TreePolicy:
    """A tree policy with its forms; the first form is the default.

    A form is chosen by `beta=name`, or by a parameter that tells.
    `ref` is how many playouts a node must exceed to read its own AMAF table: a parameter,
    a number, or None where no AMAF is kept.
    """

    name: str
    summary: str
    forms: tuple[Form, ...]
    ref: Parameter | int | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters of all forms, each once."""
        named: dict[str, Parameter] = {}
        if isinstance(self.ref, Parameter):
            named[self.ref.name] = self.ref
        if len(self.forms) > 1:
            names = tuple(form.name for form in self.forms)
            named["beta"] = Parameter("beta", names[0], BETA_DOC, choices=names)
        for form in self.forms:
            for parameter in form.parameters:
                named.setdefault(parameter.name, parameter)
        return tuple(named.values())


def no_memory(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For playouts that remember nothing."""
    return Learner(np.zeros(1), np.zeros(1), np.zeros(1, np.int64))


@dataclass(frozen=True)
class PlayoutPolicy:
    """A playout policy: its function, and how it learns, if it does."""

    name: str
    summary: str
    play_out: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    learn: Callable[..., Any] | None = None
    memory: Callable[..., Learner] = no_memory


def _collect(package: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    home = importlib.import_module(package)
    for module in pkgutil.iter_modules(home.__path__):
        for policy in getattr(importlib.import_module(f"{package}.{module.name}"), "POLICIES", ()):
            found[policy.name] = policy
    return found


@cache
def tree_policies() -> dict[str, TreePolicy]:
    """Every tree policy, by name."""
    return _collect("graven.search.select")


@cache
def playout_policies() -> dict[str, PlayoutPolicy]:
    """Every playout policy, by name; a game may bring more of its own."""
    return _collect("graven.search.playout")
