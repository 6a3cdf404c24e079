"""The store: no finished game is lost or counted twice, and foreign files are not modified."""

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
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.stats.intervals import Score
from graven.lab.store.schema import SCHEMA_VERSION
from graven.lab.store.store import Store
from graven.lab.store.store_file import StoreError
from graven.search.budget import Budget
from tests.lab.killed_matches import MATCH, recorded, wait_for
from tests.lab.stored_examples import OLD_FILE, OLD_PAIRING, OLD_SPECS, PAIRING, filled, result


def test_recorded_games_are_read_back(tmp_path):
    path = filled(tmp_path / "a.db")
    with Store(path, write=False) as store:
        assert list(store.results(PAIRING, 100)) == [
            result(i, [1.0, 0.0, 0.5][i % 3]) for i in range(5)
        ]
        assert store.outcomes(PAIRING, 4) == {0: 1.0, 1: 0.0, 2: 0.5, 3: 1.0}
        (summary,) = store.summaries()
        assert summary == store.summary(PAIRING, 100)
    assert (summary.score.wins, summary.score.losses, summary.score.draws) == (2, 2, 1)
    assert (summary.plies, summary.playouts, summary.seconds) == (10, 200, 1.25)
    assert (summary.versions, summary.machines) == (("0.1",), ("a machine",))
    assert summary.playouts_per_second == 160


@pytest.fixture
def old_file(tmp_path):
    path = tmp_path / "old.db"
    db = sqlite3.connect(path)
    db.executescript(OLD_FILE)
    db.close()
    return path


def test_a_file_of_version_0_1_is_read(old_file):
    before = old_file.read_bytes()
    with Store(old_file, write=False) as store:
        (summary,) = store.summaries()
        assert summary.pairing == OLD_PAIRING
        assert store.summary(OLD_PAIRING, 10).score == summary.score == Score(wins=1)
        assert store.outcomes(OLD_PAIRING, 10) == {0: 1.0}
        assert list(store.results(OLD_PAIRING, 10)) == [result(0)]
        (row,) = store.rows()
        assert (row["first"], row["second"]) == OLD_SPECS
        assert store.lengths() == {"nogo(size=3x3)": {2: 1}}
    assert old_file.read_bytes() == before


def test_a_file_of_version_0_1_is_continued(old_file):
    with Store(old_file) as store:
        assert store.pairing_id(OLD_PAIRING) == 1
        assert not store.add(1, result(0))
        assert store.add(1, replace(result(1), values=(0.5, 0.25)))
        recorded = list(store.results(OLD_PAIRING, 10))
        assert [(game.index, game.values) for game in recorded] == [(0, ()), (1, (0.5, 0.25))]
        assert store.summary(OLD_PAIRING, 10).games == 2
        agents = ("uct(solver=off)", "rave(solver=off)")
        plain = replace(OLD_PAIRING, agents=agents, seed=0, opening_plies=0)
        assert store.pairing_id(plain) == 2
        assert store.pairing_id(replace(OLD_PAIRING, seed=8)) == 3


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30))
def test_a_game_counts_once_however_often_it_is_added(added):
    pairings = [
        make_pairing("nogo(size=3)", "uct", "rave", Budget(20), seed=seed) for seed in range(4)
    ]
    with Store() as store:
        new = [
            store.add(store.pairing_id(pairings[number]), result(index)) for number, index in added
        ]
        assert sum(new) == len(set(added))
        for pairing in pairings:
            expected = {index for number, index in added if pairings[number] == pairing}
            assert store.recorded_games(pairing, 100) == expected
            assert store.recorded_games(pairing, 5) == {index for index in expected if index < 5}


def test_several_processes_may_write_at_the_same_time(tmp_path):
    path = tmp_path / "a.db"

    def write(start):
        with Store(path) as store:
            number = store.pairing_id(PAIRING)
            for index in range(start, start + 60):
                store.add(number, result(index))

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 30, 90)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store(path, write=False) as store:
        assert store.recorded_games(PAIRING, 1000) == set(range(150))


def test_two_stores_of_one_process_lose_nothing_when_another_process_ends(tmp_path):
    """Opening a store again must not drop the locks of the first one."""
    path = tmp_path / "a.db"
    program = f"from graven.lab.store.store import Store; Store({str(path)!r}).close()"
    with Store(path) as store:
        number = store.pairing_id(PAIRING)
        store.add(number, result(0))
        Store(path).close()
        subprocess.run([sys.executable, "-c", program], check=True)
        store.add(number, result(1))
        with Store(path, write=False) as other:
            assert other.recorded_games(PAIRING, 10) == {0, 1}


def test_a_reader_modifies_nothing_and_creates_no_file(tmp_path):
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


