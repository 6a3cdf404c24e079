"""Jobs in, results out: one game to play, and what came of it.

Both records are plain values that pickle, so that a job can be played in this process, in another
or on another machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from graven.lab.experiments.pairing import Cell


@dataclass(frozen=True, slots=True)
class GameJob:
    """One game to play, complete in itself: a cell and the game's number in it."""

    cell: Cell
    index: int

    @property
    def seed(self) -> int:
        """The game's seed."""
        return self.cell.game_seed(self.index)


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game: each player's score, and what both sides spent on it together.

    `seats[player]` is the side, 0 or 1, that played as `player`. `moves` are as people write them;
    where players move at once, joined by commas. `version` and `machine` say what played it.
    `values` are what was believed of each move by the first of those who made it, the mean score
    it expected, None where nobody searched; empty if none were recorded.
    """

    index: int
    seats: tuple[int, ...]
    seed: int
    scores: tuple[float, ...]
    moves: tuple[str, ...]
    playouts: int
    seconds: float
    version: str = ""
    machine: str = ""
    values: tuple[float | None, ...] = ()

    @property
    def plies(self) -> int:
        """How many moves the game took."""
        return len(self.moves)

    @property
    def outcome(self) -> float:
        """For the first side: 1 a win, 0.5 a draw, 0 a loss.

        A side is worth its best seat (Sironi and Winands count a win of any of its players).
        """
        first, second = (
            max(score for score, seat in zip(self.scores, self.seats, strict=True) if seat == side)
            for side in (0, 1)
        )
        return 1.0 if first > second else 0.5 if first == second else 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A game that could not be played, however often it was tried."""

    job: GameJob
    reason: str

    def __str__(self) -> str:
        agents = " v ".join(self.job.cell.agents)
        return (
            f"game {self.job.index} of {agents} at {self.job.cell.game} (seed {self.job.seed}) "
            f"failed: {self.reason}"
        )
