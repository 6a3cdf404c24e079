"""Jobs in, results out: one game to play, and what came of it.

Both records are plain values that pickle, so that a job can be played in this process, in another
or on another machine. A game's number decides its seed and its seats; nothing else does, so a
match is the same match whatever the number of workers.
"""

from __future__ import annotations

from dataclasses import dataclass

from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.search.engine import Budget


@dataclass(frozen=True, slots=True)
class GameJob:
    """One game to play, complete in itself.

    `agents` are the specs of the two sides and `budgets` what each may spend on a move;
    `seats[player]` is the side, 0 or 1, that plays as `player`.
    """

    game: str
    agents: tuple[str, str]
    budgets: tuple[Budget, Budget]
    seats: tuple[int, ...]
    index: int
    seed: int


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game: each player's score, and what both sides spent on it together.

    `moves` are as people write them; where players move at once, joined by commas.
    """

    index: int
    seats: tuple[int, ...]
    scores: tuple[float, ...]
    moves: tuple[str, ...]
    playouts: int
    seconds: float

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


def seating(index: int, players: int) -> tuple[int, ...]:
    """Which side, 0 or 1, takes each seat in game number `index`.

    Every odd game swaps the sides of the game before it. With two players that is all; with more,
    the games go in turn through all 2^n - 2 seatings in which both sides take part (Sironi and
    Winands), each followed by its opposite.
    """
    if players < 2:
        raise UsageError("a match needs a game of two players or more.")
    pair, swapped = divmod(index, 2)
    # Bit `player` of the mask: the first side sits there. Player n - 1's bit stays clear, since
    # the opposite seating, which comes next, sets it.
    mask = 1 + pair % (2 ** (players - 1) - 1)
    return tuple((1 - (mask >> player & 1)) ^ swapped for player in range(players))


def plan(
    game: str,
    players: int,
    agents: tuple[str, str],
    budgets: tuple[Budget, Budget],
    numbers: range,
    seed: int,
) -> list[GameJob]:
    """The jobs of a match's games with these numbers."""
    return [
        GameJob(game, agents, budgets, seating(index, players), index, derive(seed, index))
        for index in numbers
    ]
