"""Dead stones, scores and SGF files."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.games import sgf
from tests.interfaces.gtp.helpers import ok, refused

GNUGO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")


def test_dead_stones_are_found_and_scored(engine):
    # Black has a living wall and all of the board but one dead white stone.
    ok(engine, "boardsize 5")
    ok(engine, "komi 0.5")
    for row in range(1, 6):
        ok(engine, f"play b C{row}")
    ok(engine, "play b B2")
    ok(engine, "play b B4")
    ok(engine, "play b D3")
    ok(engine, "play w E5")
    assert ok(engine, "final_status_list dead") == "E5"
    assert "C3" in ok(engine, "final_status_list alive")
    assert ok(engine, "final_status_list seki") == ""
    assert ok(engine, "final_score") == "B+24.5"
    assert refused(engine, "final_status_list asleep") == "invalid status"


def test_a_game_is_printed_and_loaded(engine, tmp_path):
    board = engine.session.board
    for line in ("fixed_handicap 2", "play w E5", "genmove b", "play w pass"):
        ok(engine, line)
    before = str(board.position)
    path = tmp_path / "game.sgf"
    ok(engine, f"printsgf {path}")
    text = ok(engine, "printsgf")
    assert "playouts" in text
    ok(engine, "clear_board")
    assert ok(engine, f"loadsgf {path}") == "black"
    assert str(board.position) == before
    ok(engine, f"loadsgf {path} 2")
    assert len(board.moves) == 1
    assert refused(engine, "loadsgf /nowhere/at/all.sgf") == "cannot load file"
    path.write_bytes(b"(;GM[1]SZ[9];B[zz])")
    assert "SGF" in refused(engine, f"loadsgf {path}")
    path.write_bytes(b"(;GM[1]SZ[9];B[aa];W[aa])")
    refused(engine, f"loadsgf {path}")
    assert len(board.moves) == 1, "a file that cannot be loaded changes nothing"


def test_a_pipe_is_not_read(engine, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refused(engine, f"loadsgf {tmp_path / 'pipe'}") == "cannot load file"


@given(st.binary(max_size=200))
def test_any_bytes_are_an_sgf_or_an_error(data):
    try:
        record = sgf.read(data)
    except UsageError:
        return
    assert 1 <= record.size <= 26


@needs_gnugo
def test_gnu_go_loads_our_sgf_and_we_load_its(engine, tmp_path):
    for line in ("fixed_handicap 2", "play w E5", "play b D4", "play w F4"):
        ok(engine, line)
    ours, theirs = tmp_path / "ours.sgf", tmp_path / "theirs.sgf"
    ok(engine, f"printsgf {ours}")
    script = f"loadsgf {ours}\nlist_stones black\nlist_stones white\nprintsgf {theirs}\nquit\n"
    done = subprocess.run(
        [GNUGO, "--mode", "gtp"], input=script, capture_output=True, text=True, check=True
    )
    assert "= black" in done.stdout
    stones = {point for line in done.stdout.splitlines() for point in line.split()[1:]}
    assert {"C3", "G7", "D4", "E5", "F4"} <= stones
    rows = str(engine.session.board.position).splitlines()[:9]
    ok(engine, f"loadsgf {theirs}")
    assert str(engine.session.board.position).splitlines()[:9] == rows
