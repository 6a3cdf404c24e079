"""The shipped rulesheets: the fifteen games of Sironi and Winands (2016).

Each describes the same game as the sheet of that name in the GGP base repository (of 2016), with
the same roles and moves, but is written independently.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from graven.core.errors import unknown

SUFFIX = ".kif"


@cache
def names() -> tuple[str, ...]:
    """Return the names of all sheets, sorted."""
    paths = (file.name for file in files(__name__).iterdir())
    shipped = (path.removesuffix(SUFFIX) for path in paths if path.endswith(SUFFIX))
    return tuple(sorted(shipped, key=str.lower))


def proper_name(name: str) -> str:
    """Return the name of a sheet in its proper case; raise UsageError if there is none."""
    for known in names():
        if known.lower() == name.lower():
            return known
    raise unknown("sheet", name, names())


def text_of(name: str) -> str:
    """Return the text of a sheet."""
    return files(__name__).joinpath(proper_name(name) + SUFFIX).read_text(encoding="utf-8")


def summary(name: str) -> str:
    """Return the first sentence of a sheet's comment: a description of the game."""
    comment = []
    for line in text_of(name).splitlines():
        if not line.startswith(";"):
            break
        comment.append(line.lstrip("; "))
    return " ".join(comment).partition(". ")[0].removesuffix(".") + "."


def title(name: str) -> str:
    """Return the name of a sheet's game: the beginning of its description."""
    return re.split(r":|,|\.| on | of ", summary(name), maxsplit=1)[0]
