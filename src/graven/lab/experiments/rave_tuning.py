"""Cazenave's tuning protocol (2015, section 4): biases of RAVE, then GRAVE, then its worst case.

1. RAVE with every bias plays UCT; the best bias is RAVE's.
2. GRAVE with every ref and bias plays this RAVE; the best one is GRAVE's.
3. This GRAVE plays RAVE with every bias, "to make sure there is no over-fitting".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from graven.core.game import Game
from graven.core.plain_values import PlainValues
from graven.lab.experiments.grid import parse_grid
from graven.lab.experiments.job import FailedGame
from graven.lab.experiments.run_config import RunConfig, RunProgress
from graven.lab.experiments.sweep import SweepResult, run_sweep

BIASES, REFS = "[1e-1..1e-15]", "[25,50,100]"


@dataclass(frozen=True)
class TuningGrids:
    """The agents of the protocol: ranges of values, as in a sweep, and what all agents have.

    `options` are search options and parameters that all agents have, `playout` is their playout
    policy, "" for uniform playouts.
    """

    biases: str = BIASES
    refs: str = REFS
    uct: str = "c=0.4"
    options: str = "ties=first,solver=off"
    playout: str = ""

    @property
    def opponent(self) -> str:
        """The UCT that RAVE is tuned against."""
        return self._agent("uct", self.uct)

    @property
    def rave(self) -> str:
        """The grid of RAVE."""
        return self._agent("rave", f"bias={self.biases}")

    @property
    def grave(self) -> str:
        """The grid of GRAVE."""
        return self._agent("grave", f"ref={self.refs}", f"bias={self.biases}")

    def _agent(self, name: str, *arguments: str) -> str:
        written = ",".join(filter(None, (*arguments, self.options)))
        return f"{name}({written})" + (f"+{self.playout}" if self.playout else "")


@dataclass(frozen=True)
class RaveTuning(PlainValues):
    """The sweeps of the protocol; `grave` is None until that of RAVE has a best agent."""

    rave: SweepResult
    grave: SweepResult | None
    planned: int

    @property
    def failures(self) -> tuple[FailedGame, ...]:
        """The games that could not be played."""
        return (*self.rave.failures, *(self.grave.failures if self.grave else ()))

    @property
    def games(self) -> int:
        """The number of games that have been played."""
        return self.rave.games + (self.grave.games if self.grave else 0)

    @property
    def finished(self) -> bool:
        """Whether all games have been played."""
        return self.games >= self.planned

    def to_dict(self) -> dict[str, Any]:
        """Return the sweeps as plain values."""
        return {
            "rave": self.rave.to_dict(),
            "grave": self.grave.to_dict() if self.grave else None,
            "games": self.games,
            "planned": self.planned,
        }


def run_rave_tuning(
    game: Game, config: RunConfig[RunProgress], *, games: int, grids: TuningGrids
) -> RaveTuning:
    """Play the protocol with `games` games for each pair of agents."""
    rave_agents = len(parse_grid(grids.rave).points())
    planned = games * (2 * rave_agents + len(parse_grid(grids.grave).points()))
    rave = run_sweep(game, grids.rave, grids.opponent, _part(config, 0, planned), games=games)
    if rave.best is None or config.stopped:
        return RaveTuning(rave, None, planned)
    grave = run_sweep(
        game,
        grids.grave,
        rave.best.agent,
        _part(config, rave.games, planned),
        games=games,
        robustness_against=grids.rave,
    )
    return RaveTuning(rave, grave, planned)


def _part(config: RunConfig[RunProgress], before: int, planned: int) -> RunConfig[RunProgress]:
    """Return a config that reports the progress of one sweep as a part of all games."""
    return replace(
        config,
        progress=lambda progress: config.report(RunProgress(before + progress.done, planned)),
    )
