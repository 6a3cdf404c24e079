"""The Optuna study of a tuning: its trials are kept in a file beside the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from graven.core.calls import Value
from graven.core.errors import UsageError
from graven.core.extras import is_installed, require
from graven.lab.experiments.tune_template import TuneTemplate
from graven.lab.stats.intervals import Score
from graven.lab.store.store_file import IN_MEMORY

STUDY_SUFFIX = "-tune"


class TuneStudy:
    """Suggests agents for a template, and remembers how the trials ended.

    `name` identifies the experiment: the same name resumes the same study. What is suggested
    depends on the seed and on the finished trials only, so that a resumed study goes on as if it
    had not been interrupted.
    """

    def __init__(self, template: TuneTemplate, store_path: str, name: str, seed: int) -> None:
        self._template = template
        self._study = _open_study(store_path, name)
        self._seed = seed
        self._trial: Any = None

    def finished_trials(self) -> Iterator[tuple[str, bool]]:
        """Yield the agent of each finished trial, and whether it was pruned."""
        from optuna.trial import TrialState

        for trial in self._study.get_trials(states=[TrialState.COMPLETE, TrialState.PRUNED]):
            yield self._template.agent(trial.params), trial.state == TrialState.PRUNED

    def suggest(self) -> str:
        """Begin a trial and return its agent."""
        from optuna.samplers import TPESampler

        finished = sum(1 for _ in self.finished_trials())
        self._study.sampler = TPESampler(seed=(self._seed + finished) % 2**32)
        self._trial = self._study.ask()
        values: dict[str, Value] = {
            name: range_.suggest(self._trial, name)
            for name, range_ in self._template.ranges.items()
        }
        return self._template.agent(values)

    def finish(self, score: Score, pruned: bool) -> None:
        """Record the result of the trial that `suggest` began."""
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        if pruned:
            # The sampler also uses the last result of a pruned trial.
            with suppress(UpdateFinishedTrialError):
                self._trial.report(score.win_rate, score.games)
            self._study.tell(self._trial, state=TrialState.PRUNED, skip_if_finished=True)
        else:
            self._study.tell(self._trial, score.win_rate, skip_if_finished=True)


def read_studies(store_path: str) -> Iterator[tuple[str, Any]]:
    """Yield the experiment and the Optuna study of every tuning beside a store.

    Nothing is yielded if there is no file of trials, if it cannot be read, or without Optuna.
    """
    if store_path == IN_MEMORY or not _study_file(Path(store_path)).exists():
        return
    if not is_installed("tune"):
        return
    import optuna
    from sqlalchemy.exc import SQLAlchemyError

    try:
        storage = _storage(Path(store_path))
        for name in optuna.get_all_study_names(storage):
            study = optuna.load_study(study_name=name, storage=storage)
            yield str(study.user_attrs.get("experiment", "")), study
    except (UsageError, SQLAlchemyError):
        return  # a report of the games must not fail because of the trials


def _open_study(store_path: str, name: str) -> Any:
    """Open a study; trials that an earlier run did not finish do not count."""
    optuna = require("tune")
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        study = optuna.create_study(
            storage=_storage(Path(store_path)) if store_path != IN_MEMORY else None,
            study_name=sha256(name.encode()).hexdigest()[:32],
            direction="maximize",
            load_if_exists=True,
        )
    finally:
        optuna.logging.set_verbosity(verbosity)
    study.set_user_attr("experiment", name)
    unfinished = study.get_trials(deepcopy=False, states=[optuna.trial.TrialState.RUNNING])
    for trial in unfinished:
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
    return study


def _study_file(store: Path) -> Path:
    return store.with_name(f"{store.stem}{STUDY_SUFFIX}{store.suffix}")


def _storage(store: Path) -> Any:
    """Open Optuna's file beside the store."""
    from optuna.storages import RDBStorage
    from sqlalchemy.exc import DatabaseError
    from sqlalchemy.pool import NullPool

    file = _study_file(store)
    try:
        # A pool would keep connections open after the tuning.
        return RDBStorage(f"sqlite:///{file}", engine_kwargs={"poolclass": NullPool})
    except DatabaseError as error:
        raise UsageError(
            f"{file}, which contains the trials, cannot be used ({error.orig}). Move it away to "
            "start a new one; the games are in the store."
        ) from None
