"""A real Dask scheduler and two real worker processes, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import suppress

import pytest

from graven.core.errors import UsageError
from graven.lab.experiments.match import match
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.store import Store
from graven.search.budget import Budget
from tests.lab.local_cluster import cluster, free_port, wait_for_workers

pytest.importorskip("distributed", reason="the extra 'cluster' (Dask) is not installed")
__all__ = ["cluster"]  # a fixture

GAME, AGENTS = "nogo(size=5)", ("uct", "rave")


@pytest.mark.filterwarnings("default")
def test_a_match_survives_the_loss_of_a_worker_and_equals_a_local_match(cluster, tmp_path):
    address, workers = cluster
    wait_for_workers(address, 2)
    seen = []

    def progress(score):
        seen.append(score.games)
        if score.games == 5:
            os.kill(workers[0].pid, signal.SIGKILL)

    quick = {"games": 40, "playouts": 200, "seed": 5}
    far = match(
        GAME, *AGENTS, cluster=address, store=tmp_path / "far.db", progress=progress, **quick
    )
    assert workers[0].wait(timeout=10) == -signal.SIGKILL
    home = match(GAME, *AGENTS, workers=1, **quick)
    assert far.games == 40
    assert seen == list(range(41))
    assert not far.failures
    assert [(each.index, each.moves) for each in far.results] == [
        (each.index, each.moves) for each in home.results
    ]
    assert all(each.version and each.machine for each in far.results)


@pytest.mark.filterwarnings("default")
def test_a_mistake_of_the_user_comes_back_as_a_usage_error(cluster):
    address, _ = cluster
    wait_for_workers(address, 2)
    pairing = make_pairing("nogo(size=3)", "uct", "rave", Budget(20), opening_plies=500)
    with Store() as store, pytest.raises(UsageError, match="shorter opening"):
        play_missing([PlannedGames(pairing, 2)], RunConfig(cluster=address, store=store))


@pytest.mark.parametrize("address", ["host", "http://host:1", "tcp://" + "x" * 300, "tcp://a b"])
def test_an_invalid_address_is_refused(address):
    with pytest.raises(UsageError, match="tcp://host:8786"):
        match(GAME, *AGENTS, cluster=address)


@pytest.mark.filterwarnings("default")
def test_a_missing_scheduler_is_an_error(monkeypatch):
    monkeypatch.setattr("graven.agents.dask_cluster.CONNECT_SECONDS", 1)
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        match(GAME, *AGENTS, cluster=f"tcp://127.0.0.1:{free_port()}")


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_breaks_off_is_one_sentence_without_a_traceback(monkeypatch, capfd):
    monkeypatch.setattr("graven.agents.dask_cluster.CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer_nonsense():
            for _ in range(3):
                with suppress(OSError):
                    connection, _ = listener.accept()
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
                    connection.close()

        threading.Thread(target=answer_nonsense, daemon=True).start()
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            match(GAME, *AGENTS, cluster=f"tcp://127.0.0.1:{listener.getsockname()[1]}")
    assert "Traceback" not in capfd.readouterr().err
