"""A sweep: every agent of a grid against one opponent, and the best one against many.

This is how Cazenave tunes: a grid of biases against UCT, then a grid of `ref` and bias against the
best RAVE, then the best GRAVE against every RAVE, to see its worst case.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graven.agents.gtp_program import is_program
from graven.core.calls import Value
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.lab.experiments.experiment import Place, Task, play_missing
from graven.lab.experiments.grid import Grid, grid
from graven.lab.experiments.job import Failure, GameResult
from graven.lab.experiments.pairing import Cell, make_cell
from graven.lab.stats.intervals import Score
from graven.lab.store.store import IN_MEMORY, Store
from graven.search.budget import Budget
from graven.search.engine import Stop
from graven.sources.load import make_game


@dataclass(frozen=True)
class Point:
    """One agent of a grid, and its score: against the opponent, or of the best against it."""

    values: tuple[Value, ...]
    agent: str
    score: Score

    def as_json(self) -> dict[str, Any]:
        """The point as plain values."""
        return {
            "values": list(self.values),
            "agent": self.agent,
            "games": self.score.games,
            "wins": self.score.wins,
            "losses": self.score.losses,
            "draws": self.score.draws,
            "win_rate": self.score.win_rate,
            "ci95": list(self.score.ci95),
        }


@dataclass(frozen=True)
class SweepResult:
    """A sweep: all points of the grid, and those of the second grid if there is one."""

    game: str
    against: str
    names: tuple[str, ...]
    points: tuple[Point, ...]
    opponents: tuple[Point, ...]
    planned: int
    failures: tuple[Failure, ...]

    @property
    def games(self) -> int:
        """How many games have been played."""
        return sum(point.score.games for point in (*self.points, *self.opponents))

    @property
    def best(self) -> Point | None:
        """The agent with the highest win rate; of equal ones, the first."""
        played = [point for point in self.points if point.score.games]
        return max(played, key=lambda point: point.score.win_rate or 0.0, default=None)

    @property
    def worst(self) -> Point | None:
        """The opponent of the second grid against whom the best agent does worst."""
        played = [point for point in self.opponents if point.score.games]
        return min(played, key=lambda point: point.score.win_rate or 0.0, default=None)

    def as_json(self) -> dict[str, Any]:
        """The sweep as plain values."""
        best, worst = self.best, self.worst
        return {
            "game": self.game,
            "against": self.against,
            "names": list(self.names),
            "games": self.games,
            "planned": self.planned,
            "points": [point.as_json() for point in self.points],
            "best": best.as_json() if best else None,
            "opponents": [point.as_json() for point in self.opponents],
            "worst": worst.as_json() if worst else None,
            "failures": [str(failure) for failure in self.failures],
        }


def sweep(
    game: Game | str,
    agents: str,
    against: str,
    games: int = 100,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    stop: Stop | None = None,
    *,
    worst_against: str | None = None,
    db: str | os.PathLike[str] | Store | None = None,
    cluster: str | None = None,
    openings: int = 0,
) -> SweepResult:
    """Play `games` games of every agent of the grid `agents` against `against`.

    With a second grid, `worst_against`, the best one then plays every agent of that: what it is
    worth at worst. `progress` is called with the games done and planned. What else can be said is
    as for `match`.
    """
    if isinstance(game, str):
        game = make_game(game)
    first, second = grid(agents), grid(worst_against) if worst_against else None
    if not is_program(against) and grid(against).names:
        raise UsageError("--against names one agent: a second grid goes to --robustness-against.")
    store = db if isinstance(db, Store) else Store(IN_MEMORY if db is None else db)
    place, given = Place(workers, cluster), Budget(playouts, seconds)
    planned = games * (len(first.points()) + (len(second.points()) if second else 0))
    done = 0
    failures: list[Failure] = []

    def run(cells: dict[str, Cell]) -> dict[str, Score]:
        nonlocal done
        assert isinstance(game, Game)
        scores = {name: store.summary(cell, games).score for name, cell in cells.items()}
        names = {cell: name for name, cell in cells.items()}
        done += sum(score.games for score in scores.values())

        def recorded(cell: Cell, result: GameResult) -> None:
            nonlocal done
            done += 1
            scores[names[cell]] = scores[names[cell]].plus(result.outcome)
            if progress is not None:
                progress(done, planned)

        if progress is not None:
            progress(done, planned)
        tasks = [Task(cell, games) for cell in cells.values()]
        failures.extend(play_missing(tasks, store, place, recorded, stop, game=game))
        return scores

    def made(one: str, other: str) -> Cell:
        return make_cell(game, one, other, given, seed, openings)

    def result(points: list[Point], opponents: list[Point]) -> SweepResult:
        assert isinstance(game, Game)
        return SweepResult(
            game.spec,
            against,
            first.names,
            tuple(points),
            tuple(opponents),
            planned,
            tuple(failures),
        )

    points = _points(first, run({name: made(name, against) for name in first.agents()}))
    so_far = result(points, [])
    best = so_far.best
    if second is None or best is None or (stop is not None and stop.is_set()):
        return so_far
    scores = run({name: made(best.agent, name) for name in second.agents()})
    return result(points, _points(second, scores))


def _points(over: Grid, scores: dict[str, Score]) -> list[Point]:
    return [
        Point(values, name, scores[name])
        for values, name in zip(over.points(), over.agents(), strict=True)
    ]
