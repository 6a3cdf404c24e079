"""The spec language: `tree[+playout]`, each with named parameters.

    grave(ref=50,bias=1e-4)     uct(c=0.7,final=mean,reuse=true)     rave(playouts=1000)+uniform
    mine.py:tree(c=0.3)+mast    policies of one's own, in a file (see `own`)

`parse` reads a text, checks every name and value, and fills in the defaults; `Spec.text` writes it
back in canonical form, which is what records store.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from graven.core.calls import DIGEST, IN_FILE, Value, format_call, parse_call, split
from graven.core.errors import UsageError, unknown
from graven.search.choose import FINAL
from graven.search.engine import MOST_PLAYOUTS, Budget
from graven.search.plan import NEVER
from graven.search.policy import (
    Formula,
    Parameter,
    PlayoutPolicy,
    PlayoutVariant,
    Policy,
    TreePolicy,
    playout_policies,
    tree_policies,
)
from graven.search.select.loop import FIRST, RANDOM

LONGEST = 1000
UNIFORM = "uniform"

# Options that every tree policy takes.
OPTIONS = (
    Parameter(
        "fpu",
        math.inf,
        "first-play urgency: the value of a move that has no playouts (inf: try it first, as in "
        "all five papers)",
        infinite=True,
    ),
    Parameter(
        "ties",
        "random",
        "among equal values: one at random, or the first by move code (Cazenave 2015, algorithm 1)",
        choices=("random", "first"),
    ),
    Parameter(
        "expand",
        1,
        "a position enters the tree with its n-th playout (Rimmel et al. 2010: 1 for Havannah, 5 "
        "for Go); where all players move at once, always with its first",
        low=1,
        high=1_000_000,
    ),
    Parameter(
        "final",
        "visits",
        "the move played has the most playouts (Cazenave) or the best mean (Sironi and Winands)",
        choices=FINAL,
    ),
    Parameter(
        "reuse",
        False,
        "keep the tree between the moves of a game (Cazenave: no; Sironi and Winands: yes)",
    ),
    Parameter("transpositions", True, "equal positions share one node, however they are reached"),
    Parameter(
        "leaves",
        1,
        "descents made before any of their playouts begin, each with a virtual loss: for games "
        "that play many playouts at once",
        low=1,
        high=4096,
    ),
    Parameter("each", 1, "playouts from each leaf", low=1, high=4096),
    Parameter("memory", 1024, "the most memory the tree may take, in MiB", low=1, high=1 << 20),
    Parameter("playouts", 0, "this agent's own budget: playouts a move", low=1, high=MOST_PLAYOUTS),
    Parameter("seconds", 0.0, "this agent's own budget: seconds a move", low=0.0, high=1e6),
)
_OPTIONS = {option.name: option for option in OPTIONS}

Own = Iterable[Policy]
P = TypeVar("P", TreePolicy, PlayoutPolicy)


@dataclass(frozen=True)
class Below:
    """The playouts below a tree. `own` names the playout that a game brings itself, if one is
    wanted: it takes the place of the game's uniformly random move."""

    policy: PlayoutPolicy
    form: PlayoutVariant
    values: Mapping[str, Value] = field(default_factory=dict)
    own: str = ""

    @property
    def text(self) -> str:
        """The canonical form: what tells the form, then what is not usual."""
        if self.own and not self.form.parameters:
            return self.own
        said = {
            parameter.name: self.values[parameter.name]
            for parameter in self.form.parameters
            if parameter.name == self.form.selected_by
            or self.values[parameter.name] != parameter.default
        }
        return _written(self.policy, said)


