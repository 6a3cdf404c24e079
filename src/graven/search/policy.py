"""Declarations of policies: parameters, the formulas of a tree policy, variants of a playout.

To add a policy, add a file to `select/` or `playout/` that defines `POLICIES`: `tree_policies` and
`playout_policies` find it, and the spec language and `graven agents` read its parameters.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from graven.core.calls import Value, format_value
from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.core.rule_helpers import mentions
from graven.search.select.selection import (
    EdgeFunction,
    Statistics,
    address_of,
    amaf_plus_one,
    first_play_urgency,
)

# The value of a parameter that tunes itself while the search runs, see `self_tuning`.
AUTO = "auto"


@dataclass(frozen=True)
class Parameter:
    """A named parameter: its default, a description, and its valid values."""

    name: str
    default: Value
    doc: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    infinite: bool = False  # whether infinity is valid
    whole: bool = False  # whether only whole numbers are valid; so it is if the default is an int
    named: bool = True  # whether the canonical form of a method names it with its default, too
    auto: tuple[float, ...] = ()  # the values that `auto` tries; none: it cannot tune itself

    def check(self, value: Value, owner: str) -> Value:
        """Return the value in the parameter's type; raise a `UsageError` if it is not valid."""
        if self.choices:
            if str(value) in self.choices:
                return str(value)
            raise UsageError(
                f"{owner}: {self.name} is one of {', '.join(self.choices)}, not {str(value)!r}."
            )
        if isinstance(self.default, str):
            return str(value)
        if value == AUTO:
            return self._check_auto(owner)
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise UsageError(f"{owner}: {self.name} is true or false, not {value!r}.")
        if isinstance(value, str | bool) or value != value:
            raise UsageError(f"{owner}: {self.name} is a number, not {value!r}.")
        if abs(value) == math.inf and not self.infinite:
            raise UsageError(f"{owner}: {self.name} is a finite number, not {value!r}.")
        whole = self.whole or isinstance(self.default, int)
        if whole and abs(value) != math.inf and value != int(value):
            raise UsageError(f"{owner}: {self.name} is a whole number, not {value!r}.")
        if not self.low <= value <= self.high:
            raise UsageError(f"{owner}: {self.name} must be {self.range}, not {value!r}.")
        return int(value) if whole and abs(value) != math.inf else value

    def _check_auto(self, owner: str) -> str:
        if not self.auto:
            raise UsageError(f"{owner}: {self.name} cannot be {AUTO}; give it a value.")
        return AUTO

    @property
    def tried(self) -> str:
        """What `auto` tries, in words; empty if the parameter cannot tune itself."""
        return f"auto tries {', '.join(map(format_value, self.auto))}" if self.auto else ""

    @property
    def range(self) -> str:
        """The valid numbers, in words."""
        if self.high == math.inf:
            return f"at least {self.low:g}"
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Formula:
    """One formula of a tree policy: the value of an edge, and the parameters it has.

    `value(p, node, edge)` is the value of an edge that has playouts, `untried(p, node, edge)` that
    of an edge without: by default first-play urgency, `node.fpu`. `p` has the parameters and the
    constants in `fixed` as attributes; `node` and `edge` are described in `select.selection`.

    `weight(p, node, edge)` is the weight of AMAF in the value, for display, where there is one. It
    is called for edges with playouts and AMAF statistics.

    A spec selects a formula by its name, or by setting the parameter `selected_by`; if it sets
    those of several formulas, the first of them is selected. `amaf` is false for a formula that
    reads no AMAF statistics of an edge. With `whole`, `value` is that of edges without playouts,
    too, and `untried` is not called: one expression without a branch is faster.

    A search keeps the sums of squares of its edges if the functions mention `edge.squares`, and
    the priors of moves if they mention `edge.prior` or `node.prior_sum`, and permutation statistics
    if they mention `edge.permuted_visits`.
    """

    name: str
    value: EdgeFunction
    parameters: tuple[Parameter, ...] = ()
    untried: EdgeFunction = first_play_urgency
    weight: EdgeFunction | None = None
    fixed: Mapping[str, float] = field(default_factory=dict, hash=False)
    selected_by: str = ""
    amaf: bool = True
    whole: bool = False

    def parameters_of(self, values: Iterable[float]) -> Any:
        """Return what the functions receive as `p`: `values` of the parameters and of `fixed`."""
        return self._record(*values)

    @cached_property
    def reads(self) -> Statistics:
        """What the functions read of an edge."""
        functions = (self.value, self.untried)
        return Statistics(
            amaf=self.amaf,
            squares=any(mentions(function, {"squares"}) for function in functions),
            prior=any(mentions(function, {"prior", "prior_sum"}) for function in functions),
            permutations=any(mentions(function, {"permuted_visits"}) for function in functions),
        )

    def address(
        self,
        exploration: bool = True,
        untried_by_amaf: bool = False,
        prior_options: bool = False,
        implicit: bool = False,
        criticality: bool = False,
        muted: bool = False,
        packed: bool = False,
    ) -> int:
        """Return the address of the machine code that selects an edge by this formula.

        Without `exploration` its parameter c, if it has one, is 0. With `untried_by_amaf` the value
        of an edge without playouts is `amaf_plus_one`. `prior_options`, `implicit` and
        `criticality`: see `Statistics`. With `muted` no move has AMAF statistics. `packed`: whether
        AMAF tables are.
        """
        reads = self.reads
        if prior_options:
            reads = reads._replace(prior=True, prior_options=True)
        amaf = reads.amaf and not muted
        reads = reads._replace(
            amaf=amaf,
            implicit=implicit,
            criticality=criticality and amaf,
            packed=packed and amaf,
        )
        return address_of(
            self.value,
            amaf_plus_one if untried_by_amaf else self.untried,
            self._record,
            reads,
            whole=self.whole and not untried_by_amaf,
            zero=() if exploration else ("c",),
        )

    @property
    def _record(self) -> Any:
        return parameter_record(tuple(p.name for p in self.parameters) + tuple(self.fixed))


