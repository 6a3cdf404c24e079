"""The speed table: `python benchmarks/speed.py [names...]`, one JSON row a line as it is measured.

`graven bench` shows the same rows as a table. Rows are ratios within one run; the first line says
on which machine.
"""

from __future__ import annotations

import json
import platform
import sys

import numba

from graven.bench.suite import bench

machine = {
    "system": platform.platform(),
    "processor": platform.processor() or platform.machine(),
    "python": platform.python_version(),
    "numba": numba.__version__,
}

if __name__ == "__main__":
    print(json.dumps(machine), flush=True)
    for row in bench(sys.argv[1:]):
        print(json.dumps(row.as_json()), flush=True)
