"""Run the stress tests: `python -m tests.stress [--seconds N] [--seed N] [NAME...]`, `make stress`.

Every module in this folder with a function `run(seed, seconds) -> (tried, failures)` is a test. It
tries things for about that time and returns how many it tried, and a text for each that failed. It
raises `unittest.SkipTest` where the machine lacks something. All random choices come from the seed,
so that a failure can be repeated: the same name and seed try the same things in the same order.

Tests share the time equally, unless a module has a `WEIGHT` other than 1. Those with several kinds
of faults try each of them at least once, even if it takes longer.

The environment variable STRESS is `minute`, `hour`, or a number of seconds; by default 15 minutes.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple
from unittest import SkipTest

from tests.stress.seeds import WHOLE_ROUND

DURATIONS = {"minute": 60.0, "": 840.0, "hour": 3600.0}
SHOWN_FAILURES = 20

Run = Callable[[int, float], tuple[int, list[str]]]


class StressTest(NamedTuple):
    """A test, and how much time it gets relative to others."""

    run: Run
    weight: float


def tests() -> dict[str, StressTest]:
    """Return the tests by name."""
    folder = os.path.dirname(__file__)
    modules = {
        module.name: import_module(f"tests.stress.{module.name}")
        for module in pkgutil.iter_modules([folder])
        if not module.name.startswith(("_", "test_"))
    }
    return {
        name: StressTest(module.run, getattr(module, "WEIGHT", 1.0))
        for name, module in modules.items()
        if hasattr(module, "run")
    }


def total_seconds() -> float:
    """Return how long all tests may take together."""
    text = os.environ.get("STRESS", "")
    return DURATIONS[text] if text in DURATIONS else float(text)


def main() -> int:
    """Run the tests; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress")
    parser.add_argument("names", nargs="*", help="tests; default: all")
    parser.add_argument("--seconds", type=float, default=total_seconds(), help="for all together")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    options = parser.parse_args()
    chosen = {name: test for name, test in tests().items() if name in (options.names or tests())}
    if unknown := set(options.names) - set(chosen):
        parser.error(f"unknown: {', '.join(sorted(unknown))}. Valid: {', '.join(tests())}")
    print(f"seed {options.seed}, {options.seconds:g} s\n")
    print(f"{'test':20} {'tried':>9} {'failed':>7} {'seconds':>8}")
    failed, deadline = 0, time.monotonic() + options.seconds
    weight = sum(test.weight for test in chosen.values())
    least = WHOLE_ROUND if options.seconds >= WHOLE_ROUND * len(chosen) else 1.0
    for name, test in chosen.items():
        begin = time.monotonic()
        # What one test does not use, the others may; what it uses too much, they lose.
        share = max(least, (deadline - begin) * test.weight / weight)
        weight -= test.weight
        try:
            tried, failures = test.run(options.seed, share)
        except SkipTest as reason:
            print(f"{name:20} {'skipped':>9} {'':7} {'':8} {reason}", flush=True)
            continue
        except Exception as error:
            tried, failures = 0, [f"the test itself failed: {type(error).__name__}: {error}"]
        spent = time.monotonic() - begin
        print(f"{name:20} {tried:9,} {len(failures):7,} {spent:8.0f}", flush=True)
        for failure in failures[:SHOWN_FAILURES]:
            print(f"    {failure[:2000]}")
        if failures:
            print(f"    repeat: python -m tests.stress {name} --seed {options.seed} "
                  f"--seconds {share:.0f}")  # fmt: skip
        failed += len(failures)
    print(f"\n{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
