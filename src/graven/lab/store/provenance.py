"""The version of graven and the machine that play a game, as games are recorded with them."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

from graven import __version__
from graven.core.compile_cache import sources_digest


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def version() -> str:
    """Return the version of graven and the first digits of the digest of its sources."""
    return f"{__version__}+{sources_digest()[:8]}"


@cache
def machine() -> str:
    """Return the processor, system and Python version; nothing that identifies its owner."""
    processors = os.cpu_count() or 1
    return (
        f"{_processor()}, {processors} core{'s' if processors > 1 else ''}, "
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name" and value.strip():
            return value.strip()
    return platform.processor() or platform.machine() or "unknown processor"
