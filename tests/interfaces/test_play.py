"""`graven play`, with moves typed through a pipe."""

from __future__ import annotations

import json
import re

import pytest

PLAY = ["play", "nogo", "--size", "3", "--playouts", "50"]
POINTS = [f"{letter}{row}" for letter in "ABC" for row in "123"]


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_whole_game(run, side):
    # Illegal points are explained, and the move is requested again.
    code, out, err = run(*PLAY, "--side", side, stdin="\n".join(POINTS * 2))
    assert code == 0, err
    assert "plays " in out
    assert ("You win." in out) or ("The agent wins." in out)


def test_through_a_real_pipe(run_apart):
    code, out, err = run_apart(*PLAY, stdin="B2\nopinion\n")
    assert code == 0, err
    assert "White plays " in out
    assert "gave itself 0." in out
    assert out.endswith("Goodbye.\n")


def test_wrong_moves_are_explained(run):
    _, out, _ = run(*PLAY, stdin="Z9\nB2\nB2\nquit\n")
    assert "unknown move of Black 'Z9'" in out
    assert "B2 is not legal for Black here" in out


def test_help_moves_hint_and_opinion(run):
    _, out, _ = run(*PLAY, stdin="help\nmoves\nhint\nopinion\nboard\n\nquit\n")
    assert "take your last move back" in out
    assert " ".join(["A1", "B1", "C1"]) in out
    assert "The agent would play " in out
    assert "The agent gives you 0." in out
    assert out.endswith("Goodbye.\n")


def test_undo_takes_back_the_move_and_the_answer(run):
    _, out, _ = run(*PLAY, stdin="undo\nB2\nundo\nmoves\nB2\nquit\n")
    assert "There is no move of yours to take back." in out
    empty = out.split("\n\n")[1]
    assert out.count(empty) == 2
    assert out.count("B2 ") >= 1
    answers = [line for line in out.splitlines() if "plays" in line]
    assert len(answers) == 2
    assert answers[0] == answers[1], "the same seed, the same answer"


def test_the_end_of_input_ends_the_session(run):
    code, out, err = run(*PLAY, stdin="")
    assert code == 0, err
    assert out.endswith("Goodbye.\n")


UNEVEN = """
(role row) (role column) (choice good) (choice bad)
(init (round 1))
(<= (legal ?who ?choice) (role ?who) (choice ?choice))
(<= (next (round 2)) (true (round 1)))
(<= (next (round 3)) (true (round 2)))
(<= terminal (true (round 3)))
(goal row 90) (goal column 10)
"""


@pytest.mark.parametrize(("side", "name"), [("white", "White"), ("Black", "Black")])
def test_a_side_by_the_name_of_its_player(run, side, name):
    play = ["play", "hex", "--size", "3", "--playouts", "20", "--side", side]
    code, out, _ = run(*play, stdin="quit")
    assert code == 0
    assert f"You are {name} against" in out


def test_an_unknown_side_is_answered_with_the_valid_ones(run):
    code, _, err = run("play", "hex", "--size", "3", "--side", "third")
    assert code == 2
    assert "Valid: Black, White, first, second." in err


@pytest.mark.parametrize(("side", "worth"), [("first", "0.100"), ("second", "0.900")])
def test_with_simultaneous_moves_the_opinion_is_the_agents_own(run, tmp_path, side, worth):
    sheet = tmp_path / "uneven.kif"
    sheet.write_text(UNEVEN)
    play = ["play", str(sheet), "--playouts", "50", "--side", side]
    code, out, err = run(*play, stdin="good\nopinion\n")
    assert code == 0, err
    assert f"The agent gave itself {worth} of 1" in out


def test_with_simultaneous_moves_a_wrong_move_is_explained(run, tmp_path):
    sheet = tmp_path / "uneven.kif"
    sheet.write_text(UNEVEN)
    code, out, err = run("play", str(sheet), "--playouts", "50", stdin="ugly\nquit\n")
    assert code == 0, err
    assert "unknown move of row 'ugly'" in out


def seed_of(out):
    return int(re.search(r"Seed (\d+)", out)[1])


def answers(out):
    return re.findall(r"White plays (\S+)\.", out)


def test_every_game_has_its_own_seed_which_repeats_it(run):
    first = run(*PLAY, stdin="B2\nquit\n").out
    seeds = {seed_of(run(*PLAY, stdin="quit\n").out) for _ in range(4)}
    assert len(seeds | {seed_of(first)}) > 3
    again = run(*PLAY, "--seed", str(seed_of(first)), stdin="B2\nquit\n").out
    assert answers(again) == answers(first)
    assert seed_of(again) == seed_of(first)
    # With few playouts the answer depends on the seed.
    few = ["play", "nogo", "--size", "5", "--playouts", "10"]
    outs = [run(*few, "--seed", str(seed), stdin="B2\nquit\n").out for seed in range(6)]
    assert len({tuple(answers(out)) for out in outs}) > 1


