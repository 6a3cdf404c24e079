"""`graven solve` on the command line."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from graven.games.registry import make_game
from graven.interfaces.cli.console import INTERRUPTED
from tests.interfaces.helpers import start_program

GAME = "samegame(size=5x5,colours=3,seed=1)"


def test_the_best_game_is_shown(run):
    code, out, err = run("solve", GAME, "--method", "nrpa", "--level", "2", "--iterations", "20")
    assert code == 0
    assert "nrpa(level=2,iterations=20,alpha=1,code=feature)" in out
    assert "points" in out
    assert "400 playouts" in out
    assert " after " in err, "improved games are shown as they are found"


def test_the_solution_as_json(run):
    code, out, _ = run("solve", GAME, "--method", "nmcs(level=2)", "--runs", "2", "--json")
    assert code == 0
    solution = json.loads(out)
    position = make_game(GAME).start().play_moves(solution["moves"])
    assert position.points == solution["points"]
    assert solution["runs"] == 2


def test_moves_set_up_a_position(run):
    first = make_game(GAME).start().legal_moves[0]
    out = run("solve", GAME, "--moves", first, "--method", "nmcs", "--level", "1", "--json").out
    assert make_game(GAME).start().play_moves([first, *json.loads(out)["moves"]]).is_over


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nogo", "--size", "3"], "for 2 players"),
        ([GAME, "--method", "nrap"], "Did you mean 'nrpa'"),
        ([GAME, "--alpha", "-1"], "from 0 to 1000"),
        ([GAME, "--method", "nrpa(level=2)", "--level", "3"], "twice"),
        ([GAME, "--seconds", "0"], "seconds must be more than 0"),
        ([GAME, "--playouts", "0"], "from 1 to"),
        ([GAME, "--runs", "0"], "runs must be"),
        ([GAME, "--resume", "/nowhere/x.json"], "there is no file"),
        ([GAME, "--save", "/nowhere/x.json"], "no folder"),
        ([GAME, "--moves", "z9"], "move 1"),
        (["samegame(board=12/21)"], "over"),
    ],
)
def test_wrong_input_is_one_sentence(run, arguments, named):
    code, out, err = run("solve", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("graven: ")
    assert err.count("\n") == 1
    assert named in err


def test_a_file_cannot_be_resumed_with_another_method_or_seed(run, tmp_path):
    file = str(tmp_path / "solve.json")
    assert run("solve", GAME, "--method", "nmcs(level=1)", "--save", file).code == 0
    assert "omit --method" in run("solve", GAME, "--method", "nrpa", "--resume", file).err
    assert "omit --seed" in run("solve", GAME, "--seed", "3", "--resume", file).err
    assert run("solve", GAME, "--method", "nmcs", "--level", "1", "--resume", file).code == 0


def wait_for(file, playouts: int) -> dict:
    """Wait until a file has been saved after so many playouts; return its content."""
    for _ in range(1200):
        if file.exists() and (saved := json.loads(file.read_text()))["playouts"] >= playouts:
            return saved
        time.sleep(0.1)
    raise AssertionError("nothing was saved")


@pytest.mark.skipif(os.name != "posix", reason="kills a process group")
def test_a_solve_that_was_killed_is_resumed(run, tmp_path):
    file = tmp_path / "solve.json"
    method = "nrpa(level=6,iterations=20)"
    with start_program(
        "solve", "morpion(variant=4T)", "--method", method, "--save", str(file)
    ) as program:
        before = wait_for(file, 2000)
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate(timeout=60)
    whole = json.loads(file.read_text())["playouts"] + 500
    resumed = run(
        "solve", "morpion(variant=4T)", "--resume", str(file), "--playouts", str(whole), "--json"
    )
    uninterrupted = run(
        "solve", "morpion(variant=4T)", "--method", method, "--playouts", str(whole), "--json"
    )
    first, second = json.loads(resumed.out), json.loads(uninterrupted.out)
    assert first["playouts"] == whole > before["playouts"]
    assert (first["points"], first["moves"]) == (second["points"], second["moves"])


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_ctrl_c_shows_the_best_game_and_how_to_resume(run, tmp_path):
    file = tmp_path / "solve.json"
    options = ["--method", "nrpa(level=8)", "--save", str(file), "--json"]
    with start_program("solve", "morpion(variant=4T)", *options) as program:
        wait_for(file, 100)
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert program.returncode == INTERRUPTED
    assert "Traceback" not in err
    best = json.loads(out)
    assert f"graven solve 'morpion(variant=4T)' --resume {file}" in err
    arguments = ["morpion(variant=4T)", "--resume", str(file), "--json"]
    rest = json.loads(run("solve", *arguments, "--playouts", str(best["playouts"] + 10)).out)
    assert rest["points"] >= best["points"]
    assert rest["playouts"] == best["playouts"] + 10


def test_a_user_plays_alone(run):
    position = make_game("samegame(board=22/11/.1)").start()
    moves = []
    while not position.is_over:
        moves.append(position.legal_moves[0])
        position = position.play(position.legal_moves[0])
    typed = "\n".join(["hint", "opinion", *moves])
    code, out, err = run(
        "play", "samegame(board=22/11/.1)", "--agent", "uct", "--playouts", "50", stdin=typed
    )
    assert code == 0, err
    assert "You are alone" in out
    assert f"The game is over: {position.points:,} points." in out


@pytest.mark.parametrize("game", ["morpion", "samegame", "tsptw"])
def test_other_commands_accept_one_player_games(run, game):
    code, out, _ = run("search", game, "--playouts", "200", "--json")
    assert code == 0
    assert json.loads(out)["best_move"] in make_game(game).start().legal_moves
    assert run("games", game).code == 0
    code, _, err = run("match", game, "uct", "rave", "--games", "2")
    assert code == 2
    assert "two or more" in err
