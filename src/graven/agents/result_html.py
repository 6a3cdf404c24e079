"""A search result as an HTML table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from graven.agents.result_text import MOVES_SHOWN

if TYPE_CHECKING:
    from graven.agents.search_result import MoveStat, SearchResult

_BAR = "background:#7aa6d8;height:.7em;display:inline-block;width:{:.0f}px"


def search_table(result: SearchResult) -> str:
    """Format the root moves, most visited first, and the principal variation."""
    most = max((stat.visits for stat in result.root_stats), default=1) or 1
    rows = "".join(_row(stat, most) for stat in result.root_stats[:MOVES_SHOWN])
    left = len(result.root_stats) - MOVES_SHOWN
    more = f"<tr><td colspan=5>and {left} more</td></tr>" if left > 0 else ""
    heads = "".join(f"<th>{head}</th>" for head in ("move", "playouts", "", "mean", "AMAF"))
    line = " ".join(escape(move) for move in result.pv[:MOVES_SHOWN])
    return (
        f"<p><b>{escape(result.best_move)}</b>, worth {result.value:.3f} after "
        f"{result.playouts:,} playouts, "
        f"{result.playouts_per_second:,.0f} a second. Expected: {line}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}{more}</tbody></table>"
    )


def _row(stat: MoveStat, most: int) -> str:
    bar = f'<span style="{_BAR.format(100 * stat.visits / most)}"></span>'
    amaf = "" if stat.amaf is None else f"{stat.amaf:.3f}"
    cells = (escape(stat.move), f"{stat.visits:,}", bar, f"{stat.mean:.3f}", amaf)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
