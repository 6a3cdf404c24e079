"""The spec language: `tree[+playout]`, each with named parameters.

    grave(ref=50,bias=1e-4)     uct(c=0.7,final_move=mean,reuse_tree=true)     rave+mast
    mine.py:tree(c=0.3)+mast    user-defined policies in a file (see `user_policies`)

`parse` reads a text, checks every name and value, and fills in the defaults; `Spec.text` is the
canonical form, the text that stores keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from graven.core.calls import (
    DIGEST,
    IN_FILE,
    Value,
    format_call,
    parse_arguments,
    parse_call,
    split,
)
from graven.core.errors import UsageError, unknown
from graven.search.budget import Budget
from graven.search.options import OPTIONS, SearchOptions
from graven.search.policy import (
    AUTO,
    Formula,
    Parameter,
    PlayoutPolicy,
    Policy,
    TreePolicy,
    playout_policies,
    tree_policies,
)
from graven.search.specs import UNIFORM, PlayoutSpec, Spec

LONGEST = 1000

Policies = Iterable[Policy]
P = TypeVar("P", TreePolicy, PlayoutPolicy)

_OPTIONS = {option.name: option for option in OPTIONS}

# Options by the names that they have in stores of version 0.1.
_FORMER_OPTIONS = {
    "final": "final_move",
    "reuse": "reuse_tree",
    "leaves": "batch_leaves",
    "each": "playouts_per_leaf",
    "memory": "memory_mib",
}


@dataclass(frozen=True)
class PolicyLookup:
    """The policies that a spec may name: the package's, `policies`, and, if `files`, in files."""

    policies: tuple[Policy, ...]
    files: bool

    def names(self, kind: type[P]) -> set[str]:
        """Return the names of all policies of a kind, those in files aside."""
        return {
            *_shipped(kind),
            *(policy.name for policy in self.policies if isinstance(policy, kind)),
        }

    def find(self, kind: type[P], name: str, arguments: dict[str, Any]) -> P | None:
        """Return the policy of that name, or None; a digest is taken out of the arguments."""
        if IN_FILE in name:
            return self._in_file(kind, name, arguments.pop(DIGEST, None))
        for policy in self.policies:
            if isinstance(policy, kind) and policy.name == name:
                digest = arguments.pop(DIGEST, None)
                if digest is not None and digest != policy.digest:
                    raise UsageError(
                        f"the policy {name} has changed: the expected digest is {digest}, the "
                        f"current one {policy.digest or 'unknown'}."
                    )
                return policy
        return _shipped(kind).get(name)

    def _in_file(self, kind: type[P], name: str, digest: str | None) -> P:
        if not self.files:
            raise UsageError(
                f"{name}: policies in files are for commands and programs on your own machine."
            )
        from graven.agents.user_policies import file_policy

        policy = file_policy(name, digest)
        if not isinstance(policy, kind):
            place = "before" if isinstance(policy, TreePolicy) else "after"
            raise UsageError(f"{name} stands {place} the plus sign: an agent is tree[+playout].")
        return policy


def _shipped(kind: type[P]) -> Mapping[str, Any]:
    return tree_policies() if kind is TreePolicy else playout_policies()


def parse(text: str, files: bool = False, policies: Policies = ()) -> Spec:
    """Return the spec of a text; raise a `UsageError` that suggests a correction.

    `policies` are user-defined policies that the text may name. With `files` it may name policies
    in Python files, which runs them: not for a text from a network or out of a database.
    """
    tree_text, playout_text = _halves(text)
    name, arguments = parse_call(tree_text)
    lookup = PolicyLookup(tuple(policies), files)
    tree = lookup.find(TreePolicy, name, arguments)
    if tree is None:
        if name in playout_policies():
            raise UsageError(
                f"{name!r} is not a tree policy but a playout policy: write it after a tree "
                f"policy, as in uct+{name}."
            )
        raise unknown("tree policy", name, lookup.names(TreePolicy))
    formula, values, options = _tree_values(tree, arguments)
    spec = Spec(tree, formula, values, options, playout=_playout(playout_text, lookup))
    _check_tuning(spec)
    _check_levels(spec)
    _check_dependent_options(spec)
    return spec


def _check_dependent_options(spec: Spec) -> None:
    """Refuse options that have no effect, because another one that they refine is not set."""
    options = spec.options
    needs = {
        "widen_growth": ("widen", options.widen > 0),
        "widen_first": ("widen", options.widen > 0),
        "gamma": ("simultaneous=regret", options.simultaneous == "regret"),
        "regret_min": ("simultaneous=regret", options.simultaneous == "regret"),
        "increment": ("time", options.time > 0),
        "tuner": (f"a parameter that is {AUTO}", bool(spec.tuned)),
    }
    for name, (needed, found) in needs.items():
        if not found and getattr(options, name) != _OPTIONS[name].default:
            raise UsageError(
                f"{spec.tree.name}: {name} has no effect without {needed}; add it, or leave {name} "
                "out."
            )


