"""Solve a position: runs of a method within limits, which can be stopped and resumed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graven.core.errors import ContractError, UsageError
from graven.core.game import Game
from graven.core.number_checks import check_number, check_whole, whole_value
from graven.core.plain_values import PlainValues
from graven.core.position import Position
from graven.core.rng import derive, generator
from graven.search.runner import Stop
from graven.solving.method import check_solvable
from graven.solving.method_registry import MethodSpec, parse_method
from graven.sources.load import load_position

# The approximate duration of a chunk of playouts; time and stop requests are checked in between.
CHUNK_SECONDS = 0.02
MAX_PLAYOUTS = 1 << 60
MAX_RUNS = 1_000_000_000
MAX_SEED = (1 << 62) - 1
# Without any valid score after this many playouts, the game breaks the contract.
MAX_PLAYOUTS_WITHOUT_SCORE = 1_000_000


@dataclass(frozen=True)
class SolveLimits:
    """Stop after these seconds, total playouts or total runs, whichever comes first.

    Without any limit there is one run; with seconds or playouts only, any number of runs.
    """

    seconds: float | None = None
    playouts: int | None = None
    runs: int | None = None

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds)
        check_whole("playouts", self.playouts)
        check_whole("runs", self.runs)
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise UsageError(f"seconds must be more than 0 and finite, got {self.seconds}.")
        if self.playouts is not None and not 1 <= self.playouts <= MAX_PLAYOUTS:
            raise UsageError(f"playouts must be from 1 to {MAX_PLAYOUTS:,}, got {self.playouts}.")
        if self.runs is not None and not 1 <= self.runs <= MAX_RUNS:
            raise UsageError(f"runs must be from 1 to {MAX_RUNS:,}, got {self.runs}.")

    @property
    def max_runs(self) -> int:
        """The maximum number of runs."""
        if self.runs is not None:
            return self.runs
        return 1 if self.seconds is None and self.playouts is None else MAX_RUNS


@dataclass(frozen=True)
class Solution(PlainValues):
    """The best game so far.

    `points` is its result in the game's points (the score, if the game has no points), `moves` are
    its moves from the solved position, `position` is its final position. `seconds` and `playouts`
    are the totals spent, `runs` is the number of completed runs of the method.
    """

    game: str
    method: str
    seed: int
    score: float
    points: float
    moves: tuple[str, ...]
    position: Position
    playouts: int
    seconds: float
    runs: int

    @property
    def playouts_per_second(self) -> float:
        """The average speed."""
        return self.playouts / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON values."""
        return {
            "game": self.game,
            "method": self.method,
            "seed": self.seed,
            "points": self.points,
            "score": self.score,
            "moves": list(self.moves),
            "board": self.position.text(),
            "playouts": self.playouts,
            "seconds": self.seconds,
            "playouts_per_second": self.playouts_per_second,
            "runs": self.runs,
        }


class SolveSession:
    """The solve of one position by one method; `advance` continues where it last stopped."""

    def __init__(self, position: Position, method: MethodSpec, seed: int = 0) -> None:
        game = position.game
        check_solvable(game)
        if position.is_over:
            raise UsageError(f"the game of {game.name} is over in this position: nothing to solve.")
        self.start = position
        self.method = method
        self.seed = seed = whole_value("seed", seed, -MAX_SEED, MAX_SEED)
        self.rng = generator(derive(seed, 0))
        self.runs = 0
        self.seconds = 0.0
        self.search = method.method.make(game.name, game.rules, position.state, method.values)
        self.search.advance(self.rng, 0)  # compiles the kernels before time is measured

    @property
    def solution(self) -> Solution | None:
        """The best game so far; None before the first playout."""
        best = self.search.best
        if best is None:
            return None
        score, codes = best
        position, moves = self.start, []
        for code in codes:
            moves.append(position.game.format_move(0, code))
            position = position.play_code(code)
        points = position.points
        return Solution(
            game=self.start.game.spec,
            method=self.method.text,
            seed=self.seed,
            score=score,
            points=score if points is None else points,
            moves=tuple(moves),
            position=position,
            playouts=self.search.playouts,
            seconds=self.seconds,
            runs=self.runs,
        )

    def advance(
        self,
        limits: SolveLimits,
        stop: Stop | None = None,
        on_chunk: Callable[[SolveSession], None] | None = None,
    ) -> Solution:
        """Continue until a limit is reached or `stop` is set, with at least one playout.

        `on_chunk` is called after each chunk of playouts, every few milliseconds.
        """
        begin = last = time.perf_counter()
        goal = limits.playouts or MAX_PLAYOUTS
        chunk = 1
        while True:
            ended = self.search.playouts >= goal or self.runs >= limits.max_runs
            ended |= stop is not None and stop.is_set()
            ended |= limits.seconds is not None and last - begin >= limits.seconds
            if ended and self.search.best is not None:
                break
            if ended and self.search.playouts >= min(goal, MAX_PLAYOUTS_WITHOUT_SCORE):
                raise ContractError(
                    f"the rules of {self.start.game.name} break the game contract: `scores` wrote "
                    "no valid number in any playout."
                )
            before = self.search.playouts
            self.search.advance(self.rng, min(goal, before + chunk))
            if self.search.finished:
                self.runs += 1
                self.search.begin()
            now = time.perf_counter()
            spent, last = max(now - last, 1e-6), now
            self.seconds += spent
            rate = (self.search.playouts - before) / spent
            chunk = max(1, min(8 * chunk, int(rate * CHUNK_SECONDS)))
            if on_chunk is not None:
                on_chunk(self)
        solution = self.solution
        assert solution is not None
        return solution


def solve(
    game: Game | Position | str,
    method: str = "nrpa",
    seconds: float | None = None,
    playouts: int | None = None,
    runs: int | None = None,
    seed: int = 0,
    stop: Stop | None = None,
    better: Callable[[Solution], None] | None = None,
    save: str | Path | None = None,
    resume: str | Path | None = None,
) -> Solution:
    """Search for the best game of a one-player game, from the start or from a position.

    Stops after `seconds`, `playouts` or `runs` of the method, whichever comes first; by default
    after one run. `better` is called with every better game. `save` is a new file that is saved
    regularly; `resume` is a saved file to continue from, which is then also saved regularly. The
    same seed gives the same games, resumed or not.
    """
    from graven.solving.autosave import SolveAutosave
    from graven.solving.solve_file import load

    limits = SolveLimits(seconds, playouts, runs)
    position = load_position(game)
    if resume is not None:
        session = load(resume, position)
    else:
        session = SolveSession(position, parse_method(method), seed)
    autosave = SolveAutosave(session, better, save, resume)
    solution = session.advance(limits, stop, autosave.update)
    autosave.close()
    return solution
