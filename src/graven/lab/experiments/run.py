"""Running experiments: play the games that the store lacks, and record each as it ends.

Matches, tournaments, sweeps, tunings and reproductions of papers all run through `play_missing`.
Where the games are played (this process, worker processes, a cluster) is decided here, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from graven.agents import agent
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game
from graven.core.number_checks import whole_value
from graven.lab.experiments.job import FailedGame, GameJob, GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.processes import (
    FinishedJob,
    RuleCrashError,
    can_fork,
    compile_here,
    has_own_code,
    play_given,
    play_in_process,
    play_in_workers,
    play_job,
)
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.provenance import cores
from graven.lab.store.store import Store
from graven.search.policy import Policy
from graven.sources.load import load_game
from graven.sources.python_file import is_file_game

MOST_GAMES = 1_000_000
MOST_FAILURES = 10
SHARD = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")


@dataclass(frozen=True)
class Shard:
    """One of `count` equal parts of an experiment, numbered from 1."""

    number: int
    count: int

    def contains(self, block: int) -> bool:
        """Return whether a block of games belongs to the shard."""
        return block % self.count == self.number - 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read a shard such as 2/5."""
        number, _, count = text.partition("/")
        if not SHARD.fullmatch(text):
            raise UsageError(f"a shard is written NUMBER/COUNT, as in 2/5, got {text!r}.")
        if not 1 <= int(number) <= int(count):
            raise UsageError(
                f"a shard {number}/{count} does not exist: the first number is from 1 to the "
                "second, as in 2/5."
            )
        return cls(int(number), int(count))


WHOLE = Shard(1, 1)
OnGame = Callable[[Pairing, GameResult], None]


