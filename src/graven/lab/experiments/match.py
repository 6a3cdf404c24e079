"""A match: two agents, many games, sides swapped after every game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

from graven.agents import Agent, agent
from graven.agents.spec_parser import Policies
from graven.agents.user_policies import given_policies, with_digests
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.number_checks import check_number
from graven.core.plain_values import PlainValues
from graven.lab.experiments.job import FailedGame, GameResult
from graven.lab.experiments.pairing import ROTATE, Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, check_games, play_missing
from graven.lab.experiments.run_config import RunConfig, RunKeywords, run_config
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.stats.sprt import SequentialTest, Sprt, SprtNumbers, SprtVerdict
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary
from graven.search.policy import Policy
from graven.sources.load import load_game


@dataclass(frozen=True, repr=False)
class MatchResult(PlainValues):
    """A match from the first agent's point of view.

    `games` counts all finished games of the match, `new` those that this run played, `planned` the
    games that were asked for. `verdict` is the result of the sequential test, if there is one.
    """

    pairing: Pairing
    planned: int
    new: int
    summary: Summary
    failures: tuple[FailedGame, ...]
    verdict: SprtVerdict | None
    store: Store | None = field(compare=False)  # None after pickling

    @property
    def game(self) -> str:
        """The game in canonical form."""
        return self.pairing.game

    @property
    def first(self) -> str:
        """The first agent in canonical form."""
        return self.pairing.agents[0]

    @property
    def second(self) -> str:
        """The second agent in canonical form."""
        return self.pairing.agents[1]

    @property
    def seed(self) -> int:
        """The seed of the match."""
        return self.pairing.seed

    @property
    def statistics(self) -> MatchStatistics:
        """Win rate, Elo, likelihood of superiority, p-value, results by seat and by pair."""
        return self.summary.statistics

    @property
    def score(self) -> Score:
        """The games won, lost and drawn."""
        return self.summary.score

    @property
    def games(self) -> int:
        """The number of finished games."""
        return self.score.games

    @property
    def wins(self) -> int:
        """The games that the first agent won."""
        return self.score.wins

    @property
    def losses(self) -> int:
        """The games that the first agent lost."""
        return self.score.losses

    @property
    def draws(self) -> int:
        """The drawn games."""
        return self.score.draws

    @property
    def win_rate(self) -> float | None:
        """The share of points, from 0 to 1, with half a point for a draw; None without games."""
        return self.score.win_rate

    @property
    def ci95(self) -> tuple[float, float]:
        """The win rate's 95 % confidence interval.

        Games from the same opening are not independent, so with openings groups are counted.
        """
        return self.statistics.ci95

    @property
    def plies(self) -> float:
        """The mean length of the games."""
        return self.summary.mean_plies

    @property
    def playouts_per_second(self) -> float:
        """Playouts per second of search: the speed of one worker."""
        return self.summary.playouts_per_second

    @cached_property
    def results(self) -> tuple[GameResult, ...]:
        """The games in the order of their numbers."""
        return tuple(self.store.results(self.pairing, self.planned)) if self.store else ()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the games themselves instead of the store."""
        return {**vars(self), "results": self.results, "store": None}

    def __str__(self) -> str:
        from graven.lab.reports.match_text import match_lines

        return "\n".join(line.text for line in match_lines(self))

    def __repr__(self) -> str:
        return (
            f"<MatchResult {self.pairing.title} at {self.game}: "
            f"{self.wins}-{self.draws}-{self.losses}>"
        )

    @property
    def finished(self) -> bool:
        """Whether all games were played, or a sequential test has decided."""
        decided = self.verdict is not None and self.verdict.accepted_elo is not None
        return decided or self.games >= self.planned

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain values."""
        values: dict[str, Any] = {
            "pairing": self.pairing.id,
            "game": self.game,
            "first": self.first,
            "second": self.second,
            "budgets": [limits.to_dict() for limits in self.pairing.limits],
            **self.statistics.to_dict(),
            "new": self.new,
            "plies": self.plies,
            "playouts_per_second": self.playouts_per_second,
            "seed": self.seed,
            "opening_plies": self.pairing.opening_plies,
            "failures": [str(failure) for failure in self.failures],
        }
        if self.verdict is not None:
            values["sprt"] = {
                "elo0": self.verdict.test.elo0,
                "elo1": self.verdict.test.elo1,
                "alpha": self.verdict.test.alpha,
                "beta": self.verdict.test.beta,
                "ratio": self.verdict.log_likelihood_ratio,
                "pairs": self.verdict.pairs,
                "decided": self.verdict.accepted_elo,
            }
        return values


def match(
    game: Game | str,
    first: str | Agent,
    second: str | Agent,
    games: int = 100,
    *,
    seating: str = ROTATE,
    sprt: SprtNumbers | None = None,
    policies: Policies = (),
    **keywords: Unpack[RunKeywords],
) -> MatchResult:
    """Play `games` games between two agents.

    `playouts`, `seconds`, `seed`, `workers`, `store` and the other keyword arguments are those of
    `gv.RunKeywords`. A budget inside an agent's spec, as in `rave(playouts=500)`, replaces
    `playouts` and `seconds`. Games that are in the store already are not played again, so a match
    that was stopped resumes. `progress` is called with the score.

    `seating`, for three players or more, is "rotate" (all seat assignments of both agents) or
    "single" (the first agent takes one seat). `sprt` ends the match early, once a sequential test
    has decided whether the first agent is stronger by the first or by the second number of Elo; a
    third and a fourth number are its error probabilities alpha and beta, by default 0.05.

    `policies` are user-defined policies that the specs name. They exist in this process only, so
    such a match is played with one worker; the store holds a digest of their functions.
    """
    return run_match(
        game,
        first,
        second,
        run_config(**keywords),
        games=games,
        seating=seating,
        sprt=sprt,
        policies=policies,
    )


def run_match(
    game: Game | str,
    first: str | Agent,
    second: str | Agent,
    config: RunConfig[Score],
    *,
    games: int,
    seating: str = ROTATE,
    sprt: SprtNumbers | None = None,
    policies: Policies = (),
) -> MatchResult:
    """Play a match with the settings of `config`: see `match`."""
    games = check_games(games)
    if isinstance(game, str):
        game = load_game(game)
    own = _own_policies(first, second, policies)
    pairing = make_pairing(
        game,
        _with_policies(first, own),
        _with_policies(second, own),
        config.budget,
        seed=config.seed,
        opening_plies=config.opening_plies,
        seating=seating,
    )
    pairing = with_fingerprint(pairing, game, own)
    test = SequentialTest(_sprt(sprt)) if sprt is not None else None
    if test is not None and seating != ROTATE:
        raise UsageError(f"a sequential test needs the seating 'rotate', got {seating!r}.")
    store = config.store
    score, new = Score(), 0

    def count(index: int, outcome: float) -> None:
        nonlocal score
        score = score.plus(outcome)
        if test is not None:
            test.add(index, outcome)

    def on_game(_: Pairing, result: GameResult) -> None:
        nonlocal new
        new += 1
        count(result.index, result.outcome)
        config.report(score)

    for index, outcome in store.outcomes(pairing, games).items():
        count(index, outcome)
    config.report(score)
    failures = play_missing(
        [PlannedGames(pairing, games)],
        config,
        on_game=on_game,
        enough=lambda: test is not None and test.decided,
        game=game,
        policies=own,
    )
    return MatchResult(
        pairing=pairing,
        planned=games,
        new=new,
        summary=store.summary(pairing, games),
        failures=failures,
        verdict=test.verdict if test is not None else None,
        store=store,
    )


def _sprt(numbers: SprtNumbers) -> Sprt:
    """Return the hypotheses of a sequential test."""
    if not isinstance(numbers, Sequence) or isinstance(numbers, str) or not 2 <= len(numbers) <= 4:
        raise UsageError(f"sprt must be two Elo differences such as (0, 20), got {numbers!r}.")
    for number in numbers:
        check_number("sprt must be two Elo differences such as (0, 20); each", number)
    return Sprt(*numbers)


def _own_policies(
    first: str | Agent, second: str | Agent, policies: Policies
) -> tuple[Policy, ...]:
    """Return the policies that exist in this process only: those given, and those of the agents."""
    own = {policy.name: policy for policy in with_digests(given_policies(policies))}
    for side in (first, second):
        for policy in with_digests(getattr(side, "policies", ())):
            if own.setdefault(policy.name, policy) != policy:
                raise UsageError(f"two different policies are called {policy.name!r}.")
    return tuple(own.values())


def _with_policies(side: str | Agent, policies: tuple[Policy, ...]) -> str | Agent:
    """Return an agent whose spec has the digests of its policies."""
    text: Any = getattr(side, "spec", side)
    return agent(text, policies) if policies else side
