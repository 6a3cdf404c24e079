"""One default agent, defined once: every interface uses it if the user names none."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

import graven as gv
from graven.agents import BATCHED_SPEC, FEW_PLAYOUTS_SPEC, PuzzleAgent, default_spec
from graven.gdl.sheet_loader import sheet_game
from graven.interfaces.cli.app import run
from graven.interfaces.ggp.pondering import WARM_UP_PUZZLE
from tests.gdl import puzzle_sheets
from tests.gdl.shared import sheet_text
from tests.naive import tiny
from tests.naive.matrix_games import exploitability, solve


def test_search_uses_the_default_agent(capsys):
    game = gv.game("hex(size=3)")
    assert run(["search", "hex", "--size", "3", "--playouts", "50", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == gv.default_agent(game).spec


def test_play_uses_the_default_agent(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert run(["play", "hex", "--size", "3", "--playouts", "20"]) == 0
    assert f"against {gv.default_agent(gv.game('hex')).spec}" in capsys.readouterr().out


@pytest.fixture
def puzzle_file(tmp_path):
    file = tmp_path / "puzzle.kif"
    file.write_text(puzzle_sheets.maze(["s..", "..e"], 6), encoding="utf-8")
    return str(file)


def test_search_uses_the_puzzle_agent_at_a_sheet_with_one_role(capsys, puzzle_file):
    assert run(["search", puzzle_file, "--playouts", "2000", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["agent"] == gv.default_agent(gv.game(puzzle_file)).spec == "puzzle"
    assert result["value"] == 1.0


def test_play_uses_the_puzzle_agent_at_a_sheet_with_one_role(capsys, monkeypatch, puzzle_file):
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\nquit\n"))
    assert run(["play", puzzle_file, "--playouts", "2000"]) == 0
    shown = capsys.readouterr().out
    assert "with hints by puzzle" in shown
    assert "The agent would play" in shown


@pytest.mark.parametrize("option", [["--tree", "tree.svg"], ["--cluster", "tcp://127.0.0.1:1"]])
def test_a_tree_is_not_to_be_had_from_the_puzzle_agent(capsys, puzzle_file, option):
    assert run(["search", puzzle_file, *option]) == 2
    assert "name a tree search, such as --agent grave" in capsys.readouterr().err


def test_the_page_offers_the_default_agent():
    from graven.interfaces.web.catalogue import choices
    from graven.interfaces.web.live_game import LiveGame
    from graven.interfaces.web.web_limits import PageLimits
    from graven.search.budget import Budget

    limits = PageLimits()
    assert choices(limits)["default_agent"] == default_spec()
    live = LiveGame(gv.game("hex(size=3)"), "hex(size=3)", limits)
    live.assign_seats(None, Budget())
    person, opponent = live.seats
    assert person is None
    # The server limits the memory of a tree.
    unlimited = opponent.with_options(memory_mib=gv.default_agent().search_spec.options.memory_mib)
    assert unlimited.text == gv.default_agent(live.game).spec


@pytest.mark.parametrize("name", ["hex", "go"])
def test_a_gtp_engine_uses_the_default_agent(capsys, monkeypatch, name):
    commands = io.TextIOWrapper(io.BytesIO(b"graven-params\nquit\n"))
    monkeypatch.setattr("sys.stdin", commands)
    assert run(["gtp", "--game", name, "--size", "3", "--playouts", "20"]) == 0
    assert gv.default_agent(gv.game(name)).spec in capsys.readouterr().out


def test_a_ggp_player_uses_the_default_agent():
    from graven.interfaces.ggp.ggp_player import GgpPlayer

    game = gv.game("gdl(sheet=connect5)")
    chosen = GgpPlayer().agent.of(game)
    # The tree is kept during a match.
    assert chosen.spec == gv.default_agent(game).with_options(reuse_tree=True).spec


def test_sheets_of_two_players_are_played_in_batches_where_they_have_a_network():
    network, proof = (
        gv.game(f"gdl(sheet=connect5,by={method})") for method in ("network", "proof")
    )
    assert default_spec(network) == BATCHED_SPEC
    assert default_spec(proof) == FEW_PLAYOUTS_SPEC
    assert default_spec(gv.game("gdl(sheet=ttcc4)")) == FEW_PLAYOUTS_SPEC  # three players


# Rock, paper, scissors in which some wins count more: goals of the first role.
BIASED_HANDS = [[50, 25, 100], [75, 50, 45], [0, 55, 50]]


def hands_sheet(rounds: int, wait: bool = False) -> str:
    """Biased hands; with more rounds only the last one counts. `wait`: one role chooses first."""
    names = ("rock", "paper", "scissors")
    cells = [
        f"(pays {a} {b} {BIASED_HANDS[i][j]} {100 - BIASED_HANDS[i][j]})"
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    ]
    turns = "(role b) (not (true (round 0)))" if wait else "(role b)"
    return "\n".join(
        [
            "(role a) (role b) (init (round 0)) (hand rock) (hand paper) (hand scissors)",
            *cells,
            *(f"(succ {i} {i + 1})" for i in range(rounds)),
            f"(<= (legal a ?m) (hand ?m)) (<= (legal b ?m) (hand ?m) {turns})",
            "(<= (legal b wait) (true (round 0)))" if wait else "",
            "(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))",
            "(<= (next (last ?m ?n)) (does a ?m) (does b ?n))",
            f"(<= terminal (true (round {rounds})))",
            "(<= (goal a ?x) (true (last ?m ?n)) (pays ?m ?n ?x ?y))",
            "(<= (goal b ?y) (true (last ?m ?n)) (pays ?m ?n ?x ?y))",
            "(<= (goal ?p 0) (role ?p) (true (last ?m wait)))",
        ]
    )


@pytest.mark.parametrize("rounds", [1, 4])
def test_matrix_games_are_played_by_regret_matching(rounds):
    game = sheet_game(hands_sheet(rounds), "hands")
    assert gv.agent(default_spec(game)).search_spec.options.simultaneous == "regret"


def test_games_in_which_positions_matter_are_not_played_by_regret_matching():
    for game in (
        sheet_game(hands_sheet(2, wait=True), "hands"),
        gv.game("gdl(sheet=battle)"),
        gv.game("gdl(sheet=chinook)"),
        gv.game("gdl(sheet=connect5)"),
    ):
        assert "regret" not in default_spec(game)


def test_user_defined_matrix_games_are_played_by_regret_matching_too():
    game = tiny.rock_paper_scissors(1)
    result = gv.default_agent(game).search(game.start(), playouts=10_000, seed=1)
    for stats in result.by_player.values():
        assert {stat.move for stat in stats} == {"rock", "paper", "scissors"}
        assert all(stat.probability == pytest.approx(1 / 3, abs=0.01) for stat in stats)
    assert "simultaneous=regret" in default_spec(tiny.rock_paper_scissors(4))


def test_user_defined_games_of_players_in_turn_are_not():
    assert default_spec(tiny.heaps(7)) == default_spec()


def test_the_default_agent_converges_to_the_equilibrium_of_a_matrix_game():
    game = sheet_game(hands_sheet(1), "hands")
    result = gv.default_agent(game).search(game.start(), playouts=100_000, seed=1)
    matrix = np.array(BIASED_HANDS) / 100
    found = []
    for player in range(2):
        shares = {stat.move: stat.probability for stat in result.by_player[player]}
        found.append(np.array([shares[name] for name in ("rock", "paper", "scissors")]))
    assert exploitability(matrix, *found) < 0.04


def test_the_default_agent_varies_its_moves_in_a_matrix_game():
    game = sheet_game(hands_sheet(1), "hands")
    _, row, _ = solve(np.array(BIASED_HANDS) / 100)
    agent = gv.default_agent(game)
    played = [
        agent.search(game.start(), playouts=2_000, seed=seed).best_joint[0] for seed in range(200)
    ]
    for name, share in zip(("rock", "paper", "scissors"), row, strict=True):
        assert played.count(name) / len(played) == pytest.approx(share, abs=0.15)


@pytest.mark.parametrize("name", ["gt_staghunt", "gt_chicken", "gt_two_thirds_2p"])
def test_real_matrix_games_are_played_by_regret_matching(name):
    assert "simultaneous=regret" in default_spec(sheet_game(sheet_text(name), name))


@pytest.mark.parametrize("name", ["connectFourSimultaneous", "point_grab"])
def test_real_games_that_regret_matching_loses_are_not(name):
    assert "regret" not in default_spec(sheet_game(sheet_text(name), name))


def test_the_threads_of_a_ggp_player_do_not_change_its_agents():
    from graven.interfaces.ggp.ggp_player import GgpPlayer

    agent = GgpPlayer(threads=2).agent
    network, proof = (
        gv.game(f"gdl(sheet=connect5,by={method})") for method in ("network", "proof")
    )
    options = agent.of(network).search_spec.options
    assert (options.threads, options.batch_leaves) == (2, 64)
    assert agent.of(proof).search_spec.options.threads == (1 if proof.in_python else 2)
    puzzle = sheet_game(WARM_UP_PUZZLE, "puzzle")
    assert agent.of(puzzle) == PuzzleAgent()
    assert GgpPlayer("uct(threads=3)", threads=2).agent.text.count("threads=3") == 1


def test_go_has_playouts_of_its_own():
    assert gv.default_agent(gv.game("go")).spec.endswith("+mogo")
    three = gv.game("go(colors=3)")  # mogo is for two colours
    assert gv.default_agent(three) == gv.default_agent() == gv.default_agent(gv.game("hex"))


def test_warm_compiles_the_games_named(capsys):
    assert run(["warm", "hex(size=3)"]) == 0
    shown = capsys.readouterr().out
    assert "1/1  hex(size=3x3)" in shown
    assert "Done after" in shown
    assert run(["warm", "hexx"]) == 2
    assert "Did you mean 'hex'" in capsys.readouterr().err
