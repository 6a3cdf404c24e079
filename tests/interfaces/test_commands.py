"""The output of the commands, as text and as JSON."""

from __future__ import annotations

import json
import time

import pytest

import graven as gv
from graven.agents import SearchPlayer, catalogue
from graven.games import registry
from graven.gdl import sheets
from graven.interfaces.cli.arguments import compiling
from graven.interfaces.cli.console import QUIET_SECONDS, no_game_yet
from tests.gdl import tiny

SEARCH = ["search", "nogo", "--size", "3", "--playouts", "200"]
MATCH = ["match", "nogo", "--size", "3", "uct", "grave(ref=5)", "--games", "4", "--playouts", "20"]


def test_games_are_listed(run):
    code, out, err = run("games")
    assert (code, err) == (0, "")
    assert all(family.name in out for family in registry.families())
    listed = json.loads(run("games", "--json").out)
    shipped = [f"gdl(sheet={name})" for name in sheets.names()]
    assert [entry["name"] for entry in listed] == [
        *(family.name for family in registry.families()),
        *shipped,
    ]


def test_names_of_games_are_whole_in_a_narrow_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("games").out.splitlines()
    first_column = "".join(line[: lines[0].index("options")].strip() for line in lines)
    assert all(f"gdl(sheet={name})" in first_column for name in sheets.names())


def test_a_spec_in_place_of_a_policy_is_explained(run):
    for spec in ("grave(ref=3)", "grave+mast", "grave(ref=3)+mast(k=4)"):
        code, _, err = run("agents", spec)
        assert code == 2
        assert f"{spec!r} is the spec of an agent: name one of its policies" in err
        assert "graven agents grave." in err


def test_the_help_names_no_python_function(run):
    for command in ("play", "search", "gtp", "ggp"):
        assert "gv." not in run(command, "--help").out


def test_a_long_first_game_is_not_called_compilation():
    assert "compiles" in no_game_yet(5.0)
    assert "compiles" not in no_game_yet(90.0)


def test_a_game_shows_its_options_and_its_start(run):
    _, out, _ = run("games", "nogo", "--size", "3")
    assert "nogo(size=3x3)" in out
    assert "9 first moves: A1" in out
    shown = json.loads(run("games", "misere-nogo(size=3)", "--json").out)
    assert shown["spec"] == "misere-nogo(size=3x3)"
    assert shown["options"]["size"]["default"]
    assert len(shown["legal_moves"]) == 9
    assert (shown["num_codes"], shown["max_moves"]) == (9, 9)


def test_a_playout_of_one_game_is_listed_with_the_game_and_with_the_agents(run):
    playouts = "game-specific playouts: fillboard, mogo, mogo-tactics"
    assert playouts in run("games", "go").out
    assert json.loads(run("games", "go(colors=3)", "--json").out)["playouts"] == []
    shown = run("agents", "mogo").out
    assert "playout of one game" in shown
    assert "patterns" in shown


def test_own_parameters_are_shown_before_the_options(run):
    _, short, _ = run("agents", "grave")
    _, options, _ = run("agents", "options")
    _, everything, _ = run("agents", "grave", "--all")
    assert max(map(len, (short + options + everything).splitlines())) <= 120
    assert "first-play urgency" in options
    assert "first-play urgency" not in short
    assert "'graven agents options' explains them" in " ".join(short.split())
    assert "first-play urgency" in everything
    assert "ref playouts" in everything
    assert "graven agents options" not in everything
    listed = json.loads(run("agents", "options", "--json").out)
    assert "fpu" in [parameter["name"] for parameter in listed["parameters"]]


def test_search_options_and_methods_of_solve_are_explained_by_name(run):
    _, out, _ = run("agents", "root")
    assert "search option" in out
    assert "policy or sh or anytime" in out
    _, out, _ = run("agents", "nrpa")
    assert "graven solve" in out
    assert all(name in out for name in ("bias", "stabilise", "repetitions"))
    assert json.loads(run("agents", "nmcs", "--json").out)["kind"] == "method"


def test_agents_are_listed(run):
    _, out, _ = run("agents")
    assert all(policy.name in out for policy in catalogue() if policy.kind != "option")
    listed = json.loads(run("agents", "--json").out)
    assert [entry["name"] for entry in listed] == [policy.name for policy in catalogue()]


def test_a_policy_shows_its_parameters(run):
    _, out, _ = run("agents", "grave")
    assert "ref" in out
    assert "bias" in out
    assert "Cazenave 2015" in out
    assert "reuse_tree" in out
    shown = json.loads(run("agents", "uct", "--json").out)
    assert "c" in [parameter["name"] for parameter in shown["parameters"]]


def test_search_shows_board_table_and_principal_variation(run):
    code, out, err = run(*SEARCH, "--moves", "B2 A1", "--top", "3")
    assert code == 0, err
    assert "nogo(size=3x3)" in out
    for word in ("playouts", "mean", "AMAF", "best  ", "pv  ", "playouts/s"):
        assert word in out
    assert "and 4 more" in out


def test_search_gives_json(run):
    words = (*SEARCH, "--agent", "uct(solver=off)", "--moves", "B2 A1", "--json")
    result = json.loads(run(*words).out)
    assert result["game"] == "nogo(size=3x3)"
    assert result["played"] == ["B2", "A1"]
    assert result["playouts"] == 200
    assert result["best_move"] == result["pv"][0]
    assert result["best_move"] in [stat["move"] for stat in result["root_stats"]]
    visits = [stat["visits"] for stat in result["root_stats"]]
    assert visits == sorted(visits, reverse=True)
    assert result["memory_full"] is False


