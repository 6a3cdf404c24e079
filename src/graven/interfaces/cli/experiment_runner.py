"""The common part of the experiment commands.

Options, the store, the progress line, JSON output, Ctrl-C and the hint how to resume are here; a
command adds what it plays and how it shows the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from graven.interfaces.cli.arguments import open_store
from graven.interfaces.cli.console import (
    QUIET_SECONDS,
    GamesProgress,
    finish_experiment,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.lab.experiments.run_config import RunConfig, RunProgress
    from graven.lab.store.store import Store

Workers = Annotated[
    int | None,
    typer.Option(help="Number of worker processes; default: one per core.", metavar="N"),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Play on a Dask cluster with a scheduler at this address.", metavar="tcp://HOST:8786"
    ),
]
GamesOfPair = Annotated[int, typer.Option(help="Games of every pair.", metavar="N")]
GamesOfAgent = Annotated[int, typer.Option(help="Games of every agent.", metavar="N")]
Gauntlet = Annotated[
    bool, typer.Option("--gauntlet", help="Only the first agent plays, against all others.")
]
OpeningPlies = Annotated[
    int,
    typer.Option(
        help="Begin each game with N random plies, the same for both games of a pair.", metavar="N"
    ),
]
Margin = Annotated[
    float,
    typer.Option(
        help="The largest difference, in percentage points, that counts as equivalent.",
        metavar="POINTS",
    ),
]
Seating = Annotated[
    str,
    typer.Option(
        help="With three players or more: rotate (both agents take turns in all seat assignments) "
        "or single (the first agent takes one seat).",
        metavar="SEATING",
    ),
]


@dataclass(frozen=True)
class ExperimentSettings:
    """The options that experiment commands share, as typed on the command line."""

    playouts: int | None = None
    seconds: float | None = None
    seed: int = 0
    opening_plies: int = 0
    workers: int | None = None
    cluster: str | None = None
    check: bool = False
    db: str | None = None
    json: bool = False


class ExperimentResult(Protocol):
    """The result of an experiment."""

    @property
    def failures(self) -> Sequence[object]:
        """The games that could not be played."""

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to play."""


ProgressT = TypeVar("ProgressT")
ProgressIn = TypeVar("ProgressIn", contravariant=True)
ResultT = TypeVar("ResultT", bound=ExperimentResult)
ValueT = TypeVar("ValueT")


class ProgressLine(Protocol[ProgressIn]):
    """The line on stderr while an experiment runs."""

    def update(self, progress: ProgressIn) -> None:
        """Take note of the latest progress; called from the thread that plays."""

    def text(self, elapsed: float) -> str:
        """Return the line after `elapsed` seconds."""


class GamesLine:
    """The number of games that are done, and the time that the rest will take."""

    def __init__(self) -> None:
        self._pace = GamesProgress()

    def update(self, progress: RunProgress) -> None:
        """Take note of the latest progress."""
        self._pace.update(progress.done, progress.planned)

    def text(self, elapsed: float) -> str:
        """Return the line after `elapsed` seconds."""
        return self._pace.line(elapsed)


def run_experiment(
    settings: ExperimentSettings,
    line: ProgressLine[ProgressT],
    run: Callable[[RunConfig[ProgressT]], ResultT],
    show: Callable[[ResultT], None],
    *,
    as_json: Callable[[ResultT], Any],
    quiet: float = QUIET_SECONDS,
) -> None:
    """Run an experiment in the store of the command line, and print its result.

    After Ctrl-C the result so far is printed, and then the command that resumes the experiment.
    """
    with open_store(settings.db) as store:
        result, interrupted = watch_run(settings, line, run, store, quiet=quiet)
        if settings.json:
            print_json(as_json(result))
        else:
            show(result)
    finish_experiment(result.failures, interrupted and not result.finished)


def watch_run(
    settings: ExperimentSettings,
    line: ProgressLine[ProgressT],
    run: Callable[[RunConfig[ProgressT]], ValueT],
    store: Store | None = None,
    *,
    quiet: float = QUIET_SECONDS,
) -> tuple[ValueT, bool]:
    """Call `run` while the progress line is shown; return its result and whether it was stopped.

    Without a store the games are kept in memory only.
    """
    from graven.lab.experiments.run_config import run_config

    def work(stop: threading.Event) -> ValueT:
        config: RunConfig[ProgressT] = run_config(
            playouts=settings.playouts,
            seconds=settings.seconds,
            seed=settings.seed,
            opening_plies=settings.opening_plies,
            workers=settings.workers,
            cluster=settings.cluster,
            check=settings.check,
            store=store,
            progress=line.update,
            stop=stop,
        )
        return run(config)

    return run_with_progress(work, line.text, quiet=quiet)
