"""A flipped bit in a store is noticed: an error, or exactly the games that were recorded."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace

import pytest

from graven.lab.store.store import Store
from graven.lab.store.store_file import StoreError
from tests.lab.stored_examples import (
    OLD_FILE,
    OLD_PAIRING,
    PAIRING,
    content,
    filled,
    result,
)

FLIPS = 400


def test_no_flipped_bit_changes_what_is_read(tmp_path):
    path = filled(tmp_path / "a.db", 60)
    with Store(path) as store:
        store.add(1, replace(result(60), values=(0.5, 0.25)))
    expected, intact = content(path), path.read_bytes()
    rng, noticed = random.Random(21), 0
    for _ in range(FLIPS):
        data = bytearray(intact)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            read = content(path)
        except StoreError:
            noticed += 1
        else:
            assert read == expected
        # A reader leaves these beside a file in WAL mode.
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert noticed > FLIPS // 10


def test_a_flipped_bit_in_the_name_of_a_column_is_noticed(tmp_path):
    path = filled(tmp_path / "a.db", 3)
    data = path.read_bytes()
    column = b"    openings INTEGER"
    assert data.count(column) == 1
    path.write_bytes(data.replace(column, b"    Openings INTEGER"))
    with pytest.raises(StoreError, match="damaged"):
        Store(path, write=False)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE game SET outcome = 0.5 WHERE number = 3",
        'UPDATE game SET moves = \'["A1","B3"]\' WHERE number = 3',
        "UPDATE game SET seconds = seconds + 1e-9 WHERE number = 3",
        "UPDATE game SET ended = '2026-01-01T00:00:00+00:00' WHERE number = 3",
        "UPDATE cell SET seed = '1'",
        "UPDATE evaluation SET scores = '[0.5,0.75]'",
        "DELETE FROM evaluation",
        "UPDATE checksum SET crc = crc + 1 WHERE game = 4",
    ],
)
def test_a_changed_value_is_reported_with_the_game(tmp_path, change):
    path = tmp_path / "a.db"
    with Store(path) as store:
        number = store.pairing_id(PAIRING)
        for index in range(5):
            store.add(number, replace(result(index), values=(0.5, 0.25) if index == 3 else ()))
    db = sqlite3.connect(path)
    db.execute(change)
    db.commit()
    db.close()
    before = path.read_bytes()
    for write in (False, True):
        with pytest.raises(StoreError, match=r"checksum.*DELETE FROM game WHERE id = [14]\b"):
            Store(path, write)
    assert path.read_bytes() == before


def test_the_damaged_game_can_be_removed_and_is_played_again(tmp_path):
    path = filled(tmp_path / "a.db")
    db = sqlite3.connect(path)
    db.execute("UPDATE game SET outcome = 0.5 WHERE number = 3")
    db.execute("DELETE FROM game WHERE id = 4")
    db.commit()
    db.close()
    with Store(path) as store:
        assert store.recorded_games(PAIRING, 9) == {0, 1, 2, 4}
        assert store.add(store.pairing_id(PAIRING), result(3))
        assert store.recorded_games(PAIRING, 9) == {0, 1, 2, 3, 4}
    with Store(path, write=False) as store:
        assert len(list(store.results(PAIRING, 9))) == 5


def test_games_of_an_older_version_are_protected_once_the_file_is_written(tmp_path):
    path = tmp_path / "old.db"
    db = sqlite3.connect(path)
    db.executescript(OLD_FILE)
    db.close()
    with Store(path) as store:
        assert store.outcomes(OLD_PAIRING, 10) == {0: 1.0}
    db = sqlite3.connect(path)
    db.execute("UPDATE game SET outcome = 0")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="checksum"):
        Store(path, write=False)
