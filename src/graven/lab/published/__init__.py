"""The tables of five papers as data, one TOML file per paper, and how to play each figure."""

from graven.lab.published.paper_loader import paper, paper_names, papers
from graven.lab.published.published_tables import (
    FigureSetup,
    Paper,
    PublishedFigure,
    PublishedTable,
    TablePart,
    why_unavailable,
)

__all__ = [
    "FigureSetup",
    "Paper",
    "PublishedFigure",
    "PublishedTable",
    "TablePart",
    "paper",
    "paper_names",
    "papers",
    "why_unavailable",
]