def _check_levels(spec: Spec) -> None:
    """Refuse what second-level searches cannot be combined with."""
    options = spec.options
    refused = {
        "batch_leaves": options.batch_leaves > 1,
        "playouts_per_leaf": options.playouts_per_leaf > 1,
        "learn_after": options.learn_after == "batch",
        "full": options.full == "recycle",
        "credit_creation": not options.credit_creation,
    }
    for name in (name for name, found in refused.items() if found and spec.inner):
        raise UsageError(
            f"{spec.tree.name}: {name} does not go with searches of two levels; leave {name} out."
        )


def _check_tuning(spec: Spec) -> None:
    """Refuse parameters that tune themselves where simulations are not made one after another."""
    tuned, options = [each.parameter.name for each in spec.tuned], spec.options
    if not tuned:
        return
    names = f"{', '.join(tuned)} = {AUTO}"
    if options.batch_leaves * options.playouts_per_leaf > 1 or options.learn_after == "batch":
        raise UsageError(
            f"{names}: parameters tune themselves from one simulation to the next, not in batches; "
            "leave batch_leaves, playouts_per_leaf and learn_after out, or give them values."
        )


def migrate_spec(text: str) -> str:
    """Return a stored spec with the options' present names; any other text as it is."""
    return _with_arguments(
        text,
        lambda arguments: {_FORMER_OPTIONS.get(key, key): arguments[key] for key in arguments},
    )


def stored_spec(text: str) -> str:
    """Return a canonical spec as stores keep it: with solver=on, and without solver=off.

    Rows that are older than the solver keep their texts.
    """
    return _with_arguments(text, lambda arguments: _with_solver(arguments, "on", omitted="off"))


def spec_of_stored(text: str) -> str:
    """Return the canonical form of a stored spec: see `stored_spec`."""
    return _with_arguments(text, lambda arguments: _with_solver(arguments, "off", omitted="on"))


def _with_arguments(text: str, change: Callable[[dict[str, str]], dict[str, str]]) -> str:
    """Return a spec with changed arguments of the tree policy; a text that is no spec as it is."""
    try:
        tree, *rest = split(text, "+")
        parse_call(tree)
        name, _, inside = tree.strip().removesuffix(")").partition("(")
        arguments = parse_arguments(inside, name)
    except UsageError:
        return text
    changed = change(arguments)
    return text if changed == arguments else "+".join([format_call(name, changed), *rest])


def _with_solver(arguments: dict[str, str], missing: str, omitted: str) -> dict[str, str]:
    """Return arguments with the option `solver` in its place, unless its value is `omitted`.

    `missing` is its value where the arguments do not have it.
    """
    value = arguments.get("solver", missing)
    changed = [(key, text) for key, text in arguments.items() if key != "solver"]
    if value != omitted:
        names = list(_OPTIONS)
        later = {*names[names.index("solver") :], DIGEST}
        place = next((i for i, (key, _) in enumerate(changed) if key in later), len(changed))
        changed.insert(place, ("solver", value))
    return dict(changed)


def with_budget(text: str, budget: Budget) -> str:
    """Return a canonical spec with this budget, which may be without limits, in place of its own.

    Only the text is read: the policies that it names need not exist any more.
    """
    tree, playout = _halves(text)
    name, arguments = parse_call(tree)
    digest = arguments.pop(DIGEST, None)
    changed = {**arguments, "playouts": budget.playouts, "seconds": budget.seconds, DIGEST: digest}
    written = format_call(name, {key: value for key, value in changed.items() if value is not None})
    return written if playout == UNIFORM else f"{written}+{playout}"


def clock_of(text: str) -> tuple[float, float] | None:
    """Return `time` and `increment` of a canonical spec in seconds; None without a game clock.

    Only the text is read, as in `with_budget`; a text that is no spec has no clock.
    """
    try:
        _, arguments = parse_call(_halves(text)[0])
    except UsageError:
        return None
    time, increment = arguments.get("time"), arguments.get("increment", 0.0)
    if not isinstance(time, int | float) or not isinstance(increment, int | float):
        return None
    return float(time), float(increment)


@cache
def game_playouts() -> dict[str, str]:
    """Return the playout policies that games define, each with a one-line description."""
    from graven.games.registry import families

    playouts = [item for family in families() for item in family.make().playouts.items()]
    return {name: (function.__doc__ or "").strip() for name, function in playouts}


