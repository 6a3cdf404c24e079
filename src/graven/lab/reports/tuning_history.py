"""The tunings beside a store: what was tried in which order, and which parameters mattered.

`graven tune` keeps Optuna's trials in a file beside the store. Reading it needs Optuna; without it,
or without the file, there are no tunings to report.
"""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graven.core.errors import GravenError
from graven.lab.experiments.pairing import Pairing, without_budget
from graven.lab.experiments.tune_study import read_studies
from graven.lab.experiments.tune_template import TuneTemplate, parse_template
from graven.lab.store.summaries import Summary, one_search_each

MIN_TRIALS = 3
# Fewer trials say nothing about the importance of parameters.
MIN_TRIALS_FOR_IMPORTANCE = 10


@dataclass(frozen=True)
class TriedSetting:
    """One trial: its agent, its win rate from 0 to 1 with the 95 % interval, and whether pruned."""

    number: int
    agent: str
    win_rate: float
    low: float
    high: float
    pruned: bool


@dataclass(frozen=True)
class TuningHistory:
    """A tuning: `template` against the second agent of `pairing`, `games` games for each trial.

    `importance` has the share of each parameter in the variation of the win rate; it is empty if
    there are too few trials.
    """

    pairing: Pairing
    template: str
    games: int
    trials: tuple[TriedSetting, ...]
    importance: Mapping[str, float]

    @property
    def command(self) -> str:
        """The command that runs this tuning."""
        words = self.pairing.command(self.games)
        return shlex.join(
            [
                "graven",
                "tune",
                words[2],
                self.template,
                "--against",
                words[4],
                "--trials",
                str(len(self.trials)),
                *words[5:],
            ]
        )


def find_tunings(store_path: str, summaries: Sequence[Summary]) -> list[TuningHistory]:
    """Return the tunings of a store, those with the most trials first."""
    scores = one_search_each(summaries)
    tunings = []
    for experiment, study in read_studies(store_path):
        try:
            tuning = _read_tuning(experiment, study, scores)
        except (ValueError, KeyError, TypeError, GravenError):
            continue  # of another version, or not a tuning
        if len(tuning.trials) >= MIN_TRIALS:
            tunings.append(tuning)
    return sorted(tunings, key=lambda tuning: -len(tuning.trials))


def _read_tuning(experiment: str, study: Any, scores: Mapping[str, Summary]) -> TuningHistory:
    """Read a study; `experiment` is the opponent's pairing with itself, the template, the games."""
    _, end = json.JSONDecoder().raw_decode(experiment)
    pairing = Pairing.from_key(experiment[:end])
    text, games = experiment[end:].strip().rsplit(" ", 1)
    template = parse_template(text)
    trials = tuple(_tried_settings(study, template, pairing, scores))
    return TuningHistory(pairing, text, int(games), trials, _importance(study))


def _tried_settings(
    study: Any, template: TuneTemplate, pairing: Pairing, scores: Mapping[str, Summary]
) -> Iterator[TriedSetting]:
    from optuna.trial import TrialState

    finished = study.get_trials(deepcopy=False, states=[TrialState.COMPLETE, TrialState.PRUNED])
    for number, trial in enumerate(finished, 1):
        agent = template.agent(trial.params)
        played = replace(pairing, agents=(without_budget(agent), pairing.agents[1]))
        summary = scores.get(played.settings.key)
        if summary is None or summary.score.win_rate is None:
            continue
        low, high = summary.statistics.ci95
        pruned = trial.state == TrialState.PRUNED
        yield TriedSetting(number, agent, summary.score.win_rate, low, high, pruned)


def _importance(study: Any) -> dict[str, float]:
    """Return the importance of each parameter, by PED-ANOVA (Watanabe, Bansal and Hutter 2023)."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
    from optuna.trial import TrialState

    complete = study.get_trials(deepcopy=False, states=[TrialState.COMPLETE])
    tuned = {name for trial in complete for name in trial.params}
    if len(complete) < MIN_TRIALS_FOR_IMPORTANCE or len(tuned) < 2:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna calls the evaluator experimental
        # The best quarter against all: few trials are in the best tenth, Optuna's default.
        evaluator = PedAnovaImportanceEvaluator(target_quantile=0.25)
        return dict(get_param_importances(study, evaluator=evaluator))
