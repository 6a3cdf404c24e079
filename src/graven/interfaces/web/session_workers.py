"""Where the sessions' blocking work runs: threads for commands, processes for grounding."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from graven.core.cancellation import Deadline, SearchCancelled, cancelled_by
from graven.core.errors import UsageError
from graven.interfaces.web.grounding_pool import GroundingPool
from graven.interfaces.web.web_limits import COMMAND_SECONDS

COMMAND_THREADS = 16
SLOW_THREADS = 2


class SessionWorkers:
    """The thread pools of all sessions, and the processes that ground rules.

    Work with rules in Python, which may take long, has threads of its own, so that other commands
    never wait for it.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(COMMAND_THREADS, "graven-command")
        self._slow_threads = ThreadPoolExecutor(SLOW_THREADS, "graven-slow")
        self.grounding = GroundingPool()

    async def run(
        self, slow: bool, stop: threading.Event, work: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Run work in a thread until `stop` is set, for COMMAND_SECONDS at most."""

        def cancellable() -> Any:
            try:
                with cancelled_by(Deadline(COMMAND_SECONDS, stop)):
                    return work(*arguments)
            except SearchCancelled:
                raise UsageError(
                    f"cancelled: the rules took more than {COMMAND_SECONDS:g} s for this."
                ) from None

        pool = self._slow_threads if slow else self._threads
        return await asyncio.get_running_loop().run_in_executor(pool, cancellable)

    def close(self) -> None:
        """Start no more work, and kill the processes."""
        for threads in (self._threads, self._slow_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        self.grounding.close()
