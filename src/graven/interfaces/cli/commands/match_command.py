"""`graven match`: two agents, many games."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

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
    Threads,
    check_agents,
    load_game_to_match,
    with_game_clock,
    with_threads,
)
from graven.interfaces.cli.console import format_duration, no_game_yet, print_lines
from graven.interfaces.cli.experiment_runner import (
    Cluster,
    ExperimentSettings,
    Margin,
    OpeningPlies,
    Seating,
    Workers,
    run_experiment,
)
from graven.interfaces.cli.number_format import comparison_text

if TYPE_CHECKING:
    from graven.lab.experiments.match import MatchResult
    from graven.lab.stats.comparison import Comparison
    from graven.lab.stats.intervals import Score
    from graven.lab.stats.proportions import Proportion

# A match is often short: show its score soon.
QUIET_SECONDS = 0.5

AGENT_HELP = "An agent: see 'graven agents'."


def match(
    game: GameText,
    first: Annotated[str, typer.Argument(metavar="FIRST", help=AGENT_HELP, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help=AGENT_HELP, show_default=False)],
    games: Annotated[int, typer.Option(help="Number of games.", metavar="N")] = 100,
    playouts: Playouts = None,
    seconds: Seconds = None,
    game_time: GameTime = None,
    increment: Increment = None,
    threads: Threads = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    size: Size = None,
    opening_plies: OpeningPlies = 0,
    seating: Seating = "rotate",
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="Stop early, by a sequential test: is the first agent stronger by ELO0 or ELO1?",
            metavar="ELO0 ELO1",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(help="With --sprt: the probability of accepting ELO1 if ELO0 is true."),
    ] = 0.05,
    beta: Annotated[
        float,
        typer.Option(help="With --sprt: the probability of accepting ELO0 if ELO1 is true."),
    ] = 0.05,
    check: Annotated[
        bool,
        typer.Option("--check", help="Play user-defined rules with bounds checks; slower."),
    ] = False,
    published: Annotated[
        float | None,
        typer.Option(help="A published win rate to compare with: 65 for 65 %.", metavar="PERCENT"),
    ] = None,
    published_games: Annotated[
        int | None,
        typer.Option(
            help="The number of games of the published win rate; without it, the rate is exact.",
            metavar="N",
        ),
    ] = None,
    margin: Margin = 5.0,
    db: Db = None,
    json: Json = False,
) -> None:
    """Play many games between two agents.

    The score is the first agent's. "superior" is the likelihood that the first agent is stronger,
    and p the p-value of equal strength. With --opening-plies, statistics count pairs of games from
    the same opening, and "pairs" shows how many gave 0, 1/2, 1, 3/2 and 2 points. With --published
    the difference is tested, and an equivalence test with a margin gives the verdict. The sides are
    swapped after every game. Without a budget each
    move has 1,000 playouts; a budget inside a spec applies to that agent only. Every game is
    recorded as it ends: the same command plays only what is missing, so it also resumes a match
    after Ctrl-C. "pairing" is the id with which 'graven replay ID N' shows game N.

    \b
    Examples:
      graven match knightthrough "grave(ref=50,bias=1e-4,solver=off)" \\
        "rave(bias=0.01,solver=off)" --published 67.8 --published-games 500
      graven match domineering --size 19 "rave(playouts=1000)" "uct(playouts=10000)" --games 20
      graven match nogo grave uct --seconds 0.1 --workers 4 --json
      graven match breakthrough grave uct --time 60 --increment 0.5 --games 20
      graven match hex "grave(threads=2)" grave --seconds 0.5 --workers 1
      graven match ./mygame.py:game grave uct --games 20 --check
      graven match breakthrough grave rave --opening-plies 4 --games 2000 --sprt 0 30 --alpha 0.01
    """
    from graven.core.errors import UsageError
    from graven.lab.experiments.match import run_match
    from graven.lab.stats.comparison import check_margin

    target = _published(published, published_games)
    check_margin(margin / 100)
    if sprt is None and (alpha, beta) != (0.05, 0.05):
        raise UsageError("--alpha and --beta are those of a sequential test: add --sprt ELO0 ELO1.")
    check_agents(first, second)
    first, second = (
        with_game_clock(spec, game_time, increment, (playouts, seconds)) for spec in (first, second)
    )
    first, second = with_threads(first, threads), with_threads(second, threads)
    loaded = load_game_to_match(game, size)
    settings = ExperimentSettings(
        playouts=playouts,
        seconds=seconds,
        seed=seed,
        opening_plies=opening_plies,
        workers=workers,
        cluster=cluster,
        check=check,
        db=db,
        json=json,
    )
    run_experiment(
        settings,
        MatchLine(games),
        lambda config: run_match(
            loaded,
            first,
            second,
            config,
            games=games,
            seating=seating,
            sprt=(*sprt, alpha, beta) if sprt is not None else None,
        ),
        lambda result: _show(result, _comparison(result, target, margin)),
        as_json=lambda result: _as_json(result, _comparison(result, target, margin)),
        quiet=QUIET_SECONDS,
    )


def _published(percent: float | None, games: int | None) -> Proportion | None:
    """Return the published win rate to compare with; None if there is none."""
    from math import inf

    from graven.core.errors import UsageError
    from graven.lab.stats.proportions import Proportion

    if percent is None:
        if games is not None:
            raise UsageError("--published-games needs --published PERCENT.")
        return None
    if not 0 <= percent <= 100:
        raise UsageError(f"--published is a win rate in per cent, from 0 to 100, got {percent:g}.")
    if 0 < percent < 1:
        raise UsageError(
            f"--published is a win rate in per cent, got {percent:g}: write {100 * percent:g} for "
            f"{100 * percent:g} %. Rates below 1 % cannot be compared."
        )
    if games is not None and games < 1:
        raise UsageError(f"--published-games is at least 1, got {games}.")
    return Proportion(percent / 100, inf if games is None else games)


def _comparison(
    result: MatchResult, published: Proportion | None, margin: float
) -> Comparison | None:
    from graven.lab.stats.comparison import compare

    if published is None or not result.games:
        return None
    ours = result.statistics.sample.proportion
    return compare(ours, published, result.games, margin=margin / 100)


def _as_json(result: MatchResult, comparison: Comparison | None) -> dict[str, Any]:
    values = result.to_dict()
    if comparison is not None:
        values |= {"published": comparison.published.rate, "comparison": comparison.to_dict()}
    return values


class MatchLine:
    """The score so far, and the time that the rest will take."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._initial: Score | None = None  # from earlier runs
        self._score: Score | None = None
        self._first_end = 0.0

    def update(self, score: Score) -> None:
        """Take note of the latest score."""
        if self._initial is None:
            self._initial = score
        elif self._score is self._initial:
            self._first_end = time.monotonic()
        self._score = score

    def text(self, elapsed: float) -> str:
        """Return the line after `elapsed` seconds."""
        from graven.lab.reports.match_text import rate_text

        score, initial = self._score, self._initial
        if score is None or initial is None or score is initial:
            done = score.games if score else 0
            spent = format_duration(elapsed)
            return f"{done}/{self._games} games after {spent}{no_game_yet(elapsed)}"
        text = f"{score.games}/{self._games} games"
        text += f", {score.wins}-{score.draws}-{score.losses}, {rate_text(score, score.ci95)}"
        new = score.games - initial.games
        if new > 1:
            # From the end of the first game on: the first one includes compilation.
            pace = (time.monotonic() - self._first_end) / (new - 1)
            text += f", {format_duration(pace * (self._games - score.games))} left"
        return text


def _show(result: MatchResult, comparison: Comparison | None) -> None:
    from graven.lab.reports.match_text import match_lines, text_row

    lines = match_lines(result)
    if comparison is not None:
        rate = float(f"{100 * comparison.published.rate:.6g}")
        published = f"{rate:.1f} %" if rate == round(rate, 1) else f"{rate:g} %"
        lines.append(text_row("published", f"{published}, {comparison_text(comparison)}"))
    print_lines(lines)
