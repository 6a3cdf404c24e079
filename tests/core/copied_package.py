"""Programs that use a copy of the package's core, whose sources a test may edit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from graven.core import rng
from graven.core.compile_cache import cache_directory
rng.draw(rng.generator(0))
print(cache_directory())
print(sum(rng.draw.stats.cache_hits.values()), sum(rng.draw.stats.cache_misses.values()))
"""


def run(package: Path, home: Path, program: str = PROGRAM) -> tuple[Path, int, int]:
    """Run the program in a process of its own: its cache, and its hits and misses there."""
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "GRAVEN_CACHE_DIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    directory, numbers = done.stdout.split("\n")[:2]
    hits, misses = numbers.split()
    return Path(directory), int(hits), int(misses)


def start(package, home, program, *arguments):
    """Start a program that uses a copy of the package and a cache."""
    environment = os.environ | {"PYTHONPATH": str(package.parent), "GRAVEN_CACHE_DIR": str(home)}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
