"""The store: nothing finished is lost, nothing counts twice, nothing strange is touched."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.store import SCHEMA_VERSION, Store, StoreError
from graven.search.budget import Budget
from tests.lab.killed_matches import MATCH, recorded, wait_for

CELL = make_pairing("nogo(size=3)", "uct", "rave", Budget(20))


def result(index, outcome=1.0):
    scores = (outcome, 1 - outcome)
    return GameResult(index, (0, 1), 2**64 - 1, scores, ("A1", "B2"), 40, 0.25, "0.1", "a machine")


def filled(path, games=5):
    with Store(path) as store:
        number = store.pairing_id(CELL)
        for index in range(games):
            store.add(number, result(index, [1.0, 0.0, 0.5][index % 3]))
    return path


def test_what_goes_in_comes_out(tmp_path):
    path = filled(tmp_path / "a.db")
    with Store(path, write=False) as store:
        assert list(store.results(CELL, 100)) == [
            result(i, [1.0, 0.0, 0.5][i % 3]) for i in range(5)
        ]
        assert store.outcomes(CELL, 4) == {0: 1.0, 1: 0.0, 2: 0.5, 3: 1.0}
        (summary,) = store.summaries()
        assert summary == store.summary(CELL, 100)
    assert (summary.score.wins, summary.score.losses, summary.score.draws) == (2, 2, 1)
    assert (summary.plies, summary.playouts, summary.seconds) == (10, 200, 1.25)
    assert (summary.versions, summary.machines) == (("0.1",), ("a machine",))
    assert summary.playouts_per_second == 160


def test_games_stored_with_former_names_of_options_are_continued(tmp_path):
    """Version 0.1 wrote final=, reuse=, leaves=, each= and memory= for options of a search."""
    pairing = make_pairing(
        "nogo(size=3)", "uct(final_move=mean,reuse_tree=true)", "rave", Budget(20)
    )
    path = tmp_path / "a.db"
    with Store(path) as store:
        number = store.pairing_id(pairing)
        store.add(number, result(0))
    with sqlite3.connect(path) as db:
        for new, old in (("final_move=", "final="), ("reuse_tree=", "reuse=")):
            db.execute("UPDATE cell SET key = replace(key, ?, ?)", (new, old))
            db.execute("UPDATE cell SET first = replace(first, ?, ?)", (new, old))
    db.close()
    with Store(path, write=False) as store:
        assert store.summaries()[0].pairing == pairing
        assert store.outcomes(pairing, 10) == {0: 1.0}
        assert [row["first"] for row in store.rows()] == [pairing.agents[0]]
    with Store(path) as store:
        assert store.pairing_id(pairing) == number
        assert store.add(number, result(1))
        assert [each.index for each in store.results(pairing, 10)] == [0, 1]
        assert store.summary(pairing, 10).games == 2


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30))
def test_a_game_counts_once_however_often_it_is_added(added):
    cells = [
        make_pairing("nogo(size=3)", "uct", "rave", Budget(20), seed=seed) for seed in range(4)
    ]
    with Store() as store:
        news = [
            store.add(store.pairing_id(cells[number]), result(index)) for number, index in added
        ]
        assert sum(news) == len(set(added))
        for pairing in cells:
            wanted = {index for number, index in added if cells[number] == pairing}
            assert store.numbers(pairing, 100) == wanted
            assert store.numbers(pairing, 5) == {index for index in wanted if index < 5}


def test_several_processes_may_write_at_the_same_time(tmp_path):
    path = tmp_path / "a.db"

    def write(start):
        with Store(path) as store:
            number = store.pairing_id(CELL)
            for index in range(start, start + 60):
                store.add(number, result(index))

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 30, 90)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(path, write=False) as store:
        assert store.numbers(CELL, 1000) == set(range(150))


def test_a_reader_changes_nothing_and_finds_nothing_where_there_is_nothing(tmp_path):
    path = filled(tmp_path / "a.db")
    before = path.read_bytes()
    with Store(path, write=False) as store:
        assert len(store.summaries()) == 1
        with pytest.raises(StoreError, match="cannot be written"):
            store.add(1, result(77))
    assert path.read_bytes() == before
    with pytest.raises(UsageError, match="no store"):
        Store(tmp_path / "none.db", write=False)
    assert not (tmp_path / "none.db").exists()


def newer(path):
    filled(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()


def foreign(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE game (id)")
    db.close()


def beheaded(path):
    filled(path)
    path.write_bytes(path.read_bytes()[: 3 * 4096])


def scribbled(path):
    filled(path, 200)
    data = bytearray(path.read_bytes())
    data[2 * 4096 : 2 * 4096 + 300] = os.urandom(300)
    path.write_bytes(data)


def without_tables(path):
    filled(path)
    db = sqlite3.connect(path)
    db.execute("DROP TABLE game")
    db.close()


STRANGE = {
    "newer": (newer, "newer graven"),
    "another database": (foreign, "not a store of graven's"),
    "text": (lambda path: path.write_text("hello " * 100), "not a store of graven's"),
    "empty": (lambda path: path.touch(), "not a store of graven's"),
    "cut short": (beheaded, "damaged"),
    "scribbled on": (scribbled, "damaged"),
    "without its tables": (without_tables, "damaged"),
}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("kind", STRANGE)
def test_strange_files_are_refused_and_not_changed(tmp_path, kind, write):
    make, sentence = STRANGE[kind]
    path = tmp_path / "a.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=sentence):
        Store(path, write)
    assert path.read_bytes() == before


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="cannot be read"):
        Store(tmp_path)


def test_records_that_are_none_are_said_to_be(tmp_path):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE cell SET key = '{\"game\": 3}'")
    db.commit()
    db.close()
    with Store(path, write=False) as store, pytest.raises(StoreError, match="no record"):
        store.summaries()


@pytest.mark.parametrize("moves", ["", "{}", "[" * 100_000, "3"])
def test_moves_that_are_none_are_said_to_be(tmp_path, moves):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE game SET moves = ?", (moves,))
    db.commit()
    db.close()
    with Store(path, write=False) as store:
        for reading in (store.rows(), store.results(CELL, 10)):
            with pytest.raises(StoreError, match="no record"):
                list(reading)


@pytest.mark.parametrize(("column", "text"), [("scores", "[NaN, 1e999]"), ("seats", "[0]")])
def test_results_that_are_none_are_said_to_be(tmp_path, column, text):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute(f"UPDATE game SET {column} = ?", (text,))
    db.commit()
    db.close()
    with Store(path, write=False) as store, pytest.raises(StoreError, match="the results of game"):
        list(store.results(CELL, 10))


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_full_disk_is_said_and_loses_nothing(tmp_path):
    program = f"""
