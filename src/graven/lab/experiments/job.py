"""Jobs in, results out: one game to play, and its result.

Both records consist of plain values and can be pickled, so a job can be played in this process, in
another one or on another machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from graven.lab.experiments.pairing import Pairing


@dataclass(frozen=True, slots=True)
class GameJob:
    """One game to play: a pairing and the game's number in it."""

    pairing: Pairing
    index: int

    @property
    def seed(self) -> int:
        """The game's seed."""
        return self.pairing.game_seed(self.index)


class MoveSearch(NamedTuple):
    """The search of one ply: the player to move, and the playouts and seconds that it took.

    `player` is None with simultaneous moves, and the others are None without a search.
    """

    player: int | None
    playouts: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game.

    `seats[player]` is the side, 0 or 1, that played as `player`; `scores[player]` is its score.
    `moves` are texts; simultaneous moves are joined by commas. Imported games have none, only the
    number of `plies`. `playouts` and `seconds` are the totals of both sides. `version` and
    `machine` identify what played the game. `values[ply]` is the mean score that the first player
    to move at that ply expected, None where there was no search; empty if no values were recorded.
    `searches[ply]` is the search of that ply; empty if it was not recorded.
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
    plies: int = 0
    searches: tuple[MoveSearch, ...] = ()

    def __post_init__(self) -> None:
        if self.moves:
            object.__setattr__(self, "plies", len(self.moves))

    @property
    def outcome(self) -> float:
        """The result of the first side: 1 for a win, 0.5 for a draw, 0 for a loss.

        A side has the score of its best seat (Sironi and Winands count a win of any of its
        players).
        """
        first, second = (
            max(score for score, seat in zip(self.scores, self.seats, strict=True) if seat == side)
            for side in (0, 1)
        )
        return 1.0 if first > second else 0.5 if first == second else 0.0


@dataclass(frozen=True, slots=True)
class FailedGame:
    """A game that failed every time it was tried."""

    job: GameJob
    reason: str

    def __str__(self) -> str:
        agents = " v ".join(self.job.pairing.agents)
        return (
            f"game {self.job.index} of {agents} at {self.job.pairing.game} "
            f"(seed {self.job.seed}) failed: {self.reason}"
        )
