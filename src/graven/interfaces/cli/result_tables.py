"""The result of a search, as a table and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from graven.agents import MoveStat, SearchResult

MAX_PV_MOVES = 12


def move_text(move: str | tuple[str, ...]) -> str:
    """Return a move as text; simultaneous moves are joined by commas."""
    return move if isinstance(move, str) else ",".join(move)


def pv_text(result: SearchResult) -> str:
    """Return the first moves of the principal variation."""
    ellipsis = " ..." if len(result.pv) > MAX_PV_MOVES else ""
    return " ".join(result.pv[:MAX_PV_MOVES]) + ellipsis


def move_table(stats: tuple[MoveStat, ...], top: int) -> Table:
    """Return a table of the most visited moves: playouts, share, mean, AMAF."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("move")
    for heading in ("playouts", "share", "mean", "AMAF", "AMAF playouts"):
        table.add_column(heading, justify="right")
    total = sum(stat.visits for stat in stats) or 1
    for rank, stat in enumerate(stats[:top]):
        table.add_row(
            stat.move,
            f"{stat.visits:,}",
            f"{100 * stat.visits / total:.1f} %",
            f"{stat.mean:.3f}" if stat.visits else "",
            f"{stat.amaf:.3f}" if stat.amaf is not None else "",
            f"{stat.amaf_visits:,}" if stat.amaf is not None else "",
            style="bold" if rank == 0 else "",
        )
    return table


def speed_text(result: SearchResult) -> str:
    """Return playouts, time, speed and memory of a search."""
    return (
        f"{result.playouts:,} playouts in {result.seconds:.2f} s, "
        f"{result.playouts_per_second:,.0f} playouts/s; "
        f"{result.nodes:,} nodes, {result.amaf_tables:,} AMAF tables, {result.memory_mib:.1f} MiB"
    )


def as_json(result: SearchResult) -> dict[str, Any]:
    """Return the result as plain values, under the names of `SearchResult` and `MoveStat`.

    Where players move simultaneously, `by_player` has the moves of each.
    """
    values = {
        "best_move": move_text(result.best_move),
        "value": result.value,
        "pv": list(result.pv),
        "root_stats": [_stat_json(stat) for stat in result.root_stats],
        "playouts": result.playouts,
        "seconds": result.seconds,
        "playouts_per_second": result.playouts_per_second,
        "nodes": result.nodes,
        "amaf_tables": result.amaf_tables,
        "memory_mib": result.memory_mib,
        "memory_full": result.memory_full,
    }
    if len(result.by_player) > 1:
        values["by_player"] = [
            [_stat_json(stat) for stat in stats] for stats in result.by_player.values()
        ]
    return values


def _stat_json(stat: MoveStat) -> dict[str, Any]:
    return {
        "move": stat.move,
        "visits": stat.visits,
        "mean": stat.mean,
        "amaf": stat.amaf,
        "amaf_visits": stat.amaf_visits,
    }