import resource, signal
from graven.interfaces.cli import app
from graven.lab.experiments.match import match
match("nogo(size=3)", "uct", "rave", games=2, workers=1)  # compiled code takes room, too
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
raise SystemExit(app.run({[*MATCH, "--workers", "1"]}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1"},
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    with Store(os.environ["GRAVEN_DB"], write=False) as store:
        (summary,) = store.summaries()
    assert 0 < summary.games < 200


def games_in(path):
    with Store(path, write=False) as store:
        (summary,) = store.summaries()
        return summary.pairing, [
            (each.index, each.seed, each.seats, each.scores, each.moves, each.playouts)
            for each in store.results(summary.pairing, 1000)
        ]


@pytest.mark.skipif(os.name != "posix", reason="kills a process group")
def test_a_match_killed_at_20_random_moments_is_the_same_match(tmp_path):
    """SIGKILL: 17 times to a match in one process, 3 times to one and its workers together."""
    disturbed, calm = tmp_path / "disturbed.db", tmp_path / "calm.db"
    match = [sys.executable, "-m", "graven", *MATCH]
    subprocess.run([*match, "--db", calm, "--workers", "1"], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "tests.lab.killed_matches", disturbed, "17"], check=True)
    for games in (0, 1, 8):
        before = recorded(disturbed)
        with subprocess.Popen(
            [*match, "--db", disturbed, "--workers", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as running:
            wait_for(disturbed, before + games, lambda running=running: running.poll() is None)
            os.killpg(running.pid, signal.SIGKILL)
        assert running.returncode == -signal.SIGKILL, "it ended before it could be killed"
        assert recorded(disturbed) >= before
    assert 20 < recorded(disturbed) < 200
    done = subprocess.run(
        [*match, "--db", disturbed, "--json"], check=True, capture_output=True, text=True
    )
    result = json.loads(done.stdout)
    assert result["games"] == 200
    assert 0 < result["new"] < 180
    assert games_in(disturbed) == games_in(calm)


def test_cells_play_in_turn_and_only_what_is_missing():
    cells = [make_pairing("nogo(size=3)", "uct", "rave", Budget(20), seed=seed) for seed in (1, 2)]
    order: list[tuple[Pairing, int]] = []
    with Store() as store:
        store.add(store.pairing_id(cells[1]), result(0))
        play_missing(
            [PlannedGames(pairing, 3) for pairing in cells],
            RunConfig(workers=1, store=store),
            on_game=lambda pairing, ended: order.append((pairing, ended.index)),
        )
        assert order == [
            (cells[0], 0),
            (cells[1], 1),
            (cells[0], 1),
            (cells[1], 2),
            (cells[0], 2),
        ]
        assert store.numbers(cells[0], 9) == store.numbers(cells[1], 9) == {0, 1, 2}


def test_what_was_believed_is_kept_beside_the_games(tmp_path):
    believed = (None, 0.25, 1.0)
    with Store(tmp_path / "a.db") as store:
        number = store.pairing_id(CELL)
        store.add(number, replace(result(0), values=believed))
        store.add(number, result(1))
        assert not store.add(number, replace(result(0), values=(0.5,)))
    with Store(tmp_path / "a.db", write=False) as store:
        assert [each.values for each in store.results(CELL, 9)] == [believed, ()]
        assert [each.index for each in store.results(CELL, 9, start=1)] == [1]


def test_a_store_from_before_evaluations_is_read_and_gone_on_with(tmp_path):
    path = filled(tmp_path / "a.db", games=2)
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE evaluation")
    db.close()
    with Store(path, write=False) as store:
        assert list(store.results(CELL, 9)) == [result(0), result(1, 0.0)]
    with Store(path) as store:
        store.add(store.pairing_id(CELL), replace(result(2), values=(0.5, 0.25)))
        assert [each.values for each in store.results(CELL, 9)] == [(), (), (0.5, 0.25)]
