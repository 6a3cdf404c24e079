"""A search as the spec language describes it: policies, the values of parameters, and options.

`agents.spec_parser` parses the text of a spec into a `Spec`; `Spec.text` is its canonical form, the
text that records store; `Search` compiles a `Spec` into the `Plan` that kernels receive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graven.core.calls import DIGEST, Value, format_call
from graven.core.contract import NO_CUTOFF
from graven.search.budget import Budget
from graven.search.options import OPTIONS, SearchOptions
from graven.search.plan import NEVER
from graven.search.policy import (
    AUTO,
    Formula,
    Parameter,
    PlayoutPolicy,
    PlayoutVariant,
    Policy,
    TreePolicy,
)
from graven.search.select.selection import FIRST, OWN, RANDOM, REF

UNIFORM = "uniform"


@dataclass(frozen=True)
class TunedParameter:
    """A parameter that tunes itself, and its place in `params`; None in the playout's memory."""

    parameter: Parameter
    place: int | None

    @property
    def values(self) -> tuple[float, ...]:
        """The values that are tried."""
        return tuple(min(value, float(NEVER)) for value in self.parameter.auto)

    @property
    def usual(self) -> int:
        """The place of the default among them, or the middle one."""
        tried = self.parameter.auto
        default = self.parameter.default
        return tried.index(default) if default in tried else len(tried) // 2


def first_value(parameter: Parameter, value: Value) -> Any:
    """Return the value of a parameter, or the first one tried if it tunes itself."""
    return parameter.auto[0] if value == AUTO and parameter.auto else value


@dataclass(frozen=True)
class PlayoutSpec:
    """The playout policy of a search, with a value for each of its parameters.

    `game_playout` names a playout of the game itself that replaces the game's uniformly random
    move; "" for none.
    """

    policy: PlayoutPolicy
    variant: PlayoutVariant
    values: Mapping[str, Value] = field(default_factory=dict)
    game_playout: str = ""

    @property
    def pool_min_visits(self) -> int | None:
        """Playouts that a node needs for playouts to read its AMAF table; None: they never do."""
        name = self.policy.pool_min_visits
        return int(self.values[name]) if name else None

    @property
    def first_values(self) -> dict[str, Value]:
        """The values of the parameters; the first one tried of those that tune themselves."""
        return {
            parameter.name: first_value(parameter, self.values[parameter.name])
            for parameter in self.variant.parameters
        }

    @property
    def text(self) -> str:
        """The canonical form: the parameter that selects the variant, then values not default."""
        if self.game_playout and not self.variant.parameters:
            return self.game_playout
        written = {
            parameter.name: self.values[parameter.name]
            for parameter in self.variant.parameters
            if parameter.name == self.variant.selected_by
            or self.values[parameter.name] != parameter.default
        }
        return _policy_text(self.policy, written)


@dataclass(frozen=True)
class Spec:
    """A search, completely described: every parameter and every option has its value."""

    tree: TreePolicy
    formula: Formula
    values: Mapping[str, Value]  # of the tree policy's parameters
    options: SearchOptions
    playout: PlayoutSpec

    @property
    def ref(self) -> int | None:
        """Playouts a node must exceed to read its own AMAF table; None without AMAF tables.

        With ref=auto the fewest that are tried.
        """
        if isinstance(self.tree.ref, Parameter):
            return int(min(first_value(self.tree.ref, self.values["ref"]), NEVER))
        return self.tree.ref

    @property
    def inner(self) -> int:
        """Playouts of the second-level search of a new node; 0 without such searches."""
        return int(self.values["inner"]) if self.tree.inner else 0

    @property
    def cuts_off(self) -> bool:
        """Whether playouts end before the game does."""
        return self.options.cutoff < NO_CUTOFF

    @property
    def cutoff(self) -> int:
        """After how many plies playouts end."""
        return int(min(self.options.cutoff, NO_CUTOFF))

    @property
    def calls_rollout(self) -> bool:
        """Whether the game's `rollout` plays, if there is one."""
        decides = self.options.decisive != "off"
        return self.playout.variant.rollout and not self.cuts_off and not decides

    @property
    def batch_functions(self) -> tuple[str, ...]:
        """The function of a game that plays the batches of this search, if it can."""
        options = self.options
        if self.playout.game_playout:
            return ()
        if options.learn_after == "batch" and self.playout.variant.batch is not None:
            return ("batch_policy_playouts",)
        in_batches = options.batch_leaves * options.playouts_per_leaf > 1
        uniform = self.playout.text == UNIFORM and self.calls_rollout
        return ("batch_playouts",) if in_batches and uniform else ()

    @property
    def uses_prior_options(self) -> bool:
        """Whether an option adds the game's `prior` to what the tree policy reads."""
        return self.options.prior_amaf > 0 or self.options.prior_bias > 0

    @property
    def needs_prior(self) -> bool:
        """Whether an option needs the game's `prior`."""
        return self.uses_prior_options or self.options.widen > 0

    @property
    def params(self) -> tuple[float, ...]:
        """The entries of `params` that `select.selection` describes."""
        own = [first_value(each, self.values[each.name]) for each in self.formula.parameters]
        options, ties = self.options, FIRST if self.options.ties == "first" else RANDOM
        values = (
            *(options.fpu, ties, options.offset, options.prior_amaf, options.prior_bias),
            *(options.root_amaf, options.implicit),
            *(NEVER if self.ref is None else self.ref, options.criticality, 1.0, 0.5),
            *own,
            *self.formula.fixed.values(),
        )
        return tuple(float(value) for value in values)

    @property
    def tuned(self) -> tuple[TunedParameter, ...]:
        """The parameters that tune themselves: of the tree policy, then of the playout policy."""
        tuned = []
        if isinstance(self.tree.ref, Parameter) and self.values["ref"] == AUTO:
            tuned.append(TunedParameter(self.tree.ref, REF))
        for place, parameter in enumerate(self.formula.parameters, OWN):
            if self.values[parameter.name] == AUTO:
                tuned.append(TunedParameter(parameter, place))
        for parameter in self.playout.variant.parameters:
            if self.playout.values[parameter.name] == AUTO:
                tuned.append(TunedParameter(parameter, None))
        return tuple(tuned)

    @property
    def budget(self) -> Budget:
        """The budget of a move inside the spec; without limits if it has none."""
        seconds = self.options.seconds or self.options.time
        return Budget(self.options.playouts or None, seconds or None)

    @property
    def text(self) -> str:
        """The canonical form: the formula's parameters, then the options that are not default."""
        written = {name: self.values[name] for name in self.tree.search_parameters}
        if len(self.tree.formulas) > 1 and self.formula.name != self.formula.selected_by:
            written["beta"] = self.formula.name
        # `c` last, and only if it is not 0 or the formula's default is not 0.
        for parameter in sorted(self.formula.parameters, key=lambda p: p.name == "c"):
            value = self.values[parameter.name]
            if parameter.name != "c" or value or parameter.default:
                written[parameter.name] = value
        for each in OPTIONS:
            value = getattr(self.options, each.name)
            if value != each.default:
                written[each.name] = value
        tree = _policy_text(self.tree, written)
        return tree if self.playout.text == UNIFORM else f"{tree}+{self.playout.text}"

    def with_options(self, **changes: Any) -> Spec:
        """Return the same spec with other options."""
        return replace(self, options=replace(self.options, **changes))

    def __str__(self) -> str:
        return self.text


def _policy_text(policy: Policy, values: Mapping[str, Value]) -> str:
    return format_call(policy.name, {**values, DIGEST: policy.digest} if policy.digest else values)
