"""Tuning: Optuna searches for the best parameters against an opponent.

A trial is one setting, which plays in rounds. It is pruned between two rounds if the upper end of
its confidence interval is below the lower end of the best trial's. The best of many trials is
likely to have been lucky as well, so it then plays a validation match with another seed, on whose
games no choice depended: its score is the result.

Games are in the store like all others. A tuning that was stopped resumes with the trial it was at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.number_checks import whole_value
from graven.core.plain_values import PlainValues
from graven.core.rng import derive
from graven.lab.experiments.job import FailedGame
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, check_games, play_missing
from graven.lab.experiments.run_config import RunConfig, RunKeywords, run_config
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.experiments.tune_study import TuneStudy
from graven.lab.experiments.tune_template import parse_template
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.sources.load import load_game

ROUND_GAMES = 20
MOST_TRIALS = 10_000
VALIDATION_STREAM = 0x76616C69
VALIDATION_SEEDS = 10**9


@dataclass(frozen=True)
class TuneTrial:
    """One setting and its statistics; `pruned` if it was stopped early."""

    agent: str
    statistics: MatchStatistics
    pruned: bool

    @property
    def score(self) -> Score:
        """The games won, lost and drawn."""
        return self.statistics.score


@dataclass(frozen=True)
class TuneProgress:
    """The number of finished trials, the best of them, and whether it is being validated."""

    trials: int
    planned: int
    best: TuneTrial | None
    validating: bool = False


@dataclass(frozen=True)
class TuneResult(PlainValues):
    """The trials, the best of them, and the score of its validation match.

    `pairing` is the validation match; None if it was not played.
    """

    game: str
    against: str
    trials: tuple[TuneTrial, ...]
    planned: int
    validation: MatchStatistics
    validation_games: int
    pairing: Pairing | None
    failures: tuple[FailedGame, ...]

    @property
    def best(self) -> TuneTrial | None:
        """The trial with the highest win rate among those that were not pruned."""
        return _best(self.trials)

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return len(self.trials) >= self.planned and self.validation.games >= self.validation_games

    def to_dict(self) -> dict[str, Any]:
        """Return the tuning as plain values."""
        best = self.best
        return {
            "game": self.game,
            "against": self.against,
            "trials": [
                {
                    "agent": trial.agent,
                    **trial.statistics.to_dict(),
                    "pruned": trial.pruned,
                }
                for trial in self.trials
            ],
            "planned": self.planned,
            "best": best.agent if best else None,
            "tuned": best.score.win_rate if best else None,
            "validation": {
                **self.validation.to_dict(),
                "seed": self.pairing.seed if self.pairing else None,
            },
            "failures": [str(failure) for failure in self.failures],
        }


def tune(
    game: Game | str,
    agent: str,
    against: str,
    trials: int = 30,
    *,
    games: int = 100,
    validate: int | None = None,
    **keywords: Unpack[RunKeywords],
) -> TuneResult:
    """Tune the question marks in `agent` against an opponent, with `games` games for each trial.

    `validate` is the number of games of the validation match, by default twice as many as a trial
    has. The other keyword arguments are those of `RunKeywords`, as for `match`; `progress` is
    called with a `TuneProgress` after every trial.
    """
    config = run_config(**keywords)
    return run_tuning(game, agent, against, config, trials=trials, games=games, validate=validate)


def run_tuning(
    game: Game | str,
    agent: str,
    against: str,
    config: RunConfig[TuneProgress],
    *,
    trials: int,
    games: int,
    validate: int | None = None,
) -> TuneResult:
    """Run a tuning with the settings of `config`: see `tune`."""
    games = check_games(games)
    if isinstance(game, str):
        game = load_game(game)
    trials = whole_value("trials", trials)
    validate = None if validate is None else whole_value("validate", validate)
    if not 1 <= trials <= MOST_TRIALS:
        raise UsageError(f"a tuning needs from 1 to {MOST_TRIALS:,} trials, got {trials}.")
    template = parse_template(agent)
    matches = _TuneMatches(game, against, games, config)
    name = f"{matches.pairing(against, config.seed).key} {agent} {games}"
    study = TuneStudy(template, config.store.path, name, config.seed)
    finished = [
        TuneTrial(spec, matches.recorded(spec), pruned) for spec, pruned in study.finished_trials()
    ]

    def report(validating: bool = False) -> None:
        config.report(TuneProgress(len(finished), trials, _best(finished), validating))

    report()
    while len(finished) < trials and not config.stopped:
        trial = matches.play_trial(study.suggest(), _best(finished))
        if trial is None:
            break  # the next run begins the same trial again
        study.finish(trial.score, trial.pruned)
        finished.append(trial)
        report()
    best = _best(finished)
    validation_games = 2 * games if validate is None else validate
    pairing, validation = None, MatchStatistics(Score())
    if best is not None and len(finished) >= trials and validation_games and not config.stopped:
        report(validating=True)
        seed = derive(config.seed, VALIDATION_STREAM) % VALIDATION_SEEDS
        pairing = matches.pairing(best.agent, seed)
        validation = matches.play(pairing, validation_games)
    return TuneResult(
        game=game.spec,
        against=against,
        trials=tuple(finished),
        planned=trials,
        validation=validation,
        validation_games=validation_games,
        pairing=pairing,
        failures=tuple(matches.failures),
    )


class _TuneMatches:
    """Plays the games of settings against the opponent of a tuning."""

    def __init__(
        self, game: Game, against: str, games: int, config: RunConfig[TuneProgress]
    ) -> None:
        self._game, self._against, self._games, self._config = game, against, games, config
        self.failures: list[FailedGame] = []

    def pairing(self, spec: str, seed: int) -> Pairing:
        """Return the pairing of a setting with the opponent."""
        pairing = make_pairing(
            self._game,
            spec,
            self._against,
            self._config.budget,
            seed=seed,
            opening_plies=self._config.opening_plies,
        )
        return with_fingerprint(pairing, self._game)

    def recorded(self, spec: str) -> MatchStatistics:
        """Return the statistics of a setting so far."""
        pairing = self.pairing(spec, self._config.seed)
        return self._config.store.summary(pairing, self._games).statistics

    def play(self, pairing: Pairing, games: int) -> MatchStatistics:
        """Play the missing ones of a pairing's first games; return its statistics."""
        plan = [PlannedGames(pairing, games)]
        self.failures += play_missing(plan, self._config, game=self._game)
        return self._config.store.summary(pairing, games).statistics

    def play_trial(self, spec: str, best: TuneTrial | None) -> TuneTrial | None:
        """Play a setting in rounds until it is pruned or done; None if stopped before."""
        pairing = self.pairing(spec, self._config.seed)
        for games in (*range(ROUND_GAMES, self._games, ROUND_GAMES), self._games):
            statistics = self.play(pairing, games)
            if self._config.stopped:
                return None
            if games < self._games and _hopeless(statistics, best):
                return TuneTrial(spec, statistics, pruned=True)
        return TuneTrial(spec, statistics, pruned=False)


def _best(trials: Sequence[TuneTrial]) -> TuneTrial | None:
    complete = [trial for trial in trials if not trial.pruned]
    return max(complete, key=lambda trial: trial.score.win_rate or 0.0, default=None)


def _hopeless(statistics: MatchStatistics, best: TuneTrial | None) -> bool:
    return best is not None and statistics.ci95[1] < best.statistics.ci95[0]
