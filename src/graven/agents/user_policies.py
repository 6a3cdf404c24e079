"""User-defined policies: in a Python file, or passed to an agent by a program.

    ./mine.py:tree(c=0.3)+mast          uct+./mine.py:playout

The name after the colon is a `TreePolicy` or a `PlayoutPolicy`. As with games in files, the text
that stores keep has a digest of the file. Reading such a spec runs the file: only do so with a
text that the user has typed, never with one from a network or a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from graven.core.calls import DIGEST
from graven.core.compile_cache import stamp_of
from graven.core.errors import UsageError
from graven.search.options import OPTIONS
from graven.search.policy import (
    Formula,
    Parameter,
    PlayoutVariant,
    Policy,
    TreePolicy,
    playout_policies,
    tree_policies,
)
from graven.sources.user_module import find_user_module

# Names that the parameters of a formula cannot have: every tree policy has them.
TAKEN = {"ref", "beta", *(option.name for option in OPTIONS)}


def file_policy(text: str, digest: str | None = None) -> Policy:
    """Return the policy that a text such as `mine.py:tree` names."""
    path, _, name = text.rpartition(":")
    file = find_user_module(path, digest)
    policy = file.attribute(name, "policy", lambda value: isinstance(value, Policy))
    if not isinstance(policy, Policy):
        raise UsageError(
            f"{text} is a {type(policy).__name__}: neither a TreePolicy nor a PlayoutPolicy."
        )
    check_policy(policy, text)
    return replace(policy, name=f"{file.short_path}:{name}", digest=file.digest)


def given_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    """Return policies passed to an agent; raise a `UsageError` if a spec cannot name them."""
    if not isinstance(policies, Policy | Iterable):
        raise UsageError(f"policies must be a list of policies, got {policies!r}.")
    checked = (policies,) if isinstance(policies, Policy) else tuple(policies)
    known = {*tree_policies(), *playout_policies()}
    for policy in checked:
        if not isinstance(policy, Policy):
            raise UsageError(f"{policy!r} is neither a TreePolicy nor a PlayoutPolicy.")
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", policy.name):
            raise UsageError(
                f"a policy's name must be of lower-case letters and digits, not {policy.name!r}."
            )
        if policy.name in known:
            raise UsageError(f"there is a policy called {policy.name!r}: choose another name.")
        known.add(policy.name)
        check_policy(policy, policy.name)
    return checked


def with_digests(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    """Return policies that stores can tell apart: each has a digest of its functions."""
    return tuple(
        policy if policy.digest else replace(policy, digest=stamp_of(_content(policy))[:12])
        for policy in policies
    )


def _content(value: Any) -> Any:
    """Return what defines a policy, as lists of functions and plain values."""
    if is_dataclass(value) and not isinstance(value, type):
        return [_content(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, tuple):
        return [_content(part) for part in value]
    return dict(value) if isinstance(value, Mapping) else value


def check_policy(policy: Policy, text: str) -> None:
    """Raise a `UsageError` for a declaration that would fail later with a less clear message."""
    kind: type
    alternatives: Any
    if isinstance(policy, TreePolicy):
        kind, field, alternatives = Formula, "formulas", policy.formulas
    else:
        kind, field, alternatives = PlayoutVariant, "variants", policy.variants
    if not _all(alternatives, kind) or not alternatives:
        raise UsageError(f"{text}: `{field}` must be a tuple of {kind.__name__}, at least one.")
    parameters: list[Parameter] = []
    for alternative in alternatives:
        functions = (
            (alternative.value, alternative.untried)
            if isinstance(alternative, Formula)
            else (alternative.function,)
        )
        for function in functions:
            if not callable(function):
                raise UsageError(f"{text}: {function!r} is not a function.")
        if not _all(alternative.parameters, Parameter):
            raise UsageError(f"{text}: its parameters must be a tuple of Parameter.")
        parameters += alternative.parameters
    taken = TAKEN if isinstance(policy, TreePolicy) else set()
    for name in (parameter.name for parameter in parameters):
        if name in {DIGEST, *taken}:
            raise UsageError(f"{text}: every spec has a parameter {name!r}; choose another name.")
        if not name.isidentifier() or name != name.lower():
            raise UsageError(f"{text}: a parameter's name must be in lower case, not {name!r}.")
    if isinstance(policy, TreePolicy):
        if isinstance(policy.ref, Parameter) and policy.ref.name != "ref":
            raise UsageError(f"{text}: the parameter in its `ref` must be named 'ref'.")
    elif not {policy.pool_min_visits, policy.base} <= {"", *(each.name for each in parameters)}:
        raise UsageError(
            f"{text}: its `pool_min_visits` and `base` must be names of its parameters."
        )


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)