def test_a_game_is_saved_and_opened_again(run, tmp_path):
    file = tmp_path / "mine.json"
    played = run(*PLAY, "--seed", "7", stdin=f"B2\nsave {file}\nquit\n")
    answer = answers(played.out)[0]
    saved = json.loads(file.read_text())
    assert saved["moves"] == ["B2", answer]
    assert (saved["seats"][0], saved["seed"], saved["playouts"]) == ("person", 7, 50)
    # From the command line, without naming the game.
    opened = run("play", "--open", str(file), stdin="moves\nundo\nmoves\nquit\n")
    assert opened.code == 0, opened.err
    assert "nogo(size=3x3)" in opened.out
    before, after = (moves.split() for moves in re.findall(r"(?:[A-C][1-3]\s){2,}", opened.out))
    assert answer not in before
    assert "B2" not in before
    assert {"B2", answer} <= set(after)
    # From another game, which goes on if the file cannot be opened.
    other = run("play", "nogo", "--size", "4", "--playouts", "20",
                stdin=f"open {tmp_path}/none.json\nopen {file}\nmoves\nquit\n")  # fmt: skip
    assert "cannot open" in other.out
    assert "nogo(size=3x3)" in other.out
    assert f"{before[0]} {before[1]}" in other.out


def test_a_game_can_be_resigned(run):
    _, out, _ = run(*PLAY, stdin="B2\nresign\ny\nmoves\nquit\n")
    assert "You resigned: you lose.\nAnother game? [y/N]" in out
    assert len(re.findall(r"Seed \d+", out)) == 2
    assert " ".join(["A1", "B1", "C1", "A2", "B2"]) in out  # all points are free again
    assert out.endswith("Goodbye.\n")


def test_another_game_is_offered_at_the_end(run):
    moves = "\n".join(POINTS * 2)
    _, out, _ = run(*PLAY, "--seed", "1", stdin=f"{moves}\ny\nquit\n")
    assert out.count("Another game? [y/N]") == 1
    finished = out.index("Another game?")
    assert ("wins." in out[:finished]) or ("You win." in out[:finished])
    # The points that were left over are no answer, so that the session ends.
    assert out.endswith("Goodbye.\n")
    for length in range(1, 2 * len(POINTS)):
        short = "\n".join((POINTS * 2)[:length])
        _, out, _ = run(*PLAY, "--seed", "1", stdin=f"{short}\ny\nquit\n")
        if "Another game?" in out:
            break
    assert len(re.findall(r"Seed \d+", out)) == 2
    assert out.endswith("Goodbye.\n")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("[]", "is not a game saved by graven"),
        ("{", "is not a game saved by graven"),
        ({"game": "nogo", "seats": ["person"], "moves": []}, "has 1 seats; nogo has 2"),
        ({"game": "nogo", "seats": ["person", "uct"], "moves": ["Z9"]}, "move 1: unknown move"),
        ({"game": "x.py:game", "seats": ["person", "uct"], "moves": []}, "a Python file"),
        ({"game": "nogo", "seats": ["person", 'gtp("x")'], "moves": []}, "is a program"),
    ],
)
def test_a_file_that_cannot_be_opened_is_explained(run, tmp_path, values, message):
    file = tmp_path / "saved.json"
    file.write_text(values if isinstance(values, str) else json.dumps(values))
    proof = tmp_path / "x.py"
    proof.write_text("raise SystemExit('this file was run')")
    outcome = run("play", "--open", str(file))
    assert outcome.code != 0
    assert message in outcome.err
    assert "this file was run" not in outcome.out + outcome.err


DICE = """
import graven as gv
from tests.naive.dice import race

game = race()
"""


def test_dice_are_rolled_and_shown(run, tmp_path):
    file = tmp_path / "race.py"
    file.write_text(DICE)
    arguments = ["play", f"{file}:game", "--agent", "uct", "--playouts", "50", "--seed", "4"]
    code, out, err = run(*arguments, stdin="bold\n" * 12)
    assert code == 0, err
    assert re.search(r"^Chance: (0|4)\.$", out, re.M)
    assert ("You win." in out) or ("The agent wins." in out) or "draw" in out.lower()
    _, again, _ = run(*arguments, stdin="bold\n" * 12)
    assert again == out, "the same seed, the same dice"
    code, out, err = run("search", f"{file}:game", "--moves", "bold", "--playouts", "50", "--json")
    assert code == 0, err
    assert json.loads(out)["played"][1] in ("0", "4")


def test_a_game_begins_after_given_moves(run):
    code, out, err = run(*PLAY, "--moves", "B2 A1", stdin="undo\nmoves\nA2\nquit\n")
    assert code == 0, err
    assert "X . ." not in out.split("your move>")[0]
    assert "A1 is not legal" not in out
    # Black played B2, so that it can be taken back.
    assert " ".join(POINTS[:1]) in out.split("your move>")[2]
    code, _, err = run(*PLAY, "--moves", "B2 Z9")
    assert (code, "move 2: unknown move of White 'Z9'" in err) == (2, True)


def test_a_saved_game_in_place_of_a_game_is_explained(run):
    code, _, err = run("play", "game.json")
    assert code == 2
    assert "'game.json' is no game: a saved one is continued by --open game.json." in err
    code, _, err = run("play", "nogo", "--moves", "B2", "--open", "game.json")
    assert code == 2
    assert "--moves begins a new game" in err