@cache
def parameter_record(names: tuple[str, ...]) -> Any:
    """Return the NamedTuple class with these fields."""
    return namedtuple("FormulaParameters", names)


BETA_DOC = (
    "the formula for the weight of AMAF; setting a parameter that only one formula has selects it, "
    "too. orego1 and orego2 are models 1 and 2 of Javins, Drake and Chen"
)


@dataclass(frozen=True)
class TreePolicy:
    """A tree policy with its formulas; the first formula is the default.

    A spec selects a formula by `beta=name` or by `Formula.selected_by`. `ref` is the number of
    playouts that a node must exceed to read its own AMAF table: a parameter, a number, or None
    where no AMAF tables are kept. `inner`, if any, is the parameter that says how many playouts the
    second-level search of a new node has. `digest` is the digest of the file of a user-defined
    policy.
    """

    name: str
    summary: str
    formulas: tuple[Formula, ...]
    ref: Parameter | int | None = None
    inner: Parameter | None = None
    digest: str = ""

    @property
    def search_parameters(self) -> dict[str, Parameter]:
        """The parameters by name that belong to the search, not to a formula."""
        both = (self.ref, self.inner)
        return {each.name: each for each in both if isinstance(each, Parameter)}

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters of all formulas, each once."""
        named = self.search_parameters
        if len(self.formulas) > 1:
            names = tuple(formula.name for formula in self.formulas)
            named["beta"] = Parameter("beta", names[0], BETA_DOC, choices=names)
        for formula in self.formulas:
            for parameter in formula.parameters:
                named.setdefault(parameter.name, parameter)
        return tuple(named.values())


@dataclass(frozen=True, kw_only=True)
class BatchLearning:
    """How a playout policy plays a batch from what it knew when the batch began.

    Compiled functions, all optional but one of the first two:

    - `policy(memory)` returns the `ValuePolicy` of the batch: how moves are chosen by their values.
    - `choose(memory, choice) -> move` chooses one move; `choice` is a `BatchChoice`. It is called
      for every move of a playout in order, but moves of other playouts come in between.
    - `ready(rules, memory) -> status` is called before a batch. It returns OK, or NEED_MEMORY to
      have the variant's `grow` called first.
    - `begin(rules, tree, record, memory, leaf, playouts)` receives each leaf of the batch before
      the first playout. The record is that of the descent; `playouts` start from each leaf.
    - `count(rules, tree, record, memory)` receives the record of every simulation of the batch, in
      the order of the playouts, after all of them.
    - `settle(rules, memory)` then updates what the next batch reads.
    - `count_later(rules, tree, record, memory)` receives the simulations of other threads instead
      of `count`. Their playouts read another memory; what `count` left in the arrays
      `playout_fields` (by default those of the variant) is there again. A policy with `choose` and
      `count` needs it to be used by several threads of one tree.

    `memory(memory, rules, playouts)`, in Python, returns the variant's memory with what batches of
    so many playouts need besides; `bytes(rules, playouts)` is how much that is, about.

    Moves are known by their codes, not by feature codes.
    """

    policy: Callable[..., Any] | None = None
    choose: Callable[..., Any] | None = None
    ready: Callable[..., Any] | None = None
    begin: Callable[..., Any] | None = None
    count: Callable[..., Any] | None = None
    settle: Callable[..., Any] | None = None
    count_later: Callable[..., Any] | None = None
    playout_fields: tuple[str, ...] | None = None
    memory: Callable[[Any, Rules, int], Any] | None = None
    bytes: Callable[[Rules, int], int] | None = None


@dataclass(frozen=True)
class PlayoutVariant:
    """One way in which a playout policy chooses moves, and how it learns, if it does.

    Compiled functions:

    - `choose(rules, record, memory, player) -> move` chooses the next move of a playout. What was
      played before are the first record.shape[LENGTH] entries of record.trace, each
      player * codes + move; record.rng is the source of random numbers, record.moves scratch.
    - `begin(rules, tree, record, memory) -> status`, optional, is called before each playout.
      It returns OK, or NEED_MEMORY to have `grow` called first.
    - `learn(rules, tree, record, memory)`, optional, receives the record of every finished
      simulation, the part in the tree included: record.trace and each player's record.scores.
    - `forced(rules, record, memory, player, move)`, optional, is called instead of `choose` where a
      decisive move is played (option `decisive`). A policy that learns from arrays that `choose`
      writes (`playout_fields`) needs it to be used with that option.
    - `play_out(rules, tree, record, memory) -> status` replaces `choose` and `begin` where a policy
      needs a loop of its own: it plays record.state to the end, appends to record.trace, sets
      record.shape[LENGTH] and writes record.scores.

    Python functions:

    - `memory(rules, values)` returns what the policy remembers: a NamedTuple of NumPy arrays, which
      the compiled functions may change, and of numbers, which they may not. `values` are the
      values of the parameters by name. Without it `memory` is None in the compiled functions.
    - `on_new_search(memory)` is called between two searches of a game, and changes the arrays.
    - `grow(memory)` returns a larger memory of the same type.

    `playout_fields` names the arrays of the memory that `begin` or `choose` writes and `learn`
    reads: what a playout leaves for learning. Threads exchange them, so that they must have one
    dimension. None: unknown, and the policy cannot be used by several threads of one tree.
    `learn_later`, by default `learn`, receives the simulations of other threads, whose playouts
    read a memory that has changed since. All other arrays are those of the thread that learns.

    `reads_edges` says whether `learn` may read the moves of nodes in the tree that were not played:
    then every node has all its edges.

    `selected_by` is the parameter that selects this variant when a spec gives it. With `rollout`
    the game's `rollout` plays, if there is one, and draws the same moves as `choose`.
    `batch` says how batches are played with learn_after=batch; None: the policy cannot.
    """

    choose: Callable[..., Any] | None = None
    parameters: tuple[Parameter, ...] = ()
    learn: Callable[..., Any] | None = None
    memory: Callable[[Rules, Mapping[str, Value]], Any] | None = None
    on_new_search: Callable[[Any], None] | None = None
    grow: Callable[[Any], Any] | None = None
    begin: Callable[..., Any] | None = None
    forced: Callable[..., Any] | None = None
    play_out: Callable[..., Any] | None = None
    selected_by: str = ""
    rollout: bool = False
    batch: BatchLearning | None = None
    playout_fields: tuple[str, ...] | None = None
    learn_later: Callable[..., Any] | None = None
    reads_edges: bool = True

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that chooses the moves: `play_out` if there is one, else `choose`."""
        return self.play_out or self.choose


