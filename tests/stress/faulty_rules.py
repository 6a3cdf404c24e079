"""User-defined games with one fault each, as files, and the sentence that each must end with."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

GOOD = """
import numba
import numpy as np

import graven as gv


def start(constants, state):
    state[0] = 4
    state[1] = 4
    state[2] = 0


def turn(constants, state):
    return state[2] if state[0] + state[1] > 0 else -1


def legal(constants, state, player, moves):
    count = 0
    for heap in range(2):
        for stones in range(1, 3):
            if state[heap] >= stones:
                moves[count] = 2 * heap + stones - 1
                count += 1
    return count


def play(constants, state, joint):
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]


def scores(constants, state, out):
    out[0] = float(state[2])
    out[1] = 1.0 - out[0]


good = dict(start=start, turn=turn, legal=legal, play=play, scores=scores)


def made(max_plies=16, num_features=0, **functions):
    return gv.Game(
        name="heaps",
        players=2,
        functions=gv.RuleFunctions(**{**good, **functions}),
        bounds=gv.Bounds(
            state_words=3, num_codes=4, max_moves=4, max_plies=max_plies, num_features=num_features
        ),
    )


"""


class Fault(NamedTuple):
    """The definition of a faulty function `wrong`, how the game uses it, and what is reported."""

    source: str
    use: str
    message: str


def _in(name: str, arguments: str, body: str, message: str) -> Fault:
    """A fault in one rule function, at the beginning of the function."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Fault(f"def wrong({arguments}):\n{lines}", f"made({name}=wrong)", message)


START, TURN = "constants, state", "constants, state"
LEGAL, PLAY = "constants, state, player, moves", "constants, state, joint"
SCORES, SAMPLE = "constants, state, out", "constants, state, player, rng"
BEYOND = "reads or writes beyond"
LOOP = "while state[2] >= 0:\n    state[0] = (state[0] * 5 + 1) % 1000"
ENDLESS = "did not return"
DEEP = "deep(state, np.int64(1))"
OVERFLOW = "crashed|did not return"
LEGAL_CODES = "count = good_legal(constants, state, player, moves)\n"
COMPILED = (
    "good_start, good_turn, good_legal = map(numba.njit, (start, turn, legal))\n"
    "good_play, good_scores = map(numba.njit, (play, scores))\n\n\n"
    "@numba.njit\n"
    "def deep(state, depth):\n"
    "    if depth < 0:\n"
    "        return depth\n"
    "    return deep(state, depth + 1) * 3 + state[depth % 3]\n\n\n"
)

