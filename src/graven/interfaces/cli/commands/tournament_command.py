"""`graven tournament`: several agents, every pair a match, and ratings."""

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
    check_agents,
    compile_game,
    open_store,
)
from graven.interfaces.cli.console import (
    GamesProgress,
    finish_experiment,
    format_duration,
    out,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.lab.experiments.tournament import Standing, TournamentResult

MOST_CROSSED = 16
"""With more agents than this a cross table is wider than any terminal."""


def tournament(
    game: GameText,
    agents: Annotated[
        list[str], typer.Argument(metavar="SPEC...", help="Two agents or more.", show_default=False)
    ],
    games: Annotated[int, typer.Option(help="Games of every pair.", metavar="N")] = 20,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Only the first agent plays, against all others.")
    ] = False,
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
    """Let several agents play each other, and rate them.

    Everybody plays everybody, or, with --gauntlet, the first one all others. In games of three and
    more players the two agents of a pair share the seats in all possible ways. Ratings are
    Bradley-Terry's in Elo, with intervals from a bootstrap.

    \b
    Examples:
      graven tournament breakthrough uct rave grave hrave --games 50 --playouts 500
      graven tournament nogo "grave(ref=50)" uct rave --gauntlet --games 100 --openings 2
    """
    from graven.lab.experiments.tournament import tournament as play_tournament

    check_agents(*agents)
    played = compile_game(game, size)
    running = _Running()

    def work(stop: threading.Event) -> TournamentResult:
        return play_tournament(
            played,
            agents,
            games,
            playouts,
            seconds,
            seed,
            workers,
            running.update,
            stop,
            gauntlet=gauntlet,
            db=store,
            cluster=cluster,
            openings=openings,
        )

    with open_store(db) as store:
        result, interrupted = run_with_progress(work, running.text)
    if json:
        print_json(result.as_json())
    else:
        _show(result)
    finish_experiment(
        result.failures, interrupted and result.standing.games < result.standing.planned
    )


class _Running:
    """The table while games are played."""

    def __init__(self) -> None:
        self._standing: Standing | None = None
        self._pace = GamesProgress()

    def update(self, standing: Standing) -> None:
        self._standing = standing
        self._pace.update(standing.games, standing.planned)

    def text(self, elapsed: float) -> str:
        standing = self._standing
        if standing is None:
            return f"getting ready for {format_duration(elapsed)}"
        lines = [self._pace.line(elapsed)]
        totals = [(standing.total(place), name) for place, name in enumerate(standing.agents)]
        for score, name in sorted(totals, key=lambda each: -(each[0].win_rate or 0.0)):
            rate = score.win_rate
            shown = f"{100 * rate:5.1f} %" if rate is not None else "      -"
            lines.append(f"{shown} of {score.games:>5,}  {name}")
        return "\n".join(lines)


def _show(result: TournamentResult) -> None:
    from rich.table import Table

    standing = result.standing
    console = out()
    title = f"{standing.game}, {standing.games:,} games, {result.cells[0].budget} a move"
    console.print(title, style="bold", markup=False, soft_wrap=True)
    if not standing.comparable:
        console.print("Not every pair has finished a game yet: too early for ratings.")
        return
    ladder = standing.ladder()
    place = {name: number for number, name in enumerate(standing.agents)}
    ranked = [place[rating.agent] for rating in ladder.ratings]

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
            "" if last else f"{100 * ladder.superior[number][number + 1]:.1f} %",
        )
    console.print(table)
    console.print("beats next: how likely it is stronger than the next one.", style="dim")
    if ladder.helped:
        console.print(
            "Somebody lost or won everything: each pair was given half a point for both sides.",
            style="dim",
        )
    if len(ranked) <= MOST_CROSSED:
        console.print("\nPoints of the row against the column, in per cent:", style="dim")
        crossed = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        crossed.add_column("")
        for number in range(len(ranked)):
            crossed.add_column(str(number + 1), justify="right")
        for number, one in enumerate(ranked):
            row = [_points(standing, one, other) for other in ranked]
            crossed.add_row(str(number + 1), *row)
        console.print(crossed)


def _points(standing: Standing, one: int, other: int) -> str:
    score = standing.score(one, other) if one != other else None
    rate = score.win_rate if score else None
    return f"{100 * rate:.1f}" if rate is not None else "-"
