"""The GTP engine: what it answers, and that it answers whatever comes."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.games import sgf
from graven.games.registry import make_game
from graven.interfaces.gtp import gtp_protocol
from graven.interfaces.gtp.gtp_board import Table
from graven.interfaces.gtp.gtp_clock import Clock, Clocks
from graven.interfaces.gtp.gtp_engine import Engine
from graven.interfaces.gtp.input_lines import Lines
from graven.search.budget import Budget

GNUGO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")

AGENT = "grave(ref=50,bias=1e-4)"


def engine(game: str = "go(size=9)", playouts: int = 50) -> Engine:
    return Engine(Table(make_game(game)), AGENT, Budget(playouts))


@pytest.fixture(scope="module")
def shared() -> Engine:
    return engine()


@pytest.fixture
def fresh(shared: Engine) -> Engine:
    shared.answer("boardsize 9")
    shared.answer("komi 7.5")
    shared.answer("kgs-time_settings none")
    shared.answer("graven-params playouts 50")
    return shared


def ok(engine: Engine, line: str) -> str:
    reply = engine.answer(line)
    assert reply.startswith("="), reply
    assert reply.endswith("\n\n")
    return reply[1:].strip()


def refused(engine: Engine, line: str) -> str:
    reply = engine.answer(line)
    assert reply.startswith("?"), reply
    assert reply.endswith("\n\n")
    return reply[1:].strip()


GTP_2 = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "play",
    "genmove",
    "undo",
    "showboard",
    "time_settings",
    "time_left",
    "final_score",
    "final_status_list",
    "loadsgf",
    "printsgf",
    "reg_genmove",
    "lz-analyze",
    "kata-analyze",
    "lz-genmove_analyze",
    "graven-params",
]


def test_all_commands_of_version_2_are_known(fresh):
    assert set(GTP_2) <= set(ok(fresh, "list_commands").split())
    assert ok(fresh, "known_command genmove") == "true"
    assert ok(fresh, "known_command genmve") == "false"
    assert ok(fresh, "protocol_version") == "2"
    assert ok(fresh, "name") == "graven"


def test_ids_come_back(fresh):
    assert fresh.answer("2147483647 name").startswith("=2147483647 ")
    assert fresh.answer("5") == "?5 unknown command\n\n"
    assert fresh.answer("17 name") == "=17 graven\n\n"
    assert fresh.answer("18 nonsense") == "?18 unknown command\n\n"


@pytest.mark.parametrize("line", ["", "   ", "# only a comment", "\t\r\n", "\x01\x02"])
def test_lines_without_a_command_get_no_answer(fresh, line):
    assert fresh.answer(line) == ""


def test_comments_and_control_characters_are_dropped(fresh):
    assert ok(fresh, "\x07na\x01me\r # who are you?") == "graven"
    assert ok(fresh, "play\tB\tD4") == ""


def test_moves_are_played_taken_back_and_refused(fresh):
    ok(fresh, "play b D4")
    assert "X" in ok(fresh, "showboard")
    assert refused(fresh, "play w D4") == "illegal move"
    assert refused(fresh, "play w I5") == "illegal move"
    assert refused(fresh, "play green A1") == "invalid color"
    ok(fresh, "undo")
    assert refused(fresh, "undo") == "cannot undo"
    assert refused(fresh, "play b") == "syntax error"


def test_the_same_colour_may_move_twice(fresh):
    ok(fresh, "play b D4")
    ok(fresh, "play b E5")
    ok(fresh, "play w pass")
    ok(fresh, "play w pass")
    ok(fresh, "play w A1")
    assert str(fresh.table.position).count("X") == 2


def test_superko_is_refused(fresh):
    for vertex in ["B1", "C1", "A2", "D2", "B3", "C3", "PASS", "B2", "C2"]:
        ok(fresh, f"play {'bw'[len(fresh.table.moves) % 2]} {vertex}")
    assert refused(fresh, "play w B2") == "illegal move"


def test_genmove_plays_and_reg_genmove_does_not(fresh):
    thought = ok(fresh, "reg_genmove b")
    assert fresh.table.moves == []
    assert ok(fresh, "genmove b") == thought, "the same seed, the same move"
    assert fresh.table.moves[0][1] == thought
    assert "50 playouts" in fresh.table.moves[0][2]


def wall(engine: Engine, komi: str) -> None:
    """Black owns a board of 5x5 but for one lost white stone in the corner, which leaves two points
    to nobody as long as it is there."""
    ok(engine, "boardsize 5")
    ok(engine, f"komi {komi}")
    for column in "BCD":
        for row in range(1, 6):
            ok(engine, f"play b {column}{row}")
    for point in ("A2", "A4", "E1", "E2"):
        ok(engine, f"play b {point}")
    ok(engine, "play w E5")


def test_it_passes_after_a_pass_when_the_game_is_won(fresh):
    wall(fresh, "0.5")
    ok(fresh, "graven-params playouts 2000")
    ok(fresh, "play w pass")
    assert ok(fresh, "genmove b") == "PASS"
    assert fresh.table.position.is_over


def test_it_does_not_hope_that_dead_stones_are_counted():
    # With the dead stone on the board a second pass would end the game with a win for White.
    careful = Engine(Table(make_game("go(size=5)")), "uct", Budget(2000))
    wall(careful, "24")
    assert careful.table.score() == "W+3", "22 points for Black, 1 and komi for White"
    ok(careful, "play b pass")
    found = careful.agent.search(careful.table.position, 2000)
    assert found.best_move == "pass", "by the rules alone it wins"
    assert found.value > 0.9
    ok(careful, "genmove w")
    believed = float(careful.table.moves[-1][2].split("win rate ")[1].removesuffix(" %"))
    assert believed < 10
    assert ok(careful, "final_score") == "B+1"


@pytest.mark.parametrize(
    ("size", "number", "points"),
    [
        (9, 2, "C3 G7"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 3, "D4 K10 D10"),
        (8, 4, "C3 F6 C6 F3"),
    ],
)
def test_fixed_handicap_is_where_the_specification_has_it(fresh, size, number, points):
    ok(fresh, f"boardsize {size}")
    assert ok(fresh, f"fixed_handicap {number}") == points
    assert "White to move" in str(fresh.table.position)
    assert refused(fresh, "fixed_handicap 2") == "board not empty"


def test_handicap_is_refused_where_it_makes_no_sense(fresh):
    assert "number" in refused(fresh, "fixed_handicap 10")
    assert "number" in refused(fresh, "fixed_handicap 1")
    assert refused(fresh, "set_free_handicap A1 A1") == "bad vertex list"
    assert refused(fresh, "set_free_handicap A1 pass") == "bad vertex list"
    assert len(ok(fresh, "place_free_handicap 20").split()) == 9
    ok(fresh, "clear_board")
    ok(fresh, "set_free_handicap A1 B2 C3")
    assert fresh.table.setup == ("A1", "B2", "C3")


def test_komi_and_sizes(fresh):
    ok(fresh, "play b D4")
    ok(fresh, "komi 6.5")
    assert "X" in ok(fresh, "showboard"), "the stones stay"
    assert refused(fresh, "komi much") == "komi not a number"
    assert refused(fresh, "boardsize 20") == "unacceptable size"
    assert refused(fresh, "boardsize -9") == "unacceptable size"
    ok(fresh, "rectangular_boardsize 7 5")
    assert len(ok(fresh, "showboard").split("\n")[0].split()) == 1 + 7, "a row has 7 points"
    ok(fresh, "play b G5")
    assert refused(fresh, "play w A6").startswith("illegal move")


def test_dead_stones_are_found_and_scored(fresh):
    # Black has a living wall and all of the board but one lost white stone.
    ok(fresh, "boardsize 5")
    ok(fresh, "komi 0.5")
    for row in range(1, 6):
        ok(fresh, f"play b C{row}")
    ok(fresh, "play b B2")
    ok(fresh, "play b B4")
    ok(fresh, "play b D3")
    ok(fresh, "play w E5")
    assert ok(fresh, "final_status_list dead") == "E5"
    assert "C3" in ok(fresh, "final_status_list alive")
    assert ok(fresh, "final_status_list seki") == ""
    assert ok(fresh, "final_score") == "B+24.5"
    assert refused(fresh, "final_status_list asleep") == "invalid status"


def test_a_game_is_printed_and_loaded(fresh, tmp_path):
    for line in ("fixed_handicap 2", "play w E5", "genmove b", "play w pass"):
        ok(fresh, line)
    before = str(fresh.table.position)
    path = tmp_path / "game.sgf"
    ok(fresh, f"printsgf {path}")
    text = ok(fresh, "printsgf")
    assert "playouts" in text
    ok(fresh, "clear_board")
    assert ok(fresh, f"loadsgf {path}") == "black"
    assert str(fresh.table.position) == before
    ok(fresh, f"loadsgf {path} 2")
    assert len(fresh.table.moves) == 1
    assert refused(fresh, "loadsgf /nowhere/at/all.sgf") == "cannot load file"
    path.write_bytes(b"(;GM[1]SZ[9];B[zz])")
    assert "SGF" in refused(fresh, f"loadsgf {path}")
    path.write_bytes(b"(;GM[1]SZ[9];B[aa];W[aa])")
    refused(fresh, f"loadsgf {path}")
    assert len(fresh.table.moves) == 1, "what cannot be loaded changes nothing"


@given(st.binary(max_size=200))
def test_any_bytes_are_an_sgf_or_an_error(data):
    from graven.core.errors import UsageError

    try:
        record = sgf.read(data)
    except UsageError:
        return
    assert 1 <= record.size <= 26


@needs_gnugo
def test_sgf_loads_in_gnu_go_and_theirs_in_ours(fresh, tmp_path):
    for line in ("fixed_handicap 2", "play w E5", "play b D4", "play w F4"):
        ok(fresh, line)
    ours, theirs = tmp_path / "ours.sgf", tmp_path / "theirs.sgf"
    ok(fresh, f"printsgf {ours}")
    script = f"loadsgf {ours}\nlist_stones black\nlist_stones white\nprintsgf {theirs}\nquit\n"
    done = subprocess.run(
        [GNUGO, "--mode", "gtp"], input=script, capture_output=True, text=True, check=True
    )
    assert "= black" in done.stdout
    stones = {point for line in done.stdout.splitlines() for point in line.split()[1:]}
    assert {"C3", "G7", "D4", "E5", "F4"} <= stones
    board = str(fresh.table.position).splitlines()[:9]
    ok(fresh, f"loadsgf {theirs}")
    assert str(fresh.table.position).splitlines()[:9] == board


def test_parameters_can_be_listed_and_set(fresh):
    assert "playouts 50" in ok(fresh, "graven-params")
    ok(fresh, "graven-params resign 0.1")
    assert "resign 0.1" in ok(fresh, "graven-params")
    assert "unknown parameter" in refused(fresh, "graven-params colour red")
    assert "Did you mean 'grave'" in refused(fresh, "graven-params agent gravee")
    assert "from 0 to 1" in refused(fresh, "graven-params resign 2")
    ok(fresh, "graven-params resign 0")


@pytest.mark.parametrize("style", ["lz", "kata"])
def test_genmove_analyze_reports_and_plays(fresh, style):
    out = io.StringIO()
    fresh._out = out
    ok(fresh, "graven-params playouts 2000")
    tail = fresh.answer(f"5 {style}-genmove_analyze b interval 5")
    text = out.getvalue() + tail
    assert text.startswith("=5\ninfo move ")
    assert "visits" in text
    assert " pv " in text
    assert text.endswith("\n\n")
    assert f"play {fresh.table.moves[0][1]}" in tail


@pytest.mark.parametrize("style", ["lz", "kata"])
def test_a_search_without_a_figure_breaks_no_reply(style):
    """After one playout nothing is known of any move: an empty line would end the reply there."""
    out = io.StringIO()
    engine(playouts=1).run(Lines(io.BytesIO(f"7 {style}-genmove_analyze b\n".encode())), out)
    assert re.fullmatch(r"=7\nplay \S+\n\n", out.getvalue())


@pytest.mark.parametrize("style", ["lz", "kata"])
def test_genmove_analyze_spends_time_and_gives_up_like_genmove(fresh, style):
    ok(fresh, "time_settings 60 0 0")
    clock = fresh.clocks.of(0)
    fresh._out = io.StringIO()
    fresh.answer(f"{style}-genmove_analyze b")
    assert clock.left < 60
    ok(fresh, "graven-params resign 1")
    assert fresh.answer(f"{style}-genmove_analyze w") == "play resign\n\n"
    ok(fresh, "graven-params resign 0")


def test_time_left_alone_is_a_clock():
    game = engine(playouts=1_000_000_000)
    ok(game, "time_left b 0 0")
    assert re.fullmatch(r"[A-J][1-9]|pass", ok(game, "genmove b"))  # within a test's patience


def test_a_file_is_not_run_at_a_command(fresh, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    assert "file" in refused(fresh, f"graven-params agent {mine}:tree")
    assert not (tmp_path / "run").exists()


def test_what_is_no_file_is_not_waited_for(fresh, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refused(fresh, f"loadsgf {tmp_path / 'pipe'}") == "cannot load file"


def test_analysis_goes_on_until_the_next_line():
    process = subprocess.Popen(
        [sys.executable, "-m", "graven", "gtp", "--size", "9"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("1 lz-analyze b 10\n")
    process.stdin.flush()
    first = [process.stdout.readline() for _ in range(4)]
    assert first[0] == "=1\n"
    assert all(line.startswith("info move ") for line in first[1:])
    rest, _ = process.communicate("2 name\n3 quit\n", timeout=60)
    assert ("\n" + rest).endswith("\n\n=2 graven\n\n=3\n\n")
    assert process.returncode == 0


# Time.


def test_settings_without_a_limit_are_no_clock():
    clocks = Clocks()
    clocks.set(0, 10, 0)
    assert clocks.of(0) is None


@given(
    st.floats(0, 1000),
    st.floats(0.5, 60),
    st.integers(1, 25),
    st.lists(st.floats(0, 1), min_size=1, max_size=300),
)
def test_whoever_keeps_to_the_clock_never_loses_on_time(main, overtime, stones, moves):
    """Thinking takes at most what the clock gives plus a part of the lag."""
    lag = 0.05
    clock = Clock.of(main, overtime, stones)
    for number, part in enumerate(moves):
        spent = clock.seconds(max(1, 40 - number), lag) + lag * part
        available = clock.left if clock.to_play else clock.left + overtime
        assert spent <= available + 0.011, (number, clock)
        clock.spend(spent, played=True)


def test_main_time_is_shared_and_overtime_used():
    assert Clock.of(250, 0, 0).seconds(10, 0) == 10
    assert Clock.of(0, 30, 5).seconds(10, 0) == 6
    assert Clock.of(0, 1, 1).seconds(10, 0.1) == pytest.approx(0.9)


def test_a_second_a_move_is_kept(fresh):
    ok(fresh, "graven-params playouts 0")
    ok(fresh, "time_settings 0 1 1")
    for colour in "bwb":
        ok(fresh, f"time_left {colour} 1 1")
        began = time.monotonic()
        ok(fresh, f"genmove {colour}")
        assert fresh.clocks.of(0).left > 0
        assert time.monotonic() - began > 0.3, "the time is used"


# Other games.


@pytest.mark.parametrize(
    ("game", "first", "move", "wrong"),
    [
        ("hex(size=5)", "black", "a1", "f1"),
        ("havannah(size=4)", "white", "a1", "e1"),
        ("othello", "black", "d3", "a1"),
    ],
)
def test_other_games(game, first, move, wrong):
    other = engine(game)
    assert "komi" not in ok(other, "list_commands").split()
    assert ok(other, "gogui-rules_side_to_move") == first
    assert refused(other, f"play {first} {wrong}") == "illegal move"
    ok(other, f"play {first} {move}")
    second = ok(other, "gogui-rules_side_to_move")
    assert "turn" in refused(other, f"genmove {first}")
    reply = ok(other, f"genmove {second}")
    assert reply not in ok(other, "gogui-rules_legal_moves").split()
    assert ok(other, "gogui-rules_final_result") == "The game is not over"
    while ok(other, "gogui-rules_side_to_move") != "none":
        ok(other, f"genmove {ok(other, 'gogui-rules_side_to_move')}")
    assert ok(other, "gogui-rules_final_result") in ("Black wins", "White wins", "Draw")
    assert refused(other, "genmove black") == "the game is over"


# Whatever comes.

VALUES = "b w black white D4 A1 T19 pass resign Z99 -1 0 1 9 19 1e9 nan inf dead alive 0.5 é \x00"
WORDS = [*GTP_2, *VALUES.split(" ")]
SENSIBLE = [
    "play {colour} {point}",
    "genmove {colour}",
    "reg_genmove {colour}",
    "undo",
    "showboard",
    "clear_board",
    "komi 3",
    "printsgf",
    "time_left {colour} 1 1",
]
SLOW = {"lz-analyze", "kata-analyze", "quit"}


def random_line(chance: random.Random) -> str:
    kind = chance.randrange(4)
    if kind == 0:
        return "".join(
            chr(chance.choice([*range(128), 233, 0x1F600])) for _ in range(chance.randrange(40))
        )
    if kind == 3:
        colour, point = chance.choice("bw"), chance.choice("ABCDE") + str(chance.randrange(1, 6))
        return chance.choice(SENSIBLE).format(colour=colour, point=point)
    words = [chance.choice(WORDS) for _ in range(chance.randrange(1, 6))]
    if kind == 1:
        words.insert(0, str(chance.randrange(10**6)))
    line = " ".join(words)
    if kind == 2 and line:
        at = chance.randrange(len(line))
        line = line[:at] + chr(chance.randrange(32, 127)) + line[at + 1 :]
    return line


def test_ten_thousand_lines_and_it_lives_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # printsgf may write a file
    player = engine("go(size=5)", playouts=2)
    player._out = io.StringIO()
    chance = random.Random(5)
    kinds = {"=": 0, "?": 0, "": 0}
    for _ in range(10_000):
        line = random_line(chance)
        command = gtp_protocol.parse(line)
        if command and (command.name in SLOW or command.name.startswith("kgs")):
            continue
        if command and command.name == "graven-params" and command.arguments[:1] == ("playouts",):
            continue
        player.clocks = Clocks()
        reply = player.answer(line)
        assert reply == "" or reply.endswith("\n\n")
        assert "\n\n" not in reply[:-2]
        # A reply with reports has begun before they came.
        kinds["=" if reply.startswith("play ") else reply[:1]] += 1
    assert kinds["="] > 500
    assert kinds["?"] > 1000
    assert ok(player, "name") == "graven"


def test_lines_that_are_too_long_are_refused_whole():
    out = io.StringIO()
    stream = io.BytesIO(b"play " + b"b" * 1_000_000 + b"\n2 name\n\xff\xfe\n3 quit\n")
    engine().run(Lines(stream), out)
    replies = out.getvalue().split("\n\n")
    assert replies[0] == "? line too long"
    assert replies[1] == "=2 graven"
    assert replies[-2] == "=3"
