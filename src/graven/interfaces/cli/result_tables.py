"""What a search found, as a table for people and as plain values for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from graven.agents import MoveStat, SearchResult


def move_text(move: str | tuple[str, ...]) -> str:
    """A move, or the moves of all players at once, as one word."""
    return move if isinstance(move, str) else ",".join(move)


def line_text(found: SearchResult, limit: int = 12) -> str:
    """The first moves of the main line."""
    return " ".join(found.pv[:limit]) + (" ..." if len(found.pv) > limit else "")


def move_table(stats: tuple[MoveStat, ...], top: int) -> Table:
    """The most played moves: playouts, share, mean, AMAF."""
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


def speed_text(found: SearchResult) -> str:
    """What the search spent."""
    return (
        f"{found.playouts:,} playouts in {found.seconds:.2f} s, "
        f"{found.playouts_per_second:,.0f} playouts/s; "
        f"{found.nodes:,} nodes, {found.amaf_tables:,} AMAF tables, {found.memory_mib:.1f} MiB"
    )


def as_json(found: SearchResult) -> dict[str, Any]:
    """Everything a search found; where all players move at once, the moves of each."""
    values = {
        "best": move_text(found.best_move),
        "value": found.value,
        "line": list(found.pv),
        "moves": [_stat_json(stat) for stat in found.root_stats],
        "playouts": found.playouts,
        "seconds": found.seconds,
        "playouts_per_second": found.playouts_per_second,
        "nodes": found.nodes,
        "tables": found.amaf_tables,
        "memory_mib": found.memory_mib,
        "memory_full": found.memory_full,
    }
    if len(found.by_player) > 1:
        values["moves_by_player"] = [
            [_stat_json(stat) for stat in stats] for stats in found.by_player.values()
        ]
    return values


def _stat_json(stat: MoveStat) -> dict[str, Any]:
    return {
        "move": stat.move,
        "playouts": stat.visits,
        "mean": stat.mean,
        "amaf": stat.amaf,
        "amaf_playouts": stat.amaf_visits,
    }
