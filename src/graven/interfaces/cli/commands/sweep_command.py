"""`graven sweep`: a grid of agents against one opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    Cluster,
    Db,
    GameText,
    Json,
    Openings,
    Playouts,
    Seconds,
    Seed,
    Size,
    Workers,
    make_game,
    open_store,
)
from graven.interfaces.cli.console import (
    Pace,
    leave,
    out,
    print_json,
    watched,
)
from graven.interfaces.cli.number_format import percent

if TYPE_CHECKING:
    import threading

    from rich.table import Table

    from graven.lab.experiments.sweep import Point, SweepResult


def sweep(
    game: GameText,
    agents: Annotated[
        str,
        typer.Argument(
            metavar="GRID", help="Agents: 'rave(bias=[1e-1..1e-15])'.", show_default=False
        ),
    ],
    against: Annotated[str, typer.Option(help="The opponent of all of them.", metavar="SPEC")],
    worst_against: Annotated[
        str | None,
        typer.Option(help="Then: the best one against all of these.", metavar="GRID"),
    ] = None,
    games: Annotated[int, typer.Option(help="Games of every cell.", metavar="N")] = 100,
    playouts: Playouts = None,
    seconds: Seconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    openings: Openings = 0,
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
    from graven.lab.experiments.sweep import sweep as play_sweep

    played = make_game(game, size)
    pace = Pace()

    def work(stop: threading.Event) -> SweepResult:
        return play_sweep(
            played,
            agents,
            against,
            games,
            playouts,
            seconds,
            seed,
            workers,
            pace.update,
            stop,
            worst_against=worst_against,
            db=store,
            cluster=cluster,
            openings=openings,
        )

    with open_store(db) as store:
        result, interrupted = watched(work, pace.line)
    if json:
        print_json(result.as_json())
    else:
        _show(result)
    leave(result.failures, interrupted and result.games < result.planned)


def _show(result: SweepResult) -> None:
    console = out()
    title = f"{result.game}: win rates in per cent against {result.against}"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    console.print(_matrix(result) if len(result.names) == 2 else _list(result, result.points))
    best = result.best
    if best is not None:
        console.print(f"best: {best.agent}, {percent(best.score)}", markup=False, soft_wrap=True)
    if best is not None and result.opponents:
        console.print(f"\n{best.agent} against", style="bold", markup=False, soft_wrap=True)
        console.print(_list(result, result.opponents))
        worst = result.worst
        if worst is not None:
            said = f"worst: {percent(worst.score)} against {worst.agent}"
            console.print(said, markup=False, soft_wrap=True)


def _new_table() -> Table:
    from rich.table import Table

    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _list(result: SweepResult, points: tuple[Point, ...]) -> Table:
    table = _new_table()
    table.add_column("agent", overflow="fold")
    table.add_column("win rate", justify="right")
    table.add_column("games", justify="right")
    marked = {result.best, result.worst}
    for point in points:
        style = "bold" if point in marked else ""
        table.add_row(point.agent, percent(point.score), f"{point.score.games:,}", style=style)
    return table


def _matrix(result: SweepResult) -> Table:
    """Two parameters: the first downwards, the second across."""
    from graven.core.calls import format_value

    down = list(dict.fromkeys(point.values[0] for point in result.points))
    across = list(dict.fromkeys(point.values[1] for point in result.points))
    by_values = {point.values: point for point in result.points}
    table = _new_table()
    table.add_column(f"{result.names[0]} \\ {result.names[1]}")
    for value in across:
        table.add_column(format_value(value), justify="right")
    for value in down:
        row = [by_values[value, other] for other in across]
        cells = [
            f"[bold]{percent(point.score)}[/bold]" if point is result.best else percent(point.score)
            for point in row
        ]
        table.add_row(format_value(value), *cells)
    return table