FAULTS: dict[str, Fault] = {
    "start writes one beyond": _in("start", START, "start_(state)\nstate[3] = 1", BEYOND),
    "start writes far beyond": _in("start", START, "state[100_000_000] = 1", BEYOND),
    "start does not return": _in("start", START, LOOP, ENDLESS),
    "start recurses": _in("start", START, f"state[0] = {DEEP}", OVERFLOW),
    "turn reads beyond": _in(
        "turn", TURN, "return good_turn(constants, state) + 0 * state[7]", BEYOND
    ),
    "turn names an unknown player": _in("turn", TURN, "return 7", "`turn` returned 7"),
    "turn never ends the game": _in("turn", TURN, "return state[2]", "`legal` returned 0 moves"),
    "turn raises": _in(
        "turn",
        TURN,
        'if state[0] == 1:\n    raise ValueError("no turn")\nreturn good_turn(constants, state)',
        "raised ValueError: no turn",
    ),
    "turn does not return": _in("turn", TURN, LOOP + "\nreturn 0", ENDLESS),
    "turn recurses": _in("turn", TURN, f"return {DEEP}", OVERFLOW),
    "legal writes one beyond": _in(
        "legal", LEGAL, "moves[4] = 1\n" + LEGAL_CODES + "return count", BEYOND
    ),
    "legal writes far beyond": _in("legal", LEGAL, "moves[50_000_000] = 1\nreturn 1", BEYOND),
    "legal counts too many": _in(
        "legal", LEGAL, LEGAL_CODES + "return 5", "`legal` returned 5 moves"
    ),
    "legal finds nothing": _in("legal", LEGAL, "return 0", "`legal` returned 0 moves"),
    "legal counts below zero": _in("legal", LEGAL, "return -3", "`legal` returned -3 moves"),
    "legal gives an unknown code": _in(
        "legal", LEGAL, "moves[0] = 9\nreturn 1", "`legal` gave the move 9"
    ),
    "legal gives a negative code": _in(
        "legal", LEGAL, "moves[0] = -2\nreturn 1", "`legal` gave the move -2"
    ),
    "legal does not return": _in("legal", LEGAL, LOOP + "\nreturn 1", ENDLESS),
    "play writes one beyond": _in(
        "play", PLAY, "good_play(constants, state, joint)\nstate[3] = 1", BEYOND
    ),
    "play writes one before": _in(
        "play", PLAY, "good_play(constants, state, joint)\nstate[-4] = 1", BEYOND
    ),
    "play writes far beyond": _in("play", PLAY, "state[300_000_000] = 1", BEYOND),
    "play reads far beyond": _in("play", PLAY, "state[0] = state[300_000_000]", BEYOND),
    "play writes into its argument": _in(
        "play",
        PLAY,
        "good_play(constants, state, joint)\njoint[0] = 0\njoint[1] = 0",
        "wrote into its argument",
    ),
    "play does not return": _in("play", PLAY, LOOP, ENDLESS),
    "play recurses": _in("play", PLAY, f"state[0] = {DEEP}", OVERFLOW),
    "play crashes late": _in(
        "play",
        PLAY,
        f"good_play(constants, state, joint)\nif state[0] == 2:\n    state[0] = {DEEP}",
        OVERFLOW,
    ),
    "play asks for all memory": _in(
        "play", PLAY, "state[0] = np.zeros(1 << 50).size", "raised MemoryError"
    ),
    "scores from 0 to 100": _in(
        "scores", SCORES, "out[0] = 100.0\nout[1] = 0.0", "divide points from 0 to 100"
    ),
    "scores are not numbers": _in(
        "scores", SCORES, "out[0] = np.nan\nout[1] = 0.0", "nan, 0, not scores"
    ),
    "scores are infinite": _in(
        "scores", SCORES, "out[0] = np.inf\nout[1] = 0.0", "inf, 0, not scores"
    ),
    "scores are negative": _in(
        "scores", SCORES, "out[0] = 1.0\nout[1] = -1.0", "1, -1, not scores"
    ),
    "scores leave a player out": _in("scores", SCORES, "out[0] = 1.0", "1, nan, not scores"),
    "scores write beyond": _in(
        "scores", SCORES, "good_scores(constants, state, out)\nout[2] = 0.0", BEYOND
    ),
    "sample gives an unknown code": _in("sample", SAMPLE, "return 11", "`sample` gave the move 11"),
    "sample writes beyond": _in("sample", SAMPLE, "rng[5] = 0\nreturn 0", BEYOND),
    "key reads beyond": _in("key", TURN, "return state[3]", BEYOND),
    "a feature is out of range": Fault(
        "def wrong(constants, state, player, move):\n    return 100 + move\n",
        "made(feature=wrong, num_features=8)",
        "`feature` returned",
    ),
    "max_plies is too low": Fault("", "made(max_plies=3)", "`max_plies` is 3"),
    "a rule uses a text": _in("play", PLAY, "state[0] = 'a'", "a string|cannot be compiled|text"),
    "a rule has too few arguments": Fault(
        "def wrong(state):\n    return 0\n", "made(turn=wrong)", "argument"
    ),
    "the file raises": Fault("raise RuntimeError('no')\n", "made()", "RuntimeError: no"),
}


def write_faulty_game(folder: Path, kind: str) -> str:
    """Write a game with a fault; return the text that names it."""
    fault = FAULTS[kind]
    path = folder / f"{kind.replace(' ', '_')}.py"
    source = fault.source.replace("start_(state)", "good_start(constants, state)")
    path.write_text(f"{GOOD}{COMPILED}{source}\n\ngame = {fault.use}\n", encoding="utf-8")
    return f"{path}:game"


def write_good_game(folder: Path) -> str:
    """Write the game without a fault; return the text that names it."""
    path = folder / "good.py"
    path.write_text(f"{GOOD}game = made()\n", encoding="utf-8")
    return f"{path}:game"
