"""`graven agents`: the tree and playout policies that a spec can name."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graven.interfaces.cli.arguments import Json
from graven.interfaces.cli.console import out, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graven.agents import PolicyInfo
    from graven.search.policy import Parameter

TREE, OPTION, METHOD = "tree", "option", "method"  # kinds of entries
OPTIONS = "options"  # the name of all search options
MOST_COLUMNS = 120  # wider rows are hard to read
PAPERS = (
    "Cazenave 2015, Cazenave 2016, Javins, Drake and Chen, Rimmel, Teytaud and Teytaud 2010, and "
    "Sironi and Winands 2016"
)
NAMED = {
    "tree": "tree policy",
    "playout": "playout policy",
    "game": "playout of one game",
    "option": "search option",
    "method": "method for one-player games",
}


def agents(
    name: Annotated[
        str | None,
        typer.Argument(
            help="One policy, to see its parameters; or one in a file, FILE.py:NAME; or a search "
            "option, or a method of 'graven solve'; or 'options', to see all search options."
        ),
    ] = None,
    show_all: Annotated[
        bool,
        typer.Option("--all", help="With a tree policy: list the options of every search, too."),
    ] = False,
    json: Json = False,
) -> None:
    """List the policies that agents consist of, or show one policy.

    An agent's spec is a tree policy and, after a plus sign, a playout policy; each may have
    parameters in parentheses.

    \b
    Examples:
      graven agents
      graven agents grave
      graven agents options
      graven agents root
      graven agents nrpa
      graven agents ./mypolicy.py:tree
      graven search breakthrough --agent "grave(ref=50,bias=1e-4)+uniform"
    """
    from rich.markup import escape

    from graven.agents import catalogue

    entries = catalogue()
    if name is None:
        if json:
            print_json([_policy_json(entry) for entry in entries])
        else:
            _list([entry for entry in entries if entry.kind != OPTION])
        return
    chosen = _find(name, entries)
    if json:
        print_json(_policy_json(chosen))
        return
    kind = NAMED.get(chosen.kind, chosen.kind)
    out().print(f"[bold]{escape(chosen.name)}[/bold] ({kind}): {escape(chosen.summary)}\n")
    _show_parameters(chosen)
    if chosen.kind == METHOD:
        out().print(f"\nA method of 'graven solve': --method {chosen.name}", style="dim")
    if chosen.kind == TREE:
        for entry in entries:
            if entry.kind == OPTION and show_all:
                out().print("\nand, like every tree policy:\n")
                _show_parameters(entry)
            elif entry.kind == OPTION:
                names = ", ".join(option.name for option in entry.parameters)
                out().print(
                    f"\nand, like every tree policy, {len(entry.parameters)} search options: "
                    f"{names}. 'graven agents options' explains them, 'graven agents NAME' one.",
                    width=_text_width(),
                    style="dim",
                    markup=False,
                )


def _find(name: str, entries: Iterable[PolicyInfo]) -> PolicyInfo:
    """Return the policy, the search option or the method with a name."""
    from graven.agents import PolicyInfo, policy_info
    from graven.core.calls import IN_FILE
    from graven.core.errors import UsageError
    from graven.solving.method_registry import methods

    for entry in entries:
        if entry.kind == OPTION and name == OPTIONS:
            return entry
        for option in entry.parameters if entry.kind == OPTION else ():
            if option.name == name:
                return PolicyInfo(name, OPTION, "an option of every tree policy.", (option,))
    if name in methods():
        method = methods()[name]
        return PolicyInfo(name, METHOD, method.summary, method.parameters)
    tree = name.partition("+")[0].partition("(")[0].strip()
    if tree != name and IN_FILE not in name and not name.startswith("gtp("):
        raise UsageError(
            f"{name!r} is the spec of an agent: name one of its policies, as in graven agents "
            f"{tree}."
        )
    return policy_info(name)


def _list(policies: list[PolicyInfo]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("policy", "kind", "what it does"):
        table.add_column(heading)
    for policy in policies:
        table.add_row(policy.name, policy.kind, policy.summary)
    out().print(table)
    out().print(
        "\nA spec is tree[+playout], each with parameters: 'grave(ref=50,bias=1e-4)+uniform'. "
        "'graven agents NAME' shows a policy's parameters. Kind 'game': a playout policy that "
        "only one game has. 'gtp(\"COMMAND\")' is a program that speaks GTP, as an opponent. "
        f"The five papers of 'graven reproduce' are {PAPERS}.",
        width=_text_width(),
        style="dim",
        markup=False,
    )


def _show_parameters(policy: PolicyInfo) -> None:
    from rich.markup import escape
    from rich.table import Table

    from graven.core.calls import format_value

    if not policy.parameters:
        out().print("It has no parameters.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("parameter", "default", "values", "what it means"):
        table.add_column(heading)
    for parameter in policy.parameters:
        # The default 0 of a budget means that there is no limit.
        unset = (
            policy.kind == OPTION
            and parameter.default == 0
            and not isinstance(parameter.default, bool)
        )
        default = "" if unset else format_value(parameter.default)
        table.add_row(parameter.name, default, _values(parameter), escape(parameter.doc))
    out().print(table, width=_text_width())


def _text_width() -> int:
    return min(out().width, MOST_COLUMNS)


def _values(parameter: Parameter) -> str:
    """Return the valid values of a parameter, in words."""
    if parameter.choices:
        return " or ".join(parameter.choices)
    if isinstance(parameter.default, bool):
        return "true or false"
    valid = parameter.range if isfinite(parameter.low) else "any number"
    return f"{valid}; {parameter.tried}" if parameter.auto else valid


def _policy_json(policy: PolicyInfo) -> dict[str, Any]:
    return {
        "name": policy.name,
        "kind": policy.kind,
        "summary": policy.summary,
        "parameters": [
            {
                "name": parameter.name,
                "default": _json_number(parameter.default),
                "low": _json_number(parameter.low),
                "high": _json_number(parameter.high),
                "choices": list(parameter.choices),
                "doc": parameter.doc,
            }
            for parameter in policy.parameters
        ],
    }


def _json_number(value: float | str) -> float | str:
    """Return a value that JSON can hold: infinity becomes a word."""
    return value if isinstance(value, str) or isfinite(value) else str(value)
