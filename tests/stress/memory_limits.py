"""A search of millions of playouts stays within its memory, and goes on when the tree is full."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from tests.stress.seeds import WHOLE_ROUND

WEIGHT = 3.0
PLAYOUTS, FEW_PLAYOUTS = 10_000_000, 200_000
# Prints the growth of the memory in MiB, the playouts, and their number in a second.
PROGRAM = """
import json, resource, sys
from pathlib import Path
import graven as gv

def peak():
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

spec, playouts, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
position = gv.game("breakthrough(size=6)").start()
agent = gv.agent(spec)
agent.search(position, playouts=50)
if Path("/proc/self/clear_refs").exists():  # compiling may have taken more than the search will
    Path("/proc/self/clear_refs").write_text("5")
before = peak()
found = agent.search(position, playouts=playouts, seed=seed)
print(json.dumps([(peak() - before) / 1024, found.playouts, found.playouts_per_second]))
"""
LIMITS = (16, 64, 256)
SPECS = ("uct(memory_mib={})", "grave(memory_mib={},ref=20)", "rave(memory_mib={})+mast")
# The arrays of the tree are as large as the option says; buffers and code come on top.
SLACK_MIB = 24


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Search with several limits: ten million playouts first, then as many as the time allows."""
    tried, failures = 0, []
    cases = [(spec, limit) for limit in LIMITS for spec in SPECS]
    deadline = time.monotonic() + seconds
    playouts = PLAYOUTS if seconds >= WHOLE_ROUND else FEW_PLAYOUTS
    while tried == 0 or (time.monotonic() < deadline and tried < len(cases)):
        spec, limit = cases[(seed + tried) % len(cases)]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, spec.format(limit), str(playouts), str(seed)],
            capture_output=True,
            text=True,
        )
        tried += 1
        if done.returncode:
            failures.append(f"{spec.format(limit)}: {done.stderr[-500:]}")
            continue
        grown, counted, rate = json.loads(done.stdout)
        if grown > limit + SLACK_MIB or counted != playouts:
            failures.append(
                f"{spec.format(limit)}: {grown:.0f} MiB more after {counted:,} of {playouts:,}"
            )
        print(f"    {spec.format(limit)}: {counted:,} playouts, {grown:.0f} MiB")
        left = deadline - time.monotonic()
        playouts = int(min(PLAYOUTS, max(FEW_PLAYOUTS, rate * left / 3)))
    return tried, failures
