"""Networks and their kernels agree with matches that an independent prover recorded.

With GRAVEN_ALL_TRACES set, all sheets of the folder are verified, which takes many minutes; else
some that are quickly grounded: the paper's, puzzles, games of one to six roles, simultaneous moves.
"""

from __future__ import annotations

import os

import pytest

from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from graven.gdl.trace_verifier import first_difference, read_traces
from tests.gdl.shared import folder, sheet_text

SOME = [
    "battle",
    "blockerParallel",
    "blocksWorld",
    "breakthrough",
    "chineseCheckers3-v1",
    "chinook",
    "connect5-v1",
    "connectFourSimultaneous",
    "ghostMaze2p",
    "hanoi",
    "knightThrough",
    "nim3",
    "pentago",
    "quad_7x7",
    "queens08lg",
    "sheepAndWolf",
    "smallest_4player",
    "tictactoe_3d_2player",
    "tictactoe_3d_6player",
]


def names():
    if os.environ.get("GRAVEN_ALL_TRACES"):
        return sorted(path.stem for path in (folder() / "sheets").glob("*.kif"))
    return SOME


@pytest.mark.parametrize("name", names())
def test_traces_are_matched_exactly(name):
    traces = list(read_traces(str(folder() / "oracle" / f"{name}.jsonl.gz")))
    longest = max(len(trace.steps) for trace in traces)
    try:
        game = sheet_game(sheet_text(name), name, SheetOptions("network", steps=longest + 1))
    except TooLargeError as error:
        pytest.skip(f"played by proof: {error}")
    assert [first_difference(game, trace) for trace in traces] == [None] * len(traces)
    assert longest > 0
