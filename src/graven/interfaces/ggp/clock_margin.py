"""The time before the end of a clock at which an answer is sent."""

from __future__ import annotations

from collections import deque

DEFAULT_MARGIN = 0.5
MAX_USUAL_SHARE = 0.2  # of a short clock
MAX_SHARE = 0.6
DECAY = 0.8
MIN_MARGIN = 0.1
# The server's next message arrives after our answer by the network's delay in both directions, and
# the time that other players took longer than us: the shortest of these times bounds the delay.
TURNAROUNDS, SHORTEST = 8, 3  # of so many, the so many shortest ones have to agree
TURNAROUND_SHARE, TURNAROUND_EXTRA = 1.3, 0.05


class ClockMargin:
    """Seconds reserved at the end of every clock, adapted to observed delays.

    Two delays are observed: an answer left later than planned (the machine is busy), and the server
    played another move than ours, which it does when the answer arrived too late (the network is
    slow). The margin covers twice the worst recent delay. It doubles after a replaced move and then
    decays. It falls below the usual one while the server's next messages arrive soon after our
    answers, which shows that the network is fast.
    """

    def __init__(self, base: float = DEFAULT_MARGIN) -> None:
        self.base = base
        self._extra = 0.0
        self._turnarounds: deque[float] = deque(maxlen=TURNAROUNDS)

    def seconds(self, clock: float) -> float:
        """Return the margin for a clock of so many seconds."""
        usual = min(self.base, MAX_USUAL_SHARE * clock, self._needed())
        return min(usual + self._extra, MAX_SHARE * clock)

    def observe_delay(self, seconds: float) -> None:
        """Record how long after the planned time an answer left (negative: before it)."""
        self._extra = max(DECAY * self._extra, 2 * seconds, 0.0)

    def observe_turnaround(self, seconds: float) -> None:
        """Record how long after our answer the server's next message arrived."""
        self._turnarounds.append(max(0.0, seconds))

    def observe_replaced_move(self) -> None:
        """Record that the server played another move than ours."""
        self._extra = 2 * self._extra + self.base
        self._turnarounds.clear()

    def _needed(self) -> float:
        """Return what the network needs by the recent turnarounds; infinite if they are few."""
        if len(self._turnarounds) < SHORTEST:
            return float("inf")
        turnaround = sorted(self._turnarounds)[SHORTEST - 1]
        return max(MIN_MARGIN, TURNAROUND_SHARE * turnaround + TURNAROUND_EXTRA)
