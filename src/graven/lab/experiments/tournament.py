"""A tournament: a match between every two agents, or between the first one and all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

from graven.agents import Agent, as_agent
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.plain_values import PlainValues
from graven.lab.experiments.job import FailedGame, GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, check_games, play_missing
from graven.lab.experiments.run_config import RunConfig, RunKeywords, run_config
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.stats.ratings import Ladder, rate_agents
from graven.sources.load import load_game

MOST_AGENTS = 100


@dataclass(frozen=True)
class Standings:
    """A tournament so far: `scores[i, j]` is the score of agent i against agent j."""

    game: str
    agents: tuple[str, ...]
    scores: dict[tuple[int, int], Score]
    planned: int

    @property
    def games(self) -> int:
        """The number of games that have been played."""
        return sum(score.games for score in self.scores.values())

    def score(self, agent: int, opponent: int) -> Score | None:
        """Return the score of one agent against another; None if they do not meet."""
        if (agent, opponent) in self.scores:
            return self.scores[agent, opponent]
        reverse = self.scores.get((opponent, agent))
        return reverse.reversed if reverse else None

    def total(self, agent: int) -> Score:
        """Return an agent's score against all others together."""
        total = Score()
        for opponent in range(len(self.agents)):
            total += self.score(agent, opponent) or Score()
        return total

    @property
    def comparable(self) -> bool:
        """Whether every pair has finished a game, so that all agents can be rated."""
        return all(score.games for score in self.scores.values())


@dataclass(frozen=True)
class TournamentResult(PlainValues):
    """A tournament's standings when it ended or was stopped.

    `matches[i, j]` has the statistics of agent i against agent j.
    """

    standings: Standings
    matches: dict[tuple[int, int], MatchStatistics]
    pairings: tuple[Pairing, ...]
    failures: tuple[FailedGame, ...]

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return self.standings.games >= self.standings.planned

    def ladder(self) -> Ladder:
        """Rate all agents, with confidence intervals."""
        return rate_agents(self.standings.agents, self.matches)

    def to_dict(self) -> dict[str, Any]:
        """Return the tournament as plain values.

        Ratings are in their order. A pair has the statistics of a match between its agents.
        """
        standings = self.standings
        ladder = self.ladder() if standings.comparable else Ladder((), (), False)
        return {
            "game": standings.game,
            "games": standings.games,
            "planned": standings.planned,
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
            "superior": [list(row) for row in ladder.superiority],
            "helped": ladder.regularised,
            "pairs": [
                {
                    "first": standings.agents[first],
                    "second": standings.agents[second],
                    **match.to_dict(),
                }
                for (first, second), match in self.matches.items()
            ],
            "failures": [str(failure) for failure in self.failures],
        }


def schedule(agents: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Return the pairs of agents that meet: all pairs, or in a gauntlet those with the first."""
    if gauntlet:
        return [(0, opponent) for opponent in range(1, agents)]
    return list(combinations(range(agents), 2))


def tournament(
    game: Game | str,
    agents: Sequence[str | Agent],
    games: int = 20,
    *,
    gauntlet: bool = False,
    **keywords: Unpack[RunKeywords],
) -> TournamentResult:
    """Play `games` games between every two agents; in a gauntlet, of the first against all others.

    In games of three players or more the two agents of a pair take turns in all seat assignments.
    The other keyword arguments are those of `RunKeywords`, as for `match`; `progress` is called
    with the `Standings`.
    """
    return run_tournament(game, agents, run_config(**keywords), games=games, gauntlet=gauntlet)


def run_tournament(
    game: Game | str,
    agents: Sequence[str | Agent],
    config: RunConfig[Standings],
    *,
    games: int,
    gauntlet: bool = False,
) -> TournamentResult:
    """Play a tournament with the settings of `config`: see `tournament`."""
    games = check_games(games)
    if isinstance(game, str):
        game = load_game(game)
    if isinstance(agents, str) or not isinstance(agents, Iterable):
        raise UsageError(
            f"agents must be a list of agents such as ['uct', 'rave'], got {agents!r}."
        )
    entrants = [as_agent(entrant) for entrant in agents]
    names = tuple(entrant.spec for entrant in entrants)
    if not 2 <= len(names) <= MOST_AGENTS:
        raise UsageError(f"a tournament needs from 2 to {MOST_AGENTS} agents, got {len(names)}.")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"duplicate agent {name}: tournament entries must be distinct.")
    pairings = {
        (first, second): make_pairing(
            game,
            entrants[first],
            entrants[second],
            config.budget,
            seed=config.seed,
            opening_plies=config.opening_plies,
        )
        for first, second in schedule(len(names), gauntlet)
    }
    if len(set(pairings.values())) < len(pairings):
        raise UsageError(
            "two agents of the tournament are equal with this budget: entries must be distinct."
        )
    pairings = {pair: with_fingerprint(pairing, game) for pair, pairing in pairings.items()}
    pair_of = {pairing: pair for pair, pairing in pairings.items()}
    scores = {
        pair: config.store.summary(pairing, games).score for pair, pairing in pairings.items()
    }
    standings = Standings(game.spec, names, scores, games * len(pairings))

    def on_game(pairing: Pairing, result: GameResult) -> None:
        pair = pair_of[pairing]
        scores[pair] = scores[pair].plus(result.outcome)
        config.report(standings)

    config.report(standings)
    plan = [PlannedGames(pairing, games) for pairing in pairings.values()]
    failures = play_missing(plan, config, on_game=on_game, game=game)
    matches = {
        pair: config.store.summary(pairing, games).statistics for pair, pairing in pairings.items()
    }
    return TournamentResult(standings, matches, tuple(pairings.values()), failures)
