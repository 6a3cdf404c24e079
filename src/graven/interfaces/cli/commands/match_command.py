"""`graven match`: two agents, many games."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    Cluster,
    Db,
    GameText,
    Json,
    Openings,
    Playouts,
    Seating,
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

if TYPE_CHECKING:
    import threading

    from graven.lab.experiments.match import MatchResult
    from graven.lab.stats.intervals import Score

Spec = Annotated[
    str, typer.Argument(metavar="SPEC", help="An agent: see 'graven agents'.", show_default=False)
]


def match(
    game: GameText,
    first: Spec,
    second: Spec,
    games: Annotated[int, typer.Option(help="How many games.", metavar="N")] = 100,
    playouts: Playouts = None,
    seconds: Seconds = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    openings: Openings = 0,
    seating: Seating = "mixed",
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Stop early: is the first agent stronger by ELO0 or by ELO1?",
            metavar="ELO0 ELO1",
        ),
    ] = None,
    published: Annotated[
        float | None,
        typer.Option(help="A published win rate to compare with.", metavar="PERCENT"),
    ] = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Let two agents play many games against each other.

    The score is the first one's. The sides are swapped after every game. Without a budget each
    move gets 1,000 playouts; a budget inside a spec counts for that agent alone. Every game is
    remembered as it ends: the same command plays only what is missing, so that it also goes on
    after Ctrl-C.

    \b
    Examples:
      graven match knightthrough "grave(ref=50,bias=1e-4)" "rave(bias=0.01)" --published 67.8
      graven match domineering --size 19 "rave(playouts=1000)" "uct(playouts=10000)" --games 20
      graven match nogo grave uct --seconds 0.1 --workers 4 --json
      graven match breakthrough grave rave --openings 4 --sprt 0 30 --games 2000
    """
    from graven.core.errors import UsageError
    from graven.lab.experiments.match import match as play_match

    if published is not None and not 0 <= published <= 100:
        raise UsageError(f"--published is a percentage from 0 to 100, not {published:g}.")
    check_agents(first, second)
    played = compile_game(game, size)
    running = _Running(games)

    def work(stop: threading.Event) -> MatchResult:
        return play_match(
            played,
            first,
            second,
            games=games,
            playouts=playouts,
            seconds=seconds,
            seed=seed,
            workers=workers,
            progress=running.update,
            stop=stop,
            db=store,
            cluster=cluster,
            openings=openings,
            seating=seating,
            sprt=sprt,
        )

    with open_store(db) as store:
        result, interrupted = run_with_progress(work, running.line, quiet=0.5)
        if json:
            values = result.as_json()
            if published is not None:
                values |= {"published": published / 100, "inside": _inside(result, published)}
            print_json(values)
        else:
            _show(result, published)
    decided = result.verdict is not None and result.verdict.decided is not None
    finish_experiment(result.failures, interrupted and result.games < games and not decided)


class _Running:
    """The score while games are played, and the line about it on stderr."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._before: Score | None = None
        self._score: Score | None = None
        self._first_end = 0.0

    def update(self, score: Score) -> None:
        if self._before is None:
            self._before = score
        elif self._score is self._before:
            self._first_end = time.monotonic()
        self._score = score

    def line(self, elapsed: float) -> str:
        score, before = self._score, self._before
        if score is None or before is None or score is before:
            done = score.games if score else 0
            time_spent = format_duration(elapsed)
            return f"{done}/{self._games} games after {time_spent} (a first run compiles)"
        text = f"{score.games}/{self._games} games"
        text += f", {score.wins}-{score.losses}-{score.draws}, {_rate(score, score.ci95)}"
        counted = score.games - before.games
        if counted > 1:
            # Counted from the end of the first game: compilation says nothing about the rest.
            pace = (time.monotonic() - self._first_end) / (counted - 1)
            text += f", {format_duration(pace * (self._games - score.games))} left"
        return text


def _score(score: Score) -> str:
    return f"{score.wins} won, {score.losses} lost, {score.draws} drawn"


def _rate(score: Score, interval: tuple[float, float]) -> str:
    if score.win_rate is None:
        return "no game finished"
    low, high = interval
    return f"{100 * score.win_rate:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"


def _inside(result: MatchResult, published: float) -> bool:
    low, high = result.ci95
    return low <= published / 100 <= high


def _show(result: MatchResult, published: float | None) -> None:
    from graven.lab.stats.intervals import elo_of

    console = out()

    def row(name: str, text: str, style: str = "") -> None:
        console.print(f"{name:<11}{text}", markup=False, style=style, soft_wrap=True)

    console.print(result.cell.title, markup=False, style="bold", soft_wrap=True)
    row("game", f"{result.game}, {result.games} games, {result.plies:.1f} plies each")
    row("budget", f"{result.cell.budget} a move")
    if result.new < result.games:
        row("new", f"{result.new} games; the others were in the store")
    row("score", _score(result.score))
    row("speed", f"{result.playouts_per_second:,.0f} playouts/s on each worker")
    row("win rate", _rate(result.score, result.ci95), style="bold")
    if result.win_rate is not None:
        row("Elo", " to ".join(f"{elo_of(end):+.0f}" for end in result.ci95))
    if result.verdict is not None:
        row("test", str(result.verdict))
    if published is not None:
        verdict = "inside" if _inside(result, published) else "outside"
        row("published", f"{published:.1f} %, {verdict} our interval")
