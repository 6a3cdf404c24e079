"""Policies of one's own: in a Python file, or given to an agent by a program.

    ./mine.py:tree(c=0.3)+mast          uct+./mine.py:playout

The name after the colon is a `TreePolicy` or a `PlayoutPolicy`. As with games in files, the text
that records store has a digest of the file, and reading such a spec runs the file: only do so with
a text that a person has given to their own program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from graven.agents.spec import OPTIONS
from graven.core.calls import DIGEST
from graven.core.errors import UsageError
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
from graven.sources.user_module import own_file

# What parameters of a tree policy mean already, besides what they mean to its formulas.
TAKEN = {"ref", "beta", *(option.name for option in OPTIONS)}


def file_policy(text: str, digest: str | None = None) -> Policy:
    """The policy that a text such as `mine.py:tree` names."""
    path, _, name = text.rpartition(":")
    file = own_file(path, digest)
    found = file.named(name, "policy", (TreePolicy, PlayoutPolicy))
    if not isinstance(found, Policy):
        raise UsageError(
            f"{text} is a {type(found).__name__}: neither a TreePolicy nor a PlayoutPolicy."
        )
    check_policy(found, text)
    return replace(found, name=f"{file.shown}:{name}", digest=file.digest)


def given_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    """Policies that a program gives to an agent: with names that a spec can say."""
    given = (policies,) if isinstance(policies, Policy) else tuple(policies)
    known = {*tree_policies(), *playout_policies()}
    for policy in given:
        if not isinstance(policy, Policy):
            raise UsageError(f"{policy!r} is neither a TreePolicy nor a PlayoutPolicy.")
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", policy.name):
            raise UsageError(f"a policy's name has small letters and digits, not {policy.name!r}.")
        if policy.name in known:
            raise UsageError(f"there is a policy called {policy.name!r}: call yours otherwise.")
        known.add(policy.name)
        check_policy(policy, policy.name)
    return given


def check_policy(policy: Policy, text: str) -> None:
    """Refuse what would fail later, and less clearly."""
    kind: type
    alternatives: Any
    if isinstance(policy, TreePolicy):
        kind, field, alternatives = Formula, "formulas", policy.formulas
    else:
        kind, field, alternatives = PlayoutVariant, "variants", policy.variants
    if not _all(alternatives, kind) or not alternatives:
        raise UsageError(f"{text}: `{field}` must be a tuple of {kind.__name__}, at least one.")
    parameters: list[Parameter] = []
    for form in alternatives:
        functions = (form.value, form.untried) if isinstance(form, Formula) else (form.function,)
        for function in functions:
            if not callable(function):
                raise UsageError(f"{text}: {function!r} is not a function.")
        if not _all(form.parameters, Parameter):
            raise UsageError(f"{text}: its parameters must be a tuple of Parameter.")
        parameters += form.parameters
    taken = TAKEN if isinstance(policy, TreePolicy) else set()
    for name in (parameter.name for parameter in parameters):
        if name in {DIGEST, *taken}:
            raise UsageError(f"{text}: every spec has a {name!r}; call the parameter otherwise.")
        if not name.isidentifier() or name != name.lower():
            raise UsageError(f"{text}: a parameter's name has small letters only, not {name!r}.")
    if isinstance(policy, TreePolicy):
        if isinstance(policy.ref, Parameter) and policy.ref.name != "ref":
            raise UsageError(f"{text}: the parameter that is its `ref` must be called 'ref'.")
    elif not {policy.pool_min_visits, policy.base} <= {"", *(each.name for each in parameters)}:
        raise UsageError(f"{text}: its `pool_min_visits` and `base` are names of its parameters.")


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)
