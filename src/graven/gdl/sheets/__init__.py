"""The rulesheets that come with the package: the fifteen games of Sironi and Winands 2016.

Each plays the same game as the sheet of that name in the GGP base repository (of their time), with
the same roles and moves, in its own words.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from graven.core.errors import unknown

SUFFIX = ".kif"


@cache
def names() -> tuple[str, ...]:
    """The names of all sheets, sorted."""
    found = (file.name for file in files(__name__).iterdir())
    shipped = (name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX))
    return tuple(sorted(shipped, key=str.lower))


def proper_name(name: str) -> str:
    """The sheet of that name, whatever its capitals."""
    for known in names():
        if known.lower() == name.lower():
            return known
    raise unknown("sheet", name, names())


def text_of(name: str) -> str:
    """A sheet's text."""
    return files(__name__).joinpath(proper_name(name) + SUFFIX).read_text(encoding="utf-8")


def summary(name: str) -> str:
    """What the game is, in the sheet's own first sentence."""
    comment = []
    for line in text_of(name).splitlines():
        if not line.startswith(";"):
            break
        comment.append(line.lstrip("; "))
    return " ".join(comment).partition(". ")[0].removesuffix(".") + "."
