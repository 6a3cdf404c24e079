"""`graven sweep`: a grid of agents against one opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    Db,
    GameText,
    Json,
    Playouts,
    Seconds,
    Seed,
    Size,
    load_game_to_match,
)
from graven.interfaces.cli.console import out
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    GamesLine,
    GamesOfAgent,
    OpeningPlies,
    Workers,
    run_experiment,
)
from graven.interfaces.cli.number_format import percent

if TYPE_CHECKING:
    from rich.table import Table

    from graven.lab.experiments.sweep import SweepPoint, SweepResult


def sweep(
    game: GameText,
    agents: Annotated[
        str,
        typer.Argument(
            metavar="GRID", help="Agents: 'rave(bias=[1e-1..1e-15])'.", show_default=False
        ),
    ],
    against: Annotated[str, typer.Option(help="The opponent of all agents.", metavar="SPEC")],
    robustness_against: Annotated[
        str | None,
        typer.Option(help="Then play the best agent against all agents of GRID.", metavar="GRID"),
    ] = None,
    games: GamesOfAgent = 100,
    playouts: Playouts = None,
    seconds: Seconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    opening_plies: OpeningPlies = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play a grid of agents against one opponent, as the papers tune.

    A value in brackets is a range: [1e-1..1e-15] every power of ten, [1..64*2] doubling,
    [0.1..0.9+0.2] in steps, [25,50,100] a list. Two of them make a table. With --robustness-against
    the best agent then plays every agent of a second grid, and its worst score is shown.

    \b
    Examples:
      graven sweep knightthrough "rave(bias=[1e-1..1e-15])" --against "uct(c=0.4)"
      graven sweep knightthrough "grave(ref=[25,50,100],bias=[1e-2..1e-5])" \\
        --against "rave(bias=0.01)" --robustness-against "rave(bias=[1e-1..1e-15])"
    """
    from graven.lab.experiments.sweep import run_sweep

    loaded = load_game_to_match(game, size)
    settings = ExperimentSettings(
        playouts=playouts,
        seconds=seconds,
        seed=seed,
        opening_plies=opening_plies,
        workers=workers,
        cluster=cluster,
        db=db,
        json=json,
    )
    run_experiment(
        settings,
        GamesLine(),
        lambda config: run_sweep(
            loaded, agents, against, config, games=games, robustness_against=robustness_against
        ),
        show_sweep,
        as_json=lambda result: result.to_dict(),
    )


def show_sweep(result: SweepResult) -> None:
    """Print the tables of a sweep."""
    console = out()
    title = f"{result.game}: win rates in per cent against {result.against}"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    console.print(_matrix(result) if len(result.names) == 2 else _list(result, result.points))
    best = result.best
    if best is not None:
        console.print(
            f"best: {best.agent}, {percent(best.statistics)}", markup=False, soft_wrap=True
        )
    selection = result.selection
    if selection is not None:
        console.print(
            f"selection effect: the best of {selection.candidates} is likely to be too high by "
            f"{100 * selection.excess:.1f} points; without it, "
            f"{100 * selection.corrected_rate:.1f}",
            markup=False,
            soft_wrap=True,
        )
    if best is not None and result.opponents:
        console.print(f"\n{best.agent} against", style="bold", markup=False, soft_wrap=True)
        console.print(_list(result, result.opponents))
        worst = result.worst
        if worst is not None:
            text = f"worst: {percent(worst.statistics)} against {worst.agent}"
            console.print(text, markup=False, soft_wrap=True)


def _new_table() -> Table:
    from rich.table import Table

    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _list(result: SweepResult, points: tuple[SweepPoint, ...]) -> Table:
    table = _new_table()
    table.add_column("agent", overflow="fold")
    table.add_column("win rate", justify="right")
    table.add_column("games", justify="right")
    marked = {result.best, result.worst}
    for point in points:
        style = "bold" if point in marked else ""
        table.add_row(point.agent, percent(point.statistics), f"{point.score.games:,}", style=style)
    return table


def _matrix(result: SweepResult) -> Table:
    """Lay out two parameters: the first in rows, the second in columns."""
    from graven.core.calls import format_value

    rows = list(dict.fromkeys(point.values[0] for point in result.points))
    columns = list(dict.fromkeys(point.values[1] for point in result.points))
    by_values = {point.values: point for point in result.points}
    table = _new_table()
    table.add_column(f"{result.names[0]} \\ {result.names[1]}")
    for column in columns:
        table.add_column(format_value(column), justify="right")
    for row in rows:
        points = [by_values[row, column] for column in columns]
        cells = [
            f"[bold]{percent(point.statistics)}[/bold]"
            if point is result.best
            else percent(point.statistics)
            for point in points
        ]
        table.add_row(format_value(row), *cells)
    return table
