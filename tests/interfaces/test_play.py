"""`graven play`, with moves typed through a pipe."""

from __future__ import annotations

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
