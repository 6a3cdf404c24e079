"""`graven new`: write a template of a custom game or policy."""

from __future__ import annotations

from typing import Annotated

import typer

MAX_NAME_CHARACTERS = 40
# For each kind: the templates of the file and of its test, and commands to try.
KINDS = {
    "game": (
        ("game.txt", "test_game.txt"),
        (
            "graven play ./NAME.py:game",
            "graven serve ./NAME.py:game --open",
            "graven match ./NAME.py:game grave uct --games 20",
        ),
    ),
    "policy": (
        ("policy.txt", "test_policy.txt"),
        (
            "graven match hex ./NAME.py:tree uct --games 20",
            "graven match hex uct+./NAME.py:playout uct --games 20",
        ),
    ),
}


def new(
    kind: Annotated[str, typer.Argument(help="What to make: game or policy.", metavar="KIND")],
    name: Annotated[str, typer.Argument(help="The name of the file, without .py.")],
) -> None:
    """Write a template of a custom game or policy: a working Python file and its test.

    The game is five in a row; the policies are one for the tree and one for the playouts. Edit the
    file; every command accepts it as ./NAME.py:game, ./NAME.py:tree and uct+./NAME.py:playout.

    \b
    Examples:
      graven new game mygame
      graven match ./mygame.py:game grave uct --games 20
      graven new policy mine
      graven match hex ./mine.py:tree uct --games 20
    """
    import re
    import sys
    from importlib.metadata import packages_distributions
    from importlib.resources import files
    from keyword import iskeyword
    from pathlib import Path

    from graven.core.errors import UsageError, unknown

    if kind not in KINDS:
        raise unknown("kind of file", kind, KINDS)
    if (
        not re.fullmatch(r"[a-z][a-z0-9_]*", name)
        or iskeyword(name)
        or len(name) > MAX_NAME_CHARACTERS
    ):
        raise UsageError(
            f"invalid name {name!r}: use lower-case letters, digits and underscores, beginning "
            f"with a letter, at most {MAX_NAME_CHARACTERS} characters, and no Python keyword."
        )
    if name in {"graven", *sys.stdlib_module_names, *packages_distributions()}:
        raise UsageError(
            f"{name!r} is the name of an installed module, which the file would hide: "
            f"choose another name, such as my_{name}."
        )
    templates, commands = KINDS[kind]
    targets = dict(zip((Path(f"{name}.py"), Path(f"test_{name}.py")), templates, strict=True))
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} already exists and is not overwritten.")
    folder = files("graven.interfaces.cli").joinpath("templates")
    for target, template in targets.items():
        text = folder.joinpath(template).read_text(encoding="utf-8")
        target.write_text(text.replace("NAME", name), encoding="utf-8")
    typer.echo(f"Written: {', '.join(str(target) for target in targets)}. Try:")
    for line in (*commands, "pytest test_NAME.py"):
        typer.echo(f"  {line.replace('NAME', name)}")
