"""`graven match`: two agents, many games."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.console import INTERRUPTED, duration, err, out, print_json, watched
from graven.interfaces.options import GameText, Json, Playouts, Seconds, Seed, Size, make_game

if TYPE_CHECKING:
    import threading

    from graven.lab.match import MatchResult
    from graven.lab.statistics import Score

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
    workers: Annotated[
        int | None, typer.Option(help="Processes that play at once; default: all cores.")
    ] = None,
    seed: Seed = 0,
    size: Size = None,
    published: Annotated[
        float | None,
        typer.Option(help="A published win rate to compare with.", metavar="PERCENT"),
    ] = None,
    done: Annotated[
        str | None,
        typer.Option(help="Go on after games already played.", metavar="WINS,LOSSES,DRAWS"),
    ] = None,
    json: Json = False,
) -> None:
    """Let two agents play many games against each other.

    The score is the first one's. The sides are swapped after every game. Without a budget each
    move gets 1,000 playouts; a budget inside a spec counts for that agent alone. Ctrl-C shows the
    score so far and the command that goes on from there.

    \b
    Examples:
      graven match knightthrough "grave(ref=50,bias=1e-4)" "rave(bias=0.01)" --published 67.8
      graven match domineering --size 19 "rave(playouts=1000)" "uct(playouts=10000)" --games 20
      graven match nogo grave uct --seconds 0.1 --workers 4 --json
    """
    from graven.core.errors import UsageError
    from graven.lab.match import match as play_match
    from graven.lab.statistics import Score

    if published is not None and not 0 <= published <= 100:
        raise UsageError(f"--published is a percentage from 0 to 100, not {published:g}.")
    before = _counts(done)
    played = make_game(game, size)
    running = _Running(Score(*before), games)

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
            done=before,
        )

    result, interrupted = watched(work, running.line, quiet=0.5)
    if json:
        values = result.as_json()
        if published is not None:
            values |= {"published": published / 100, "inside": _inside(result, published)}
        print_json(values)
    else:
        _show(result, published)
    if interrupted and result.games < games:
        options = {
            "--playouts": playouts,
            "--seconds": seconds,
            "--workers": workers,
            "--published": published,
        }
        command = _onward(result, options) + (["--json"] if json else [])
        err().print("Stopped. To go on:", style="yellow")
        err().print("  " + shlex.join(command), markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED)


def _onward(result: MatchResult, options: dict[str, float | None]) -> list[str]:
    """The command that plays the rest of a match."""
    command = ["graven", "match", result.game, result.first, result.second]
    command += ["--games", f"{result.planned}", "--seed", f"{result.seed}"]
    for name, value in options.items():
        command += [name, f"{value}"] if value is not None else []
    return [*command, "--done", f"{result.wins},{result.losses},{result.draws}"]


def _counts(done: str | None) -> tuple[int, int, int]:
    from graven.core.errors import UsageError

    try:
        wins, losses, draws = (int(part) for part in (done or "0,0,0").split(","))
    except ValueError:
        raise UsageError(
            f"--done takes three numbers such as 20,15,2 (wins, losses, draws), not {done!r}."
        ) from None
    return wins, losses, draws


class _Running:
    """The score while games are played, and the line about it on stderr."""

    def __init__(self, before: Score, games: int) -> None:
        self._before = before
        self._score = before
        self._games = games
        self._first_end = 0.0

    def update(self, score: Score) -> None:
        if self._score is self._before:
            self._first_end = time.monotonic()
        self._score = score

    def line(self, elapsed: float) -> str:
        score = self._score
        counted = score.games - self._before.games
        text = f"{score.games}/{self._games} games"
        if counted == 0:
            return f"{text} after {duration(elapsed)} (a first run compiles)"
        text += f", {score.wins}-{score.losses}-{score.draws}, {_rate(score)}"
        if counted > 1:
            # Counted from the end of the first game: compilation says nothing about the rest.
            pace = (time.monotonic() - self._first_end) / (counted - 1)
            text += f", {duration(pace * (self._games - score.games))} left"
        return text


def _score(score: Score) -> str:
    return f"{score.wins} won, {score.losses} lost, {score.draws} drawn"


def _rate(score: Score) -> str:
    if score.win_rate is None:
        return "no game finished"
    low, high = score.ci95
    return f"{100 * score.win_rate:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"


def _inside(result: MatchResult, published: float) -> bool:
    low, high = result.ci95
    return low <= published / 100 <= high


def _show(result: MatchResult, published: float | None) -> None:
    console = out()

    def row(name: str, text: str, style: str = "") -> None:
        console.print(f"{name:<11}{text}", markup=False, style=style, soft_wrap=True)

    console.print(f"{result.first} v {result.second}", markup=False, style="bold", soft_wrap=True)
    row("game", f"{result.game}, {result.games} games, {result.plies:.1f} plies each")
    row("score", _score(result.score))
    row("speed", f"{result.playouts_per_second:,.0f} playouts/s on each worker")
    row("win rate", _rate(result.score), style="bold")
    if published is not None:
        verdict = "inside" if _inside(result, published) else "outside"
        row("published", f"{published:.1f} %, {verdict} our interval")
