"""Custom games on the command line: written by `graven new`, accepted by every command."""

from __future__ import annotations

import importlib.util
import json
import random

import pytest

import graven as gv
from tests.interfaces.helpers import run_generated_test


@pytest.fixture
def folder(new_file):
    return new_file("game", "mygame", "graven match ./mygame.py:game grave uct")


def test_the_template_passes_its_own_test(folder):
    assert "3 passed" in run_generated_test(folder, "mygame")


@pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed"
)
def test_the_template_is_five_in_a_row(folder):
    ours, theirs = gv.game("mygame.py:game"), gv.game("spiel(mnk(m=8,n=8,k=5))")
    rng = random.Random(4)
    for _ in range(60):
        our_position, their_position = ours.start(), theirs.start()
        while not our_position.is_over:
            codes = our_position.legal_codes_of(our_position.current_player)
            assert codes == their_position.legal_codes_of(their_position.current_player)
            code = rng.choice(codes)
            our_position, their_position = our_position.play(code), their_position.play(code)
        assert their_position.scores == our_position.scores


def test_the_template_has_one_move_code_for_each_cell(folder):
    # AMAF counts by code: a move must have its code wherever and whenever it is played.
    game = gv.game("mygame.py:game")
    assert game.num_codes == len(game.start().legal_moves) == 64
    early, late = game.start(), game.start().play_moves(["a1", "h8", "c3", "f1"])
    assert early.game.move_code(0, "d2") == late.game.move_code(0, "d2")
    assert {"d2", "d4"} < {*early.legal_moves} & {*late.legal_moves}


def test_grave_does_not_lose_to_uct_at_the_template(folder):
    result = gv.match("mygame.py:game", "grave", "uct", games=10, playouts=500, workers=1)
    assert result.win_rate >= 0.5


def test_every_command_accepts_a_custom_game(folder, run, run_apart):
    game = "./mygame.py:game"
    search = run(
        "search", game, "--playouts", "200", "--moves", "a1 a8 b1 b8 c1 c8 d1 h8", "--json"
    )
    assert json.loads(search.out)["best_move"] == "e1"
    played = run("match", game, "grave", "uct", "--games", "4", "--playouts", "40", "--json",
                 "--workers", "2")  # fmt: skip
    result = json.loads(played.out)
    assert result["games"] == 4
    assert result["game"].startswith("mygame.py:game(digest=")
    again = run("match", game, "grave", "uct", "--games", "4", "--playouts", "40", "--json")
    assert json.loads(again.out)["new"] == 0
    shown = run("games", game)
    assert "64 first moves: a1 b1 c1" in shown.out
    session = run("play", game, "--playouts", "20", stdin="a1\nquit\n")
    assert session.code == 0
    table = run("tournament", game, "uct", "rave", "--games", "2", "--playouts", "20", "--json",
                "--workers", "1")  # fmt: skip
    assert table.code == 0, table.err
    sweep = run("sweep", game, "uct(c=[0.2,0.4])", "--against", "rave", "--games", "2",
                "--playouts", "20", "--json", "--workers", "1")  # fmt: skip
    assert sweep.code == 0, sweep.err
    engine = run_apart("gtp", "--game", game, "--playouts", "20", stdin="name\nquit\n")
    assert engine.code == 0, engine.err


def test_a_changed_file_begins_a_new_match(folder, run):
    match = ("match", "mygame.py:game", "uct", "rave", "--games", "2", "--playouts", "20",
             "--json", "--workers", "1")  # fmt: skip
    assert json.loads(run(*match).out)["new"] == 2
    path = folder / "mygame.py"
    path.write_text(path.read_text().replace("LINE = 8, 8, 5", "LINE = 8, 8, 4"))
    assert json.loads(run(*match).out)["new"] == 2


def test_mistakes_are_reported_in_one_sentence(folder, run):
    path = folder / "mygame.py"
    path.write_text(path.read_text().replace("state[ENDED] = 3", "state[ENDED] = 'nobody'"))
    done = run("match", "mygame.py:game", "uct", "rave")
    assert done.code == 2
    assert "mygame.py, line" in done.err
    assert "a string" in done.err
    assert "Traceback" not in done.err
    for arguments, message in [
        (("new", "game", "mygame"), "already exists"),
        (("new", "game", "My Game"), "invalid name"),
        (("new", "game", "class"), "invalid name"),
        (("new", "gaem", "mine"), "Did you mean 'game'"),
        (("search", "nowhere.py:game"), "cannot be read"),
    ]:
        done = run(*arguments)
        assert done.code == 2
        assert message in done.err


def test_openspiel_on_the_command_line(run):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    done = run("match", "spiel(tic_tac_toe)", "grave", "spiel-mcts(simulations=20)", "--games", "2",
               "--playouts", "50", "--json", "--workers", "1")  # fmt: skip
    assert json.loads(done.out)["game"] == 'spiel("tic_tac_toe")'
    assert run("agents", "spiel-mcts").out.startswith("spiel-mcts (program)")
    assert run("games", "spiel(kuhn_poker)").code == 2


LOTTERY = """
import random


class Lottery:
    def __init__(self):
        self.plies = 0

    def moves(self):
        return ["left", "right"]

    def play(self, move):
        self.plies += 1

    @property
    def over(self):
        return self.plies == 4

    @property
    def scores(self):
        return random.choice(([1, 0], [0, 1]))
"""


@pytest.mark.parametrize("command", ["search", "play", "match"])
def test_a_class_that_draws_random_numbers_is_refused(tmp_path, run, command):
    file = tmp_path / "lottery.py"
    file.write_text(LOTTERY)
    agents = ["uct", "grave", "--games", "2"] if command == "match" else []
    code, _, err = run(
        command, f"{file}:Lottery", *agents, "--playouts", "20", stdin="left\nleft\n"
    )
    assert code == 2
    assert "the rules are random. Let a method `chances` list the outcomes" in err