@dataclass(frozen=True)
class Spec:
    """An agent, fully said: every parameter has its value."""

    tree: TreePolicy
    formula: Formula
    values: Mapping[str, Value]
    playout: Below

    @property
    def ref(self) -> int | None:
        """The threshold of the AMAF table read, as the kernel takes it; None without AMAF."""
        if isinstance(self.tree.ref, Parameter):
            return int(min(self.values["ref"], NEVER))
        return self.tree.ref

    @property
    def params(self) -> tuple[float, ...]:
        """First-play urgency, the tie-breaking rule, and the formula's own parameters."""
        own = [self.values[parameter.name] for parameter in self.formula.parameters]
        ties = FIRST if self.values["ties"] == "first" else RANDOM
        return tuple(
            float(value) for value in (self.values["fpu"], ties, *own, *self.formula.fixed.values())
        )

    @property
    def budget(self) -> Budget:
        """The agent's own budget, which may be none."""
        playouts, seconds = self.values["playouts"], self.values["seconds"]
        return Budget(int(playouts) if playouts else None, float(seconds) if seconds else None)

    @property
    def text(self) -> str:
        """The canonical form: the formula's parameters, then the options that are not usual."""
        said: dict[str, Value] = {}
        if isinstance(self.tree.ref, Parameter):
            said["ref"] = self.values["ref"]
        if len(self.tree.formulas) > 1 and self.formula.name != self.formula.selected_by:
            said["beta"] = self.formula.name
        # `c` last, and only where there is some or the formula's own default is another one.
        for parameter in sorted(self.formula.parameters, key=lambda p: p.name == "c"):
            value = self.values[parameter.name]
            if parameter.name != "c" or value or parameter.default:
                said[parameter.name] = value
        for option in OPTIONS:
            if self.values[option.name] != option.default:
                said[option.name] = self.values[option.name]
        tree = _written(self.tree, said)
        return tree if self.playout.text == UNIFORM else f"{tree}+{self.playout.text}"

    def with_reuse(self) -> Spec:
        """The same agent, which keeps its tree between searches."""
        return replace(self, values={**self.values, "reuse": True})

    def __str__(self) -> str:
        return self.text


def _written(policy: Policy, values: Mapping[str, Value]) -> str:
    return format_call(policy.name, {**values, DIGEST: policy.digest} if policy.digest else values)


def parse(text: str, files: bool = False, own: Own = ()) -> Spec:
    """Read a spec; every mistake is one sentence that names what would be right.

    `own` are policies that it may name besides those of the package. With `files` it may name
    policies in Python files, which runs them: not for a text from a network or out of a database.
    """
    tree_text, playout_text = _halves(text)
    name, given = parse_call(tree_text)
    tree = _find(TreePolicy, name, given, files, own)
    if tree is None:
        if name in playout_policies():
            raise UsageError(
                f"{name!r} is no tree policy. That is a playout: write it after a tree policy, as "
                f"in uct+{name}."
            )
        known = {*tree_policies(), *(each.name for each in own if isinstance(each, TreePolicy))}
        raise unknown("tree policy", name, known)
    formula, values = _settle(tree, given)
    return Spec(tree, formula, values, _below(playout_text, files, own))


def _halves(text: str) -> tuple[str, str]:
    """The tree and the playout of a spec."""
    if len(text) > LONGEST:
        raise UsageError(f"an agent spec has at most {LONGEST} characters; this one {len(text)}.")
    parts = split(text, "+")
    if not 1 <= len(parts) <= 2 or not all(part.strip() for part in parts):
        raise UsageError(
            f"an agent is written tree[+playout], as in grave(ref=50)+uniform; got {text!r}."
        )
    return parts[0], parts[1] if len(parts) == 2 else UNIFORM


def _find(kind: type[P], name: str, given: dict[str, Any], files: bool, own: Own) -> P | None:
    """The policy of a name, if there is one; a digest among what is given is used up."""
    if IN_FILE in name:
        if not files:
            raise UsageError(
                f"{name}: policies in files are for commands and programs on one's own machine."
            )
        from graven.agents.user_policies import file_policy

        found = file_policy(name, given.pop(DIGEST, None))
        if not isinstance(found, kind):
            place = "before" if isinstance(found, TreePolicy) else "after"
            raise UsageError(f"{name} stands {place} the plus sign: an agent is tree[+playout].")
        return found
    for policy in own:
        if isinstance(policy, kind) and policy.name == name:
            return policy
    known: Mapping[str, Any] = tree_policies() if kind is TreePolicy else playout_policies()
    return known.get(name)


