"""Running experiments: the games that are missing are played, and each is recorded as it ends.

Where the games are played (here, in worker processes, on a cluster) and what they are for (a
match, a sweep, a published table) is decided elsewhere; this is all they share.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest

import numpy as np

from graven.agents import agent
from graven.core.errors import GravenError, UsageError
from graven.core.game import Game
from graven.lab.experiments.job import Failure, GameJob, GameResult
from graven.lab.experiments.pairing import Cell
from graven.lab.experiments.play_game import warm_up
from graven.lab.experiments.processes import Played, play_apart, play_here
from graven.lab.store.provenance import cores
from graven.lab.store.store import Store
from graven.search.runner import Stop
from graven.sources.load import make_game

MOST_GAMES = 1_000_000
MOST_FAILURES = 10

Recorded = Callable[[Cell, GameResult], None]


@dataclass(frozen=True)
class Task:
    """A cell, and how many games of it are wanted."""

    cell: Cell
    games: int


@dataclass(frozen=True)
class Place:
    """Where games are played: so many processes of this machine (None: all cores), or a cluster."""

    workers: int | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"a match needs at least 1 worker, not {self.workers}.")
        if self.workers is not None and self.cluster is not None:
            raise UsageError(
                "a cluster has its own workers: give --workers or --cluster, not both."
            )


HERE = Place()


def play_missing(
    tasks: Sequence[Task],
    store: Store,
    place: Place = HERE,
    recorded: Recorded | None = None,
    stop: Stop | None = None,
    enough: Callable[[], bool] | None = None,
    game: Game | None = None,
) -> tuple[Failure, ...]:
    """Play what the store does not have yet, until told to stop or until it is enough.

    `recorded` is called after each new game. `game` is given where the tasks' game may be one
    that other processes do not know. Gives the games that could not be played.
    """
    for task in tasks:
        if not 1 <= task.games <= MOST_GAMES:
            raise UsageError(f"a match needs from 1 to {MOST_GAMES:,} games, not {task.games}.")
    ids = {task.cell: store.cell_id(task.cell) for task in tasks}
    missing = {task.cell: _missing(task, store) for task in tasks}
    count = sum(len(numbers) for numbers in missing.values())
    if not count or (enough is not None and enough()):
        return ()
    failures: list[Failure] = []
    with closing(_played(_in_turn(missing), count, place, stop, game)) as playing:
        for job, ended in playing:
            if isinstance(ended, Failure):
                failures.append(ended)
                if len(failures) == MOST_FAILURES:
                    raise GravenError(f"{MOST_FAILURES} games could not be played: {ended}")
                continue
            # Another process may have recorded it meanwhile; here it counts all the same.
            store.add(ids[job.cell], ended)
            if recorded is not None:
                recorded(job.cell, ended)
            if enough is not None and enough():
                break
    return tuple(failures)


def _missing(task: Task, store: Store) -> list[int]:
    have = store.numbers(task.cell, task.games)
    return [number for number in range(task.games) if number not in have]


def _in_turn(missing: dict[Cell, list[int]]) -> Iterator[GameJob]:
    """All cells go on at the same pace: a table has its first figures soon."""
    lines = (map(partial(GameJob, cell), numbers) for cell, numbers in missing.items())
    return (job for job in chain.from_iterable(zip_longest(*lines)) if job is not None)


def _played(
    jobs: Iterator[GameJob], count: int, place: Place, stop: Stop | None, game: Game | None
) -> Generator[Played, None, None]:
    if place.cluster is not None:
        from graven.lab.experiments.cluster import play_on_cluster

        return play_on_cluster(jobs, place.cluster, stop)
    workers = min(_worker_count(game, place.workers), count)
    if workers == 1:
        return play_here(jobs, game, stop)
    return play_apart(_prepared(jobs), workers, stop)


def _prepared(jobs: Iterator[GameJob]) -> Iterator[GameJob]:
    """Compile what a job needs before it is handed out: workers then find it in the cache."""
    seen: set[Cell] = set()
    for job in jobs:
        if job.cell not in seen:
            warm_up(make_game(job.cell.game), map(agent, job.cell.agents))
            seen.add(job.cell)
        yield job


def _worker_count(game: Game | None, workers: int | None) -> int:
    """As many as asked for, if other processes can make the game from its text."""
    if workers == 1 or game is None or _others_can_make(game):
        return workers or cores()
    if workers is None:
        return 1
    raise UsageError(
        f"the game {game.spec} is not in the registry, so that only this process knows it: "
        "its matches are played with workers=1."
    )


def _others_can_make(game: Game) -> bool:
    try:
        known = make_game(game.spec)
    except UsageError:
        return False
    same_tables = np.array_equal(known.constants, game.constants)
    alike = known.functions == game.functions and known.playouts == game.playouts
    return same_tables and alike and known.rules[1:] == game.rules[1:]
