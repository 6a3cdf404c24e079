"""How policies describe themselves: their parameters, formulas and functions.

A file in `select/` or `playout/` that defines `POLICIES` is all it takes to add one:
`tree_policies` and `playout_policies` find it, the spec language and `graven agents` read its
parameters.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from graven.core.calls import Value as Value
from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.plan import Learner
from graven.search.select.loop import EdgeFunction, address_of, first_play_urgency


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
        if isinstance(self.default, str):
            return str(value)
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
class Formula:
    """One formula of a tree policy: the value of an edge, and the parameters it has.

    `value(p, node, edge)` is the value of an edge that has playouts, `untried(p, node, edge)` that
    of an edge without: by default first-play urgency, `node.fpu`. `p` has the parameters and the
    constants in `fixed` as attributes; `node` and `edge` are described in `select.loop`.

    `weight(p, node, edge)` is the weight of AMAF in the value, for display, where there is one. It
    is called for edges with playouts and AMAF statistics.

    A spec selects a formula by its name, or by setting the parameter `selected_by`; if it sets
    those of several formulas, the first of them is selected.
    """

    name: str
    value: EdgeFunction
    parameters: tuple[Parameter, ...] = ()
    untried: EdgeFunction = first_play_urgency
    weight: EdgeFunction | None = None
    fixed: Mapping[str, float] = field(default_factory=dict, hash=False)
    selected_by: str = ""

    def parameters_of(self, values: Iterable[float]) -> Any:
        """Return what the functions receive as `p`: `values` of the parameters and of `fixed`."""
        return self._record(*values)

    @property
    def address(self) -> int:
        """The address of the machine code that selects an edge by this formula."""
        return address_of(self.value, self.untried, self._record)

    @property
    def _record(self) -> Any:
        return parameter_record(tuple(p.name for p in self.parameters) + tuple(self.fixed))


@cache
def parameter_record(names: tuple[str, ...]) -> Any:
    """Return the NamedTuple class with these fields."""
    return namedtuple("FormulaParameters", names)


BETA_DOC = (
    "the formula for the weight of AMAF; naming a parameter that only one formula has chooses it, "
    "too. orego1 and orego2 are models 1 and 2 of Javins, Drake and Chen"
)


@dataclass(frozen=True)
class TreePolicy:
    """A tree policy with its formulas; the first formula is the default.

    A spec selects a formula by `beta=name` or by `Formula.selected_by`. `ref` is the number of
    playouts that a node must exceed to read its own AMAF table: a parameter, a number, or None
    where no AMAF tables are kept. `digest` is the digest of the file of a user-defined policy.
    """

    name: str
    summary: str
    formulas: tuple[Formula, ...]
    ref: Parameter | int | None = None
    digest: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters of all formulas, each once."""
        named: dict[str, Parameter] = {}
        if isinstance(self.ref, Parameter):
            named[self.ref.name] = self.ref
        if len(self.formulas) > 1:
            names = tuple(formula.name for formula in self.formulas)
            named["beta"] = Parameter("beta", names[0], BETA_DOC, choices=names)
        for formula in self.formulas:
            for parameter in formula.parameters:
                named.setdefault(parameter.name, parameter)
        return tuple(named.values())


def new_learner(**arrays: Any) -> Learner:
    """A memory with these arrays; what is not named is not needed."""
    kinds = {"codes": np.uint32, "log": np.int64, "keys": np.int64}
    empty = {name: np.zeros(1, kinds.get(name, np.float64)) for name in Learner._fields}
    return Learner(**{**empty, "mask": np.uint64(0), **arrays})


def no_memory(rules: Rules, values: Mapping[str, Value]) -> Learner:
    """For playouts that remember nothing."""
    return new_learner()


@dataclass(frozen=True)
class PlayoutForm:
    """One way in which a playout policy chooses moves, and how it learns, if it does.

    `memory(rules, values)` makes what it remembers; `carry(learner)` is called between two
    searches of a game; `grow(learner)` makes room when `play_out` asks for NEED_MEMORY. `tell` is
    the parameter that chooses this form when it is given.
    """

    play_out: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    learn: Callable[..., Any] | None = None
    memory: Callable[[Rules, Mapping[str, Value]], Learner] = no_memory
    carry: Callable[[Learner], None] | None = None
    grow: Callable[[Learner], Learner] | None = None
    tell: str = ""


@dataclass(frozen=True)
class PlayoutPolicy:
    """A playout policy with its forms; the first form is the default.

    With `features` moves go by their feature codes. `pool` is the parameter, if any, that says how
    many playouts a node must have for the playouts to read its AMAF table. `digest` is that of the
    file, if it is somebody's own.
    """

    name: str
    summary: str
    forms: tuple[PlayoutForm, ...]
    features: bool = False
    pool: str = ""
    over: str = ""  # the parameter, if any, that names the playouts it stands on
    digest: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters of all forms, each once, as the default form has it if it does."""
        named: dict[str, Parameter] = {}
        for form in self.forms:
            for parameter in form.parameters:
                named.setdefault(parameter.name, parameter)
        return tuple(named.values())


Policy = TreePolicy | PlayoutPolicy


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
