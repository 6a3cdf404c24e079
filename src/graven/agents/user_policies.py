"""User-defined policies: in a Python file, or passed to an agent by a program.

    ./mine.py:tree(c=0.3)+mast          uct+./mine.py:playout

The name after the colon is a `TreePolicy` or a `PlayoutPolicy`. As with games in files, the text
in records contains a digest of the file. Reading such a spec runs the file, so texts from a network
or a database must not be read this way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from graven.agents.spec import OPTIONS
from graven.core.errors import UsageError
from graven.core.game import DIGEST
from graven.search.policy import (
    Form,
    Parameter,
    PlayoutForm,
    PlayoutPolicy,
    Policy,
    TreePolicy,
    playout_policies,
    tree_policies,
)
from graven.sources.user_module import own_file

# Names that every tree policy has already.
TAKEN = {"ref", "beta", *(option.name for option in OPTIONS)}


def file_policy(text: str, digest: str | None = None) -> Policy:
    """Load the policy that a text such as `mine.py:tree` names."""
    path, _, name = text.rpartition(":")
    file = own_file(path, digest)
    policy = file.named(name, "policy", (TreePolicy, PlayoutPolicy))
    if not isinstance(policy, Policy):
        raise UsageError(
            f"{text} is a {type(policy).__name__}: neither a TreePolicy nor a PlayoutPolicy."
        )
    check_policy(policy, text)
    return replace(policy, name=f"{file.shown}:{name}", digest=file.digest)


def given_policies(policies: Policy | Iterable[Policy]) -> tuple[Policy, ...]:
    """Check policies that a program passes to an agent; a spec must be able to name them."""
    given = (policies,) if isinstance(policies, Policy) else tuple(policies)
    known = {*tree_policies(), *playout_policies()}
    for policy in given:
        if not isinstance(policy, Policy):
            raise UsageError(f"{policy!r} is neither a TreePolicy nor a PlayoutPolicy.")
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", policy.name):
            raise UsageError(
                f"a policy's name has lower-case letters and digits, got {policy.name!r}."
            )
        if policy.name in known:
            raise UsageError(f"the policy name {policy.name!r} is taken: choose another name.")
        known.add(policy.name)
        check_policy(policy, policy.name)
    return given


def check_policy(policy: Policy, text: str) -> None:
    """Check the parts of a policy, so that errors are reported early and clearly."""
    kind = Form if isinstance(policy, TreePolicy) else PlayoutForm
    if not _all(policy.forms, kind) or not policy.forms:
        raise UsageError(f"{text}: its forms are a tuple of {kind.__name__}, at least one.")
    parameters: list[Parameter] = []
    for form in policy.forms:
        function = form.select if isinstance(form, Form) else form.play_out
        if not callable(function):
            raise UsageError(f"{text}: {function!r} is no function.")
        if not _all(form.parameters, Parameter):
            raise UsageError(f"{text}: the parameters of a form are a tuple of Parameter.")
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
    elif not {policy.pool, policy.over} <= {"", *(each.name for each in parameters)}:
        raise UsageError(f"{text}: its `pool` and `over` are names of its parameters.")


def _all(values: Any, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) for value in values)
