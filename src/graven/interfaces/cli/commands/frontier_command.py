"""`graven frontier`: the policies of the package against each other in many games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.core.errors import UsageError
from graven.interfaces.cli.arguments import Db, Json, Playouts, Seconds, Seed, check_agents
from graven.interfaces.cli.commands.tournament_command import StandingsLine
from graven.interfaces.cli.console import out
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    GamesOfPair,
    Gauntlet,
    OpeningPlies,
    Workers,
    run_experiment,
)

if TYPE_CHECKING:
    from graven.lab.experiments.frontier import FrontierResult
    from graven.lab.experiments.tournament import Standings

SETS = ("native", "gdl", "all")


def frontier(
    games_named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME...]", help="Games; by default those of --set.", show_default=False
        ),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", help="An agent; repeat for more. Default: all policies.", metavar="SPEC"
        ),
    ] = None,
    game_set: Annotated[
        str, typer.Option("--set", help="Without GAMEs: native, gdl or all.", metavar="SET")
    ] = "native",
    games: GamesOfPair = 20,
    gauntlet: Gauntlet = False,
    playouts: Playouts = None,
    seconds: Seconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    opening_plies: OpeningPlies = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play the policies of the package against each other in many games, and compare them.

    Each game is a tournament. The table has the points over all games, and the games where an agent
    has the most and the fewest. Games are recorded: the same command goes on where it stopped.

    \b
    Examples:
      graven frontier --games 20 --playouts 1000
      graven frontier --set gdl --seconds 0.2 --gauntlet --games 10
      graven frontier nogo hex --agent uct --agent grave --agent mcps --games 100 --playouts 500
    """
    from graven.lab.experiments import frontier as experiment

    chosen = list(agents or experiment.AGENTS)
    check_agents(*chosen)
    if game_set not in SETS:
        raise UsageError(f"--set must be one of {', '.join(SETS)}, got {game_set!r}.")
    sets = {"native": experiment.NATIVE_GAMES, "gdl": experiment.gdl_games()}
    played = list(games_named or ())
    if not played:
        played = [*sets["native"], *sets["gdl"]] if game_set == "all" else list(sets[game_set])
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
        FrontierLine(),
        lambda config: experiment.run_frontier(
            played, chosen, config, games_per_pair=games, gauntlet=gauntlet
        ),
        _show,
        as_json=lambda result: result.to_dict(),
    )


class FrontierLine(StandingsLine):
    """The tournament under way, with the name of its game."""

    def __init__(self) -> None:
        super().__init__()
        self._game = ""

    def update(self, standings: Standings) -> None:
        """Take note of the latest standings."""
        self._game = standings.game
        super().update(standings)

    def text(self, elapsed: float) -> str:
        """Return the lines after `elapsed` seconds."""
        line = super().text(elapsed)
        return f"{self._game}: {line}" if self._game else line


def _show(result: FrontierResult) -> None:
    from rich.table import Table

    console = out()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("agent", overflow="fold")
    for heading in ("points", "95 %", "games", "first in", "fewest", "most"):
        table.add_column(heading, justify="right")
    for record in result.records:
        if record.score.win_rate is None or record.worst is None or record.best is None:
            continue
        low, high = record.score.sample.proportion.interval()
        table.add_row(
            record.agent,
            f"{100 * record.score.win_rate:.1f} %",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{record.score.games:,}",
            str(record.first_places),
            f"{100 * record.worst[1]:.0f} % {record.worst[0]}",
            f"{100 * record.best[1]:.0f} % {record.best[0]}",
        )
    console.print(table)
    for each in result.tournaments:
        if each.standings.comparable:
            best = each.ladder().ratings[0]
            line = f"{each.standings.game}: {best.agent} {best.elo:+.0f}"
            console.print(f"{line} ({best.low:+.0f} to {best.high:+.0f})", markup=False)
