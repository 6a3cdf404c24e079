"""Play matches against the sample players of a GGP-Base checkout, over HTTP.

    python benchmarks/ggp_base.py --ggp-base ../ggp-base --games 3
    python benchmarks/ggp_base.py --opponent "graven ggp --port {port} --agent uct" --games 1

For each sheet, `--games` matches with the seats rotated: one seat is `graven ggp`, the others are
sample players, each a process of its own, and `graven referee` runs the match. Prints a table with
our mean goal, theirs, and our late, illegal and missing moves; `--out` writes all matches as JSON.
See benchmarks/ggp_base.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from graven.gdl import sheets as shipped
from graven.sources.load import load_game

RUNNER = "org.ggp.base.apps.player.PlayerRunner"
GAMER = "SampleMonteCarloGamer"
GRAVEN = [sys.executable, "-m", "graven"]
FAULTS = ("late", "illegal", "missing")
READY_SECONDS = 120.0


@dataclass
class SheetScore:
    """The matches of one sheet: goals of our seat and of each other seat, our faults."""

    sheet: str
    ours: list[int] = field(default_factory=list)
    theirs: list[int] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FAULTS, 0))
    unfinished: int = 0


def class_path(checkout: Path) -> str:
    """Return the Java class path of a built checkout of GGP-Base: its classes and its libraries."""
    classes = [
        checkout / "build" / place
        for place in ("classes/java/main", "classes/main", "resources/main")
    ]
    found = [path for path in classes if path.is_dir()]
    if not found:
        raise SystemExit(
            f"{checkout} contains no compiled classes (build/classes): build GGP-Base first, "
            "with ./gradlew classes in its folder, or name the class path with --class-path."
        )
    return os.pathsep.join(str(path) for path in [*found, *sorted(checkout.rglob("lib/**/*.jar"))])


def opponent_command(arguments: argparse.Namespace) -> str:
    """Return the command that starts an opponent; {port} stands for its port."""
    if arguments.opponent:
        if "{port}" not in arguments.opponent:
            raise SystemExit("--opponent must contain {port}: where the player is to listen.")
        return str(arguments.opponent)
    path = arguments.class_path or (
        class_path(Path(arguments.ggp_base)) if arguments.ggp_base else ""
    )
    if not path:
        raise SystemExit(
            "name a checkout of GGP-Base with --ggp-base, or a player with --opponent."
        )
    return f"java -cp {shlex.quote(path)} {RUNNER} {{port}} {shlex.quote(arguments.gamer)}"


def seatings(roles: int, games: int) -> list[int]:
    """Return our seat in each match: all seats in turn."""
    return [number % roles for number in range(games)]


def free_port() -> int:
    """Return a port on which nothing listens now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[str]:
    """Start a player, wait until it listens, yield its address, and end it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            if process.poll() is not None:
                raise SystemExit(f"the player ended before it listened: {shlex.join(command)}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise SystemExit(f"no player listens at port {port}.") from None
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def count_matches(score: SheetScore, matches: Iterable[dict], seat: int) -> None:
    """Add what `graven referee --json` says of matches in which we have this seat."""
    for match in matches:
        if not match["terminal"]:
            score.unfinished += 1
        for number, player in enumerate(match["players"]):
            if player["goal"] is not None:
                (score.ours if number == seat else score.theirs).append(player["goal"])
        for fault in FAULTS:
            score.faults[fault] += match["players"][seat][fault]


def table(scores: Iterable[SheetScore]) -> str:
    """Return the scores as a Markdown table."""
    lines = [
        "| sheet | matches | our mean goal | their mean goal | late | illegal | missing |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for score in scores:
        means = [
            f"{sum(goals) / len(goals):.1f}" if goals else "-"
            for goals in (score.ours, score.theirs)
        ]
        cells = [score.sheet, len(score.ours), *means, *score.faults.values()]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def play_sheet(sheet: str, command: str, arguments: argparse.Namespace) -> SheetScore:
    """Play the matches of one sheet."""
    score, roles = SheetScore(Path(sheet).stem), load_game(sheet).players
    for number, seat in enumerate(seatings(roles, arguments.games)):
        with ExitStack() as players:
            addresses = []
            for role in range(roles):
                port = free_port()
                ours = [*GRAVEN, "ggp", "--port", str(port)]
                start = ours if role == seat else shlex.split(command.format(port=port))
                addresses.append(players.enter_context(running(start, port)))
            seats = [part for address in addresses for part in ("--player", address)]
            clocks = [
                *("--start-clock", str(arguments.start_clock)),
                *("--play-clock", str(arguments.play_clock)),
            ]
            call = [*GRAVEN, "referee", sheet, *seats, *clocks, "--seed", str(number), "--json"]
            done = subprocess.run(call, check=True, stdout=subprocess.PIPE)
        count_matches(score, json.loads(done.stdout)["matches"], seat)
    return score


def parser() -> argparse.ArgumentParser:
    """Return the parser of the script's arguments."""
    made = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    made.add_argument("sheets", nargs="*", help="rulesheets; default: all that graven ships")
    made.add_argument("--ggp-base", metavar="DIR", help="a checkout of GGP-Base, built")
    made.add_argument("--class-path", help="the Java class path, instead of that of the checkout")
    made.add_argument("--gamer", default=GAMER, help="the sample player's class")
    made.add_argument("--opponent", metavar="COMMAND", help="any other player; {port}: its port")
    made.add_argument("--games", type=int, default=3, help="matches of each sheet")
    made.add_argument("--start-clock", type=float, default=20.0)
    made.add_argument("--play-clock", type=float, default=5.0)
    made.add_argument("--out", metavar="FILE", help="write the scores as JSON")
    return made


def main(texts: Sequence[str] | None = None) -> None:
    """Play all sheets, and print the table."""
    arguments = parser().parse_args(texts)
    command = opponent_command(arguments)
    sheets = arguments.sheets or [f"gdl(sheet={name})" for name in shipped.names()]
    scores = []
    for sheet in sheets:
        scores.append(play_sheet(sheet, command, arguments))
        print(table(scores[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    print(table(scores))
    if arguments.out:
        Path(arguments.out).write_text(json.dumps([asdict(score) for score in scores], indent=1))


if __name__ == "__main__":
    main()