def truncated(path):
    filled(path)
    path.write_bytes(path.read_bytes()[: 3 * 4096])


def overwritten(path):
    filled(path, 200)
    data = bytearray(path.read_bytes())
    data[2 * 4096 : 2 * 4096 + 300] = os.urandom(300)
    path.write_bytes(data)


def without_tables(path):
    filled(path)
    db = sqlite3.connect(path)
    db.execute("DROP TABLE game")
    db.close()


REJECTED = {
    "newer": (newer, "newer graven"),
    "another database": (foreign, "not a graven store"),
    "text": (lambda path: path.write_text("hello " * 100), "not a graven store"),
    "empty": (lambda path: path.touch(), "not a graven store"),
    "truncated": (truncated, "damaged"),
    "overwritten in part": (overwritten, "damaged"),
    "without its tables": (without_tables, "damaged"),
}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("kind", REJECTED)
def test_other_files_are_rejected_and_not_modified(tmp_path, kind, write):
    make, message = REJECTED[kind]
    path = tmp_path / "a.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message):
        Store(path, write)
    assert path.read_bytes() == before


def test_a_folder_is_rejected(tmp_path):
    with pytest.raises(StoreError, match="cannot be read"):
        Store(tmp_path)


ONE_BUDGET = PAIRING.key.replace("[[20,null],[20,null]]", "[[20,null]]")


@pytest.mark.parametrize("key", ['{"game": 3}', ONE_BUDGET, "[]", ""])
def test_an_invalid_key_is_reported(tmp_path, key):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE cell SET key = ?", (key,))
    db.execute("DELETE FROM checksum")
    db.commit()
    db.close()
    with Store(path, write=False) as store, pytest.raises(StoreError, match="invalid row"):
        store.summaries()


@pytest.mark.parametrize("moves", ["", "{}", "[" * 100_000, "3"])
def test_invalid_moves_are_reported(tmp_path, moves):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE game SET moves = ?", (moves,))
    db.execute("DELETE FROM checksum")
    db.commit()
    db.close()
    with Store(path, write=False) as store:
        for games in (store.rows(), store.results(PAIRING, 10)):
            with pytest.raises(StoreError, match="invalid row"):
                list(games)


@pytest.mark.parametrize(("column", "text"), [("scores", "[NaN, 1e999]"), ("seats", "[0]")])
def test_invalid_scores_are_reported(tmp_path, column, text):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute(f"UPDATE game SET {column} = ?", (text,))
    db.execute("DELETE FROM checksum")
    db.commit()
    db.close()
    with Store(path, write=False) as store, pytest.raises(StoreError, match="the scores of game"):
        list(store.results(PAIRING, 10))


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_full_disk_is_reported_and_loses_nothing(tmp_path):
    program = f"""
import resource, signal
from graven.interfaces.cli.app import run
from graven.lab.experiments.match import match
match("nogo(size=3)", "uct", "rave", games=2, workers=1)  # compile before the limit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
raise SystemExit(run({[*MATCH, "--workers", "1"]}))
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
            (game.index, game.seed, game.seats, game.scores, game.moves, game.playouts)
            for game in store.results(summary.pairing, 1000)
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


def test_pairings_alternate_and_play_only_missing_games():
    pairings = [
        make_pairing("nogo(size=3)", "uct", "rave", Budget(20), seed=seed) for seed in (1, 2)
    ]
    order: list[tuple[Pairing, int]] = []
    with Store() as store:
        store.add(store.pairing_id(pairings[1]), result(0))
        play_missing(
            [PlannedGames(pairing, 3) for pairing in pairings],
            RunConfig(workers=1, store=store),
            on_game=lambda pairing, ended: order.append((pairing, ended.index)),
        )
        assert order == [
            (pairings[0], 0),
            (pairings[1], 1),
            (pairings[0], 1),
            (pairings[1], 2),
            (pairings[0], 2),
        ]
        played = [store.recorded_games(pairing, 9) for pairing in pairings[:2]]
        assert played == [{0, 1, 2}, {0, 1, 2}]


def test_evaluations_are_recorded_with_the_games(tmp_path):
    evaluations = (None, 0.25, 1.0)
    with Store(tmp_path / "a.db") as store:
        number = store.pairing_id(PAIRING)
        store.add(number, replace(result(0), values=evaluations))
        store.add(number, result(1))
        assert not store.add(number, replace(result(0), values=(0.5,)))
    with Store(tmp_path / "a.db", write=False) as store:
        assert [game.values for game in store.results(PAIRING, 9)] == [evaluations, ()]
        assert [game.index for game in store.results(PAIRING, 9, start=1)] == [1]
