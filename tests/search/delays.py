"""Searches by several threads that are delayed at random, and what their trees hold."""

from __future__ import annotations

import ctypes
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from graven.core.contract import State
from graven.core.status import Status
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.runner import Search
from graven.search.simulate import DONE
from graven.search.sync_search import SyncSearch
from graven.search.threaded import ThreadedSearch


def with_threads(spec: str, threads: int, **options: object) -> str:
    """Return the text of an agent with threads, without the solver, and with more options."""
    values = {"threads": threads, "solver": "off", **options}
    text = ",".join(f"{name}={str(value).lower()}" for name, value in values.items())
    tree, _, playout = spec.partition("+")
    tree = tree[:-1] + "," if tree.endswith(")") else tree + "("
    return f"{tree}{text})" + (f"+{playout}" if playout else "")


def delay_at_random(search: ThreadedSearch, rng: random.Random) -> None:
    """Let the threads of a search sleep up to 0.2 ms before some of their simulations."""

    def sleep(number: int) -> int:
        if rng.random() < 0.1:
            time.sleep(rng.random() * 2e-4)
        return 0

    if isinstance(search, SyncSearch):
        # The kernel calls it; it must live as long as the search.
        search.callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(sleep)  # type: ignore[attr-defined]
        search.delay = ctypes.cast(search.callback, ctypes.c_void_p).value or 0  # type: ignore[attr-defined]
        return
    for number, member in enumerate(search.members):
        delayed: Any = partial(_one_by_one, member, member.simulate, partial(sleep, number))
        member.simulate = delayed  # type: ignore[method-assign]


def _one_by_one(
    member: Search,
    simulate: Callable[[int, int], int],
    sleep: Callable[[], int],
    until: int,
    goal: int,
) -> int:
    """Make the simulations that `simulate` makes in one call; sleep before each."""
    for part in range(int(member.control[DONE]) + 1, until + 1):
        sleep()
        if (status := simulate(part, goal)) != Status.OK:
            return status
    return Status.OK


def trees_of(
    search: ThreadedSearch, state: State, playouts: int, seed: int
) -> list[npt.NDArray[np.generic]]:
    """Search a position with new trees; return all that they hold."""
    search.renew()
    search.run(state, (), Budget(playouts=playouts), seed)
    held: list[npt.NDArray[np.generic]] = []
    for member in search.members:
        tree, nodes = member.tree, int(member.tree.meta[arrays.NODES])
        edges = int(member.tree.meta[arrays.EDGES])
        for array, units in ((tree.visits, nodes), (tree.keys, nodes), (tree.counts, edges)):
            held.append(array[:units].copy())
        held += [tree.sums[:edges].copy(), tree.table[:nodes].copy()]
    return held
