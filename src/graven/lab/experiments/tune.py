"""Tuning: the best parameters against an opponent, found by Optuna, then measured afresh.

    grave(ref=?,bias=?)         the usual range of each parameter
    uct(c=?[0.1..0.9])          a range of one's own

A trial is one setting, which plays in rounds; one that is hopeless (the upper end of its interval
below the lower end of the best one's) is given up between two rounds. The best setting of many is
likely to have been lucky, too: it plays a fresh match with another seed, whose games no choice
depended on, and that is its result.

Games are in the store like all others; Optuna's study is in a file beside it. A tuning that was
stopped goes on with the trial it was at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from math import ceil, floor, isfinite
from pathlib import Path
from typing import Any

from graven.agents import parse, policy_info
from graven.agents.spec import LONGEST
from graven.core.calls import Value, format_value
from graven.core.errors import UsageError, unknown
from graven.core.game import Game
from graven.core.rng import derive
from graven.lab.experiments.experiment import Place, Task, play_missing
from graven.lab.experiments.job import Failure
from graven.lab.experiments.pairing import Cell, make_cell
from graven.lab.stats.intervals import Score
from graven.lab.store.store import IN_MEMORY, Store
from graven.search.budget import Budget
from graven.search.engine import Stop
from graven.search.options import OPTIONS
from graven.search.policy import Parameter
from graven.sources.load import make_game

ROUND = 20
MOST_TRIALS = 10_000
VALIDATION = 0x76616C69
STUDY_SUFFIX = "-tune"


@dataclass(frozen=True)
class Range:
    """Where to look for a parameter's value: numbers from `low` to `high`, or one of `choices`."""

    low: float = 0.0
    high: float = 1.0
    log: bool = False
    whole: bool = False
    choices: tuple[Value, ...] = ()

    def ask(self, trial: Any, name: str) -> Value:
        """A value that Optuna's trial suggests."""
        found: Value
        if self.choices:
            found = trial.suggest_categorical(name, list(self.choices))
        elif self.whole:
            found = trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        else:
            found = trial.suggest_float(name, self.low, self.high, log=self.log)
        return found


# Where the papers look, and a little further. A name may mean different things in two policies.
USUAL: dict[str, Range] = {
    "alpha": Range(1e-3, 10, log=True),
    "b": Range(1e-3, 1, log=True),
    "bias": Range(1e-15, 1e-1, log=True),
    "c": Range(0, 2),
    "decay": Range(0, 1),
    "epsilon": Range(0, 1),
    "expand": Range(1, 20, whole=True),
    "fpu": Range(0, 2),
    "k": Range(1, 5000, log=True),
    "mast k": Range(0.5, 512, log=True),
    "mastf k": Range(0.5, 512, log=True),
    "min": Range(1, 1000, log=True, whole=True),
    "p": Range(0, 1),
    "ref": Range(1, 1000, log=True, whole=True),
    "size": Range(1, 100, log=True, whole=True),
}

