"""The speed table as JSON lines: `python benchmarks/speed.py [names...]`.

Each row is written as soon as it is measured; `graven bench` prints the same rows as a table. Rows
are ratios within one run. The first line describes the machine.
"""

from __future__ import annotations

import json
import platform
import sys

import numba

from graven.bench.benchmark_registry import run_benchmarks

MACHINE = {
    "system": platform.platform(),
    "processor": platform.processor() or platform.machine(),
    "python": platform.python_version(),
    "numba": numba.__version__,
}

if __name__ == "__main__":
    print(json.dumps(MACHINE), flush=True)
    for row in run_benchmarks(sys.argv[1:]):
        print(json.dumps(row.to_dict()), flush=True)
