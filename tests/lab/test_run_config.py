"""The settings that all experiments share."""

from __future__ import annotations

import sys
import threading

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.lab.experiments.match import run_match
from graven.lab.experiments.run_config import RunConfig, run_config
from graven.lab.store.store import Store
from graven.lab.store.store_file import IN_MEMORY
from graven.search.budget import Budget

GAME = "nogo(size=3)"


def test_keyword_arguments_make_the_same_run_as_a_config(tmp_path):
    keywords = {"playouts": 20, "seed": 4, "opening_plies": 2, "workers": 1}
    friendly = gv.match(GAME, "uct", "rave", games=4, store=tmp_path / "a.db", **keywords)
    with Store(tmp_path / "a.db") as store:
        config = RunConfig(budget=Budget(20), seed=4, opening_plies=2, workers=1, store=store)
        again = run_match(GAME, "uct", "rave", config, games=4)
        assert again.pairing == friendly.pairing
        assert (friendly.new, again.new) == (4, 0)


def test_a_store_is_a_path_an_open_store_or_in_memory(tmp_path):
    assert run_config().store.path == IN_MEMORY
    assert run_config(store=tmp_path / "a.db").store.path == str(tmp_path / "a.db")
    with Store() as store:
        assert run_config(store=store).store is store


def test_a_cluster_without_its_package_is_refused_before_anything_is_compiled(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"graven\[cluster\]"):
        run_config(cluster="tcp://127.0.0.1:8786")


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="opening_ply"):
        gv.match(GAME, "uct", "rave", games=1, opening_ply=2)


def test_invalid_settings_are_refused():
    with pytest.raises(UsageError, match="at least 1 worker"):
        RunConfig(workers=0)
    with pytest.raises(UsageError, match="not both"):
        RunConfig(workers=2, cluster="tcp://localhost:8786")


def test_progress_and_stop_are_optional():
    RunConfig().report("nothing")
    assert not RunConfig().stopped
    stop = threading.Event()
    assert not RunConfig(stop=stop).stopped
    stop.set()
    assert RunConfig(stop=stop).stopped
