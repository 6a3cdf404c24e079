"""The spec language: `tree[+playout]`, each with named parameters.

    grave(ref=50,bias=1e-4)     uct(c=0.7,final=mean,reuse=true)     rave(playouts=1000)+uniform
    mine.py:tree(c=0.3)+mast    policies of one's own, in a file (see `own`)

`parse` reads a text, checks every name and value, and fills in the defaults; `Spec.text` writes it
back in canonical form, which is what records store.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

from graven.core.errors import UsageError, unknown
from graven.core.game import DIGEST
from graven.search.choose import FINAL
from graven.search.engine import MOST_PLAYOUTS, Budget
from graven.search.plan import NEVER
from graven.search.policy import (
    Formula,
    Parameter,
    PlayoutForm,
    PlayoutPolicy,
    Policy,
    TreePolicy,
    Value,
    playout_policies,
    tree_policies,
)
from graven.search.select.loop import FIRST, RANDOM

LONGEST = 1000
UNIFORM = "uniform"
IN_FILE = ".py:"
LONGEST_VALUE = 40

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

_CALL = re.compile(
    r"([^()\n]*\.py:\w+|[a-z][a-z0-9_-]*)\s*(?:\((.*)\))?", re.DOTALL | re.IGNORECASE
)

Own = Iterable[Policy]
P = TypeVar("P", TreePolicy, PlayoutPolicy)


@dataclass(frozen=True)
class Below:
    """The playouts below a tree. `own` names the playout that a game brings itself, if one is
    wanted: it takes the place of the game's uniformly random move."""

    policy: PlayoutPolicy
    form: PlayoutForm
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
            if parameter.name == self.form.tell or self.values[parameter.name] != parameter.default
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
    return _call(policy.name, {**values, DIGEST: policy.digest} if policy.digest else values)


def _call(name: str, values: Mapping[str, Value]) -> str:
    inside = ",".join(f"{key}={show_value(value)}" for key, value in values.items())
    return f"{name}({inside})" if inside else name


def show_value(value: Value) -> str:
    """A value as specs write it: 50, 0.2, 1e-7, true, mean."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    mantissa, e, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


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
    parts = _split(text, "+")
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
        from graven.agents.own import file_policy

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
    changed = _call(name, {key: value for key, value in said.items() if value is not None})
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
        return Below(policy, policy.forms[0], own=name)
    for key in given:
        if key not in (known := [parameter.name for parameter in policy.parameters]):
            raise unknown(f"parameter of {name}", key, known)
    form = next((form for form in policy.forms if form.tell in given), policy.forms[0])
    wanted = {parameter.name: parameter for parameter in form.parameters}
    for key in given:
        if key not in wanted:
            raise UsageError(f"{name}: {key} does not go with {form.tell}.")
    values = {
        key: parameter.check(given[key], name) if key in given else parameter.default
        for key, parameter in wanted.items()
    }
    over = str(values.get(policy.over, UNIFORM))
    if over != UNIFORM and over not in games_own():
        raise unknown(f"playout to put {name} over", over, {UNIFORM, *games_own()})
    return Below(policy, form, values, own="" if over == UNIFORM else over)


@cache
def games_own() -> dict[str, str]:
    """The playouts that games bring themselves, each with a sentence about it."""
    from graven.games.registry import families

    playouts = [item for family in families() for item in family.make().playouts.items()]
    return {name: (function.__doc__ or "").strip() for name, function in playouts}


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its parameters, as in `name(key=value,...)`."""
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text.strip()!r} is not written name(parameter=value,...).")
    name, inside = match[1].strip(), match[2]
    if IN_FILE not in name:
        name = name.lower()
    values: dict[str, Any] = {}
    for part in _split(inside, ",") if inside and inside.strip() else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise UsageError(f"{name}: {part.strip()!r} is not written parameter=value.")
        key = key.lower()
        if key in values:
            raise UsageError(f"{name}: {key} is given twice.")
        # A digest may look like a number, 1e5 or 007: it is a text.
        values[key] = value if key == DIGEST else read_value(value)
    return name, values


def _split(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that are not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            raise UsageError(f"{text!r} has a ')' without its '('.")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise UsageError(f"{text!r} has a '(' without its ')'.")
    return parts


def read_value(text: str) -> Value:
    """A number, true, false, or a word."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if len(text) > LONGEST_VALUE:
        raise UsageError(f"a value has at most {LONGEST_VALUE} characters; this one {len(text)}.")
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
