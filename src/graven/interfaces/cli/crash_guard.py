"""Run a command with user-defined rules in a process of its own: a crash becomes a sentence.

Compiled rules can end their process, as every machine code can. The command runs in a child
process; its parent waits for it, passes signals on and exits with its code.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

IN_FILE = ".py:"  # in the text of a game or a policy of a user's file, such as mine.py:game
CRASHES = {
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT")
    if hasattr(signal, name)
}
CRASH = (
    "graven: the user-defined code crashed ({}). Look for an index out of bounds or a recursion; "
    "gv.check_game checks the rules."
)


def needs_guard(arguments: Sequence[str]) -> bool:
    """Return whether a command names user-defined code, and a child process can run it."""
    return hasattr(os, "fork") and any(IN_FILE in argument for argument in arguments)


def run_guarded(run: Callable[[list[str]], int], arguments: list[str], crash_code: int) -> int:
    """Return the exit code of a command; `crash_code`, after a sentence, if it crashes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        threading.Thread(target=_exit_with_parent, args=(reader,), daemon=True).start()
        return run(arguments)
    os.close(reader)
    status = _wait_for(child)
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    if number in CRASHES:
        print(CRASH.format(signal.Signals(number).name), file=sys.stderr)
        return crash_code
    signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # `_wait_for` has blocked it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    return crash_code


def _wait_for(child: int) -> int:
    """Wait until the child has ended; return its status. Pass on what was sent to this process.

    Ctrl-C in a terminal reaches both processes by itself: it comes from the kernel.
    """
    if not hasattr(signal, "sigwaitinfo"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return os.waitpid(child, 0)[1]
    awaited = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        received = signal.sigwaitinfo(awaited)
        if received.si_signo != signal.SIGCHLD and received.si_pid:
            with suppress(ProcessLookupError):
                os.kill(child, received.si_signo)


def _exit_with_parent(reader: int) -> None:
    """End this process when its parent has ended, however that ended."""
    os.read(reader, 1)
    os._exit(1)
