"""Game files: what a store writes to them, others read, merge and check."""

from __future__ import annotations

import gzip
from contextlib import suppress
from dataclasses import replace

import pytest

from graven.core.file_replacement import replace_bytes
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import SINGLE, Pairing, make_pairing
from graven.lab.store import game_files
from graven.lab.store.game_files import (
    GameFileError,
    check_folder,
    import_games,
    pairing_id,
    read_folder,
    write_games,
)
from graven.lab.store.store import Store
from graven.search.budget import Budget

GRAVE = replace(
    make_pairing("knightthrough", "grave(ref=50,bias=1e-4)", "rave(bias=0.01)", Budget(1000)),
    search_fingerprint="0123456789ab",
)
THREE = replace(
    make_pairing("go(size=9,colors=3,komi=0)", "uct", "rave", Budget(500), seating=SINGLE),
    search_fingerprint="ba9876543210",
)


def game(pairing: Pairing, index: int, **changes) -> GameResult:
    seats = pairing.seats(index)
    values = {
        "index": index,
        "seats": seats,
        "seed": pairing.game_seed(index),
        "scores": tuple(1.0 if index % pairing.players == p else 0.0 for p in range(len(seats))),
        "moves": ("a1b3", "b8a6"),
        "playouts": 54321,
        "seconds": 1.2345,
        "version": "0.1.0+01234567",
        "machine": "a machine",
    }
    return GameResult(**values | changes)


def filled(*games: tuple[Pairing, int]) -> Store:
    store = Store()
    for pairing, index in games:
        store.add(store.pairing_id(pairing), game(pairing, index))
    return store


def file_of(pairing):
    return "knights" if "knight" in pairing.game else "go"


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_games_come_back_without_their_moves(tmp_path):
    games = [(GRAVE, 0), (GRAVE, 1), (THREE, 2)]
    with filled(*games) as store, Store() as other:
        assert write_games(store, tmp_path, file_of).new == 3
        count = import_games(tmp_path, other)
        assert (count.new, count.known, count.contradicting) == (3, 0, 0)
        for pairing in (GRAVE, THREE):
            read = list(other.results(pairing, 10))
            written = list(store.results(pairing, 10))
            without = {"moves": (), "machine": "", "seconds": 1.234, "values": ()}
            assert [replace(each, **without, plies=2) for each in written] == read
        assert [each.score for each in other.summaries()] == [
            each.score for each in sorted(store.summaries(), key=lambda each: each.pairing.game)
        ]
        assert import_games(tmp_path, other).new == 0


def test_equal_games_give_equal_files_in_whatever_order_they_were_played(tmp_path):
    games = [(GRAVE, index) for index in range(20)] + [(THREE, index) for index in range(6)]
    one, two = tmp_path / "one", tmp_path / "two"
    with filled(*games) as store:
        write_games(store, one, file_of)
    with filled(*games[20:], *games[10:20]) as late, filled(*reversed(games[:10])) as early:
        write_games(late, two, file_of)
        write_games(early, two, file_of)
    assert contents(one) == contents(two)
    assert sorted(contents(one)) == ["go.csv.gz", "knights.csv.gz", "pairings.csv"]


def test_a_game_takes_about_a_hundred_bytes(tmp_path):
    games = [(GRAVE, index) for index in range(100)]
    with filled(*games) as store:
        write_games(store, tmp_path, file_of)
    compressed = (tmp_path / "knights.csv.gz").read_bytes()
    assert len(gzip.decompress(compressed)) < 110 * len(games)
    assert len(compressed) < 40 * len(games)


def test_a_contradicting_game_is_counted_and_changes_nothing(tmp_path):
    with filled((GRAVE, 0)) as store, Store() as other:
        write_games(store, tmp_path, file_of)
        before = contents(tmp_path)
        other.add(other.pairing_id(GRAVE), game(GRAVE, 0, scores=(0.5, 0.5)))
        assert import_games(tmp_path, other).contradicting == 1
        assert other.outcomes(GRAVE, 1) == {0: 0.5}
        assert write_games(other, tmp_path, file_of).contradicting == 1
    assert contents(tmp_path) == before


def test_games_of_different_searches_are_kept_apart(tmp_path):
    newer = replace(GRAVE, search_fingerprint="cccccccccccc")
    with filled((GRAVE, 0), (newer, 0)) as store, Store() as other:
        write_games(store, tmp_path, file_of)
        assert import_games(tmp_path, other).new == 2
        assert [each.games for each in other.summaries()] == [1, 1]


def test_games_without_a_fingerprint_or_a_table_are_not_written(tmp_path):
    with filled((GRAVE.settings, 0), (THREE, 0)) as store:
        count = write_games(store, tmp_path, lambda pairing: None if pairing == THREE else "all")
    assert count.games == 0