@dataclass(frozen=True)
class PlannedGames:
    """A pairing and the games of it to play: those with index 0 to `games` - 1, or a shard."""

    pairing: Pairing
    games: int
    shard: Shard = WHOLE

    def indices(self) -> list[int]:
        """Return the indices of the games.

        Games of one opening, and those in which every seat assignment occurs once, stay together.
        """
        block = self.pairing.size
        return [i for i in range(self.games) if self.shard.contains(i // block)]


def check_games(games: int) -> int:
    """Return a number of games; raise a UsageError unless a match can have so many."""
    games = whole_value("games", games)
    if not 1 <= games <= MOST_GAMES:
        raise UsageError(f"a match needs from 1 to {MOST_GAMES:,} games, got {games}.")
    return games


def play_missing(
    plan: Sequence[PlannedGames],
    config: RunConfig[Any],
    *,
    on_game: OnGame | None = None,
    enough: Callable[[], bool] | None = None,
    game: Game | None = None,
    policies: Sequence[Policy] = (),
) -> tuple[FailedGame, ...]:
    """Play the games of a plan that the store lacks; return those that could not be played.

    The run ends early once `config.stop` is set or `enough()` is true. `on_game` is called after
    each new game. `game` is the game of all pairings where other processes cannot make it from its
    text; `policies` are those that exist in this process only.
    """
    for planned in plan:
        check_games(planned.games)
    store = config.store
    ids = {planned.pairing: store.pairing_id(planned.pairing) for planned in plan}
    missing = {planned.pairing: _missing(planned, store) for planned in plan}
    count = sum(len(indices) for indices in missing.values())
    if not count or (enough is not None and enough()):
        return ()
    failures: list[FailedGame] = []
    added: list[GameJob] = []
    user_code = any(pairing.has_user_code for pairing in missing) or has_own_code(game, policies)
    execution = _execute(
        _interleaved(missing), count, config, game, policies=policies, user_code=user_code
    )
    with closing(execution) as finished_jobs, _discarding(store, ids, added):
        for job, outcome in finished_jobs:
            if isinstance(outcome, FailedGame):
                failures.append(outcome)
                if len(failures) == MOST_FAILURES:
                    raise GravenError(f"{MOST_FAILURES} games could not be played: {outcome}")
                continue
            # Another process may have recorded the game meanwhile; it still counts here.
            if store.add(ids[job.pairing], outcome) and user_code:
                added.append(job)
            if on_game is not None:
                on_game(job.pairing, outcome)
            if enough is not None and enough():
                break
    return tuple(failures)


def _missing(planned: PlannedGames, store: Store) -> list[int]:
    recorded = store.recorded_games(planned.pairing, planned.games)
    return [index for index in planned.indices() if index not in recorded]


def _interleaved(missing: dict[Pairing, list[int]]) -> Iterator[GameJob]:
    """Take the games of all pairings in turn, so that a table has its first figures soon."""
    jobs = (map(partial(GameJob, pairing), indices) for pairing, indices in missing.items())
    return (job for job in chain.from_iterable(zip_longest(*jobs)) if job is not None)


@contextmanager
def _discarding(store: Store, ids: dict[Pairing, int], added: list[GameJob]) -> Iterator[None]:
    """Remove the games of this run if user-defined code crashes: it may have damaged them."""
    try:
        yield
    except RuleCrashError:
        for job in added:
            store.remove(ids[job.pairing], job.index)
        raise


def _execute(
    jobs: Iterator[GameJob],
    count: int,
    config: RunConfig[Any],
    game: Game | None,
    policies: Sequence[Policy],
    user_code: bool,
) -> Generator[FinishedJob, None, None]:
    """Choose where to play `count` jobs, and play them there."""
    if policies:
        if config.cluster is not None or (config.workers or 1) > 1:
            raise UsageError(
                f"the policy {policies[0].name} exists in this process only: play with workers=1, "
                "or put it in a file, as in ./mine.py:tree."
            )
        return _play_here(jobs, config, game, policies)
    play = partial(play_job, check=True) if config.check else play_job
    if config.cluster is not None:
        from graven.lab.experiments.cluster import play_on_cluster

        return play_on_cluster(jobs, config.cluster, config.stop, play)
    workers = min(_worker_count(game, config.workers), count)
    if user_code and (game is None or _others_can_make(game)):
        return play_in_workers(jobs, workers, config.stop, play, user_code=True)
    if workers == 1:
        return _play_here(jobs, config, game, policies)
    return play_in_workers(_compiled_first(jobs), workers, config.stop, play)


def _play_here(
    jobs: Iterator[GameJob], config: RunConfig[Any], game: Game | None, policies: Sequence[Policy]
) -> Generator[FinishedJob, None, None]:
    """Play jobs with what only this process has: in a fork of it, if that may crash."""
    if not (has_own_code(game, policies) and can_fork()):
        return play_in_process(jobs, game, config.stop, policies, check=config.check)
    play = partial(play_given, game=game, policies=tuple(policies), check=config.check)
    compiled = _compiled_here(jobs, game, policies)
    return play_in_workers(compiled, 1, config.stop, play, user_code=True, fork=True)


def _compiled_here(
    jobs: Iterator[GameJob], game: Game | None, policies: Sequence[Policy]
) -> Iterator[GameJob]:
    """Compile what a job needs in this process, for all its forks."""
    seen: set[Pairing] = set()
    for job in jobs:
        if job.pairing not in seen:
            compile_here(game or load_game(job.pairing.game), job.pairing.agents, policies)
            seen.add(job.pairing)
        yield job


def _compiled_first(jobs: Iterator[GameJob]) -> Iterator[GameJob]:
    """Compile what a job needs before it is handed out, so that workers load it from the cache."""
    seen: set[Pairing] = set()
    for job in jobs:
        if job.pairing not in seen:
            game = load_game(job.pairing.game)
            for spec in job.pairing.agents:
                agent(spec).player(game).warm_up()
            seen.add(job.pairing)
        yield job


def _worker_count(game: Game | None, workers: int | None) -> int:
    """Return the number of workers; 1 if only this process can make the game."""
    if workers == 1 or game is None or _others_can_make(game):
        return workers or cores()
    if workers is None:
        return 1
    raise UsageError(
        f"the game {game.spec} exists in this process only, since it is not in the registry: play "
        "its matches with workers=1."
    )


def _others_can_make(game: Game) -> bool:
    if is_file_game(game.source):
        return True  # its text has a digest of the file
    try:
        remade = load_game(game.spec)
    except UsageError:
        return False
    same_constants = np.array_equal(remade.constants, game.constants)
    same_functions = remade.functions == game.functions and remade.playouts == game.playouts
    return same_constants and same_functions and remade.rules[1:] == game.rules[1:]
