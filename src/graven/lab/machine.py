"""What this machine is, in one line: records say where their games were played."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
