"""Keeping an eye on a solve: telling of better games, and keeping its file up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graven.solving import solve_file

if TYPE_CHECKING:
    from graven.solving.solve_run import Solution, Solving

SAVE_SECONDS = 10.0


class Keeper:
    """Looks at a solve now and then. The file is written at once after a better game, but not
    more often than once a second or a hundredth of the time, and otherwise every ten seconds."""

    def __init__(
        self,
        solving: Solving,
        better: Callable[[Solution], None] | None = None,
        save: str | Path | None = None,
        resume: str | Path | None = None,
    ) -> None:
        if save is not None and save != resume:
            solve_file.check_place(save)
        self.path = save if save is not None else resume
        self._solving = solving
        self._better = better
        best = solving.solver.best
        self._score = best[0] if best else None
        self._due = False
        self._last = time.monotonic()
        self._pause = 1.0
        if self.path is not None:
            self._save()

    def look(self, solving: Solving) -> None:
        """Tell of a better game, save if it is time."""
        best = solving.solver.best
        if best is not None and (self._score is None or best[0] > self._score):
            self._score = best[0]
            self._due = True
            if self._better is not None:
                found = solving.solution
                assert found is not None
                self._better(found)
        if self.path is not None:
            waited = time.monotonic() - self._last
            if waited > max(self._pause, 0.0 if self._due else SAVE_SECONDS):
                self._save()

    def close(self) -> None:
        """Save a last time."""
        if self.path is not None:
            self._save()

    def _save(self) -> None:
        assert self.path is not None
        begin = time.monotonic()
        solve_file.save(self._solving, self.path)
        self._last = time.monotonic()
        self._pause = max(1.0, 100 * (self._last - begin))
        self._due = False
