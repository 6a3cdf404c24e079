"""Record finished games of Go with GNU Go's own judgement, as data for `test_final_status.py`.

    python -m tests.interfaces.gtp.record_finished_games finished_games.jsonl

Even games are played by GNU Go against itself, odd ones by graven against GNU Go. Each begins with
random moves. GNU Go then lists dead stones and stones in seki, and scores by area.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

from tests.interfaces.gtp.helpers import new_engine, ok

GNUGO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
GAMES = 100
KOMI = 6.5
RANDOM_MOVES = 6
COLOURS = ("black", "white")


class GnuGo:
    """GNU Go as a child process."""

    def __init__(self, seed: int) -> None:
        assert GNUGO is not None
        command = [GNUGO, "--mode", "gtp", "--chinese-rules", "--level", "1", "--seed", str(seed)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, command: str) -> str:
        """Return the reply to a command, without the `=`."""
        reply = self.try_to(command)
        assert reply is not None, command
        return reply

    def try_to(self, command: str) -> str | None:
        """Return the reply to a command, or None if it was refused."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while (line := self._process.stdout.readline()).strip() or not lines:
            assert line, "GNU Go has stopped"
            lines.append(line)
        text = "".join(lines)
        return text[1:].strip() if text.startswith("=") else None

    def close(self) -> None:
        """End the program."""
        self._process.communicate("quit\n")


def size_of(number: int) -> int:
    """Return the board size of a game: of 100 games 60 on 9x9, 25 on 13x13, 15 on 19x19."""
    return 9 if number % 100 < 60 else 13 if number % 100 < 85 else 19


def play(number: int) -> dict[str, Any] | None:
    """Play one game; return it with GNU Go's judgement, or None if it did not end by passes."""
    size, rng = size_of(number), random.Random(number)
    gnugo, engine = GnuGo(number + 1), new_engine(f"go(size={size})", playouts=300)
    setup = (f"boardsize {size}", "clear_board", f"komi {KOMI}")
    for command in setup:
        gnugo.ask(command)
        ok(engine, command)
    moves: list[str] = []
    while moves[-2:] != ["pass", "pass"] and len(moves) < 3 * size * size:
        colour = COLOURS[len(moves) % 2]
        if len(moves) < RANDOM_MOVES:
            move = rng.choice(gnugo.ask(f"all_legal {colour}").split())
            gnugo.ask(f"play {colour} {move}")
            ok(engine, f"play {colour} {move}")
        elif number % 2 and len(moves) % 2 == number // 2 % 2:
            move = ok(engine, f"genmove {colour}")
            gnugo.ask(f"play {colour} {move}")
        else:
            move = gnugo.ask(f"genmove {colour}")
            if not engine.answer(f"play {colour} {move}").startswith("="):
                break  # superko, which GNU Go does not know
        moves.append(move.lower())
    game = {
        "size": size,
        "moves": " ".join(moves),
        "dead": " ".join(sorted(gnugo.ask("final_status_list dead").lower().split())),
        "seki": " ".join(sorted(gnugo.ask("final_status_list seki").lower().split())),
        "score": gnugo.ask("final_score"),
    }
    gnugo.close()
    return game if moves[-2:] == ["pass", "pass"] else None


def record(path: Path) -> None:
    """Play until enough games have ended; append each to a file as a line."""
    recorded = 0
    for number in count():
        game = play(number)
        print(number, "did not end" if game is None else game["score"], flush=True)
        if game is not None:
            with path.open("a") as file:
                file.write(json.dumps(game) + "\n")
            recorded += 1
        if recorded == GAMES:
            return


if __name__ == "__main__":
    record(Path(sys.argv[1]))
