"""Compare searches with a program written for one game only: the speed limit of a processor core.

The limit is a C++ library that plays Breakthrough and Knightthrough 8x8 (`liblimit.so`) and random
games of Go 9x9 (`libgo.so`) with the same semantics. It is not part of graven; the environment
variable GRAVEN_LIMIT names the folder in which it was built. Its functions are

    rand_bt, rand_kt, rand_go (games, seed, wins*) -> plies
    uct_bt, grave_kt, uct_mast_bt, ... (playouts, seed, statistics*)
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from graven.agents.agent import SearchAgent
from graven.bench.playout_rates import random_rollouts
from graven.bench.ratio_rows import LONG_ROUNDS, ROUNDS, RatioRow, measure_ratio
from graven.core.game import Game
from graven.sources.load import load_game

FOLDER = "GRAVEN_LIMIT"
CPU_SECONDS = 0.25  # of one rate
RANDOM_GAMES = 2_000
STATISTICS_BYTES = 1 << 12

Limit = Callable[[int, int], None]


@dataclass(frozen=True)
class LimitRow:
    """One row: a game, a spec ("" for random games), playouts of a search, and the C++ function."""

    game: str
    spec: str
    playouts: int
    function: str
    target: float  # ours / limit

    @property
    def what(self) -> str:
        """The measurement in words."""
        if not self.spec:
            return f"random games v the limit, {self.game}"
        return f"{self.spec} v the limit, {self.playouts:,} playouts, {self.game}"


GAMES = (("breakthrough", "bt"), ("knightthrough", "kt"))
# Without the solver, which the limit does not have either.
ROWS = (
    *(LimitRow(game, "", RANDOM_GAMES, f"rand_{short}", target=0.5) for game, short in GAMES),
    LimitRow("go", "", RANDOM_GAMES, "rand_go", target=1 / 1.5),
    *(
        LimitRow(
            game, spec, playouts, f"{function}_{short}", target=1 / 3 if playouts == 100 else 0.5
        )
        for spec, function in (("uct(solver=off)", "uct"), ("grave(ref=50,solver=off)", "grave"))
        for playouts in (100, 1_000, 10_000, 1_000_000)
        for game, short in GAMES
    ),
    *(
        LimitRow("breakthrough", f"uct(solver=off)+{name}", 10_000, f"uct_{name}_bt", target=0.5)
        for name in ("mast", "mastf", "ppa", "ppaf")
    ),
)


def against_limit() -> Iterator[RatioRow]:
    """Compare random games and searches with the limit, where it is built."""
    folder = os.environ.get(FOLDER, "")
    for row in ROWS:
        result = RatioRow("limit", row.what, "playouts/s", row.target)
        library = Path(folder) / ("libgo.so" if row.function == "rand_go" else "liblimit.so")
        if not folder or not library.exists():
            reason = f"{FOLDER} names no folder with {library.name}"
            yield replace(result, skipped=reason)
            continue
        limit = limit_function(library, row.function)
        game = load_game(row.game)
        ours = searches(game, row.spec) if row.spec else random_rollouts(game)
        yield measure_ratio(
            result,
            lambda ours=ours, row=row: rate(ours, row.playouts),  # type: ignore[misc]
            lambda limit=limit, row=row: rate(limit, row.playouts),  # type: ignore[misc]
            LONG_ROUNDS if row.playouts >= 1_000_000 else ROUNDS,
        )


def rate(work: Limit, playouts: int) -> float:
    """Return playouts per second of processor time; `work(playouts, seed)` plays so many."""
    began, done, seed = time.thread_time(), 0, 0
    while not done or time.thread_time() - began < CPU_SECONDS:
        work(playouts, seed)
        done, seed = done + playouts, seed + 1
    return done / (time.thread_time() - began)


def limit_function(library: Path, name: str) -> Limit:
    """Return a function of the C++ library as one of playouts and seed."""
    function = getattr(ctypes.CDLL(str(library)), name)
    output = ctypes.create_string_buffer(STATISTICS_BYTES)
    function.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p]
    return lambda playouts, seed: function(playouts, seed, output)


def searches(game: Game, spec: str) -> Limit:
    """Return searches of the start position."""
    position, agent = game.start(), SearchAgent(spec)

    def search(playouts: int, seed: int) -> None:
        agent.search(position, playouts=playouts, seed=seed)

    return search
