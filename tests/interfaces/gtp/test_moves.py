"""Commands that search: genmove, passes, and analysis."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest

from graven.interfaces.gtp.go_scoring import score_text
from graven.interfaces.gtp.gtp_engine import GtpEngine
from graven.interfaces.gtp.input_lines import InputLines
from graven.search.tree import ROOT
from tests.interfaces.gtp.helpers import new_engine, ok

STYLES = ["lz", "kata"]


def test_genmove_plays_and_reg_genmove_does_not(engine):
    moves = engine.session.board.moves
    move = ok(engine, "reg_genmove b")
    assert moves == []
    assert ok(engine, "genmove b") == move, "the same seed, the same move"
    assert moves[0][1] == move
    assert "50 playouts" in moves[0][2]


def set_up_wall(engine: GtpEngine, komi: str) -> None:
    """Black owns a 5x5 board except for a dead white stone in the corner.

    While that stone is on the board, two points belong to neither player.
    """
    ok(engine, "boardsize 5")
    ok(engine, f"komi {komi}")
    for column in "BCD":
        for row in range(1, 6):
            ok(engine, f"play b {column}{row}")
    for point in ("A2", "A4", "E1", "E2"):
        ok(engine, f"play b {point}")
    ok(engine, "play w E5")


def test_it_answers_a_pass_with_a_pass_when_the_game_is_won(engine):
    set_up_wall(engine, "0.5")
    ok(engine, "graven-params playouts 2000")
    ok(engine, "play w pass")
    assert ok(engine, "genmove b") == "PASS"
    assert engine.session.board.position.is_over


def test_a_search_does_not_win_by_counting_dead_stones():
    # With the dead stone on the board, a second pass would end the game with a win for White.
    engine = new_engine("go(size=5)", 2000, "uct")
    board = engine.session.board
    set_up_wall(engine, "24")
    assert score_text(board.position) == "W+3", "22 points for Black, 1 and komi for White"
    ok(engine, "play b pass")
    result = engine.session.agent.search(board.position, 2000)
    assert result.best_move == "pass", "by the rules alone it wins"
    assert result.value > 0.9
    ok(engine, "genmove w")
    win_rate = float(board.moves[-1][2].split("win rate ")[1].removesuffix(" %"))
    assert win_rate < 10
    assert ok(engine, "final_score") == "B+1"


@pytest.mark.parametrize("style", STYLES)
def test_genmove_analyze_reports_and_plays(engine, style):
    ok(engine, "graven-params playouts 2000")
    text = engine.answer(f"5 {style}-genmove_analyze b interval 5")
    assert text.startswith("=5\ninfo move ")
    assert "visits" in text
    assert " pv " in text
    assert text.endswith(f"\nplay {engine.session.board.moves[0][1]}\n\n")


@pytest.mark.parametrize("style", STYLES)
def test_an_analysis_shows_what_is_proven(style):
    engine = new_engine("hex(size=3)", playouts=20_000)
    text = engine.answer(f"{style}-genmove_analyze b interval 5")
    reports = [line for line in text.splitlines() if line.startswith("info")]
    best = reports[-1].split("info move ")[1].split()
    pairs = dict(zip(best[1::2], best[2::2], strict=False))
    assert re.fullmatch(r"win-in-\d+-plies", pairs["proof"])
    assert float(pairs["winrate"]) == (10_000 if style == "lz" else 1.0)
    assert "pv" in pairs


@pytest.mark.parametrize("style", STYLES)
def test_a_reply_has_no_empty_line_if_no_move_was_visited(style):
    """After one playout no move has statistics: an empty report would end the reply."""
    out = io.StringIO()
    lines = InputLines(io.BytesIO(f"7 {style}-genmove_analyze b\n".encode()))
    new_engine(playouts=1).run(lines, out)
    assert re.fullmatch(r"=7\nplay \S+\n\n", out.getvalue())


@pytest.mark.parametrize("style", STYLES)
def test_genmove_analyze_spends_time_and_resigns_like_genmove(engine, style):
    ok(engine, "time_settings 60 0 0")
    clock = engine.session.clocks.of(0)
    engine.answer(f"{style}-genmove_analyze b")
    assert clock.left < 60
    ok(engine, "graven-params resign 1")
    assert engine.answer(f"{style}-genmove_analyze w").endswith("\nplay resign\n\n")
    ok(engine, "graven-params resign 0")


def test_wrong_arguments_of_an_analysis_begin_no_reply(engine):
    assert engine.answer("3 lz-analyze b interval") == "?3 interval not a number\n\n"
    assert engine.answer("4 kata-analyze b avoid w D4 1") == "?4 avoid is not supported\n\n"


class Waiting:
    """Input that has a line waiting after so many questions."""

    def __init__(self, questions: int) -> None:
        self.left = questions

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("pondering", [True, False])
def test_the_engine_ponders_until_the_next_line(pondering):
    engine = new_engine("hex(size=7)", agent="uct")
    engine.session.pondering, engine.session.next_line = pondering, Waiting(3)
    ok(engine, "genmove b")
    engine.session.ponder()
    engine.session.ponder()  # only once after a move
    search = engine.session._current_player().search
    root = int(search.tree.meta[ROOT])
    # White is to move in the pondered tree; without pondering the root is Black's.
    assert search.tree.turns[root] == (1 if pondering else 0)


def test_the_tree_is_kept_between_moves():
    engine = new_engine("hex(size=4)", agent="uct(solver=off)", playouts=500)
    for _ in range(3):
        ok(engine, "genmove b")
        ok(engine, "genmove w")
    search = engine.session._current_player().search
    assert search.tree.visits[int(search.tree.meta[ROOT])] > 500


def test_analysis_continues_until_the_next_line():
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
