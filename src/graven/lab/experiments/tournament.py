"""A tournament: every pair of agents plays a match, or the first one plays everybody."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from graven.agents import Agent, agent
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.lab.experiments.experiment import Place, Task, play_missing
from graven.lab.experiments.job import Failure, GameResult
from graven.lab.experiments.pairing import Cell, make_cell
from graven.lab.stats.intervals import Score, likelihood_of_superiority
from graven.lab.stats.ratings import Ladder, rate
from graven.lab.store.store import IN_MEMORY, Store
from graven.search.budget import Budget
from graven.search.engine import Stop
from graven.sources.load import make_game

MOST_AGENTS = 100


@dataclass(frozen=True)
class Standing:
    """A tournament so far: the score of each pair (i, j) from the point of view of agent i."""

    game: str
    agents: tuple[str, ...]
    scores: dict[tuple[int, int], Score]
    planned: int

    @property
    def games(self) -> int:
        """How many games have been played."""
        return sum(score.games for score in self.scores.values())

    def score(self, one: int, other: int) -> Score | None:
        """The score of one agent against another; None if they do not play each other."""
        if (one, other) in self.scores:
            return self.scores[one, other]
        found = self.scores.get((other, one))
        return Score(found.losses, found.wins, found.draws) if found else None

    def total(self, one: int) -> Score:
        """An agent's score against all others together."""
        total = Score()
        for other in range(len(self.agents)):
            score = self.score(one, other) or Score()
            total = Score(
                total.wins + score.wins, total.losses + score.losses, total.draws + score.draws
            )
        return total

    @property
    def comparable(self) -> bool:
        """Whether every pair has played, so that everybody can be rated."""
        return all(score.games for score in self.scores.values())

    def ladder(self) -> Ladder:
        """Ratings with intervals."""
        return rate(self.agents, self.scores)


@dataclass(frozen=True)
class TournamentResult:
    """A tournament's standing when it ended or was stopped."""

    standing: Standing
    cells: tuple[Cell, ...]
    failures: tuple[Failure, ...]

    def as_json(self) -> dict[str, Any]:
        """The tournament as plain values; agents in the order of their ratings."""
        standing = self.standing
        ladder = standing.ladder() if standing.comparable else Ladder((), (), False)
        place = {name: number for number, name in enumerate(standing.agents)}
        ranked = [rating.agent for rating in ladder.ratings] or list(standing.agents)
        return {
            "game": standing.game,
            "games": standing.games,
            "planned": standing.planned,
            "ratings": [
                {
                    "agent": rating.agent,
                    "elo": rating.elo,
                    "low": rating.low,
                    "high": rating.high,
                    "games": rating.games,
                    "points": rating.points,
                }
                for rating in ladder.ratings
            ],
            "superior": [list(row) for row in ladder.superior],
            "helped": ladder.helped,
            "pairs": [
                {
                    "first": one,
                    "second": other,
                    "wins": score.wins,
                    "losses": score.losses,
                    "draws": score.draws,
                    "win_rate": score.win_rate,
                    "ci95": list(score.ci95),
                    "superior": likelihood_of_superiority(score),
                }
                for one, other in combinations(ranked, 2)
                if (score := standing.score(place[one], place[other])) is not None
            ],
            "failures": [str(failure) for failure in self.failures],
        }


def pairings(count: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Who plays whom: everybody everybody, or the first one all others."""
    if gauntlet:
        return [(0, other) for other in range(1, count)]
    return list(combinations(range(count), 2))


def tournament(
    game: Game | str,
    agents: Sequence[str | Agent],
    games: int = 20,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[Standing], None] | None = None,
    stop: Stop | None = None,
    *,
    gauntlet: bool = False,
    db: str | os.PathLike[str] | Store | None = None,
    cluster: str | None = None,
    openings: int = 0,
) -> TournamentResult:
    """Let several agents play `games` games in every pair; with a gauntlet, the first all others.

    In games of three and more players the two agents of a pair share the seats in all ways. What
    else can be said is as for `match`; `progress` is called with the standing after every game.
    """
    if isinstance(game, str):
        game = make_game(game)
    sides = [agent(each) if isinstance(each, str) else each for each in agents]
    names = tuple(side.spec for side in sides)
    if not 2 <= len(names) <= MOST_AGENTS:
        raise UsageError(f"a tournament needs from 2 to {MOST_AGENTS} agents, not {len(names)}.")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} takes part twice: each agent of a tournament is another one.")
    given = Budget(playouts, seconds)
    pairs = pairings(len(names), gauntlet)
    cells = {
        pair: make_cell(game, sides[pair[0]], sides[pair[1]], given, seed, openings)
        for pair in pairs
    }
    if len(set(cells.values())) < len(cells):
        raise UsageError(
            "two agents of the tournament are the same with this budget: each is another one."
        )
    store = db if isinstance(db, Store) else Store(IN_MEMORY if db is None else db)
    where = {cell: pair for pair, cell in cells.items()}
    scores = {pair: store.summary(cell, games).score for pair, cell in cells.items()}
    standing = Standing(game.spec, names, scores, games * len(pairs))

    def recorded(cell: Cell, result: GameResult) -> None:
        scores[where[cell]] = scores[where[cell]].plus(result.outcome)
        if progress is not None:
            progress(standing)

    if progress is not None:
        progress(standing)
    wanted = [Task(cell, games) for cell in cells.values()]
    failures = play_missing(wanted, store, Place(workers, cluster), recorded, stop, game=game)
    return TournamentResult(standing, tuple(cells.values()), failures)