_HOLE = re.compile(
    r"([a-z][a-z0-9_]*)\s*=\s*\?\s*(?:\[\s*([^\[\].]+(?:\.\d[^\[\].]*)?)\s*\.\.\s*([^\[\]]+?)\s*\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Template:
    """A spec with question marks, and where to look for each."""

    text: str
    ranges: Mapping[str, Range]

    def agent(self, values: Mapping[str, Value]) -> str:
        """The agent with these values, in canonical form; names as in `ranges`."""
        rest = iter(self.ranges)
        text = _HOLE.sub(lambda hole: f"{hole[1]}={format_value(values[next(rest)])}", self.text)
        return parse(text, files=True).text


def template(text: str) -> Template:
    """Read a spec with question marks."""
    if len(text) > LONGEST:
        raise UsageError(f"a spec has at most {LONGEST} characters; this one {len(text)}.")
    holes = list(_HOLE.finditer(text))
    if not holes or re.search(r"[?\[\]]", _HOLE.sub("", text)):
        raise UsageError(
            f"{text!r}: what is to be tuned is written parameter=? or parameter=?[0.1..0.9]."
        )
    tree_end = text.find("+") if "+" in text else len(text)
    ranges: dict[str, Range] = {}
    for hole in holes:
        inside_tree = hole.start() < tree_end
        policy = re.match(r"[^(+]*", text[0 if inside_tree else tree_end + 1 :])
        name = hole[1].lower()
        label = name if inside_tree else f"+{name}"
        if label in ranges:
            raise UsageError(f"{name} is given twice in {text!r}.")
        ranges[label] = _range(policy[0] if policy else "", name, hole[2], hole[3])
    found = Template(text, ranges)
    found.agent({label: _some(each) for label, each in ranges.items()})
    return found


def _some(within: Range) -> Value:
    if within.choices:
        return within.choices[0]
    return int(within.low) if within.whole else within.low


def _range(policy: str, name: str, low: str | None, high: str | None) -> Range:
    parameter = _parameter(policy, name)
    if parameter.choices:
        return Range(choices=parameter.choices)
    if isinstance(parameter.default, bool):
        return Range(choices=(False, True))
    whole = isinstance(parameter.default, int)
    if low is None or high is None:
        usual = USUAL.get(f"{policy.strip().lower()} {name}") or USUAL.get(name)
        if usual is None:
            raise UsageError(
                f"{name} has no usual range: write one, as in {name}=?[1..100]. Parameters with a "
                f"usual range: {', '.join(each for each in USUAL if ' ' not in each)}."
            )
        return usual
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = (0.0, 0.0)
    if whole and isfinite(ends[0]) and isfinite(ends[1]):
        ends = float(ceil(ends[0])), float(floor(ends[1]))
    if not (isfinite(ends[0]) and isfinite(ends[1]) and ends[0] < ends[1]):
        raise UsageError(f"{name}: {low}..{high} is no range from a lower to a higher number.")
    log = ends[0] > 0 and ends[1] / ends[0] >= 30
    return Range(ends[0], ends[1], log, whole)


def _parameter(policy: str, name: str) -> Parameter:
    info = policy_info(policy)
    own = {each.name: each for each in info.parameters}
    if info.kind == "tree":
        own |= {each.name: each for each in OPTIONS}
    if name not in own:
        raise unknown(f"parameter of {info.name}", name, own)
    return own[name]


@dataclass(frozen=True)
class Trial:
    """One setting and its score; `given_up` where it was hopeless."""

    agent: str
    score: Score
    given_up: bool


@dataclass(frozen=True)
class Progress:
    """How a tuning stands."""

    trials: int
    planned: int
    best: Trial | None
    validating: bool = False


@dataclass(frozen=True)
class TuneResult:
    """The trials, the best of them, and the score of its fresh match."""

    game: str
    against: str
    trials: tuple[Trial, ...]
    planned: int
    validation: Score
    validation_games: int
    cell: Cell | None
    failures: tuple[Failure, ...]

    @property
    def best(self) -> Trial | None:
        """The trial with the highest win rate among those that were not given up."""
        return _best(self.trials)

    @property
    def done(self) -> bool:
        """Whether nothing is left to play."""
        return len(self.trials) >= self.planned and self.validation.games >= self.validation_games

    def as_json(self) -> dict[str, Any]:
        """The tuning as plain values."""
        best = self.best
        return {
            "game": self.game,
            "against": self.against,
            "trials": [
                {
                    "agent": trial.agent,
                    "games": trial.score.games,
                    "win_rate": trial.score.win_rate,
                    "given_up": trial.given_up,
                }
                for trial in self.trials
            ],
            "planned": self.planned,
            "best": best.agent if best else None,
            "tuned": best.score.win_rate if best else None,
            "validation": {
                "games": self.validation.games,
                "win_rate": self.validation.win_rate,
                "ci95": list(self.validation.ci95),
                "seed": self.cell.seed if self.cell else None,
            },
            "failures": [str(failure) for failure in self.failures],
        }


def tune(
    game: Game | str,
    agent: str,
    against: str,
    trials: int = 30,
    games: int = 100,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Stop | None = None,
    *,
    validate: int | None = None,
    db: str | os.PathLike[str] | Store | None = None,
    cluster: str | None = None,
    openings: int = 0,
) -> TuneResult:
    """Tune the question marks in `agent` against an opponent, with `games` games for each trial.

    `validate` is how many games the best setting then plays afresh, by default twice as many as a
    trial. What else can be said is as for `match`.
    """
    if isinstance(game, str):
        game = make_game(game)
    if not 1 <= trials <= MOST_TRIALS:
        raise UsageError(f"a tuning needs from 1 to {MOST_TRIALS:,} trials, not {trials}.")
    wanted = template(agent)
    store = db if isinstance(db, Store) else Store(IN_MEMORY if db is None else db)
    bench = _Bench(
        game, against, Budget(playouts, seconds), openings, store, Place(workers, cluster), stop
    )
    name = f"{bench.cell(against, seed).key} {agent} {games}"
    study = _study(store.path, name, seed)
    finished = [
        Trial(spec, store.summary(bench.cell(spec, seed), games).score, given_up)
        for spec, given_up in _finished(study, wanted)
    ]

    def say(validating: bool = False) -> None:
        if progress is not None:
            progress(Progress(len(finished), trials, _best(finished), validating))

    say()
    while len(finished) < trials and not bench.stopped:
        trial = study.ask()
        values = {name: each.ask(trial, name) for name, each in wanted.ranges.items()}
        ended = bench.trial(wanted.agent(values), games, seed, _best(finished))
        if ended is None:
            break  # Optuna keeps it as running, and the next run takes it up again
        _tell(study, trial, ended)
        finished.append(ended)
        say()
    best = _best(finished)
    fresh = 2 * games if validate is None else validate
    cell, validation = None, Score()
    if best is not None and len(finished) >= trials and fresh and not bench.stopped:
        say(validating=True)
        cell = bench.cell(best.agent, derive(seed, VALIDATION) % 10**9)
        validation = bench.score(cell, fresh)
    return TuneResult(
        game.spec,
        against,
        tuple(finished),
        trials,
        validation,
        fresh,
        cell,
        tuple(bench.failures),
    )


class _Bench:
    """Where trials are played: all that does not change from one to the next."""

    def __init__(
        self,
        game: Game,
        against: str,
        given: Budget,
        openings: int,
        store: Store,
        place: Place,
        stop: Stop | None,
    ) -> None:
        self._game, self._against, self._given, self._openings = game, against, given, openings
        self._store, self._place, self._stop = store, place, stop
        self.failures: list[Failure] = []

    @property
    def stopped(self) -> bool:
        """Whether there shall be no more games."""
        return self._stop is not None and self._stop.is_set()

    def cell(self, spec: str, seed: int) -> Cell:
        """The cell of an agent against the opponent."""
        return make_cell(self._game, spec, self._against, self._given, seed, self._openings)

    def score(self, cell: Cell, games: int) -> Score:
        """Play what is missing of a cell."""
        task = [Task(cell, games)]
        self.failures += play_missing(
            task, self._store, self._place, None, self._stop, game=self._game
        )
        return self._store.summary(cell, games).score

    def trial(self, spec: str, games: int, seed: int, best: Trial | None) -> Trial | None:
        """Play a setting in rounds until it is hopeless or done; None if stopped before."""
        cell = self.cell(spec, seed)
        for played in (*range(ROUND, games, ROUND), games):
            score = self.score(cell, played)
            if self.stopped:
                return None
            if played < games and _hopeless(score, best):
                return Trial(spec, score, given_up=True)
        return Trial(spec, score, given_up=False)


def _best(trials: list[Trial] | tuple[Trial, ...]) -> Trial | None:
    whole = [trial for trial in trials if not trial.given_up]
    return max(whole, key=lambda trial: trial.score.win_rate or 0.0, default=None)


def _hopeless(score: Score, best: Trial | None) -> bool:
    return best is not None and score.ci95[1] < best.score.ci95[0]


def _storage(store: Path) -> Any:
    """Where optuna keeps its trials: a file beside the store."""
    from optuna.storages import RDBStorage
    from sqlalchemy.exc import DatabaseError
    from sqlalchemy.pool import NullPool

    file = store.with_name(f"{store.stem}{STUDY_SUFFIX}{store.suffix}")
    try:
        # Without a pool no connection is left open when nobody asks any more.
        return RDBStorage(f"sqlite:///{file}", engine_kwargs={"poolclass": NullPool})
    except DatabaseError as error:
        raise UsageError(
            f"{file}, which remembers the trials, cannot be used ({error.orig}). Moved out of the "
            "way, it is made anew; the games are in the store."
        ) from None


def _study(store_path: str, name: str, seed: int) -> Any:
    """The study of that name, with trials that a run before this one left unfinished put back."""
    try:
        import optuna
    except ImportError:
        raise UsageError("tuning needs the package 'optuna': pip install 'graven[tune]'.") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = _storage(Path(store_path)) if store_path != IN_MEMORY else None
    study = optuna.create_study(
        storage=storage,
        study_name=sha256(name.encode()).hexdigest()[:32],
        direction="maximize",
        load_if_exists=True,
    )
    study.set_user_attr("experiment", name)
    left = study.get_trials(deepcopy=False, states=[optuna.trial.TrialState.RUNNING])
    for trial in left:
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        study.enqueue_trial(trial.params)
    # Not the same random numbers again as in the run before.
    study.sampler = optuna.samplers.TPESampler(seed=(seed + len(study.trials)) % 2**32)
    return study


def _finished(study: Any, wanted: Template) -> list[tuple[str, bool]]:
    """The agents of trials that have ended, and whether each was given up."""
    from optuna.trial import TrialState

    ended = study.get_trials(states=[TrialState.COMPLETE, TrialState.PRUNED])
    return [(wanted.agent(trial.params), trial.state == TrialState.PRUNED) for trial in ended]


def _tell(study: Any, trial: Any, ended: Trial) -> None:
    from optuna.exceptions import UpdateFinishedTrialError
    from optuna.trial import TrialState

    if ended.given_up:
        # What it had when it was given up is worth knowing, too.
        with suppress(UpdateFinishedTrialError):
            trial.report(ended.score.win_rate, ended.score.games)
        study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
    else:
        study.tell(trial, ended.score.win_rate, skip_if_finished=True)
