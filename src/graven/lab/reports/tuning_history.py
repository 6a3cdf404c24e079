"""The tunings beside a store: what was tried in which order, and which parameters mattered.

`graven tune` keeps Optuna's trials in a file beside the store. Reading it needs Optuna; without it,
or without the file, there are no tunings to report.
"""

from __future__ import annotations

import json
import shlex
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graven.core.calls import format_value
from graven.core.errors import GravenError
from graven.lab.experiments.pairing import Pairing, spec_with_budget, without_budget
from graven.lab.experiments.tune_study import read_studies
from graven.lab.experiments.tune_template import TuneTemplate, parse_template
from graven.lab.store.summaries import Summary, one_search_each

MIN_TRIALS = 3
# With fewer trials the importance of parameters cannot be estimated.
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

    The budgets of `pairing` are those of the tuned agent, if all trials have the same, and of the
    opponent. `importance` has the share of each parameter in the variation of the win rate; it is
    empty if there are too few trials.
    """

    pairing: Pairing
    template: str
    games: int
    trials: tuple[TriedSetting, ...]
    importance: Mapping[str, float]

    @property
    def command(self) -> str:
        """The command that runs this tuning."""
        _, _, game, _, opponent, *options = self.pairing.command(self.games)
        words = ["graven", "tune", game, self.template, "--against", opponent]
        words += ["--trials", str(len(self.trials)), *options]
        budget, opponents_budget = self.pairing.budgets
        if budget != opponents_budget:  # which is then inside the opponent's spec
            words += ["--playouts", str(budget.playouts)] if budget.playouts else []
            words += ["--seconds", format_value(budget.seconds)] if budget.seconds else []
        return shlex.join(words)


def find_tunings(store_path: str, summaries: Sequence[Summary]) -> list[TuningHistory]:
    """Return the tunings of a store, those with the most trials first."""
    scores: dict[str, list[Summary]] = defaultdict(list)
    for summary in one_search_each(summaries).values():
        scores[_opponents_key(summary.pairing)].append(summary)
    tunings = []
    for experiment, study in read_studies(store_path):
        try:
            tuning = _read_tuning(experiment, study, scores)
        except (ValueError, KeyError, TypeError, GravenError):
            continue  # of another version, or not a tuning
        if len(tuning.trials) >= MIN_TRIALS:
            tunings.append(tuning)
    return sorted(tunings, key=lambda tuning: -len(tuning.trials))


def _opponents_key(pairing: Pairing) -> str:
    """Return the key of a pairing whatever the budget of the first agent."""
    opponents_budget = pairing.budgets[1]
    return replace(pairing.settings, budgets=(opponents_budget, opponents_budget)).key


def _read_tuning(
    experiment: str, study: Any, scores: Mapping[str, Sequence[Summary]]
) -> TuningHistory:
    """Read a study; `experiment` is the opponent's pairing with itself, the template, the games."""
    _, end = json.JSONDecoder().raw_decode(experiment)
    pairing = Pairing.from_key(experiment[:end])
    text, games = experiment[end:].strip().rsplit(" ", 1)
    if ".py" in text:
        raise ValueError("reading the spec would run a file that the trials name")
    template = parse_template(text)
    played = list(_tried_settings(study, template, pairing, scores))
    budgets = {summary.pairing.budgets for _, summary in played}
    if len(budgets) == 1:
        pairing = replace(pairing, budgets=budgets.pop())
    trials = tuple(trial for trial, _ in played)
    return TuningHistory(pairing, text, int(games), trials, importance=_importance(study))


def _tried_settings(
    study: Any, template: TuneTemplate, pairing: Pairing, scores: Mapping[str, Sequence[Summary]]
) -> Iterator[tuple[TriedSetting, Summary]]:
    """Yield the finished trials, each with the totals of its games."""
    from optuna.trial import TrialState

    finished = study.get_trials(deepcopy=False, states=[TrialState.COMPLETE, TrialState.PRUNED])
    for number, trial in enumerate(finished, 1):
        spec = template.agent(trial.params)
        bare = without_budget(spec)
        played = replace(pairing, agents=(bare, pairing.agents[1]))
        same_setting = [
            summary
            for summary in scores.get(_opponents_key(played), ())
            # A budget inside the spec is part of the setting.
            if spec in (bare, spec_with_budget(bare, summary.pairing.budgets[0]))
        ]
        if not same_setting:
            continue
        summary = same_setting[0]
        rate = summary.score.win_rate or 0.0
        low, high = summary.statistics.ci95
        pruned = trial.state == TrialState.PRUNED
        yield TriedSetting(number, spec, rate, low, high=high, pruned=pruned), summary


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
