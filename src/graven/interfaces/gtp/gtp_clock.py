"""How long to think: main time, then byo-yomi periods or Canadian overtime.

GTP's own settings are main time and then so many stones in so much time, again and again; zero
stones with some overtime means that there is no limit. `kgs-time_settings` knows periods for one
move as well, which are Canadian overtime of one stone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MOVES_AHEAD = 25  # main time is shared among this many moves, or half of the empty board
LEAST = 0.01  # seconds: even without any time left, something has to be played


@dataclass
class Clock:
    """One player's time. `stones` are those still to be played in this overtime."""

    main: float = 0.0
    overtime: float = 0.0
    stones: int = 0
    left: float = 0.0
    to_play: int = 0  # 0: in main time

    @staticmethod
    def of(main: float, overtime: float, stones: int) -> Clock:
        """A clock that has not run yet."""
        clock = Clock(main, overtime, stones, left=main)
        if main <= 0 and overtime > 0:
            clock.left, clock.to_play = overtime, stones
        return clock

    def set(self, left: float, stones: int) -> None:
        """What the referee says is left."""
        self.left, self.to_play = left, stones

    def spend(self, seconds: float, played: bool) -> None:
        """Let time pass, and a move be made."""
        self.left -= seconds
        if not self.to_play and self.left < 0 < self.overtime:
            self.left, self.to_play = self.left + self.overtime, self.stones
        if self.to_play and played:
            self.to_play -= 1
            if self.to_play == 0:
                self.left, self.to_play = self.overtime, self.stones

    def seconds(self, moves_left: int, lag: float) -> float:
        """How long the next move may take; `lag` seconds are lost on the way."""
        if self.to_play:
            share = self.left / self.to_play
        else:
            share = self.left / max(MOVES_AHEAD, moves_left)
            if self.overtime > 0 and self.stones:
                # The main time need not be saved for the end: the overtime is always there.
                share = max(share, min(self.left, self.overtime / self.stones))
        # Never more than what is left, whoever counts it.
        return max(LEAST, min(share, self.left) - lag)


@dataclass
class Clocks:
    """Both players' time; without settings there is none."""

    settings: tuple[float, float, int] | None = None
    players: list[Clock] = field(default_factory=list)
    unlimited: bool = False  # because somebody said so

    def set(self, main: float, overtime: float, stones: int) -> None:
        """New settings, and clocks that have not run."""
        self.unlimited = overtime > 0 and stones == 0
        self.settings = None if self.unlimited else (main, overtime, stones)
        self.restart()

    def restart(self) -> None:
        """For a new game."""
        self.players = [Clock.of(*self.settings) for _ in range(2)] if self.settings else []

    def of(self, player: int) -> Clock | None:
        """The clock of a player, if time is limited."""
        return self.players[player] if player < len(self.players) else None
