"""Time management: main time, then byo-yomi periods or Canadian overtime.

GTP's own settings are a main time followed by repeated overtime periods of `stones` moves each;
zero stones with some overtime means that there is no limit. A byo-yomi period of
`kgs-time_settings` is Canadian overtime of one stone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MIN_MOVES_LEFT = 25  # main time is divided by at least this many moves
MAX_TIME_SECONDS = 1e7  # the largest value that a command accepts
MIN_SECONDS = 0.01  # a move is played even if no time is left


@dataclass
class PlayerClock:
    """One player's clock, in seconds.

    `stones` is the number of moves of an overtime period; `stones_left` those still to be played
    in the current one, 0 during main time.
    """

    main: float = 0.0
    overtime: float = 0.0
    stones: int = 0
    left: float = 0.0
    stones_left: int = 0

    @staticmethod
    def started(main: float, overtime: float, stones: int) -> PlayerClock:
        """Return a clock at the start of a game."""
        clock = PlayerClock(main, overtime, stones, left=main)
        if main <= 0 and overtime > 0:
            clock.left, clock.stones_left = overtime, stones
        return clock

    def set(self, left: float, stones_left: int) -> None:
        """Set the remaining time to what the controller reports (`time_left`)."""
        self.left, self.stones_left = left, stones_left

    def spend(self, seconds: float, played: bool) -> None:
        """Subtract time, and count a move if one was played."""
        self.left -= seconds
        if not self.stones_left and self.left < 0 < self.overtime:
            self.left, self.stones_left = self.left + self.overtime, self.stones
        if self.stones_left and played:
            self.stones_left -= 1
            if self.stones_left == 0:
                self.left, self.stones_left = self.overtime, self.stones

    def seconds(self, moves_left: int, lag: float) -> float:
        """Return the seconds to spend on the next move, reduced by the network's `lag`."""
        if self.stones_left:
            share = self.left / self.stones_left
        else:
            share = self.left / max(MIN_MOVES_LEFT, moves_left)
            if self.overtime > 0 and self.stones:
                # Overtime follows, so main time need not be saved for the end.
                share = max(share, min(self.left, self.overtime / self.stones))
        # `stones_left` comes from the controller and may be wrong: never exceed what is left.
        return max(MIN_SECONDS, min(share, self.left) - lag)


@dataclass
class GameClocks:
    """Both players' clocks; `players` is empty if time is not limited."""

    settings: tuple[float, float, int] | None = None
    players: list[PlayerClock] = field(default_factory=list)
    unlimited: bool = False  # set explicitly: `time_left` then starts no clock

    def set(self, main: float, overtime: float, stones: int) -> None:
        """Change the settings and reset both clocks."""
        self.unlimited = overtime > 0 and stones == 0
        self.settings = None if self.unlimited else (main, overtime, stones)
        self.restart()

    def restart(self) -> None:
        """Reset both clocks for a new game."""
        if self.settings is None:
            self.players = []
        else:
            self.players = [PlayerClock.started(*self.settings) for _ in range(2)]

    def of(self, player: int) -> PlayerClock | None:
        """Return a player's clock, or None if time is not limited."""
        return self.players[player] if player < len(self.players) else None