def with_budget(text: str, budget: Budget) -> str:
    """A spec in canonical form with this budget, which may be none, in place of its own.

    Only the text is looked at: the policies need not be here any more.
    """
    tree, playout = _halves(text)
    name, given = parse_call(tree)
    digest = given.pop(DIGEST, None)
    said = {**given, "playouts": budget.playouts, "seconds": budget.seconds, DIGEST: digest}
    changed = format_call(name, {key: value for key, value in said.items() if value is not None})
    return changed if playout == UNIFORM else f"{changed}+{playout}"


def _settle(tree: TreePolicy, given: dict[str, Value]) -> tuple[Formula, dict[str, Value]]:
    """The formula that the given parameters mean, and the value of every parameter."""
    formulas = {formula.name: formula for formula in tree.formulas}
    own = {parameter.name: parameter for parameter in tree.parameters}
    named = given.pop("beta", None) if len(formulas) > 1 else None
    for key in given:
        if key not in own and key not in _OPTIONS:
            raise unknown(f"parameter of {tree.name}", key, [*own, *_OPTIONS])
    if named is not None:
        if str(named) not in formulas:
            raise unknown(f"beta of {tree.name}", str(named), formulas)
        formula = formulas[str(named)]
    else:
        formula = next(
            (formula for formula in tree.formulas if formula.selected_by in given), tree.formulas[0]
        )
    wanted = {parameter.name: parameter for parameter in formula.parameters}
    if isinstance(tree.ref, Parameter):
        wanted["ref"] = tree.ref
    for key in given:
        if key not in wanted and key not in _OPTIONS:
            raise UsageError(
                f"{tree.name}: {key} does not belong to the formula {formula.name!r}, which takes "
                f"{', '.join(sorted(wanted))}."
            )
    known = {**wanted, **_OPTIONS}
    values = {
        key: parameter.check(given[key], tree.name) if key in given else parameter.default
        for key, parameter in known.items()
    }
    if "playouts" in given or "seconds" in given:
        Budget(values["playouts"] or None, values["seconds"] if "seconds" in given else None)  # type: ignore[arg-type]
    return formula, values


def _below(text: str, files: bool, own: Own) -> Below:
    """The playouts that a text means."""
    name, given = parse_call(text)
    policy = _find(PlayoutPolicy, name, given, files, own)
    if policy is None:
        if name not in games_own():
            mine = {each.name for each in own if isinstance(each, PlayoutPolicy)}
            raise unknown("playout policy", name, {*playout_policies(), *games_own(), *mine})
        if given:
            raise UsageError(f"the playout {name!r} takes no parameters.")
        policy = playout_policies()[UNIFORM]
        return Below(policy, policy.variants[0], own=name)
    for key in given:
        if key not in (known := [parameter.name for parameter in policy.parameters]):
            raise unknown(f"parameter of {name}", key, known)
    variants = policy.variants
    form = next((form for form in variants if form.selected_by in given), variants[0])
    wanted = {parameter.name: parameter for parameter in form.parameters}
    for key in given:
        if key not in wanted:
            raise UsageError(f"{name}: {key} does not go with {form.selected_by}.")
    values = {
        key: parameter.check(given[key], name) if key in given else parameter.default
        for key, parameter in wanted.items()
    }
    over = str(values.get(policy.base, UNIFORM))
    if over != UNIFORM and over not in games_own():
        raise unknown(f"playout to put {name} over", over, {UNIFORM, *games_own()})
    return Below(policy, form, values, own="" if over == UNIFORM else over)


@cache
def games_own() -> dict[str, str]:
    """The playouts that games bring themselves, each with a sentence about it."""
    from graven.games.registry import families

    playouts = [item for family in families() for item in family.make().playouts.items()]
    return {name: (function.__doc__ or "").strip() for name, function in playouts}
