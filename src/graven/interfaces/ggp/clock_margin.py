"""The time before the end of a clock at which an answer is sent."""

from __future__ import annotations

DEFAULT_MARGIN = 0.5
MAX_USUAL_SHARE = 0.2  # of a short clock
MAX_SHARE = 0.6
DECAY = 0.8


class ClockMargin:
    """Seconds reserved at the end of every clock, adapted to observed delays.

    Two delays are observed: an answer left later than planned (the machine is busy), and the server
    played another move than ours, which it does when the answer arrived too late (the network is
    slow). The margin covers twice the worst recent delay. It doubles after a replaced move and then
    decays.
    """

    def __init__(self, base: float = DEFAULT_MARGIN) -> None:
        self.base = base
        self._extra = 0.0

    def seconds(self, clock: float) -> float:
        """Return the margin for a clock of so many seconds."""
        usual = min(self.base, MAX_USUAL_SHARE * clock)
        return min(usual + self._extra, MAX_SHARE * clock)

    def observe_delay(self, seconds: float) -> None:
        """Record how long after the planned time an answer left (negative: before it)."""
        self._extra = max(DECAY * self._extra, 2 * seconds, 0.0)

    def observe_replaced_move(self) -> None:
        """Record that the server played another move than ours."""
        self._extra = 2 * self._extra + self.base
