"""The frontier: tournaments of the same agents in many games, to find the best one for each.

Every game is a tournament of its own, with ratings. Points over all games are means: each game has
the same weight, since all have the same number of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graven.agents.default_agent import FEW_PLAYOUTS_SPEC
from graven.core.plain_values import PlainValues
from graven.gdl import sheets
from graven.lab.experiments.job import FailedGame
from graven.lab.experiments.run_config import RunConfig
from graven.lab.experiments.tournament import Standings, TournamentResult, run_tournament
from graven.lab.stats.intervals import Score

# The policies of the package with the parameters that their papers or our measurements give. Those
# that need features or an evaluation of the game are not for every game.
AGENTS = (
    "uct",
    "ucb1-tuned",
    "rave",
    "grave",
    "hrave",
    "mcps",
    "uct(root=sh)",
    "grave2",
    "grave(ref=auto,bias=auto)",
    "uct+mast",
    "uct+nst",
    "uct+ppa",
    "uct+ppam",
    "uct+npa",
    "uct+lgrf",
    "grave+mast",
    "grave+ppa",
    "grave+poolrave",
    FEW_PLAYOUTS_SPEC,
)
NATIVE_GAMES = (
    "breakthrough",
    "knightthrough",
    "domineering",
    "nogo(size=7)",
    "atarigo",
    "hex(size=9)",
    "othello",
    "go(size=9)",
    "havannah(size=5)",
)


def gdl_games() -> tuple[str, ...]:
    """Return the games of the shipped rulesheets."""
    return tuple(f"gdl(sheet={name})" for name in sheets.names())


@dataclass(frozen=True)
class AgentRecord:
    """An agent in all games: its points, and the games where it has the fewest and the most."""

    agent: str
    score: Score
    worst: tuple[str, float] | None
    best: tuple[str, float] | None
    first_places: int


@dataclass(frozen=True)
class FrontierResult(PlainValues):
    """The tournaments of all games that have begun, in order."""

    games: tuple[str, ...]
    tournaments: tuple[TournamentResult, ...]

    @property
    def failures(self) -> tuple[FailedGame, ...]:
        """The games that could not be played."""
        return tuple(failure for each in self.tournaments for failure in each.failures)

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return len(self.tournaments) == len(self.games) and all(
            each.finished for each in self.tournaments
        )

    @property
    def records(self) -> list[AgentRecord]:
        """The agents over all games, by points."""
        if not self.tournaments:
            return []
        names = self.tournaments[0].standings.agents
        records = [self._record(index, name) for index, name in enumerate(names)]
        return sorted(records, key=lambda record: -(record.score.win_rate or 0.0))

    def _record(self, index: int, name: str) -> AgentRecord:
        total, rates, first_places = Score(), [], 0
        for each in self.tournaments:
            score = each.standings.total(index)
            total += score
            if score.win_rate is not None:
                rates.append((each.standings.game, score.win_rate))
                everyone = range(len(each.standings.agents))
                most = max(each.standings.total(other).win_rate or 0.0 for other in everyone)
                first_places += score.win_rate >= most
        worst = min(rates, key=lambda rate: rate[1], default=None)
        best = max(rates, key=lambda rate: rate[1], default=None)
        return AgentRecord(name, total, worst, best, first_places)

    def to_dict(self) -> dict[str, Any]:
        """Return the records and the tournaments as plain values."""
        return {
            "agents": [
                {
                    "agent": record.agent,
                    "games": record.score.games,
                    "points": record.score.win_rate,
                    "ci95": list(record.score.sample.proportion.interval()),
                    "worst": list(record.worst) if record.worst else None,
                    "best": list(record.best) if record.best else None,
                    "first_places": record.first_places,
                }
                for record in self.records
            ],
            "tournaments": [each.to_dict() for each in self.tournaments],
        }


def run_frontier(
    games: Sequence[str],
    agents: Sequence[str],
    config: RunConfig[Standings],
    *,
    games_per_pair: int,
    gauntlet: bool = False,
) -> FrontierResult:
    """Play a tournament of the same agents in every game, one after the other, until stopped."""
    tournaments = []
    for game in games:
        if config.stop is not None and config.stop.is_set():
            break
        tournaments.append(
            run_tournament(game, agents, config, games=games_per_pair, gauntlet=gauntlet)
        )
    return FrontierResult(tuple(games), tuple(tournaments))
