"""Dead stones and scores of finished games, against GNU Go's judgement of the same games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.gtp.helpers import ok
from tests.interfaces.gtp.record_finished_games import GNUGO, KOMI, GnuGo

# Recorded with GNU Go 3.8 by `record_finished_games.py`.
GAMES = [
    json.loads(line)
    for line in Path(__file__).with_name("finished_games.jsonl").read_text().splitlines()
]
needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
LETTERS = "ABCDEFGHJ"

# On 9x9. White's stones at the bottom right cannot live; the last one touches the border.
BLACK = "C1 C2 C3 C4 C5 C6 C7 C8 C9 E6 F6 G6 H6 J6 E7 G7 H8 F8 J8 E9 G9"
DEAD = "A4 A5 A6 B5"


def board_after(moves: str, size: int) -> list[str]:
    """Return the commands that play moves in turn."""
    played = [f"play {'bw'[number % 2]} {move}" for number, move in enumerate(moves.split())]
    return [f"boardsize {size}", f"komi {KOMI}", *played]


def points(reply: str) -> set[str]:
    return {point.upper() for point in reply.split()}


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_finished_game_is_judged_as_by_gnu_go(engine, number) -> None:
    game = GAMES[number]
    for command in board_after(game["moves"], game["size"]):
        ok(engine, command)
    assert points(ok(engine, "final_status_list dead")) == points(game["dead"])
    assert ok(engine, "final_score") == game["score"]


@needs_gnugo
def test_the_recorded_judgement_is_that_of_gnu_go() -> None:
    game = GAMES[0]
    gnugo = GnuGo(seed=1)
    for command in board_after(game["moves"], game["size"]):
        gnugo.ask(command)
    assert points(gnugo.ask("final_status_list dead")) == points(game["dead"])
    assert gnugo.ask("final_score") == game["score"]
    gnugo.close()


def turned(point: str, turns: int) -> str:
    """Return a point of a 9x9 board after so many quarter turns."""
    column, row = LETTERS.index(point[0]), int(point[1:]) - 1
    for _ in range(turns):
        column, row = 8 - row, column
    return f"{LETTERS[column]}{row + 1}"


@pytest.mark.parametrize("turns", range(4))
def test_a_dead_chain_at_any_side_of_the_board_is_dead_as_a_whole(engine, turns) -> None:
    ok(engine, "boardsize 9")
    ok(engine, "komi 0.5")
    for point in BLACK.split():
        ok(engine, f"play b {turned(point, turns)}")
    dead = {turned(point, turns) for point in DEAD.split()}
    for point in sorted(dead):
        ok(engine, f"play w {point}")
    assert points(ok(engine, "final_status_list dead")) == dead
    assert ok(engine, "final_score") == "B+80.5"
