"""The settings that all experiments share: budget, seed, opening, workers, store, progress, stop.

Python callers pass them as keyword arguments (`RunKeywords`); the command line builds one
`RunConfig` and passes it on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

from graven.agents.dask_cluster import check_address
from graven.core.errors import UsageError
from graven.core.extras import require
from graven.core.number_checks import whole_value
from graven.lab.store.store import Store
from graven.lab.store.store_file import IN_MEMORY
from graven.search.budget import Budget
from graven.search.runner import Stop

ProgressT = TypeVar("ProgressT")


class RunProgress(NamedTuple):
    """The games (of a measurement, the figures) that are done, in this run or before it."""

    done: int
    planned: int


@dataclass(frozen=True)
class RunConfig(Generic[ProgressT]):
    """How to run an experiment.

    `budget` is the budget of a move for agents whose spec has none. Each game begins with
    `opening_plies` random plies. `workers` is the number of processes of this machine (None: one
    per core, 1: play in this process, unless rules or policies are user-defined); `cluster` is the
    address of a Dask scheduler to play on instead. With `check`, user-defined rules are played with
    bounds checks. Games are read from and recorded in `store`. `progress` is called before the
    first game and after every game. Once `stop` is set, games under way are dropped.
    """

    budget: Budget = field(default_factory=Budget)
    seed: int = 0
    opening_plies: int = 0
    workers: int | None = None
    cluster: str | None = None
    check: bool = False
    store: Store = field(default_factory=lambda: Store(IN_MEMORY))
    progress: Callable[[ProgressT], None] | None = None
    stop: Stop | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"a match needs at least 1 worker, got {self.workers}.")
        if self.workers is not None and self.cluster is not None:
            raise UsageError(
                "a cluster has its own workers: give --workers or --cluster, not both."
            )

    @property
    def stopped(self) -> bool:
        """Whether the run has been cancelled."""
        return self.stop is not None and self.stop.is_set()

    def report(self, progress: ProgressT) -> None:
        """Report the progress of the run."""
        if self.progress is not None:
            self.progress(progress)


class RunKeywords(TypedDict, total=False):
    """The keyword arguments of `match`, `tournament`, `sweep` and `tune` that make a RunConfig.

    `playouts` and `seconds` are the budget of a move, whichever ends first; 1,000 playouts if
    neither is given. `store` is a result file or an open store: games that it contains are not
    played again. Without it games are kept in memory only. Equal seeds give equal games. Each game
    begins with `opening_plies` random plies. The games are played by `workers` processes (by
    default one for each core) or on the Dask cluster with a scheduler at the address `cluster`.
    With `check` user-defined rules are played with bounds checks. `progress` is called after every
    game. The run ends early once `stop`, such as a `threading.Event`, is set.
    """

    playouts: int | None
    seconds: float | None
    seed: int
    opening_plies: int
    workers: int | None
    cluster: str | None
    check: bool
    store: str | os.PathLike[str] | Store | None
    progress: Callable[[Any], None] | None
    stop: Stop | None


def run_config(
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    store: str | os.PathLike[str] | Store | None = None,
    **settings: Any,
) -> RunConfig[Any]:
    """Make a RunConfig from the keyword arguments of `RunKeywords`."""
    if settings.get("cluster") is not None:
        # Before anything is compiled.
        check_address(settings["cluster"])
        require("cluster")
    for name in ("seed", "opening_plies", "workers"):
        if name in settings and (name != "workers" or settings[name] is not None):
            settings[name] = whole_value(name, settings[name])
    budget = Budget(playouts, seconds)
    if playouts is not None:
        budget = replace(budget, playouts=int(playouts))  # also of a NumPy integer
    if store is None:
        store = IN_MEMORY
    elif not isinstance(store, Store | str | os.PathLike):
        raise UsageError(f"store must be a file or a gv.Store, got {store!r}.")
    if not isinstance(store, Store):
        store = Store(store)
    return RunConfig(budget=budget, store=store, **settings)
