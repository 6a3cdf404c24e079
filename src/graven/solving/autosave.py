"""Watch a solve: report better games and save its file regularly."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graven.solving import solve_file

if TYPE_CHECKING:
    from graven.solving.solve_run import Solution, SolveSession

SAVE_SECONDS = 10.0


class SolveAutosave:
    """Reports better games of a solve and saves it to a file.

    The file is written after each better game, but at most once per second and in at most a
    hundredth of the time; otherwise every SAVE_SECONDS.
    """

    def __init__(
        self,
        session: SolveSession,
        better: Callable[[Solution], None] | None = None,
        save: str | Path | None = None,
        resume: str | Path | None = None,
    ) -> None:
        if save is not None and save != resume:
            solve_file.check_new_file(save)
        self.path = save if save is not None else resume
        self._session = session
        self._better = better
        best = session.search.best
        self._best_score = best[0] if best else None
        self._improved = False
        self._last_save = time.monotonic()
        self._min_interval = 1.0
        if self.path is not None:
            self._save()

    def update(self, session: SolveSession) -> None:
        """Report a better game, and save if it is time."""
        best = session.search.best
        if best is not None and (self._best_score is None or best[0] > self._best_score):
            self._best_score = best[0]
            self._improved = True
            if self._better is not None:
                solution = session.solution
                assert solution is not None
                self._better(solution)
        if self.path is not None:
            elapsed = time.monotonic() - self._last_save
            if elapsed > max(self._min_interval, 0.0 if self._improved else SAVE_SECONDS):
                self._save()

    def close(self) -> None:
        """Save for the last time."""
        if self.path is not None:
            self._save()

    def _save(self) -> None:
        assert self.path is not None
        begin = time.monotonic()
        solve_file.save(self._session, self.path)
        self._last_save = time.monotonic()
        self._min_interval = max(1.0, 100 * (self._last_save - begin))
        self._improved = False
