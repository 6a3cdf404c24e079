"""A real Dask scheduler and two real worker processes on this machine."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

import pytest


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(*arguments, **changes):
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + arguments[0], *map(str, arguments[1:])],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **changes,
    )


@pytest.fixture
def cluster(tmp_path):
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    options = ["--no-dashboard", "--nthreads", "1", "--local-directory", str(tmp_path)]
    programs = [started("dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")]
    programs += [started("dask_worker", address, "--no-nanny", *options) for _ in range(2)]
    yield address, programs[1:]
    for program in programs:
        program.kill()
        program.wait()


def wait_for_workers(address, count):
    from distributed import Client

    deadline = time.monotonic() + 60
    with Client(address, timeout=30, set_as_default=False) as client:
        while len(client.nthreads()) < count and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(client.nthreads()) == count
