"""A process that grounds rules for the page: untrusted text may take all the time it is given.

The parent sends jobs over stdin and reads answers from stdout, each a pickle after its length. The
process limits its own memory; the parent kills it when the time is over.
"""

from __future__ import annotations

import pickle
import struct
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from graven.gdl.language.kif_terms import Sheet

LENGTH = struct.Struct("<Q")
READY, NETWORK, TOO_LARGE, REFUSED = range(4)


class GroundingJob(NamedTuple):
    """Rules to be grounded within some seconds; `title` names them in messages.

    With `or_prove`, rules that are too large are tried with the prover, as the page will do.
    """

    rules: str
    title: str
    seconds: float
    or_prove: bool


class GroundingAnswer(NamedTuple):
    """READY once, then for each job a network, or the reason why there is none."""

    kind: int
    network: object = None
    reason: str = ""


def main(memory_bytes: int) -> None:
    """Answer jobs until stdin is closed."""
    _limit_memory(memory_bytes)
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    from graven.gdl.network.network_builder import warm_up

    warm_up()
    write(outgoing, GroundingAnswer(READY))
    while header := incoming.read(LENGTH.size):
        job = GroundingJob(*pickle.loads(incoming.read(*LENGTH.unpack(header))))
        try:
            answer = _answer(job)
        except MemoryError:
            # Refused: the server itself must not try to prove what is too large for this process.
            answer = GroundingAnswer(
                REFUSED,
                reason=f"{job.title} is too large for this page: it needs more than "
                f"{memory_bytes >> 20:,} MiB.",
            )
        write(outgoing, answer)


def write(stream: IO[bytes], message: tuple[object, ...]) -> None:
    """Write a message after its length."""
    stream.write(packed(message))
    stream.flush()


def packed(message: tuple[object, ...]) -> bytes:
    """Return a message after its length, as bytes."""
    data = pickle.dumps(tuple(message), pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def _answer(job: GroundingJob) -> GroundingAnswer:
    from graven.core.errors import GravenError
    from graven.gdl.grounding.grounder import GroundingLimits
    from graven.gdl.grounding.numbered_rules import TooLargeError
    from graven.gdl.network.network_builder import build_network
    from graven.gdl.sheet_loader import checked_sheet
    from graven.interfaces.web.web_limits import MAX_ATOMS, MAX_INSTANCES, MAX_LITERALS

    limits = GroundingLimits(
        job.seconds, MAX_ATOMS, MAX_INSTANCES, MAX_LITERALS, clock=time.monotonic
    )
    try:
        sheet = checked_sheet(job.rules, job.title)
        try:
            return GroundingAnswer(NETWORK, build_network(sheet, limits))
        except TooLargeError as error:
            if job.or_prove:
                _try_proof(sheet, job.title, str(error))
            return GroundingAnswer(TOO_LARGE, reason=str(error))
    except GravenError as error:
        return GroundingAnswer(REFUSED, reason=str(error))


def _try_proof(sheet: Sheet, title: str, reason: str) -> None:
    """Prove the first position; raise UsageError if that takes too long or too much memory."""
    from graven.core.cancellation import Deadline, SearchCancelled, cancelled_by
    from graven.core.errors import UsageError
    from graven.gdl.sheet_loader import SheetOptions, proof_game_of
    from graven.interfaces.web.web_limits import PROOF_SECONDS

    try:
        with cancelled_by(Deadline(PROOF_SECONDS)):
            proof_game_of(sheet, title, SheetOptions()).start()
    except (SearchCancelled, MemoryError):
        raise UsageError(f"{title} is too large for this page: {reason}") from None


def _limit_memory(memory_bytes: int) -> None:
    """Limit the memory of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


if __name__ == "__main__":
    main(int(sys.argv[1]))
