"""A match: two agents, many games, sides swapped after every game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import takewhile
from typing import Any

import numpy as np

from graven.agents import Agent, agent
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.games import registry
from graven.lab.jobs import GameResult, plan
from graven.lab.play import warm_up
from graven.lab.statistics import Score
from graven.lab.workers import cores, play_apart, play_here
from graven.search.engine import Budget, Stop


@dataclass(frozen=True)
class MatchResult:
    """A match from the first agent's point of view.

    `results` are the games that this run played; `score` also counts those that an earlier run
    had played (`done`). `planned` says how many games the match was meant to have.
    """

    game: str
    first: str
    second: str
    seed: int
    planned: int
    score: Score
    results: tuple[GameResult, ...]

    @property
    def games(self) -> int:
        """How many games the score counts."""
        return self.score.games

    @property
    def wins(self) -> int:
        """Games that the first agent won."""
        return self.score.wins

    @property
    def losses(self) -> int:
        """Games that the second agent won."""
        return self.score.losses

    @property
    def draws(self) -> int:
        """Games that nobody won."""
        return self.score.draws

    @property
    def win_rate(self) -> float | None:
        """Points won, from 0 to 1, where a draw is half a point; None before the first game."""
        return self.score.win_rate

    @property
    def ci95(self) -> tuple[float, float]:
        """The win rate's 95 % confidence interval."""
        return self.score.ci95

    @property
    def plies(self) -> float:
        """The mean length of this run's games."""
        return sum(result.plies for result in self.results) / max(1, len(self.results))

    @property
    def playouts_per_second(self) -> float:
        """Playouts for each second of searching: the rate of one worker, not of all together."""
        seconds = sum(result.seconds for result in self.results)
        return sum(result.playouts for result in self.results) / seconds if seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """The match as plain values."""
        low, high = self.ci95
        return {
            "game": self.game,
            "first": self.first,
            "second": self.second,
            "games": self.games,
            "wins": self.wins,
            "losses": self.losses,
            "draws": self.draws,
            "win_rate": self.win_rate,
            "ci95": [low, high],
            "plies": self.plies,
            "playouts_per_second": self.playouts_per_second,
            "seed": self.seed,
        }


MOST_GAMES = 1_000_000

Progress = Callable[[Score], None]


def match(
    game: Game | str,
    first: str | Agent,
    second: str | Agent,
    games: int = 100,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    done: tuple[int, int, int] = (0, 0, 0),
) -> MatchResult:
    """Play `games` games between two agents.

    Each move may spend `playouts` or `seconds`, or whichever is spent first; 1,000 playouts if
    neither is given. A budget inside an agent's spec, as in `rave(playouts=500)`, beats both.
    `workers` processes play at the same time, by default as many as there are cores; with one,
    games are played in this process. `progress` is called with the score after every game.

    Once `stop` is set, games under way are dropped. The result then counts the games up to the
    first unfinished one, so that a later run can go on from there: `done` are the wins, losses
    and draws of the games that an earlier run with the same seed has played.
    """
    before = Score(*done)
    _check_counts(games, before, workers)
    if isinstance(game, str):
        game = registry.make_game(game)
    sides = _as_agent(first), _as_agent(second)
    given = Budget(playouts, seconds)
    budgets = sides[0].budget_or(given), sides[1].budget_or(given)
    specs = sides[0].spec, sides[1].spec
    jobs = plan(game.spec, game.players, specs, budgets, range(before.games, games), seed)
    workers = min(_worker_count(game, workers), max(1, len(jobs)))

    warm_up(game, sides)
    ongoing = play_apart(jobs, workers, stop) if workers > 1 else play_here(jobs, game, stop)
    finished: dict[int, GameResult] = {}
    score = before
    for result in ongoing:
        finished[result.index] = result
        score = score.plus(result.outcome)
        if progress is not None:
            progress(score)

    numbers = takewhile(finished.__contains__, (job.index for job in jobs))
    results = tuple(finished[number] for number in numbers)
    score = reduce(Score.plus, (result.outcome for result in results), before)
    return MatchResult(game.spec, *specs, seed, games, score, results)


def _as_agent(given: str | Agent) -> Agent:
    return agent(given) if isinstance(given, str) else given


def _check_counts(games: int, before: Score, workers: int | None) -> None:
    if not 1 <= games <= MOST_GAMES:
        raise UsageError(f"a match needs from 1 to {MOST_GAMES:,} games, not {games}.")
    if workers is not None and workers < 1:
        raise UsageError(f"a match needs at least 1 worker, not {workers}.")
    if min(before.wins, before.losses, before.draws) < 0 or before.games > games:
        raise UsageError(
            f"the games already done ({before.wins}, {before.losses}, {before.draws}) must be "
            f"wins, losses and draws that add up to no more than {games} games."
        )


def _worker_count(game: Game, workers: int | None) -> int:
    """As many as asked for, if other processes can make the game from its text."""
    if workers == 1 or _others_can_make(game):
        return workers or cores()
    if workers is None:
        return 1
    raise UsageError(
        f"the game {game.spec} is not in the registry, so that only this process knows it: "
        "its matches are played with workers=1."
    )


def _others_can_make(game: Game) -> bool:
    try:
        known = registry.make_game(game.spec)
    except UsageError:
        return False
    same_tables = np.array_equal(known.tables, game.tables)
    alike = known.functions == game.functions and known.playouts == game.playouts
    return same_tables and alike and known.rules[1:] == game.rules[1:]
