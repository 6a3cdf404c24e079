"""A search result as text: the table and the lines that `graven search` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from graven.core.plural import counted

if TYPE_CHECKING:
    from graven.agents.search_result import MoveStat, SearchResult

MOVES_SHOWN = 10
MAX_PV_MOVES = 12
HEADINGS = ("move", "playouts", "share", "mean", "AMAF", "AMAF playouts", "strategy", "proven")
OPTIONAL = ("strategy", "proven")  # columns that are left out where they are empty
GAP = "   "

MEMORY_FULL = "The tree reached its memory limit and stopped growing: raise it with memory_mib."
AMAF_MISLEADS = (
    "AMAF values order the moves of this tree hardly better than chance, so they may mislead the "
    "search. Compare it with a search without AMAF: graven match GAME AGENT uct --seconds 1."
)


class TextLine(NamedTuple):
    """A line of text and its style in a terminal: "", "bold", "dim" or "yellow"."""

    text: str
    style: str = ""


def move_lines(stats: Sequence[MoveStat], top: int) -> list[TextLine]:
    """Return a table of the most visited moves: the columns HEADINGS, without empty OPTIONAL."""
    total = sum(stat.visits for stat in stats) or 1
    rows = [HEADINGS, *(_cells(stat, total) for stat in stats[:top])]
    shown = [
        column
        for column, heading in enumerate(HEADINGS)
        if heading not in OPTIONAL or any(row[column] for row in rows[1:])
    ]
    rows = [tuple(row[column] for column in shown) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for number, (move, *cells) in enumerate(rows):
        right = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        text = GAP.join([f"{move:<{widths[0]}}", *right]).rstrip()
        lines.append(TextLine(text, "bold" if number < 2 else ""))
    return lines


def _cells(stat: MoveStat, total: int) -> tuple[str, ...]:
    return (
        stat.move,
        f"{stat.visits:,}",
        f"{100 * stat.visits / total:.1f} %",
        f"{stat.mean:.3f}" if stat.visits else "",
        f"{stat.amaf:.3f}" if stat.amaf is not None else "",
        f"{stat.amaf_visits:,}" if stat.amaf is not None else "",
        f"{100 * stat.probability:.1f} %" if stat.probability is not None else "",
        stat.proof_text,
    )


def result_lines(result: SearchResult, top: int = MOVES_SHOWN) -> list[TextLine]:
    """Return the moves of each player to move, the best move, the principal variation, the cost."""
    lines: list[TextLine] = []
    several = len(result.by_player) > 1
    for name, stats in zip(result.player_names, result.by_player.values(), strict=False):
        if several:
            lines.append(TextLine(f"{name}:"))
        lines += move_lines(stats, top)
        if len(stats) > top:
            lines.append(TextLine(f"and {len(stats) - top} more", "dim"))
    if lines:
        lines.append(TextLine(""))
    whose = f" for {result.player_names[0]}" if several and result.player_names else ""
    drawn = not result.proven and any(
        stat.probability is not None for stats in result.by_player.values() for stat in stats
    )
    how = ", drawn from the strategies" if drawn else ""
    lines.append(
        TextLine(f"best       {result.best_move}{how}, value {result.value:.3f}{whose}", "bold")
    )
    if result.proof_text:
        lines.append(TextLine(f"proven     {result.proof_text}", "bold"))
    if result.pv:  # empty where players move simultaneously
        lines.append(TextLine(f"pv         {pv_text(result)}"))
    lines.append(TextLine(f"spent      {speed_text(result)}"))
    if result.memory_full:
        lines.append(TextLine(MEMORY_FULL, "yellow"))
    if result.amaf_misleads:
        lines.append(TextLine(AMAF_MISLEADS, "yellow"))
    return lines


def pv_text(result: SearchResult) -> str:
    """Return the first moves of the principal variation."""
    ellipsis = " ..." if len(result.pv) > MAX_PV_MOVES else ""
    return " ".join(result.pv[:MAX_PV_MOVES]) + ellipsis


def speed_text(result: SearchResult) -> str:
    """Return playouts, time, speed and memory of a search."""
    return (
        f"{counted(result.playouts, 'playout')} in {result.seconds:.2f} s, "
        f"{result.playouts_per_second:,.0f} playouts/s; "
        f"{counted(result.nodes, 'node')}, {counted(result.amaf_tables, 'AMAF table')}, "
        f"{result.memory_mib:.1f} MiB"
    )