def rewrite(folder, before, after, name="knights.csv.gz"):
    path = folder / name
    content = path.read_bytes()
    text = (gzip.decompress(content) if name.endswith("gz") else content).decode()
    assert before in text
    new = text.replace(before, after, 1).encode()
    path.write_bytes(gzip.compress(new) if name.endswith("gz") else new)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (f"{GRAVE.game_seed(0)}", "5", "line 2: 5 is not the seed of game 0"),
        (",01,", ",10,", "line 2: game 0 has other seats than 10"),
        (",01,", ",00,", "line 2: seats must be of both agents, 0 and 1, got '00'"),
        (",1 0,", ",1 0 0,", "line 2: each of the seats '01' has a score, got '1 0 0'"),
        (",1 0,", ",7 0,", "line 2: scores must be from 0 to 1"),
        (",0123456789ab", ",", "line 2: a search fingerprint has 12 hexadecimal digits, got ''"),
        (",54321,", ",many,", "line 2: playouts must be a whole number in range, got 'many'"),
        (",54321,", f",{9**40},", "line 2: playouts must be a whole number in range"),
        (",1.234,", ",nan,", "line 2: seconds must be at least 0 and finite, got 'nan'"),
        (",1.234,", ",-1,", "line 2: seconds must be at least 0 and finite"),
        (",0.1.0+01234567,", ",\x1b[2J,", "line 2: a version is such as"),
        (",54321,", f',"{"x" * 200_000}",', "line 2: field larger"),
        (",54321,", ",", "line 2: a row has 10 values"),
        (f"\n{pairing_id(GRAVE)}", "\nffff", "has no pairing 'ffff'"),
        ("plies", "length", "the columns must be"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_line(tmp_path, before, after, message):
    with filled((GRAVE, 0), (GRAVE, 1)) as store, Store() as other:
        write_games(store, tmp_path, file_of)
        rewrite(tmp_path, before, after)
        with pytest.raises(GameFileError, match=message):
            import_games(tmp_path, other)
        assert other.summaries() == []


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("bias=0.0001", "bias=0.002", r"pairings.csv, line 2: .* is not the id"),
        (",1000,", ",0,", r"pairings.csv, line 2: .* at least 1 playout, not 0"),
    ],
)
def test_an_invalid_pairing_is_refused_with_its_line(tmp_path, before, after, message):
    with filled((GRAVE, 0)) as store:
        write_games(store, tmp_path, file_of)
    rewrite(tmp_path, before, after, "pairings.csv")
    with pytest.raises(GameFileError, match=message):
        read_folder(tmp_path)


def test_damaged_compression_is_refused_with_the_name_of_the_file(tmp_path):
    with filled(*((GRAVE, index) for index in range(20))) as store:
        write_games(store, tmp_path, file_of)
    path = tmp_path / "knights.csv.gz"
    whole = path.read_bytes()
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
        # A time or a system in the header decides nothing.
        with suppress(GameFileError):
            read_folder(tmp_path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GameFileError, match=r"knights.csv.gz cannot be read.* Get the file"):
        read_folder(tmp_path)


def test_a_game_that_is_twice_in_a_file_with_different_results_is_refused(tmp_path):
    with filled((GRAVE, 0)) as store, Store() as other:
        write_games(store, tmp_path, file_of)
        path = tmp_path / "knights.csv.gz"
        head, row = gzip.decompress(path.read_bytes()).decode().splitlines()
        path.write_bytes(gzip.compress("\n".join([head, row, row]).encode()))
        assert import_games(tmp_path, other).new == 1
        wrong = row.replace(",1 0,", ",0 1,")
        path.write_bytes(gzip.compress("\n".join([head, row, wrong]).encode()))
        with pytest.raises(GameFileError, match="line 3: game 0 is there twice"):
            read_folder(tmp_path)


def test_a_folder_stays_readable_if_writing_it_is_interrupted(tmp_path, monkeypatch):
    """Whatever file the program dies at, no game may be without its pairing."""
    with filled((GRAVE, 0), (THREE, 0)) as store:
        for files_written in range(3):
            folder = tmp_path / str(files_written)
            left = [files_written]

            def replace_some(path, content, left=left):
                if not left[0]:
                    raise KeyboardInterrupt
                left[0] -= 1
                replace_bytes(path, content)

            monkeypatch.setattr(game_files, "replace_bytes", replace_some)
            with pytest.raises(KeyboardInterrupt):
                write_games(store, folder, file_of)
            monkeypatch.undo()
            write_games(store, folder, file_of)
            assert sum(map(len, read_folder(folder).values())) == 2


def test_a_folder_that_games_cannot_be_added_to_is_noticed_first(tmp_path):
    check_folder(tmp_path / "new" / "games")
    (tmp_path / "file").write_text("")
    with pytest.raises(GameFileError, match="not writable"):
        check_folder(tmp_path / "file" / "games")
    (tmp_path / "a.csv.gz").write_text("not compressed")
    with pytest.raises(GameFileError, match="cannot be read"):
        check_folder(tmp_path)


def test_folders_without_game_files_are_refused(tmp_path):
    with pytest.raises(GameFileError, match="no game files"):
        read_folder(tmp_path)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.csv.gz").write_text("")
    with pytest.raises(GameFileError, match=r"Did you mean '.*games'"):
        read_folder(tmp_path)
    with pytest.raises(GameFileError, match="is a file: name its folder"):
        read_folder(tmp_path / "games" / "a.csv.gz")
    with pytest.raises(GameFileError, match="there is no folder"):
        read_folder(tmp_path / "none")
    (tmp_path / "a.csv.gz").write_text("not compressed")
    (tmp_path / "pairings.csv").write_text("")
    with pytest.raises(GameFileError, match="the columns must be"):
        read_folder(tmp_path)
