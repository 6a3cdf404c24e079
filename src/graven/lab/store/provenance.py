"""What plays here, and where: records say by which graven and on which machine."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

from graven import __version__
from graven.core.compile_cache import sources_digest


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def version() -> str:
    """This graven to the letter: its version, and the beginning of its sources' digest."""
    return f"{__version__}+{sources_digest()[:8]}"


@cache
def machine() -> str:
    """The processor, the system and the Python: nothing that tells whose machine it is."""
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
