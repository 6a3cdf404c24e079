"""GTP programs as players: real processes, some of which misbehave."""

from __future__ import annotations

import shutil
import sys

import pytest

from graven.agents import ForfeitError, MoveClock, agent, is_external
from graven.agents.gtp_program import GtpAgent
from graven.core.errors import UsageError
from graven.games import sgf
from graven.games.registry import make_game
from graven.lab.experiments.job import GameJob
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.play_game import play_game
from graven.search.budget import Budget

GNUGO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")

# A program that accepts all commands and plays the given moves.
SCRIPT = """
import sys, time
moves = {moves!r}
for line in sys.stdin:
    word = line.split()[0]
    if word == "genmove":
        move = moves.pop(0)
        if move == "crash": sys.exit(3)
        if move == "sleep": time.sleep(60)
        if move == "noise": print("?? what\\n\\n= D", end="", flush=True); move = "4"
        print("=", move, end="\\n\\n", flush=True)
    else:
        print("=", end="\\n\\n", flush=True)
    if word == "quit": break
"""


@pytest.fixture
def scripted(tmp_path):
    def make(*moves: str) -> str:
        path = tmp_path / f"program{len(list(tmp_path.iterdir()))}.py"
        path.write_text(SCRIPT.format(moves=list(moves)))
        return f'gtp("{sys.executable} {path}")'

    return make


def play(spec: str, second: str = "uct", game: str = "go(size=3,komi=0.5)", **budget):
    pairing = make_pairing(game, spec, second, Budget(**budget or {"playouts": 20}))
    return play_game(GameJob(pairing, 0), make_game(game))


def test_specs():
    assert isinstance(agent('gtp("gnugo --mode gtp")'), GtpAgent)
    assert agent("gtp( 'gnugo --mode gtp' )").spec == 'gtp("gnugo --mode gtp")'
    for wrong in ("gtp()", 'gtp("")', "gtp(gnugo)", 'gtp("a\'b")', f'gtp("{"x" * 2000}")'):
        with pytest.raises(UsageError):
            agent(wrong)
    with pytest.raises(UsageError, match="plays matches"):
        agent('gtp("gnugo")').search(make_game("go").start())


def test_external_specs_are_recognised():
    assert is_external('gtp("gnugo")')
    assert is_external(" spiel-mcts")
    assert is_external("spiel-mcts(simulations=3)")
    assert not is_external("uct")
    assert not is_external("spiel-mctsx")


def test_a_program_neither_warms_up_nor_ponders(scripted):
    game = make_game("go(size=3)")
    player = agent(scripted("B2")).player(game)
    player.warm_up()
    assert player.ponder(game.start()) is None
    player.close()


def test_a_program_plays_a_game(scripted, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path / "records"))
    result = play(scripted("B2", *["pass"] * 60))
    assert result.moves[0] == "B2"
    assert sum(result.scores) == 1.0
    (path,) = (tmp_path / "records").iterdir()
    record = sgf.read(path.read_bytes())
    assert [move.upper() for _, move, _ in record.moves] == [move.upper() for move in result.moves]
    assert "20 playouts, win rate" in record.moves[1][2]
    assert record.moves[0][2] == "", "a program reports no playouts"


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        (["crash"], "has stopped"),
        (["B2", "B2"], "not legal"),
        (["nonsense"], "not legal"),
        (["noise"], "refused"),
        (["resign"], None),
    ],
)
def test_a_fault_loses_the_game_and_is_reported(
    scripted, moves, reason, tmp_path, monkeypatch, caplog
):
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path / "records"))
    result = play(scripted(*moves))
    assert result.scores == (0.0, 1.0)
    assert (reason in caplog.text) if reason else (caplog.text == "")


def test_a_program_that_resigns_has_resigned_in_the_record(scripted, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path / "records"))
    assert play(scripted("resign")).scores == (0.0, 1.0)
    (record,) = (tmp_path / "records").iterdir()
    assert "RE[W+R]" in record.read_text()


def test_a_game_counts_even_if_its_record_cannot_be_written(
    scripted, tmp_path, monkeypatch, caplog
):
    (tmp_path / "taken").write_text("a file where the folder should be")
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path / "taken"))
    result = play(scripted(*["pass"] * 60))
    assert sum(result.scores) == 1.0
    assert "game 1 has no SGF file" in caplog.text


def test_a_program_plays_games_of_two():
    with pytest.raises(UsageError, match="plays games of two"):
        make_pairing("go(size=3,colors=3,komi=0)", "uct", 'gtp("gnugo")')


def test_the_time_of_a_program_is_not_counted_as_ours(scripted):
    ours = play(scripted(*["pass"] * 60))
    assert ours.seconds < 5
    assert not play(scripted(*["pass"] * 60), scripted(*["pass"] * 60)).seconds


def test_a_program_that_cannot_be_started_plays_no_game(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path))
    with pytest.raises(UsageError, match=r"cannot be started.*Is it installed"):
        play('gtp("/no/such/program")')


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.exit(1)", "has stopped"),
        ("print('usage: play [options]')", "has stopped"),
        ("import sys\nfor line in sys.stdin: print('? no such board\\n', flush=True)", "refused"),
    ],
)
def test_a_program_that_ends_at_start_up_plays_no_game(tmp_path, program, reason):
    path = tmp_path / "program.py"
    path.write_text(program)
    with pytest.raises(UsageError, match=f"no game was played: .*{reason}"):
        play(f'gtp("{sys.executable} {path}")')


def test_a_program_that_does_not_answer_loses(scripted, monkeypatch):
    monkeypatch.setattr("graven.agents.gtp_program.REPLY_SECONDS", 0.5)
    game = make_game("go(size=3)")
    player = agent(scripted("sleep")).player(game)
    try:
        with pytest.raises(ForfeitError, match=r"did not answer within 0.5 s"):
            player.choose(game.start(), MoveClock(Budget(playouts=1)))
    finally:
        player.close()


def test_a_program_gets_all_moves(scripted):
    game = make_game("go(size=5)")
    player = agent(scripted("C3", "A1")).player(game)
    position = game.start().play_moves(["B2", "D4"])
    try:
        assert player.choose(position).best_move == "C3"
        assert player.choose(position.play("C3").play("D2")).best_move == "A1"
    finally:
        player.close()


@needs_gnugo
def test_a_game_against_gnu_go(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAVEN_SGF", str(tmp_path))
    spec = f'gtp("{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead")'
    result = play(spec, "grave+mogo", "go(size=5)", playouts=50)
    assert len(result.moves) > 5
    assert len(list(tmp_path.iterdir())) == 1
