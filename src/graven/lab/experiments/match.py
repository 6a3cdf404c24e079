"""A match: two agents, many games, sides swapped after every game."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from graven.agents import Agent
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.lab.experiments.experiment import Place, Task, play_missing
from graven.lab.experiments.job import Failure, GameResult
from graven.lab.experiments.pairing import MIXED, Cell, make_cell
from graven.lab.stats.intervals import Score, group_means, mean_interval
from graven.lab.stats.sprt import Sprt, Trial, Verdict
from graven.lab.store.store import IN_MEMORY, Store, Summary
from graven.search.budget import Budget
from graven.search.engine import Stop
from graven.sources.load import make_game

Progress = Callable[[Score], None]


@dataclass(frozen=True)
class MatchResult:
    """A match from the first agent's point of view.

    `games` counts all games of the match that are finished, whenever they were played; `planned`
    says how many it was meant to have, `new` how many this run played. `pairs` are the mean
    results of pairs of games from the same opening, if they have openings.
    """

    cell: Cell
    planned: int
    new: int
    summary: Summary
    failures: tuple[Failure, ...]
    verdict: Verdict | None
    pairs: tuple[float, ...]
    store: Store = field(repr=False, compare=False)

    @property
    def game(self) -> str:
        """The game in canonical form."""
        return self.cell.game

    @property
    def first(self) -> str:
        """The first agent in canonical form."""
        return self.cell.agents[0]

    @property
    def second(self) -> str:
        """The second agent in canonical form."""
        return self.cell.agents[1]

    @property
    def seed(self) -> int:
        """The seed of the match."""
        return self.cell.seed

    @property
    def score(self) -> Score:
        """Games won, lost and drawn."""
        return self.summary.score

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
        """The win rate's 95 % confidence interval.

        Two games from the same opening belong together, so there pairs are what is counted.
        """
        return mean_interval(self.pairs) if self.pairs else self.score.ci95

    @property
    def plies(self) -> float:
        """The mean length of the games."""
        return self.summary.mean_plies

    @property
    def playouts_per_second(self) -> float:
        """Playouts for each second of searching: the rate of one worker, not of all together."""
        return self.summary.playouts_per_second

    @cached_property
    def results(self) -> tuple[GameResult, ...]:
        """The games themselves, in the order of their numbers."""
        return tuple(self.store.results(self.cell, self.planned))

    def as_json(self) -> dict[str, Any]:
        """The match as plain values."""
        low, high = self.ci95
        said = {
            "game": self.game,
            "first": self.first,
            "second": self.second,
            "budgets": [asdict(budget) for budget in self.cell.budgets],
            "games": self.games,
            "new": self.new,
            "wins": self.wins,
            "losses": self.losses,
            "draws": self.draws,
            "win_rate": self.win_rate,
            "ci95": [low, high],
            "plies": self.plies,
            "playouts_per_second": self.playouts_per_second,
            "seed": self.seed,
            "openings": self.cell.openings,
            "failures": [str(failure) for failure in self.failures],
        }
        if self.verdict is not None:
            said["sprt"] = {
                "elo0": self.verdict.test.elo0,
                "elo1": self.verdict.test.elo1,
                "ratio": self.verdict.ratio,
                "pairs": self.verdict.pairs,
                "decided": self.verdict.decided,
            }
        return said


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
    *,
    db: str | os.PathLike[str] | Store | None = None,
    cluster: str | None = None,
    openings: int = 0,
    seating: str = MIXED,
    sprt: tuple[float, float] | None = None,
) -> MatchResult:
    """Play `games` games between two agents.

    Each move may spend `playouts` or `seconds`, or whichever is spent first; 1,000 playouts if
    neither is given. A budget inside an agent's spec, as in `rave(playouts=500)`, beats both.
    `workers` processes play at the same time, by default as many as there are cores; with one,
    games are played in this process; `cluster` is the address of a Dask scheduler to play on
    instead. `progress` is called with the score before the first game and after every game.

    `db` is a file that remembers the games: those that are in it already are not played again, so
    that a match which was stopped goes on where it was. Once `stop` is set, games under way are
    dropped. `openings` random moves begin each game, the same ones for both games of a pair.
    `sprt` ends the match early, once it is clear whether the first agent is stronger by the first
    or by the second number of Elo.
    """
    if isinstance(game, str):
        game = make_game(game)
    cell = make_cell(game, first, second, Budget(playouts, seconds), seed, openings, seating)
    trial = Trial(Sprt(*sprt)) if sprt is not None else None
    if trial is not None and seating != MIXED:
        raise UsageError("a sequential test needs both sides to change seats: seating 'mixed'.")
    store = db if isinstance(db, Store) else Store(IN_MEMORY if db is None else db)
    score, new = Score(), 0

    def count(index: int, outcome: float) -> None:
        nonlocal score
        score = score.plus(outcome)
        if trial is not None:
            trial.add(index, outcome)

    def recorded(_: Cell, result: GameResult) -> None:
        nonlocal new
        new += 1
        count(result.index, result.outcome)
        if progress is not None:
            progress(score)

    for index, outcome in store.outcomes(cell, games).items():
        count(index, outcome)
    if progress is not None:
        progress(score)
    failures = play_missing(
        [Task(cell, games)],
        store,
        Place(workers, cluster),
        recorded,
        stop,
        enough=lambda: trial is not None and trial.verdict.decided is not None,
        game=game,
    )
    verdict = trial.verdict if trial is not None else None
    pairs = tuple(group_means(store.outcomes(cell, games), cell.together)) if openings else ()
    summary = store.summary(cell, games)
    return MatchResult(cell, games, new, summary, failures, verdict, pairs, store)
