"""Grounding of rules that a page sends, in processes that are killed at their limits.

Every job gets FIRST_SECONDS first, in a process that does nothing else, so that small rules do not
wait behind large ones. A job that takes longer begins again with QUICK_SECONDS, and then in a
queue, one at a time for each client. The first two tries serve the clients in turn, and the latest
job of a client before its earlier ones.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from graven.core.errors import UsageError
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.network.propositional import Network
from graven.interfaces.web import grounding_worker
from graven.interfaces.web.grounding_worker import (
    LENGTH,
    NETWORK,
    READY,
    REFUSED,
    GroundingAnswer,
    GroundingJob,
)
from graven.interfaces.web.web_limits import (
    GROUNDING_MEMORY_MIB,
    GROUNDING_SECONDS,
    PROOF_SECONDS,
)

FIRST_SECONDS, QUICK_SECONDS = 0.3, 2.0
FIRST_JOBS, QUICK_JOBS, LONG_JOBS = 1, 2, 2  # at the same time
MAX_PENDING = 32  # jobs of one client that run or wait
START_SECONDS = 120.0  # a process may have to compile first
KILL_EXTRA_SECONDS = 3.0  # after the time at which a process should have noticed its limit


class GroundingPool:
    """Processes that ground rules, started when they are needed and then kept."""

    def __init__(self) -> None:
        self._first, self._quick = FairSlots(FIRST_JOBS), FairSlots(QUICK_JOBS)
        self._pending: Counter[str] = Counter()  # jobs of each client
        self._long = asyncio.Semaphore(LONG_JOBS)
        self._long_of_client: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._idle_first: list[GroundingProcess] = []
        self._idle: list[GroundingProcess] = []
        self._busy: set[GroundingProcess] = set()
        self._threads = ThreadPoolExecutor(FIRST_JOBS + QUICK_JOBS + LONG_JOBS, "graven-grounding")

    async def build(self, rules: str, title: str, client: str) -> Network:
        """Return the network of rules; cancelling the task kills its process.

        Raises UsageError if the rules have errors, TooLargeError beyond the limits of the page.
        """
        if self._pending[client] >= MAX_PENDING:
            raise UsageError(f"{MAX_PENDING} rules of this address are being prepared: wait.")
        self._pending[client] += 1
        try:
            return await self._build(rules, title, client)
        finally:
            self._pending[client] -= 1

    async def _build(self, rules: str, title: str, client: str) -> Network:
        with suppress(TimeoutError, TooLargeError):
            return await self._first_try(GroundingJob(rules, title, FIRST_SECONDS, False), client)
        async with self._quick.slot(client):
            with suppress(TimeoutError, TooLargeError):
                return await self._ground(GroundingJob(rules, title, QUICK_SECONDS, False))
        # The queue of a client keeps its other jobs away from the slots that all clients share.
        async with self._long_of_client[client], self._long:
            try:
                return await self._ground(GroundingJob(rules, title, GROUNDING_SECONDS, True))
            except TimeoutError:
                seconds = GROUNDING_SECONDS + PROOF_SECONDS
                raise UsageError(
                    f"{title} is too large for this page: its preparation takes more than "
                    f"{seconds:g} s."
                ) from None

    async def _first_try(self, job: GroundingJob, client: str) -> Network:
        """Ground in the process for small rules.

        If this is cancelled the process ends the job, which is short: the next client would wait
        longer for the start of another process.
        """
        await self._first.enter(client)
        work = asyncio.ensure_future(self._ground(job, self._idle_first))

        def leave(work: asyncio.Future[Network]) -> None:
            self._first.leave()
            if not work.cancelled():
                work.exception()  # read, so that asyncio does not report it if no task waits

        work.add_done_callback(leave)
        return await asyncio.shield(work)

    async def _ground(
        self, job: GroundingJob, idle: list[GroundingProcess] | None = None
    ) -> Network:
        """Ground in a process; raise TimeoutError if it has to be killed."""
        async with self._process(self._idle if idle is None else idle) as process:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._threads, process.ask, job)
        if answer.kind == NETWORK:
            assert isinstance(answer.network, Network)
            return answer.network
        raise (UsageError if answer.kind == REFUSED else TooLargeError)(answer.reason)

    @asynccontextmanager
    async def _process(self, idle: list[GroundingProcess]) -> AsyncIterator[GroundingProcess]:
        """Lend an idle process or a new one; one that was not asked to its end is killed."""
        process = idle.pop() if idle else GroundingProcess()
        self._busy.add(process)
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            self._busy.discard(process)
        idle.append(process)

    def close(self) -> None:
        """Kill all processes."""
        idle = (*self._idle_first, *self._idle)
        for process in (*idle, *self._busy):
            process.kill()
        for process in idle:
            process.close()
        self._idle_first.clear()
        self._idle.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)


class FairSlots:
    """A semaphore that serves clients in turn, and the latest waiter of a client first."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._last_turn: dict[str, int] = {}  # of the clients that wait, or had a turn meanwhile
        self._turns = 0

    @asynccontextmanager
    async def slot(self, client: str) -> AsyncIterator[None]:
        """Hold a slot."""
        await self.enter(client)
        try:
            yield
        finally:
            self.leave()

    async def enter(self, client: str) -> None:
        """Wait for a slot."""
        if self._free:
            self._free -= 1
            self._note_turn(client)
            return
        waiter = client, asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter[1]
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            else:
                self.leave()
            raise

    def leave(self) -> None:
        """Give the slot to the next waiter."""
        if not self._waiting:
            self._free += 1
            self._last_turn.clear()
            return
        latest = dict(self._waiting)
        client = min(latest, key=lambda name: self._last_turn.get(name, 0))
        self._waiting.remove((client, latest[client]))
        self._note_turn(client)
        latest[client].set_result(None)

    def _note_turn(self, client: str) -> None:
        self._turns += 1
        self._last_turn[client] = self._turns


