"""`graven new`: a file to begin with."""

from __future__ import annotations

from typing import Annotated

import typer

LONGEST_NAME = 40


# What can be made: the templates of the file and of its test, and what to try then.
KINDS = {
    "game": (
        ("game.txt", "test_game.txt"),
        ("graven play ./NAME.py:game", "graven match ./NAME.py:game grave uct --games 20"),
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
    name: Annotated[str, typer.Argument(help="Its name, which becomes the file's.")],
) -> None:
    """Write a game or policies of your own to begin with: a file that works, and its test.

    The game is four in a row; the policies are one for the tree and one for the playouts. Both are
    plain Python, to be changed into whatever you like; every command takes them, as ./NAME.py:game,
    ./NAME.py:tree and uct+./NAME.py:playout.

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
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or iskeyword(name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name!r} is no name for a file of Python: small letters, digits and underscores, "
            f"at most {LONGEST_NAME}, with a letter first."
        )
    if name in {"graven", *sys.stdlib_module_names, *packages_distributions()}:
        raise UsageError(
            f"{name!r} is the name of a module already, and a file of that name would hide it: "
            f"take another, such as my_{name}."
        )
    templates, commands = KINDS[kind]
    targets = dict(zip((Path(f"{name}.py"), Path(f"test_{name}.py")), templates, strict=True))
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} exists already and is not written over.")
    home = files("graven.interfaces").joinpath("templates")
    for target, template in targets.items():
        text = home.joinpath(template).read_text(encoding="utf-8")
        target.write_text(text.replace("NAME", name), encoding="utf-8")
    typer.echo(f"Written: {', '.join(str(target) for target in targets)}. Try:")
    for line in (*commands, "pytest test_NAME.py"):
        typer.echo(f"  {line.replace('NAME', name)}")
