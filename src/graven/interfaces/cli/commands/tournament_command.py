"""`graven tournament`: several agents, every pair a match, and ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    Db,
    GameText,
    GameTime,
    Increment,
    Json,
    Playouts,
    Seconds,
    Seed,
    Size,
    check_agents,
    load_game_to_match,
    short,
    with_game_clock,
)
from graven.interfaces.cli.console import GamesProgress, compiling_agents, out
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
    from rich.table import Table

    from graven.lab.experiments.tournament import Standings, TournamentResult
    from graven.lab.stats.ratings import Ladder

MOST_CROSSED = 16
"""With more agents than this a cross table is wider than most terminals."""


def tournament(
    game: GameText,
    agents: Annotated[
        list[str], typer.Argument(metavar="SPEC...", help="Two agents or more.", show_default=False)
    ],
    games: GamesOfPair = 20,
    gauntlet: Gauntlet = False,
    playouts: Playouts = None,
    seconds: Seconds = None,
    game_time: GameTime = None,
    increment: Increment = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    opening_plies: OpeningPlies = 0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play a match between every two of several agents, and rate them.

    With --gauntlet only the first agent plays, against all others. In games of three players or
    more the two agents of a pair take turns in all seat assignments. Ratings are Bradley-Terry's in
    Elo, with intervals from a bootstrap.

    \b
    Examples:
      graven tournament breakthrough uct rave grave hrave --games 50 --playouts 500
      graven tournament breakthrough uct grave --time 30 --games 10
      graven tournament nogo "grave(ref=50)" uct rave --gauntlet --games 100 --opening-plies 2
    """
    from graven.lab.experiments.tournament import run_tournament

    check_agents(*agents)
    agents = [with_game_clock(spec, game_time, increment, (playouts, seconds)) for spec in agents]
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
        StandingsLine(),
        lambda config: run_tournament(loaded, agents, config, games=games, gauntlet=gauntlet),
        _show,
        as_json=lambda result: result.to_dict(),
    )


class StandingsLine:
    """The scores of all agents while games are played."""

    def __init__(self) -> None:
        self._standings: Standings | None = None
        self._pace = GamesProgress()

    def update(self, standings: Standings) -> None:
        """Take note of the latest standings."""
        self._standings = standings
        self._pace.update(standings.games, standings.planned)

    def text(self, elapsed: float) -> str:
        """Return the lines after `elapsed` seconds."""
        standings = self._standings
        if standings is None:
            return compiling_agents(elapsed)
        lines = [self._pace.line(elapsed)]
        totals = [(standings.total(index), name) for index, name in enumerate(standings.agents)]
        for score, name in sorted(totals, key=lambda total: -(total[0].win_rate or 0.0)):
            if score.win_rate is not None:
                lines.append(f"{100 * score.win_rate:5.1f} % of {score.games:>5,}  {short(name)}")
        return "\n".join(lines)


def _show(result: TournamentResult) -> None:
    standings = result.standings
    console = out()
    title = f"{standings.game}, {standings.games:,} games, {result.pairings[0].budget}"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    if not standings.comparable:
        console.print("No ratings yet: some pairs have not finished a game.")
        return
    ladder = result.ladder()
    console.print(_rating_table(ladder))
    console.print("beats next: the probability of being stronger than the next one.", style="dim")
    if ladder.regularised:
        console.print(
            "An agent lost or won all its games: each pair got half a point for both sides.",
            style="dim",
        )
    if len(ladder.ratings) <= MOST_CROSSED:
        console.print("\nPoints of the row against the column, in per cent:", style="dim")
        console.print(_cross_table(standings, ladder))


def _rating_table(ladder: Ladder) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("agent", overflow="fold")
    for heading in ("Elo", "95 %", "points", "games", "beats next"):
        table.add_column(heading, justify="right")
    for number, rating in enumerate(ladder.ratings):
        last = number + 1 == len(ladder.ratings)
        table.add_row(
            str(number + 1),
            rating.agent,
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} to {rating.high:+.0f}",
            f"{100 * rating.points:.1f} %",
            f"{rating.games:,}",
            "" if last else f"{100 * ladder.superiority[number][number + 1]:.1f} %",
        )
    return table


def _cross_table(standings: Standings, ladder: Ladder) -> Table:
    from rich.table import Table

    index_of = {name: index for index, name in enumerate(standings.agents)}
    ranked = [index_of[rating.agent] for rating in ladder.ratings]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for rank in range(len(ranked)):
        table.add_column(str(rank + 1), justify="right")
    for rank, agent in enumerate(ranked):
        row = [_points(standings, agent, opponent) for opponent in ranked]
        table.add_row(str(rank + 1), *row)
    return table


def _points(standings: Standings, agent: int, opponent: int) -> str:
    score = standings.score(agent, opponent) if agent != opponent else None
    rate = score.win_rate if score else None
    return f"{100 * rate:.1f}" if rate is not None else "-"