def test_search_reads_a_printed_position(run):
    start = gv.game("hex(size=3)").start()
    board = str(start.play_moves(["a1", "b2"]))
    search = ["search", "hex", "--size", "3", "--playouts", "50", "--json"]
    moved = json.loads(run(*search, "--board", board, "--moves", "c3").out)
    assert moved["played"] == ["c3"]
    assert moved["board"] == board
    assert {stat["move"] for stat in moved["root_stats"]}.isdisjoint({"a1", "b2", "c3"})


def test_plies_to_the_end_are_known_only_if_something_is_proven(run):
    search = ["search", "breakthrough", "--size", "4x5", "--playouts", "3000", "--json"]
    result = json.loads(run(*search).out)
    proven = [stat["lower"] >= stat["upper"] for stat in result["root_stats"]]
    assert [stat["plies_left"] is not None for stat in result["root_stats"]] == proven
    assert not all(proven)
    first = json.loads(run("search", "nogo", "--playouts", "9", "--json").out)
    assert {stat["plies_left"] for stat in first["root_stats"]} == {first["plies_left"]} == {None}
    assert (result["plies_left"] is not None) == result["proven"]


def test_progress_names_the_sheet_and_shortens_the_agent(tmp_path):
    sheet = tmp_path / "line.kif"
    sheet.write_text(tiny.TIC_TAC_TOE)
    agent = gv.agent("grave(ref=50,k=250,c=0.2,batch_leaves=64,playouts_per_leaf=4)+mast")
    line = compiling(agent, gv.game(str(sheet)))
    assert line.startswith("compiling grave(ref=50,k=250,")
    assert "... for line.kif; later runs" in line


def test_search_tells_compiling_from_searching(run, monkeypatch):
    monkeypatch.setattr(SearchPlayer, "warm_up", lambda player: time.sleep(QUIET_SECONDS + 0.5))
    done = run("search", "nogo", "--size", "3", "--playouts", "20", "--agent", "uct")
    assert "compiling uct(c=0.4) for nogo" in done.err
    assert "searching" not in done.err


def test_search_is_the_same_for_the_same_seed(run):
    def root_stats(seed):
        return json.loads(run(*SEARCH, "--seed", seed, "--json").out)["root_stats"]

    assert root_stats("1") == root_stats("1")
    assert root_stats("1") != root_stats("2")


def test_check_refuses_only_a_game_that_breaks_the_contract(run, new_file):
    path = new_file("game", "mygame", "mygame.py") / "mygame.py"
    search = ["search", "./mygame.py:game", "--playouts", "50"]
    assert run(*search, "--check").code == 0
    assert run(*SEARCH, "--check").code == 0
    text = path.read_text()
    correct, broken = "out[1] = 1.0 - out[0]", "out[1] = 2.0 - out[0]"
    assert correct in text
    path.write_text(text.replace(correct, broken))
    for options in ([], ["--check"]):  # scores are checked in every search
        code, out, err = run(*search, *options)
        assert (code, out) == (2, "")
        message = err.splitlines()[-1]  # after a line of progress, if the check takes long
        assert message.startswith("graven: ")
        for part in ("mygame", "`scores`", "2", "scores from 0"):
            assert part in message


def test_search_refuses_a_position_in_which_the_game_is_over(run):
    position = registry.make_game("nogo(size=2)").start()
    moves = []
    while not position.is_over:
        moves.append(position.legal_moves[0])
        position = position.play(moves[-1])
    code, _, err = run("search", "nogo", "--size", "2", "--moves", " ".join(moves))
    assert code == 2
    assert "is over" in err


def test_match_shows_the_win_rate_beside_the_published_one(run):
    low, high = json.loads(run(*MATCH, "--workers", "1", "--json").out)["ci95"]
    code, out, _ = run(*MATCH, "--workers", "1", "--published", "50")
    assert code == 0
    assert "win rate" in out
    assert f"(95 %: {100 * low:.1f} to {100 * high:.1f})" in out
    # Compared with an exact rate, the interval of the difference is ours, shifted.
    shifted = f"(95 %: {100 * low - 50:+.1f} to {100 * high - 50:+.1f})"
    assert "50.0 %, difference" in out
    assert shifted in out
    assert "undecided" in out


def test_a_published_rate_is_in_per_cent(run):
    code, out, err = run(*MATCH, "--published", "0.65")
    assert (code, out) == (2, "")
    assert "win rate in per cent, got 0.65: write 65 for 65 %" in err
    _, out, _ = run(*MATCH, "--workers", "1", "--published", "65.25")
    assert "published  65.25 %, difference" in out


def test_match_gives_json(run):
    result = json.loads(run(*MATCH, "--workers", "1", "--json").out)
    assert result["game"] == "nogo(size=3x3)"
    assert result["games"] == 4
    assert "published" not in result
    compared = json.loads(run(*MATCH, "--workers", "1", "--json", "--published", "0").out)
    assert compared["published"] == 0
    difference = compared["comparison"]
    assert difference["difference"] == compared["win_rate"]
    assert difference["ci95"] == pytest.approx(compared["ci95"])


def test_a_match_has_the_same_result_with_any_number_of_workers(run_apart, tmp_path):
    # In separate stores, or the second match would find its games in the first one's.
    options = [("--workers", n, "--json", "--db", f"{tmp_path}/{n}.db") for n in "12"]
    results = [json.loads(run_apart(*MATCH, *words).out) for words in options]
    for result in results:
        del result["playouts_per_second"]
    assert results[0] == results[1]


def test_bench_counts_tables(run):
    rows = json.loads(run("bench", "tables", "--json").out)
    assert {row["name"] for row in rows} == {"tables"}
    assert all(row["met"] for row in rows)
    assert "met" in run("bench", "tables").out
