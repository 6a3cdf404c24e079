"""The experiment commands: their text and their JSON output."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import replace

import pytest

from graven.interfaces.cli.commands.frontier_command import FrontierLine
from graven.interfaces.cli.commands.tournament_command import StandingsLine
from graven.interfaces.cli.console import GamesProgress
from graven.lab.experiments import processes
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.tournament import Standings
from graven.lab.stats.intervals import Score
from graven.lab.store.store import Store
from graven.search.budget import Budget

KNIGHTS = ["knightthrough", "--size", "5", "--playouts", "20", "--workers", "1"]
TOURNAMENT = ["tournament", *KNIGHTS, "--games", "4", "uct", "rave", "grave(ref=5)"]
SWEEP = ["sweep", *KNIGHTS, "--games", "4", "--against", "uct"]
WORST = ["--robustness-against", "rave(bias=[1e-1..1e-2])"]
BEST = ["reproduce", "cazenave2015", "6", "--best", "--games", "2", "--workers", "1"]


def test_a_match_stores_its_games(run):
    match = ["match", *KNIGHTS, "uct", "rave", "--games"]
    assert json.loads(run(*match, "2", "--json").out)["new"] == 2
    code, out, _ = run(*match, "4")
    assert code == 0
    assert "4 games" in out
    assert "2 games; the others were in the store" in out


CLOCK = ["--size", "4", "--time", "0.2", "--games", "2", "--workers", "1"]


def test_a_match_shows_its_clock(run):
    match = ["match", "knightthrough", "uct", "rave", *CLOCK, "--increment", "0.01"]
    code, out, err = run(*match)
    assert code == 0, err
    assert "0.2 s a game + 0.01 s a move\n" in out
    clock = {"playouts": None, "seconds": None, "time": 0.2, "increment": 0.01}
    values = json.loads(run(*match, "--json").out)
    assert values["budgets"] == [clock, clock]
    assert values["new"] == 0


def test_a_tournament_shows_its_clock(run):
    _, out, _ = run("tournament", "knightthrough", "uct", "rave", *CLOCK)
    assert out.splitlines()[0].endswith("2 games, 0.2 s a game")


@pytest.mark.parametrize(
    "command", [["match", "hex", "uct", "rave"], ["tournament", "hex", "uct", "rave"]]
)
@pytest.mark.parametrize("option", ["--seconds", "--playouts"])
def test_a_clock_excludes_a_budget_for_each_move(run, command, option):
    code, _, err = run(*command, "--time", "1", option, "2")
    assert code == 2
    assert f"--time 1 limits a whole game and {option} 2 each move" in err


def test_a_sequential_test_is_reported(run):
    agents = ["uct(playouts=200)", "uct(playouts=2)"]
    _, out, _ = run("match", *KNIGHTS, *agents, "--games", "200", "--sprt", "0", "100")
    assert "stopped early: at least 100 Elo" in out
    values = json.loads(
        run("match", *KNIGHTS, *agents, "--games", "200", "--sprt", "0", "100", "--json").out
    )
    assert values["new"] == 0
    assert values["sprt"]["decided"] == 100


def test_a_tournament_shows_ratings_and_a_cross_table(run):
    code, out, err = run(*TOURNAMENT)
    assert code == 0, err
    for word in (
        "12 games",
        "Elo",
        "grave(ref=5,bias=0.0001)",
        "beats next",
        "Points of",
    ):
        assert word in out
    values = json.loads(run(*TOURNAMENT, "--json").out)
    assert values["games"] == values["planned"] == 12
    assert len(values["ratings"]) == len(values["superior"]) == 3


def test_a_sweep_shows_the_best_and_its_worst_case(run):
    code, out, err = run(*SWEEP, "rave(bias=[1e-1..1e-3])", *WORST)
    assert code == 0, err
    for word in ("rave(bias=0.001)", "best: ", "worst: ", "against uct"):
        assert word in out
    values = json.loads(run(*SWEEP, "rave(bias=[1e-1..1e-3])", *WORST, "--json").out)
    assert len(values["points"]) == 3
    assert len(values["opponents"]) == 2


def test_a_sweep_over_two_parameters_is_a_table(run):
    _, out, _ = run(*SWEEP, "grave(ref=[5,25],bias=[1e-1..1e-3])")
    lines = out.splitlines()
    assert lines[1].split() == ["ref", "\\", "bias", "0.1", "0.01", "0.001"]
    assert lines[2].startswith("5 ")
    assert lines[3].startswith("25 ")


def test_reproduce_lists_papers_and_tables(run):
    code, out, err = run("reproduce")
    assert code == 0, err
    for name in ("cazenave2015", "cazenave2016", "javins", "rimmel2010", "sironi2016"):
        assert name in out
    assert "VIII" in run("reproduce", "sironi2016").out


@pytest.mark.parametrize("width", [40, 60, 80])
def test_reproduce_cuts_no_figure_however_narrow_the_terminal(run, monkeypatch, width):
    from graven.interfaces.cli import console
    from graven.lab import published

    monkeypatch.setenv("COLUMNS", str(width))
    console.out.cache_clear()
    try:
        _, out, _ = run("reproduce", "sironi2016", "VII")
    finally:
        console.out.cache_clear()
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= width
    figures = published.paper("sironi2016").table("VII").figures
    for figure in figures:
        assert out.count(f"{figure.value:.1f}") >= 1


def test_reproduce_without_games_plays_nothing_and_makes_no_store(run, tmp_path):
    _, out, _ = run("reproduce", "cazenave2015", "6")
    assert "67.8 (63.6-71.7)" in out
    assert out.count("not yet run") == 3
    assert not list(tmp_path.iterdir())
    _, out, _ = run("reproduce", "sironi2016", "VIII")
    assert "41.94" in out
    assert out.count("not measured") == 30
    assert "against whom" in " ".join(run("reproduce", "javins", "poster").out.split())


def test_reproduce_plays_what_is_missing_and_writes_it_down(run, tmp_path):
    written = tmp_path / "headline.csv"
    values = json.loads(run(*BEST, "--json", "--write", str(written)).out)
    (entry,) = values["cells"]
    assert (entry["games"], entry["published"], entry["verdict"]) == (2, 67.8, "undecided")
    (row,) = csv.DictReader(written.read_text().splitlines())
    assert row["first"] == "grave(ref=50,bias=0.0001,ties=first)"
    assert (row["games"], row["playouts"]) == ("2", "1000")
    run(*BEST, "--write", str(tmp_path / "headline.md"))
    lines = (tmp_path / "headline.md").read_text().splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("| cazenave2015 | 6 | knightthrough(size=8x8) | 1,000 | `grave(")
    assert row["version"]
    assert row["machine"]
    _, out, _ = run("reproduce", "cazenave2015", "6")
    assert "2 games" in out
    _, out, _ = run("reproduce", "--headline", "--json")
    assert sum(entry["games"] for entry in json.loads(out)["cells"]) == 2


def test_reproduce_plays_only_the_figures_of_a_place(run):
    command = ["reproduce", "cazenave2015", "6", "--place", "ref 100, bias 0.01"]
    code, out, _ = run(*command, "--games", "2", "--workers", "1", "--json")
    assert code == 0
    played = [cell["place"] for cell in json.loads(out)["cells"]]
    assert played == ["ref 100, bias 0.01"]
    cells = json.loads(run("reproduce", "cazenave2015", "6", "--json").out)["cells"]
    assert [cell["place"] for cell in cells if cell["games"]] == ["ref 100, bias 0.01"]


def test_games_are_written_imported_and_continued_elsewhere(run, tmp_path, monkeypatch):
    """Two people play the shards of a cell; a third one merges their files and goes on."""
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        command = [*BEST, "--shard", f"{number}/2", "--db", f"{number}.db"]
        command[command.index("--games") + 1] = "4"
        code, _, err = run(*command, "--write", f"person{number}/")
        assert code == 0
        assert "added 2 games to person" in err
    folders = ["person1/games", "person2/games"]
    assert json.loads(run("import", *folders, "--json").out) == {
        "games": 4,
        "new": 4,
        "contradicting": 0,
    }
    assert "imported 0 new games of 4" in run("import", *folders).out
    shown = json.loads(run("reproduce", "--headline", "--games", "0", "--json").out)["cells"]
    (cell,) = [cell for cell in shown if cell["games"]]
    assert (cell["paper"], cell["table"], cell["games"]) == ("cazenave2015", "6", 4)
    assert cell["ci95"][0] <= cell["win_rate"] <= cell["ci95"][1]
    assert cell["published"] == 67.8
    assert {"verdict", "fingerprint"} <= cell.keys()
    for folder in ("all/", "person1/"):
        run("reproduce", "--games", "0", "--write", folder)
    files = [sorted((tmp_path / name / "games").iterdir()) for name in ("all", "person1")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    more = [*BEST, "--json"]
    more[more.index("--games") + 1] = "6"
    (cell,) = json.loads(run(*more).out)["cells"]
    assert cell["games"] == 6
    code, out, _ = run("replay")
    assert "     6  knightthrough(size=8x8)" in out
    code, out, err = run("replay", out.splitlines()[1].split()[0][:4], "3", "--json")
    assert code == 0, err
    assert json.loads(out)["as_recorded"]


def test_replay_shows_a_game_and_says_if_it_differs_from_the_record(run, tmp_path):
    run("match", *KNIGHTS, "uct", "rave", "--games", "2")
    identity = run("replay").out.splitlines()[1].split()[0]
    code, out, _ = run("replay", identity, "1")
    assert code == 0
    assert "as recorded by graven" in out
    assert "uct(c=0.4), score" in out
    db = sqlite3.connect(tmp_path / "graven.db")
    # Without checksums, as older versions wrote them: a changed record would be noticed at once.
    db.execute("UPDATE game SET plies = plies + 1, moves = '[]' WHERE number = 1")
    db.execute("DELETE FROM checksum")
    db.commit()
    code, _, err = run("replay", identity, "1")
    assert code == 1
    assert "differs from the stored game: plies" in " ".join(err.split())
    db.execute('UPDATE cell SET key = replace(key, \'"search":"\', \'"search":"f\')')
    db.execute("DELETE FROM checksum")
    db.commit()
    db.close()
    code, _, err = run("replay", identity, "1")
    assert code == 2
    assert "another search" in err
    assert "no pairing" in run("replay", "zzz").err
    assert "has not been recorded" in run("replay", identity, "77").err


def test_replay_prefers_the_games_of_this_search(run, tmp_path):
    """Another search has played more games of the pairing, which cannot be replayed."""
    run("match", *KNIGHTS, "uct", "rave", "--games", "2")
    with Store(tmp_path / "graven.db") as store:
        (ours,) = [summary.pairing for summary in store.summaries()]
        other = replace(ours, search_fingerprint="0123456789ab")
        for index in range(4):
            seats = other.seats(index)
            game = GameResult(index, seats, other.game_seed(index), (1.0, 0.0), ("a",), 1, 0.1)
            store.add(store.pairing_id(other), game)
    listed = run("replay").out.splitlines()[1:]
    assert {line.split()[1] for line in listed} == {ours.search_fingerprint, "0123456789ab"}
    identity = listed[0].split()[0]
    assert run("replay", identity, "1").code == 0
    assert "indices from 0 to 1" in run("replay", identity, "3").err


def test_replay_runs_no_program_or_file_that_a_record_names(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("open('run.txt', 'w').close()\n")
    pairing = make_pairing("knightthrough(size=5)", "uct", "rave", Budget(10))
    for changes in (
        {"agents": ('gtp("touch run.txt")', "uct")},
        {"agents": ("./mine.py:tree", "uct")},
        {"game": "./mine.py:game"},
        {"game": "gdl(file=mine.py)"},
    ):
        with Store("graven.db") as store:
            recorded = replace(pairing, **changes)
            result = GameResult(0, (0, 1), recorded.game_seed(0), (1.0, 0.0), ("a",), 1, 0.1)
            store.add(store.pairing_id(recorded), result)
        identity = run("replay").out.splitlines()[-1].split()[0]
        code, _, err = run("replay", identity)
        assert code == 2, err
    assert not (tmp_path / "run.txt").exists()


WRONG = {
    "paper": (["reproduce", "cazenave"], "cazenave2015"),
    "table": (["reproduce", "cazenave2015", "20"], "unknown table"),
    "place": (["reproduce", "cazenave2015", "6", "--place", "ref 60"], "contains 'ref 60'"),
    "place alone": (["reproduce", "--place", "ref 50"], "give a paper"),
    "place of measurements": (
        ["reproduce", "sironi2016", "VIII", "--place", "a"],
        "taken as a whole",
    ),
    "games alone": (["reproduce", "--games", "5"], "needs a paper and a table"),
    "headline of a table": (
        ["reproduce", "cazenave2015", "6", "--headline"],
        "leave the table out",
    ),
    "measurements": (["reproduce", "sironi2016", "VIII", "--write", "a.md"], "written as .csv"),
    "no folder": (["reproduce", "--headline", "--write", "no/such/a.csv"], "no folder"),
    "negative": (["reproduce", "cazenave2015", "6", "--games", "-1"], "at least 0"),
    "shard": (["reproduce", "cazenave2015", "6", "--games", "2", "--shard", "3/2"], "from 1 to"),
    "shard text": (
        ["reproduce", "cazenave2015", "6", "--games", "2", "--shard", ""],
        "NUMBER/COUNT",
    ),
    "shard of measurements": (
        ["reproduce", "sironi2016", "VIII", "--games", "1", "--shard", "1/2"],
        "taken as a whole",
    ),
    "games of measurements": (
        ["reproduce", "sironi2016", "VIII", "--games", "1", "--write", "new/"],
        "no recorded games",
    ),
    "write to nothing": (["reproduce", "--headline", "--write", ""], "name a file"),
    "too many games": (["match", *KNIGHTS, "uct", "rave", "--games", "9" * 30], "1,000,000"),
    "too many of each": (["tournament", *KNIGHTS, "uct", "rave", "--games", "9" * 30], "1,000,000"),
    "shard of nothing": (["reproduce", "cazenave2015", "6", "--shard", "1/2"], "give --games"),
    "import": (["import", "none"], "there is no folder"),
    "no store": (["reproduce", "--db", "none.db"], "no store"),
    "twice": (["tournament", *KNIGHTS, "uct", "uct"], "duplicate agent"),
    "alone": (["tournament", *KNIGHTS, "uct"], "from 2 to 100"),
    "range": ([*SWEEP, "rave(bias=[1..])"], "not a range"),
    "opponents": (["sweep", *KNIGHTS, "uct", "--against", "uct(c=[1,2])"], "robustness-against"),
    "alpha": (["match", "nogo", "uct", "rave", "--alpha", "0.1"], "--sprt"),
    "beta": (["match", "nogo", "uct", "rave", "--sprt", "0", "9", "--beta", "2"], "beta"),
    "sprt": (["match", "nogo", "uct", "rave", "--sprt", "0"], "See 'graven match --help'"),
    "sprt text": (["match", "nogo", "uct", "rave", "--sprt", "0", "x"], "'x' is not a number"),
    "whole number": (["match", "nogo", "uct", "rave", "--games", "ten"], "'ten' is not a whole"),
    "part": (["match", "nogo", "uct", "rave", "--playouts", "1.5"], "'1.5' is not a whole"),
    "port": (["serve", "--port", "70000"], "70000 is out of range: it must be from 0 to 65535"),
    "margin": (["match", "nogo", "uct", "rave", "--margin", "0"], "margin"),
    "published games": (["match", "nogo", "uct", "rave", "--published-games", "9"], "--published"),
    "table margin": (["reproduce", "--margin", "100"], "margin"),
    "two tables": (["export", "a.csv", "--moves", "--matches"], "one at a time"),
    "one player": (["tournament", "samegame", "uct", "rave"], "graven solve"),
    "cluster": (["match", "nogo", "uct", "rave", "--cluster", "host"], "tcp://host:8786"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_line(run, case):
    arguments, named = WRONG[case]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("graven: ")
    assert err.count("\n") == 1
    assert named in err


def test_whole_numbers_may_be_written_as_in_specs(run):
    agents = ["knightthrough", "--size", "4", "uct", "rave", "--workers", "1", "--json"]
    values = json.loads(run("match", *agents, "--games", "2e0", "--playouts", "1e1").out)
    assert values["games"] == 2
    assert values["budgets"][0]["playouts"] == 10


def test_report_and_export_write_files(run, tmp_path):
    run("match", *KNIGHTS, "uct", "rave", "--games", "2")
    code, out, err = run("report", str(tmp_path / "a.html"))
    assert code == 0, err
    assert "a.html" in out
    assert "2 games in 1 matches" in (tmp_path / "a.html").read_text()
    _, out, _ = run("report", "--png", str(tmp_path / "plots"), "--pdf", str(tmp_path / "plots"))
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        "lengths.pdf",
        "lengths.png",
        "speeds.pdf",
        "speeds.png",
    ]
    _, out, _ = run("export", str(tmp_path / "a.csv"))
    assert "wrote 2 games" in out
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 3


def test_export_writes_moves_and_matches_to_standard_output(run):
    match = ["match", *KNIGHTS, "uct", "rave", "--games", "2"]
    values = json.loads(run(*match, "--json").out)
    code, out, err = run("export", "-", "--moves")
    assert code == 0, err
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == values["games"] * values["plies"]
    assert all(float(row["playouts"]) > 0 and float(row["seconds"]) > 0 for row in rows)
    (line,) = run("export", "-", "--matches", "--format", "jsonl").out.splitlines()
    row = json.loads(line)
    for name in ("games", "wins", "win_rate", "ci95", "elo", "p_value", "pentanomial"):
        assert row[name] == values[name]
    assert run("export", "-").out.count("\n") == 3


@pytest.mark.parametrize("table", [[], ["--moves"], ["--matches"]])
def test_rows_of_an_export_name_the_game_to_replay(run, table):
    match = ["match", *KNIGHTS, "uct", "rave", "--games", "3", "--seed", "5"]
    values = json.loads(run(*match, "--json").out)
    csv_rows = list(csv.DictReader(run("export", "-", *table).out.splitlines()))
    lines = run("export", "-", *table, "--format", "jsonl").out.splitlines()
    for row in (csv_rows[-1], json.loads(lines[-1])):
        assert row["pairing"] == values["pairing"]
        assert row["match_seed"] == "5"
        assert row["seating"] == "rotate"
    assert set(csv_rows[0]) == set(json.loads(lines[0]))
    if table != ["--matches"]:
        index = csv_rows[-1]["index"]
        assert index == "2"
        replayed = json.loads(run("replay", csv_rows[-1]["pairing"], index, "--json").out)
        assert replayed["as_recorded"]
        last_move = csv_rows[-1]["move"] if table else csv_rows[-1]["moves"].split()[-1]
        assert replayed["moves"][-1] == last_move
    assert f"pairing    {values['pairing']}" in run(*match).out


def test_the_list_of_pairings_has_headings(run):
    run("match", *KNIGHTS, "uct", "rave", "--games", "2")
    heading, row = run("replay").out.splitlines()
    assert heading.split() == [
        "pairing",
        "fingerprint",
        "games",
        "game,",
        "agents",
        "and",
        "budget",
    ]
    assert row[heading.index("game,") :].startswith("knightthrough(size=5x5)  uct")
    assert row.endswith(", 20 playouts a move")


def test_match_tests_a_difference_with_a_margin(run):
    match = ["match", *KNIGHTS, "uct", "rave", "--games", "4", "--published", "50"]
    _, out, _ = run(*match, "--published-games", "100000")
    values = json.loads(run(*match, "--published-games", "100000", "--json").out)["comparison"]
    assert f"difference {100 * values['difference']:+.1f} " in out
    assert f": {values['verdict']}" in out
    wide = json.loads(run(*match, "--margin", "99", "--json").out)["comparison"]
    assert wide["margin"] == 0.99
    assert wide["verdict"] == "equivalent"


WITHOUT_STORE = {
    "report": (["report"], "no store"),
    "export": (["export", "a.csv"], "no store"),
    "ending": (["export", "a.xls"], ".parquet"),
}


@pytest.mark.parametrize("case", WITHOUT_STORE)
def test_without_a_store_reports_are_refused(run, case):
    arguments, named = WITHOUT_STORE[case]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert named in err


def test_tune_shows_the_best_and_its_validation_match(run):
    pytest.importorskip("optuna", reason="the extra 'tune' (Optuna) is not installed")
    tune = ["tune", *KNIGHTS, "uct(playouts=?[2..60])", "--against", "uct(playouts=20)"]
    tune += ["--trials", "3", "--games", "10"]
    code, out, _ = run(*tune)
    assert code == 0
    for word in (
        "3 of 3 trials",
        "best: uct(c=0.4,playouts=",
        "validation match: ",
        "graven match",
    ):
        assert word in out
    values = json.loads(run(*tune, "--json").out)
    assert values["validation"]["games"] == 20
    code, _, err = run("tune", *KNIGHTS, "uct", "--against", "uct")
    assert code == 2
    assert "parameter=?" in err


def test_a_game_that_fails_is_reported_and_the_others_are_played(run, monkeypatch):
    playing = processes.play_game

    def broken(job, *arguments, **options):
        if job.index == 1:
            raise ZeroDivisionError("by zero")
        return playing(job, *arguments, **options)

    monkeypatch.setattr(processes, "play_game", broken)
    match = ["match", *KNIGHTS, "uct", "rave", "--games", "4"]
    code, out, err = run(*match)
    assert code == 1
    assert "3 games" in out
    assert "game 1 of uct(c=0.4) v rave(bias=0.0001)" in err
    assert "seed " in err
    assert "ZeroDivisionError" in err
    monkeypatch.undo()


def test_progress_says_what_happens_before_games():
    assert GamesProgress().line(3) == "compiling the agents, 3 s"
    line = StandingsLine()
    assert line.text(2) == FrontierLine().text(2) == "compiling the agents, 2 s"
    spec = "grave(ref=50,bias=0.0001)+mast(epsilon=0.4,decay=0.2,k=100,keep=0.5)"
    agents = ("uct(c=0.4)", spec, "rave")
    scores = {(0, 1): Score(1, 0, 0), (0, 2): Score()}
    line.update(Standings(game="nogo", agents=agents, scores=scores, planned=4))
    head, *rows = line.text(3).splitlines()
    assert head.startswith("1/4 games after 3 s")
    assert [row.split()[-1] for row in rows] == ["uct(c=0.4)", spec[:57] + "..."]


def test_progress_counts_games_and_estimates_the_time_left(monkeypatch):
    now = 100.0
    monkeypatch.setattr("graven.interfaces.cli.console.time.monotonic", lambda: now)
    progress = GamesProgress()
    progress.update(10, 40)
    assert progress.line(3) == "10/40 games after 3 s (a first run compiles)"
    progress.update(11, 40)
    now = 104.0
    progress.update(13, 40)
    # Two games in four seconds since the first one ended: 27 more take 54.
    assert progress.line(8) == "13/40 games after 8 s, 54 s left"
