"""`graven tune`: the best parameters against an opponent."""

from __future__ import annotations

import shlex
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
    check_agents,
    load_game_to_match,
)
from graven.interfaces.cli.console import compiling_agents, format_duration, out
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    OpeningPlies,
    Workers,
    run_experiment,
)
from graven.interfaces.cli.number_format import percent

if TYPE_CHECKING:
    from graven.lab.experiments.tune import TuneProgress, TuneResult

TRIALS_SHOWN = 10


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
    trials: Annotated[int, typer.Option(help="Number of settings to try.", metavar="N")] = 30,
    games: Annotated[int, typer.Option(help="Games of every trial.", metavar="N")] = 100,
    validate: Annotated[
        int | None,
        typer.Option(
            help="Games of the validation match at the end; default: twice --games.", metavar="N"
        ),
    ] = None,
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
    """Find the best parameters of an agent against an opponent.

    A question mark is a parameter to tune, over its default range or over an explicit one, as in
    c=?[0.1..0.9]. Optuna (pip install 'graven[tune]') suggests settings; hopeless ones are pruned
    early. The best setting then plays a validation match, whose games were not used for tuning:
    that is its score. The same command resumes a tuning that was stopped.

    \b
    Examples:
      graven tune knightthrough "grave(ref=?,bias=?)" --against "rave(bias=0.01)"
      graven tune nogo "uct(c=?[0.05..1.5])" --against "uct(c=0.4)" --trials 20 --games 200
    """
    from graven.lab.experiments.tune import run_tuning

    check_agents(against)
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
        TuneLine(),
        lambda config: run_tuning(
            loaded, agent, against, config, trials=trials, games=games, validate=validate
        ),
        _show,
        as_json=lambda result: result.to_dict(),
    )


class TuneLine:
    """The best setting so far."""

    def __init__(self) -> None:
        self._progress: TuneProgress | None = None

    def update(self, progress: TuneProgress) -> None:
        """Take note of the latest progress."""
        self._progress = progress

    def text(self, elapsed: float) -> str:
        """Return the line after `elapsed` seconds."""
        progress = self._progress
        if progress is None:
            return compiling_agents(elapsed)
        text = f"{progress.trials}/{progress.planned} trials after {format_duration(elapsed)}"
        if progress.best is not None:
            text += f", best {percent(progress.best.statistics)} % by {progress.best.agent}"
        return text + (", now its validation match" if progress.validating else "")


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
    for trial in ranked[:TRIALS_SHOWN]:
        remark = "pruned" if trial.pruned else ""
        table.add_row(trial.agent, percent(trial.statistics), f"{trial.score.games:,}", remark)
    console.print(table)
    best = result.best
    if best is None:
        return
    console.print(f"best: {best.agent}", markup=False, soft_wrap=True)
    if result.pairing is not None and result.validation.games:
        score = f"{percent(result.validation)} % of {result.validation.games:,} games"
        console.print(f"validation match: {score}", style="bold", markup=False, soft_wrap=True)
        command = shlex.join(result.pairing.command(result.validation.games))
        console.print(f"  {command}", style="dim", markup=False, soft_wrap=True)
