"""Load the papers' data files, which are in this package."""

from __future__ import annotations

from functools import cache
from importlib import resources

from graven.core.errors import unknown
from graven.lab.published.paper_parser import parse_paper
from graven.lab.published.published_tables import Paper

PACKAGE = "graven.lab.published"


def paper_names() -> list[str]:
    """Return the names of all papers."""
    files = (file.name for file in resources.files(PACKAGE).iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


@cache
def paper(name: str) -> Paper:
    """Return the paper of that name, such as cazenave2015."""
    if name not in paper_names():
        raise unknown("paper", name, paper_names())
    text = resources.files(PACKAGE).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse_paper(name, text)


def papers() -> list[Paper]:
    """Return all papers."""
    return [paper(name) for name in paper_names()]
