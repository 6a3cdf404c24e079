"""`graven new`: a file to begin with."""

from __future__ import annotations

from typing import Annotated

import typer

LONGEST_NAME = 40


def new(
    kind: Annotated[str, typer.Argument(help="What to make: game.", metavar="KIND")],
    name: Annotated[str, typer.Argument(help="Its name, which becomes the file's.")],
) -> None:
    """Write a game of your own to begin with: a file that works, and its test.

    The game is four in a row. It is plain Python, to be changed into whatever you like; every
    command plays it as ./NAME.py:game.

    \b
    Examples:
      graven new game mygame
      graven play ./mygame.py:game
      graven match ./mygame.py:game grave uct --games 20
    """
    import re
    from importlib.resources import files
    from keyword import iskeyword
    from pathlib import Path

    from graven.core.errors import UsageError, unknown

    if kind != "game":
        raise unknown("kind of file", kind, ["game"])
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or iskeyword(name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name!r} is no name for a file of Python: small letters, digits and underscores, "
            f"at most {LONGEST_NAME}, with a letter first."
        )
    templates = files("graven.interfaces").joinpath("templates")
    targets = {Path(f"{name}.py"): "game.txt", Path(f"test_{name}.py"): "test.txt"}
    for target in targets:
        if target.exists():
            raise UsageError(f"{target} exists already and is not written over.")
    for target, template in targets.items():
        text = templates.joinpath(template).read_text(encoding="utf-8")
        target.write_text(text.replace("NAME", name), encoding="utf-8")
    typer.echo(f"Written: {', '.join(str(target) for target in targets)}. Try:")
    for line in (
        f"graven play ./{name}.py:game",
        f"graven match ./{name}.py:game grave uct --games 20",
        f"pytest test_{name}.py",
    ):
        typer.echo(f"  {line}")