@dataclass(frozen=True)
class PlayoutPolicy:
    """A playout policy with its variants; the first variant is the default.

    With `features` moves are known by their feature codes. `digest` is that of the file of a
    user-defined policy.
    """

    name: str
    summary: str
    variants: tuple[PlayoutVariant, ...]
    features: bool = False
    # The parameter, if any, that says how many playouts a node must have for the playouts to read
    # its AMAF table.
    pool_min_visits: str = ""
    # The parameter, if any, that names the playout policy underneath.
    base: str = ""
    digest: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters of all variants, each once, as in the first variant that has it."""
        named: dict[str, Parameter] = {}
        for variant in self.variants:
            for parameter in variant.parameters:
                named.setdefault(parameter.name, parameter)
        return tuple(named.values())


Policy = TreePolicy | PlayoutPolicy


def _collect(package: str) -> dict[str, Any]:
    """Return the policies that the modules of a package define, by name."""
    policies: dict[str, Any] = {}
    home = importlib.import_module(package)
    for module in pkgutil.iter_modules(home.__path__):
        for policy in getattr(importlib.import_module(f"{package}.{module.name}"), "POLICIES", ()):
            policies[policy.name] = policy
    return policies


@cache
def tree_policies() -> dict[str, TreePolicy]:
    """Return every tree policy of the package by name."""
    return _collect("graven.search.select")


@cache
def playout_policies() -> dict[str, PlayoutPolicy]:
    """Return every playout policy of the package by name; games may define more."""
    return _collect("graven.search.playout")
