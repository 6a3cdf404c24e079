"""How long before the clock ends an answer is sent."""

from __future__ import annotations

BASE = 0.5
SHARE = 0.2  # of a short clock
MOST_SHARE = 0.6
FORGET = 0.8


class Margin:
    """Seconds kept back from every clock, adapting to what is seen of delays.

    Two things are seen: how much later than planned an answer left (a busy machine), and whether
    the server played another move than ours, which it does when the answer came too late (a slow
    network). The margin covers twice the worst recent delay; it doubles after a move was replaced,
    and slowly comes back.
    """

    def __init__(self, base: float = BASE) -> None:
        self.base = base
        self._extra = 0.0

    def seconds(self, clock: float) -> float:
        """What to keep back of a clock."""
        usual = min(self.base, SHARE * clock)
        return min(usual + self._extra, MOST_SHARE * clock)

    def observe(self, late: float) -> None:
        """An answer left so much after the planned moment (less than 0: before it)."""
        self._extra = max(FORGET * self._extra, 2 * late, 0.0)

    def replaced(self) -> None:
        """The server played another move than ours."""
        self._extra = 2 * self._extra + self.base
