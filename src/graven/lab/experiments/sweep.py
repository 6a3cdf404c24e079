"""A sweep: every agent of a grid against one opponent, and the best one against a second grid.

This is how Cazenave tunes: a grid of biases against UCT, then a grid of `ref` and bias against the
best RAVE, then the best GRAVE against every RAVE, to see its worst case.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Unpack

from graven.agents import is_external
from graven.core.calls import Value
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.plain_values import PlainValues
from graven.lab.experiments.grid import AgentGrid, parse_grid
from graven.lab.experiments.job import FailedGame, GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, check_games, play_missing
from graven.lab.experiments.run_config import RunConfig, RunKeywords, RunProgress, run_config
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.lab.stats.best_of_sweep import SelectionEffect, selection_effect
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.sources.load import load_game

log = logging.getLogger("graven.lab")


@dataclass(frozen=True)
class SweepPoint(PlainValues):
    """One agent of a grid with a score.

    In the first grid it is the agent's score against the opponent, in the second grid the score of
    the best agent against this one.
    """

    values: tuple[Value, ...]
    agent: str
    statistics: MatchStatistics

    @property
    def score(self) -> Score:
        """The games won, lost and drawn."""
        return self.statistics.score

    def to_dict(self) -> dict[str, Any]:
        """Return the point as plain values."""
        return {
            "values": list(self.values),
            "agent": self.agent,
            **self.statistics.to_dict(),
        }


@dataclass(frozen=True)
class SweepResult(PlainValues):
    """The points of the grid, and as `opponents` those of the second grid if there is one."""

    game: str
    against: str
    names: tuple[str, ...]
    points: tuple[SweepPoint, ...]
    opponents: tuple[SweepPoint, ...]
    planned: int
    failures: tuple[FailedGame, ...]

    @property
    def games(self) -> int:
        """The number of games that have been played."""
        return sum(point.score.games for point in (*self.points, *self.opponents))

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return self.games >= self.planned

    @property
    def best(self) -> SweepPoint | None:
        """The point with the highest win rate; of equal ones, the first."""
        played = [point for point in self.points if point.score.games]
        return max(played, key=lambda point: point.score.win_rate or 0.0, default=None)

    @property
    def worst(self) -> SweepPoint | None:
        """The point of the second grid against which the best agent has its lowest win rate."""
        played = [point for point in self.opponents if point.score.games]
        return min(played, key=lambda point: point.score.win_rate or 0.0, default=None)

    @property
    def selection(self) -> SelectionEffect | None:
        """By how much the best win rate is likely to be too high, because it is the best."""
        played = [point for point in self.points if point.score.games]
        if len(played) < 2:
            return None
        return selection_effect([point.statistics.sample.proportion for point in played])

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as plain values."""
        best, worst, selection = self.best, self.worst, self.selection
        return {
            "game": self.game,
            "against": self.against,
            "names": list(self.names),
            "games": self.games,
            "planned": self.planned,
            "points": [point.to_dict() for point in self.points],
            "best": best.to_dict() if best else None,
            "selection_effect": selection.to_dict() if selection else None,
            "opponents": [point.to_dict() for point in self.opponents],
            "worst": worst.to_dict() if worst else None,
            "failures": [str(failure) for failure in self.failures],
        }


def sweep(
    game: Game | str,
    agents: str,
    against: str,
    games: int = 100,
    *,
    robustness_against: str | None = None,
    **keywords: Unpack[RunKeywords],
) -> SweepResult:
    """Play `games` games of every agent of the grid `agents` against `against`.

    With a second grid, `robustness_against`, the best agent then plays every agent of that grid.
    The other keyword arguments are those of `RunKeywords`, as for `match`; `progress` is called
    with a `RunProgress`.
    """
    return run_sweep(
        game,
        agents,
        against,
        run_config(**keywords),
        games=games,
        robustness_against=robustness_against,
    )


def run_sweep(
    game: Game | str,
    agents: str,
    against: str,
    config: RunConfig[RunProgress],
    *,
    games: int,
    robustness_against: str | None = None,
) -> SweepResult:
    """Play a sweep with the settings of `config`: see `sweep`."""
    games = check_games(games)
    if isinstance(game, str):
        game = load_game(game)
    grid = parse_grid(agents)
    second_grid = parse_grid(robustness_against) if robustness_against else None
    if not is_external(against) and parse_grid(against).names:
        raise UsageError("--against takes one agent: use --robustness-against for a second grid.")
    grids = [grid, second_grid] if second_grid else [grid]
    for note in (note for each in grids for note in each.notes):
        log.warning(note)
    planned = games * sum(len(each.points()) for each in grids)
    run = _SweepRun(game, games, planned, config)
    points = run.play(grid, {name: (name, against) for name in grid.agents()})

    def result(opponents: tuple[SweepPoint, ...] = ()) -> SweepResult:
        return SweepResult(
            game=game.spec,
            against=against,
            names=grid.names,
            points=points,
            opponents=opponents,
            planned=planned,
            failures=tuple(run.failures),
        )

    best = result().best
    if second_grid is None or best is None or config.stopped:
        return result()
    sides = {name: (best.agent, name) for name in second_grid.agents()}
    return result(run.play(second_grid, sides))


class _SweepRun:
    """The games of a sweep that have been played, over both grids."""

    def __init__(
        self, game: Game, games: int, planned: int, config: RunConfig[RunProgress]
    ) -> None:
        self._game, self._games, self._planned, self._config = game, games, planned, config
        self._done = 0
        self.failures: list[FailedGame] = []

    def play(self, grid: AgentGrid, sides: dict[str, tuple[str, str]]) -> tuple[SweepPoint, ...]:
        """Play the games of a grid; `sides[name]` are the two agents of its agent `name`."""
        config = self._config
        pairings = {
            name: make_pairing(
                self._game,
                first,
                second,
                config.budget,
                seed=config.seed,
                opening_plies=config.opening_plies,
            )
            for name, (first, second) in sides.items()
        }
        pairings = {
            name: with_fingerprint(pairing, self._game) for name, pairing in pairings.items()
        }
        store, games = config.store, self._games

        def on_game(_: Pairing, result: GameResult) -> None:
            self._count(1)

        self._count(sum(len(store.recorded_games(pairing, games)) for pairing in pairings.values()))
        plan = [PlannedGames(pairing, self._games) for pairing in pairings.values()]
        self.failures += play_missing(plan, config, on_game=on_game, game=self._game)
        return tuple(
            SweepPoint(values, name, store.summary(pairings[name], games).statistics)
            for values, name in zip(grid.points(), grid.agents(), strict=True)
        )

    def _count(self, games: int) -> None:
        self._done += games
        self._config.report(RunProgress(self._done, self._planned))
