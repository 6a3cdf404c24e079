"""`graven tune`: the best parameters against an opponent."""

from __future__ import annotations

import shlex
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
    check_agents,
    compile_game,
    open_store,
)
from graven.interfaces.cli.console import (
    finish_experiment,
    format_duration,
    out,
    print_json,
    run_with_progress,
)
from graven.interfaces.cli.number_format import percent

if TYPE_CHECKING:
    import threading

    from graven.lab.experiments.tune import Progress, TuneResult

SHOWN = 10


def tune(
    game: GameText,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="An agent with question marks: 'grave(ref=?,bias=?)'.",
            show_default=False,
        ),
    ],
    against: Annotated[str, typer.Option(help="The opponent.", metavar="SPEC")],
    trials: Annotated[int, typer.Option(help="How many settings to try.", metavar="N")] = 30,
    games: Annotated[int, typer.Option(help="Games of every trial.", metavar="N")] = 100,
    validate: Annotated[
        int | None,
        typer.Option(help="Games of the fresh match at the end; default: twice --games."),
    ] = None,
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
    """Find the best parameters of an agent against an opponent.

    A question mark is a parameter to tune, over its usual range or over one that is given as in
    c=?[0.1..0.9]. Optuna (pip install 'graven[tune]') suggests settings; hopeless ones are given up
    early. The best one then plays a fresh match that was no part of the tuning: that is its score.
    The same command goes on where it was stopped.

    \b
    Examples:
      graven tune knightthrough "grave(ref=?,bias=?)" --against "rave(bias=0.01)"
      graven tune nogo "uct(c=?[0.05..1.5])" --against "uct(c=0.4)" --trials 20 --games 200
    """
    from graven.lab.experiments.tune import tune as play_tuning

    check_agents(against)
    played = compile_game(game, size)
    running = _Running()

    def work(stop: threading.Event) -> TuneResult:
        return play_tuning(
            played,
            agent,
            against,
            trials,
            games,
            playouts,
            seconds,
            seed,
            workers,
            running.update,
            stop,
            validate=validate,
            db=store,
            cluster=cluster,
            openings=openings,
        )

    with open_store(db) as store:
        result, interrupted = run_with_progress(work, running.line)
    if json:
        print_json(result.as_json())
    else:
        _show(result)
    finish_experiment(result.failures, interrupted and not result.done)


class _Running:
    """The best so far while games are played."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def update(self, progress: Progress) -> None:
        self._progress = progress

    def line(self, elapsed: float) -> str:
        progress = self._progress
        if progress is None:
            return f"getting ready for {format_duration(elapsed)}"
        text = f"{progress.trials}/{progress.planned} trials after {format_duration(elapsed)}"
        if progress.best is not None:
            text += f", best {percent(progress.best.score)} % by {progress.best.agent}"
        return text + (", now its fresh match" if progress.validating else "")


def _show(result: TuneResult) -> None:
    from rich.table import Table

    console = out()
    title = f"{result.game}: {len(result.trials)} of {result.planned} trials"
    console.print(f"{title} against {result.against}", style="bold", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("agent", overflow="fold")
    for heading in ("win rate (%)", "games", ""):
        table.add_column(heading, justify="right")
    ranked = sorted(result.trials, key=lambda trial: -(trial.score.win_rate or 0.0))
    for trial in ranked[:SHOWN]:
        remark = "given up" if trial.given_up else ""
        table.add_row(trial.agent, percent(trial.score), f"{trial.score.games:,}", remark)
    console.print(table)
    best = result.best
    if best is None:
        return
    console.print(f"best: {best.agent}", markup=False, soft_wrap=True)
    if result.cell is not None and result.validation.games:
        console.print(
            f"fresh match: {percent(result.validation)} % of {result.validation.games:,} games",
            style="bold",
            markup=False,
            soft_wrap=True,
        )
        command = shlex.join(result.cell.command(result.validation.games))
        console.print(f"  {command}", style="dim", markup=False, soft_wrap=True)