def _halves(text: str) -> tuple[str, str]:
    """Return the texts of the tree policy and of the playout policy."""
    if len(text) > LONGEST:
        raise UsageError(f"an agent spec has at most {LONGEST} characters; this one {len(text)}.")
    parts = split(text, "+")
    if not 1 <= len(parts) <= 2 or not all(part.strip() for part in parts):
        raise UsageError(
            f"an agent is written tree[+playout], as in grave(ref=50)+uniform; got {text!r}."
        )
    return parts[0], parts[1] if len(parts) == 2 else UNIFORM


def _tree_values(
    tree: TreePolicy, arguments: dict[str, Value]
) -> tuple[Formula, dict[str, Value], SearchOptions]:
    """Return the formula that the arguments select, the values of its parameters, and options."""
    formulas = {formula.name: formula for formula in tree.formulas}
    parameters = {parameter.name: parameter for parameter in tree.parameters}
    beta = arguments.pop("beta", None) if len(formulas) > 1 else None
    for key in arguments:
        if key in _FORMER_OPTIONS and key not in parameters:
            present = _FORMER_OPTIONS[key]
            raise UsageError(f"unknown parameter of {tree.name} {key!r}. Did you mean {present!r}?")
        if key not in parameters and key not in _OPTIONS:
            raise unknown(f"parameter of {tree.name}", key, [*parameters, *_OPTIONS])
    if beta is None:
        selected = (formula for formula in tree.formulas if formula.selected_by in arguments)
        formula = next(selected, tree.formulas[0])
    elif str(beta) in formulas:
        formula = formulas[str(beta)]
    else:
        raise unknown(f"beta of {tree.name}", str(beta), formulas)
    own = {parameter.name: parameter for parameter in formula.parameters}
    own |= tree.search_parameters
    for key in arguments:
        if key not in own and key not in _OPTIONS:
            raise UsageError(
                f"{tree.name}: {key} does not belong to the formula {formula.name!r}, which takes "
                f"{', '.join(sorted(own))}."
            )
    values = _checked(own, arguments, tree.name)
    options: dict[str, Any] = _checked(_OPTIONS, arguments, tree.name)
    if options["untried"] == "amaf" and not formula.amaf:
        raise UsageError(
            f"{tree.name}: untried=amaf needs AMAF values, which rave, grave and hrave have."
        )
    if options["every_step"] and not options["reuse_tree"]:
        raise UsageError(
            f"{tree.name}: every_step=true searches for the tree that reuse_tree=true keeps; set "
            "both."
        )
    if "playouts" in arguments or "seconds" in arguments:
        seconds = options["seconds"] if "seconds" in arguments else None
        Budget(options["playouts"] or None, seconds)
    return formula, values, SearchOptions(**options)


def _playout(text: str, lookup: PolicyLookup) -> PlayoutSpec:
    """Return the playout policy of a text, with a value for each of its parameters."""
    name, arguments = parse_call(text)
    policy = lookup.find(PlayoutPolicy, name, arguments)
    if policy is None:
        if name not in game_playouts():
            known = {*lookup.names(PlayoutPolicy), *game_playouts()}
            raise unknown("playout policy", name, known)
        if arguments:
            raise UsageError(f"the playout {name!r} takes no parameters.")
        policy = playout_policies()[UNIFORM]
        return PlayoutSpec(policy, policy.variants[0], game_playout=name)
    valid = [parameter.name for parameter in policy.parameters]
    for key in arguments:
        if key not in valid:
            raise unknown(f"parameter of {name}", key, valid)
    selected = [variant for variant in policy.variants if variant.selected_by in arguments]
    # The first one that takes all arguments, else the first one.
    selected.sort(key=lambda each: not arguments.keys() <= {p.name for p in each.parameters})
    variant = selected[0] if selected else policy.variants[0]
    parameters = {parameter.name: parameter for parameter in variant.parameters}
    for key in arguments:
        if key not in parameters:
            raise UsageError(f"{name}: {key} does not go with {variant.selected_by}.")
    values = _checked(parameters, arguments, name)
    base = str(values.get(policy.base, UNIFORM))
    if base != UNIFORM and base not in game_playouts():
        raise unknown(f"playout to put {name} over", base, {UNIFORM, *game_playouts()})
    return PlayoutSpec(policy, variant, values, game_playout="" if base == UNIFORM else base)


def _checked(
    parameters: Mapping[str, Parameter], arguments: Mapping[str, Value], owner: str
) -> dict[str, Value]:
    """Return the value of every parameter: the argument of that name, checked, or its default."""
    return {
        key: parameter.check(arguments[key], owner) if key in arguments else parameter.default
        for key, parameter in parameters.items()
    }
