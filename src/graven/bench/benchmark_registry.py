"""All benchmarks by name.

The module of a benchmark is imported when the benchmark runs: some need optional packages, and the
command line lists the names without importing any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from graven.core.errors import unknown

if TYPE_CHECKING:
    from graven.bench.ratio_rows import RatioRow


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: the module in this package and its function, which yields rows."""

    module: str
    function: str

    def run(self) -> Iterator[RatioRow]:
        """Import the module, measure, and yield each row as soon as it is measured."""
        module = import_module(f"graven.bench.{self.module}")
        rows: Iterator[RatioRow] = getattr(module, self.function)()
        yield from rows


BENCHMARKS = {
    "openspiel": Benchmark("search_benchmarks", "uct_against_openspiel"),
    "sample": Benchmark("playout_benchmarks", "sampled_moves"),
    "listing": Benchmark("playout_benchmarks", "listed_moves"),
    "own": Benchmark("playout_benchmarks", "own_game"),
    "batches": Benchmark("playout_benchmarks", "batched_playouts"),
    "go": Benchmark("playout_benchmarks", "go_playouts"),
    "grave": Benchmark("search_benchmarks", "grave_against_uct"),
    "playouts": Benchmark("search_benchmarks", "learning_playouts"),
    "tables": Benchmark("search_benchmarks", "tables_per_node"),
    "long": Benchmark("search_benchmarks", "long_against_short"),
    "threads": Benchmark("thread_benchmarks", "two_threads"),
    "sharing": Benchmark("thread_benchmarks", "cost_of_sharing"),
    "solver": Benchmark("solver_benchmarks", "solver_cost"),
    "overhead": Benchmark("laboratory_benchmarks", "laboratory_overhead"),
    "limit": Benchmark("limit_benchmarks", "against_limit"),
    "workers": Benchmark("laboratory_benchmarks", "two_workers"),
    "report": Benchmark("laboratory_benchmarks", "large_report"),
    "gdl": Benchmark("gdl_networks", "against_networks"),
    "callbacks": Benchmark("python_callbacks", "python_against_compiled"),
    "page": Benchmark("live_view_bench", "live_view"),
}


def run_benchmarks(names: Sequence[str] = ()) -> Iterator[RatioRow]:
    """Run the named benchmarks, by default all, and yield each row as soon as it is measured."""
    for name in names:
        if name not in BENCHMARKS:
            raise unknown("measurement", name, BENCHMARKS)
    for name in names or BENCHMARKS:
        yield from BENCHMARKS[name].run()
