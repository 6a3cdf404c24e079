"""Solving a position: runs of a method within limits, which can be stopped and gone on with."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graven.core.errors import ContractError, UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive, generator
from graven.search.runner import Stop
from graven.solving.method import one_player
from graven.solving.method_registry import Chosen, parse_method
from graven.sources.load import load_game

# A chunk of playouts lasts about this long: clocks and stop requests are looked at in between.
CHUNK_SECONDS = 0.02
MOST_PLAYOUTS = 1 << 60
MOST_RUNS = 1_000_000_000
MOST_SEED = (1 << 62) - 1
ENOUGH = 1_000_000  # playouts, of which one at least must have had a result


@dataclass(frozen=True)
class Limits:
    """When to end: after so many seconds, playouts in all, or runs in all; the first that comes.

    With no limit at all there is one run; with seconds or playouts alone, runs without end.
    """

    seconds: float | None = None
    playouts: int | None = None
    runs: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise UsageError(f"solving needs more than 0 seconds, not {self.seconds}.")
        if self.playouts is not None and not 1 <= self.playouts <= MOST_PLAYOUTS:
            raise UsageError(
                f"solving takes from 1 to {MOST_PLAYOUTS:,} playouts, not {self.playouts}."
            )
        if self.runs is not None and not 1 <= self.runs <= MOST_RUNS:
            raise UsageError(f"runs must be from 1 to {MOST_RUNS:,}, not {self.runs}.")

    @property
    def most_runs(self) -> int:
        """How many runs there may be."""
        if self.runs is not None:
            return self.runs
        return 1 if self.seconds is None and self.playouts is None else MOST_RUNS


@dataclass(frozen=True)
class Solution:
    """The best game found so far.

    `points` is its result as people count it (the score itself, where a game has no points),
    `moves` are its moves from the position that was solved, `position` is where it ends. `seconds`
    and `playouts` are what has been spent, `runs` how often the method has come to its end.
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
        """How fast it was."""
        return self.playouts / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """The solution as plain values."""
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


Told = Callable[[Solution], None]


class Solving:
    """One method at work on one position; `run` goes on from where it last ended."""

    def __init__(self, position: Position, chosen: Chosen, seed: int = 0) -> None:
        game = position.game
        one_player(game.name, game.players)
        if position.is_over:
            raise UsageError(f"the game of {game.name} is over there: there is nothing to solve.")
        self.start = position
        self.chosen = chosen
        if abs(seed) > MOST_SEED:
            raise UsageError(f"a seed lies between -{MOST_SEED:,} and {MOST_SEED:,}, not {seed}.")
        self.seed = seed
        self.rng = generator(derive(seed, 0))
        self.runs = 0
        self.seconds = 0.0
        self.solver = chosen.method.make(game.name, game.rules, position.state, chosen.values)
        self.solver.advance(self.rng, 0)  # compiles, before any clock runs

    @property
    def solution(self) -> Solution | None:
        """The best so far; None before the first playout."""
        best = self.solver.best
        if best is None:
            return None
        score, codes = best
        position, moves = self.start, []
        for code in codes:
            moves.append(position.game.format_move(0, code))
            position = position.play(code)
        points = position.points
        return Solution(
            game=self.start.game.spec,
            method=self.chosen.text,
            seed=self.seed,
            score=score,
            points=score if points is None else points,
            moves=tuple(moves),
            position=position,
            playouts=self.solver.playouts,
            seconds=self.seconds,
            runs=self.runs,
        )

    def run(
        self,
        limits: Limits,
        stop: Stop | None = None,
        pause: Callable[[Solving], None] | None = None,
    ) -> Solution:
        """Go on until a limit is reached or `stop` is set, but for at least one playout.

        `pause` is called every few milliseconds, between playouts.
        """
        begin = last = time.perf_counter()
        goal = limits.playouts or MOST_PLAYOUTS
        chunk = 1
        while True:
            ended = self.solver.playouts >= goal or self.runs >= limits.most_runs
            ended |= stop is not None and stop.is_set()
            ended |= limits.seconds is not None and last - begin >= limits.seconds
            if ended and self.solver.best is not None:
                break
            if ended and self.solver.playouts >= min(goal, ENOUGH):
                raise ContractError(
                    f"the rules of {self.start.game.name} break the game contract: `scores` gave "
                    "no number that a game could be better by."
                )
            before = self.solver.playouts
            self.solver.advance(self.rng, min(goal, before + chunk))
            if self.solver.finished:
                self.runs += 1
                self.solver.begin()
            now = time.perf_counter()
            spent, last = max(now - last, 1e-6), now
            self.seconds += spent
            rate = (self.solver.playouts - before) / spent
            chunk = max(1, min(8 * chunk, int(rate * CHUNK_SECONDS)))
            if pause is not None:
                pause(self)
        found = self.solution
        assert found is not None
        return found


def solve(
    game: Game | Position | str,
    method: str = "nrpa",
    seconds: float | None = None,
    playouts: int | None = None,
    runs: int | None = None,
    seed: int = 0,
    stop: Stop | None = None,
    better: Told | None = None,
    save: str | Path | None = None,
    resume: str | Path | None = None,
) -> Solution:
    """Look for the best game of one player: from the start, or from a position.

    Ends after so many seconds, playouts or runs of the method, whichever comes first; after one run
    if nothing is said. `better` is called with every better game. `save` names a file that is kept
    up to date, `resume` one to go on from, which is then kept up to date, too. The same seed gives
    the same games, resumed or not.
    """
    from graven.solving.autosave import Keeper
    from graven.solving.solve_file import load

    limits = Limits(seconds, playouts, runs)
    if isinstance(game, str):
        game = load_game(game)
    position = game if isinstance(game, Position) else game.start()
    if resume is not None:
        solving = load(resume, position)
    else:
        solving = Solving(position, parse_method(method), seed)
    keeper = Keeper(solving, better, save, resume)
    found = solving.run(limits, stop, keeper.look)
    keeper.close()
    return found
