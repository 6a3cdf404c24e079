"""What a search found, as an HTML table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graven.agents.agent import MoveStat, SearchResult

SHOWN = 10  # moves
_BAR = "background:#7aa6d8;height:.7em;display:inline-block;width:{:.0f}px"


def search_table(found: SearchResult) -> str:
    """The moves with their playouts, means and AMAF values, most visited first, and the line."""
    best = found.best_move if isinstance(found.best_move, str) else ", ".join(found.best_move)
    most = max((stat.visits for stat in found.root_stats), default=1) or 1
    rows = "".join(_row(stat, most) for stat in found.root_stats[:SHOWN])
    left = len(found.root_stats) - SHOWN
    more = f"<tr><td colspan=5>and {left} more</td></tr>" if left > 0 else ""
    heads = "".join(f"<th>{head}</th>" for head in ("move", "playouts", "", "mean", "AMAF"))
    line = " ".join(escape(move) for move in found.pv[:SHOWN])
    return (
        f"<p><b>{escape(best)}</b>, worth {found.value:.3f} after {found.playouts:,} playouts, "
        f"{found.playouts_per_second:,.0f} a second. Expected: {line}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}{more}</tbody></table>"
    )


def _row(stat: MoveStat, most: int) -> str:
    bar = f'<span style="{_BAR.format(100 * stat.visits / most)}"></span>'
    amaf = "" if stat.amaf is None else f"{stat.amaf:.3f}"
    cells = (escape(stat.move), f"{stat.visits:,}", bar, f"{stat.mean:.3f}", amaf)
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
