"""Does the GTP engine keep its time? A strict referee: every genmove is timed from outside.

    python benchmarks/on_time.py --games 100 --seconds 1

plays the engine against GNU Go at Go 9x9 with so many seconds a move (`time_settings 0 N 1`), and
prints the slowest reply, how many were late, and the score. A move counts as late if its whole
reply arrives after the time, however busy the machine is.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time

AGENT = "grave(ref=50,bias=1e-4)+mogo"
MOST_MOVES = 200


class Engine:
    def __init__(self, command: str) -> None:
        self.process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, line: str) -> tuple[str, float]:
        """The reply, and the seconds it took."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        began = time.monotonic()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = []
        while (text := self.process.stdout.readline()).strip() or not reply:
            if not text:
                raise SystemExit(f"{line!r}: the engine ended")
            reply.append(text.strip())
        took = time.monotonic() - began
        if not reply[0].startswith("="):
            raise SystemExit(f"{line!r} was answered {reply[0]!r}")
        return " ".join(reply)[1:].strip(), took


def play(engines: dict[str, Engine], ours: str, seconds: float) -> tuple[list[float], str]:
    """One game: how long each of our moves took, and the score as GNU Go counts it."""
    for engine in engines.values():
        for line in ("clear_board", "komi 7", f"time_settings 0 {seconds:g} 1"):
            engine.ask(line)
    took, passes, colour = [], 0, "black"
    for _ in range(MOST_MOVES):
        move, spent = engines[colour].ask(f"genmove {colour}")
        if colour == ours:
            took.append(spent)
        if move.lower() == "resign":
            return took, "B+R" if colour == "white" else "W+R"
        passes = passes + 1 if move.lower() == "pass" else 0
        other = "white" if colour == "black" else "black"
        if passes == 2:
            break
        engines[other].ask(f"play {colour} {move}")
        colour = other
    theirs = engines["white" if ours == "black" else "black"]
    return took, theirs.ask("final_score")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--agent", default=AGENT)
    parser.add_argument("--opponent", default="gnugo --mode gtp --level 1 --chinese-rules")
    options = parser.parse_args()
    graven = (
        f"{sys.executable} -m graven gtp --game go --size 9 --agent {shlex.quote(options.agent)}"
    )
    ours, theirs = Engine(graven), Engine(options.opponent)
    for engine in (ours, theirs):
        engine.ask("boardsize 9")
    late, slowest, moves, won = 0, 0.0, 0, 0
    for game in range(options.games):
        colour = "black" if game % 2 == 0 else "white"
        seats = {colour: ours, ("white" if colour == "black" else "black"): theirs}
        took, score = play(seats, colour, options.seconds)
        late += sum(spent > options.seconds for spent in took)
        slowest = max(slowest, *took)
        moves += len(took)
        won += score[:1].lower() == colour[0]
        print(
            f"{game + 1} games, {won} won, {moves} moves, {late} late, slowest {slowest:.3f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
