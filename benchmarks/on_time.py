"""Check that the GTP engine keeps its time: every genmove is timed from outside.

    python benchmarks/on_time.py --games 100 --seconds 1
    python benchmarks/on_time.py --games 100 --time 60

Plays the engine against GNU Go at Go 9x9 with the given seconds per move (`time_settings 0 N 1`),
or with a clock for the whole game (`time_settings N 0 0`), and prints the slowest reply, the number
of late ones, and the score. A move is late if its complete reply arrives after the deadline,
whatever the load of the machine; with a clock, if all replies of the game have together taken more.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time

AGENT = "grave(ref=50,bias=1e-4)+mogo"
MAX_MOVES = 200


class TimedEngine:
    """A GTP program in a subprocess."""

    def __init__(self, command: str) -> None:
        self.process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, line: str) -> tuple[str, float]:
        """Send a command; return the reply and the seconds until it was complete."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        started = time.monotonic()
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = []
        while (text := self.process.stdout.readline()).strip() or not reply:
            if not text:
                raise SystemExit(f"the engine exited before it answered {line!r}")
            reply.append(text.strip())
        seconds = time.monotonic() - started
        if not reply[0].startswith("="):
            raise SystemExit(f"the engine answered {line!r} with an error: {reply[0]!r}")
        return " ".join(reply)[1:].strip(), seconds


def play(
    engines: dict[str, TimedEngine], ours: str, settings: str, clock: float | None
) -> tuple[list[float], str]:
    """Play one game; return the seconds of each of our moves, and the score that GNU Go counts."""
    for engine in engines.values():
        for line in ("clear_board", "komi 7", f"time_settings {settings}"):
            engine.ask(line)
    our_seconds, passes, colour = [], 0, "black"
    for _ in range(MAX_MOVES):
        if clock is not None and colour == ours:
            left = max(0, int(clock - sum(our_seconds)))
            engines[colour].ask(f"time_left {colour} {left} 0")
        move, move_seconds = engines[colour].ask(f"genmove {colour}")
        if colour == ours:
            our_seconds.append(move_seconds)
        if move.lower() == "resign":
            return our_seconds, "B+R" if colour == "white" else "W+R"
        passes = passes + 1 if move.lower() == "pass" else 0
        opponent = "white" if colour == "black" else "black"
        if passes == 2:
            break
        engines[opponent].ask(f"play {colour} {move}")
        colour = opponent
    theirs = engines["white" if ours == "black" else "black"]
    return our_seconds, theirs.ask("final_score")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--time", type=float, help="seconds for all moves of a game")
    parser.add_argument("--agent", default=AGENT)
    parser.add_argument("--opponent", default="gnugo --mode gtp --level 1 --chinese-rules")
    options = parser.parse_args()
    graven = (
        f"{sys.executable} -m graven gtp --game go --size 9 --agent {shlex.quote(options.agent)}"
    )
    ours, theirs = TimedEngine(graven), TimedEngine(options.opponent)
    for engine in (ours, theirs):
        engine.ask("boardsize 9")
    clock = options.time
    settings = f"0 {options.seconds:g} 1" if clock is None else f"{clock:g} 0 0"
    late, slowest, moves, won, longest = 0, 0.0, 0, 0, 0.0
    for game in range(options.games):
        colour = "black" if game % 2 == 0 else "white"
        seats = {colour: ours, ("white" if colour == "black" else "black"): theirs}
        our_seconds, score = play(seats, colour, settings, clock)
        if clock is None:
            late += sum(spent > options.seconds for spent in our_seconds)
        else:
            late += sum(our_seconds) > clock
            longest = max(longest, sum(our_seconds))
        slowest = max(slowest, *our_seconds)
        moves += len(our_seconds)
        won += score[:1].lower() == colour[0]
        print(
            f"{game + 1} games, {won} won, {moves} moves, {late} late, slowest {slowest:.3f} s"
            + (f", longest game {longest:.1f} s" if clock is not None else ""),
            flush=True,
        )


if __name__ == "__main__":
    main()