class GroundingProcess:
    """A child process that answers one job after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._expired = self._killed = False

    @property
    def pid(self) -> int | None:
        """The id of the process; None before it was started."""
        return None if self._process is None else self._process.pid

    def ask(self, job: GroundingJob) -> GroundingAnswer:
        """Return the answer to a job; raise TimeoutError if the process had to be killed."""
        if self._process is None:
            self._process = _start()
            assert self._answer(START_SECONDS).kind == READY
        assert self._process.stdin is not None
        with suppress(OSError):  # it was killed: there is no answer
            grounding_worker.write(self._process.stdin, job)
        seconds = job.seconds + KILL_EXTRA_SECONDS + (PROOF_SECONDS if job.or_prove else 0.0)
        return self._answer(seconds)

    def _answer(self, seconds: float) -> GroundingAnswer:
        assert self._process is not None
        stdout = self._process.stdout
        assert stdout is not None
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        if self._killed:
            self.kill()
        header = stdout.read(LENGTH.size)
        data = stdout.read(*LENGTH.unpack(header)) if len(header) == LENGTH.size else b""
        timer.cancel()
        try:
            return GroundingAnswer(*pickle.loads(data))  # our own child wrote it
        except (EOFError, pickle.UnpicklingError):
            self.kill()
            self.close()
            if self._expired:
                raise TimeoutError from None
            raise UsageError("the rules could not be grounded: the process was ended.") from None

    def _expire(self) -> None:
        self._expired = True
        self.kill()

    def kill(self) -> None:
        """End the process at once, also if it is only just being started."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Wait for a process that was killed, and close its pipes."""
        if self._process is not None:
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    assert pipe is not None
                    pipe.close()


def _start() -> subprocess.Popen[bytes]:
    import graven

    folder = str(Path(graven.__file__).parents[1])
    path = os.pathsep.join(part for part in (folder, os.environ.get("PYTHONPATH")) if part)
    return subprocess.Popen(
        [sys.executable, "-m", grounding_worker.__name__, str(GROUNDING_MEMORY_MIB << 20)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
