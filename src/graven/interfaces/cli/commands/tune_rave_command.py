"""`graven tune-rave`: RAVE's bias against UCT, GRAVE against RAVE, GRAVE against all biases."""

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
from graven.interfaces.cli.commands.sweep_command import show_sweep
from graven.interfaces.cli.console import out
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    GamesLine,
    GamesOfAgent,
    Workers,
    run_experiment,
)

if TYPE_CHECKING:
    from graven.lab.experiments.rave_tuning import RaveTuning


def tune_rave(
    game: GameText,
    games: GamesOfAgent = 100,
    biases: Annotated[str, typer.Option(help="The biases to try.")] = "[1e-1..1e-15]",
    refs: Annotated[str, typer.Option(help="The values of ref to try.")] = "[25,50,100]",
    playout: Annotated[
        str, typer.Option(help="The playout policy of all agents.", metavar="NAME")
    ] = "",
    playouts: Playouts = None,
    seconds: Seconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Tune RAVE and GRAVE for a game as Cazenave 2015 does.

    RAVE with every bias plays uct(c=0.4). GRAVE with every ref and bias plays the best RAVE. The
    best GRAVE then plays RAVE with every bias; its worst score shows whether it was fitted to one
    opponent. All agents have ties=first and solver=off, as in the paper.

    \b
    Examples:
      graven tune-rave knightthrough --playouts 1000 --games 500
      graven tune-rave "go(size=9)" --playout mogo --playouts 1000 --biases "[1e-3..1e-9]"
    """
    from graven.lab.experiments.rave_tuning import TuningGrids, run_rave_tuning

    loaded = load_game_to_match(game, size)
    settings = ExperimentSettings(
        playouts=playouts,
        seconds=seconds,
        seed=seed,
        workers=workers,
        cluster=cluster,
        db=db,
        json=json,
    )
    grids = TuningGrids(biases=biases, refs=refs, playout=playout)
    run_experiment(
        settings,
        GamesLine(),
        lambda config: run_rave_tuning(loaded, config, games=games, grids=grids),
        _show,
        as_json=lambda result: result.to_dict(),
    )


def _show(result: RaveTuning) -> None:
    show_sweep(result.rave)
    if result.grave is not None:
        out().print()
        show_sweep(result.grave)
