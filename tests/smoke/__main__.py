"""Run every command and the page once: `python -m tests.smoke`, or those checks that are named.

It needs graven and its extras only, no test tools, so that it runs in an environment with the
lowest versions that pyproject.toml allows (`make lowest`). It prints a line for each check and
exits with 1 if any failed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

PACKAGES = (
    "numba",
    "numpy",
    "scipy",
    "rich",
    "typer",
    "click",
    "sgfmill",
    "starlette",
    "uvicorn",
    "websockets",
    "distributed",
    "open_spiel",
    "pyarrow",
    "matplotlib",
    "optuna",
)
RESULTS = Path(__file__).parents[2] / "results" / "games"
TIMEOUT = 1200  # seconds: with an empty cache on a busy machine, compiling takes minutes
NOGO = ["nogo", "--size", "3"]
FEW = ["--games", "2", "--playouts", "20"]
COMMANDS: dict[str, tuple[list[str], str]] = {
    "version": (["--version"], "graven 0."),
    "games": (["games"], "breakthrough"),
    "games NAME": (["games", *NOGO], "9 first moves"),
    "agents": (["agents", "grave"], "ref"),
    "search": (["search", *NOGO, "--playouts", "200"], "A1"),
    "search, mogo": (["search", "go", "--size", "5", "--agent", "uct+mogo"], "C3"),
    "search, OpenSpiel": (["search", "spiel(tic_tac_toe)", "--playouts", "50"], ""),
    "solve": (["solve", "samegame(size=4x4)", "--method", "nrpa(level=1)", "--playouts", "50"], ""),
    "prove": (["prove", "domineering", "--size", "3x3"], "wins"),
    "warm": (["warm", "nogo(size=3)"], ""),
    "match": (["match", *NOGO, "uct", "rave", *FEW, "--json"], '"games": 2'),
    "match, one worker": (["match", *NOGO, "uct", "grave", *FEW, "--workers", "1"], "2 games"),
    "tournament": (["tournament", *NOGO, "uct", "rave", "grave", *FEW], "uct"),
    "frontier": (["frontier", "nogo(size=3)", "--agent", "uct", "--agent", "rave", *FEW], "uct"),
    "sweep": (["sweep", *NOGO, "uct(c=[0.2,0.4])", "--against", "rave", *FEW], "c"),
    "tune": (["tune", *NOGO, "uct(c=?)", "--against", "rave", "--trials", "2", *FEW], "uct(c="),
    "reproduce": (["reproduce"], "cazenave2015"),
    "import": (["import", str(RESULTS)], "imported"),
    "replay": (["replay"], "nogo"),
    "report": (["report", "report.html"], "wrote report.html"),
    "report, plots": (["report", "--png", "plots"], "wrote plots"),
    "export csv": (["export", "games.csv"], "wrote"),
    "export jsonl": (["export", "games.jsonl"], "wrote"),
    "export parquet": (["export", "games.parquet"], "wrote"),
    "bench": (["bench", "--help"], "Examples"),
    "gdl check": (["gdl", "check", "skirmish"], ""),
    "gdl info": (["gdl", "info", "skirmish"], ""),
    "gdl draw": (["gdl", "draw", "skirmish", "-o", "skirmish.svg"], ""),
    "gdl verify": (["gdl", "verify", "connect5", "trace.jsonl"], ""),
    "new": (["new", "game", "mygame"], "mygame.py"),
    "search, own game": (["search", "./mygame.py:game", "--playouts", "50"], ""),
}
# These read standard input, or run as servers.
TALKING = ("play", "gtp", "ggp", "referee", "serve")


def graven(*arguments: str, stdin: str = "") -> str:
    """Run a command; return what it prints, and raise if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "graven", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    if done.returncode != 0 or "Traceback" in done.stderr:
        raise RuntimeError(
            f"exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}"
        )
    return done.stdout


def expect(text: str, pattern: str) -> None:
    """Raise unless a text contains a pattern."""
    if pattern not in text:
        raise RuntimeError(f"{pattern!r} is not in the output: {text[:500]}")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start a Python module as a program; end it afterwards."""
    with subprocess.Popen(
        [sys.executable, "-m", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as program:
        try:
            yield program
        finally:
            program.terminate()
            try:
                program.wait(30)
            except subprocess.TimeoutExpired:
                program.kill()


def wait_for_port(port: int) -> None:
    """Wait until somebody listens on a port."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def check_help() -> None:
    """Every command has a help page, and this file runs every command."""
    listed = re.findall(r"^  ([a-z]+) ", graven("--help").partition("Commands:")[2], re.MULTILINE)
    for name in listed:
        graven(name, "--help")
    tested = {words[0] for words, _ in COMMANDS.values()} | set(TALKING)
    if missing := set(listed) - tested:
        raise RuntimeError(f"no check runs {', '.join(sorted(missing))}")


def check_play() -> None:
    """A game in the terminal."""
    expect(graven("play", *NOGO, "--playouts", "20", stdin="A1\nquit\n"), "White plays")


def check_gtp() -> None:
    """The GTP engine, with an SGF file."""
    script = "boardsize 5\nplay b C3\ngenmove w\nprintsgf game.sgf\nloadsgf game.sgf\nquit\n"
    answers = graven("gtp", "--playouts", "20", stdin=script)
    if answers.count("\n=") + answers.startswith("=") != 6:
        raise RuntimeError(answers)


def check_ggp() -> None:
    """A match of the GGP player and an agent, with the referee; its trace is verified later."""
    port = free_port()
    with running("graven", "ggp", "--port", str(port)):
        wait_for_port(port)
        told = graven("referee", "gdl(sheet=connect5)", "--player", f"http://127.0.0.1:{port}",
                      "--player", "uct", "--start-clock", "60", "--play-clock", "1",
                      "--record", "trace.jsonl", "--json")  # fmt: skip
    (match,) = json.loads(told)["matches"]
    if not Path("trace.jsonl").stat().st_size:
        raise RuntimeError(f"no trace: {match}")


def check_page() -> None:
    """The page: its files, its pages about the store, and a move over its socket."""
    with running("graven", "serve", "--port", "0") as program:
        assert program.stdout is not None
        line = program.stdout.readline()
        found = re.search(r"http://[^\s/]+", line)
        if found is None:
            raise RuntimeError(line)
        address = found[0]
        page = urllib.request.urlopen(address + "/", timeout=60).read().decode()
        expect(page, "graven")
        for path in re.findall(r'(?:src|href)="(/?static[^"]+)"', page):
            urllib.request.urlopen(f"{address}/{path.lstrip('/')}", timeout=60).read()
        asyncio.run(_play_on_page(address))


async def _play_on_page(address: str) -> None:
    from websockets.asyncio.client import connect

    async with connect(
        address.replace("http", "ws") + "/ws", origin=address, max_size=None
    ) as server:
        await server.send(
            json.dumps(
                {
                    "type": "new_game",
                    "game": "nogo(size=3)",
                    "seats": ["person", "uct"],
                    "playouts": 50,
                }
            )
        )
        plies = []
        async with asyncio.timeout(TIMEOUT):
            async for text in server:
                message = json.loads(text)
                if message["type"] != "state":
                    continue
                plies.append(len(message["plies"]))
                if len(plies) == 1:
                    move = {"type": "play", "move": "A1", "player": 0, "ply": 0}
                    await server.send(json.dumps(move))
                if plies[-1] == 2:  # the agent has answered
                    return
    raise RuntimeError(f"the page closed its socket after {plies} plies")


def check_cluster() -> None:
    """A match on a Dask cluster of one worker."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet = ["--no-dashboard"]
    with (
        running("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
                *quiet),
        running("distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1", *quiet),
    ):  # fmt: skip
        wait_for_port(port)
        told = graven("match", *NOGO, "uct", "rave(bias=0.1)", *FEW, "--cluster", address, "--json")
        expect(told, '"games": 2')


def check_python() -> None:
    """The Python interface: the contract's checks, and an SGF file."""
    program = (
        "import graven as gv\n"
        "gv.check_game(gv.game('hex(size=4)'), games=1)\n"
        "assert gv.match('nogo(size=3)', 'uct', 'grave', games=2, playouts=20).games == 2\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=TIMEOUT)


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the name and the function of every check."""

    def command(words: list[str], pattern: str) -> Callable[[], None]:
        return lambda: expect(graven(*words), pattern)

    yield "help", check_help
    yield "play", check_play
    yield "gtp", check_gtp
    yield "ggp, referee", check_ggp
    for name, (words, pattern) in COMMANDS.items():
        yield name, command(words, pattern)
    yield "cluster", check_cluster
    yield "page", check_page
    yield "Python", check_python


def main() -> int:
    """Run all checks in an empty folder; return the exit code."""
    print(", ".join(f"{package} {version(package)}" for package in PACKAGES))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["GRAVEN_DB"] = str(Path(folder, "graven.db"))
        for name, check in checks():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            begin = time.monotonic()
            try:
                check()
                told = "ok"
            except Exception as error:
                failures += 1
                told = f"FAILED: {type(error).__name__}: {error}"
            print(f"{name:20} {time.monotonic() - begin:6.1f} s  {told}", flush=True)
        os.chdir("/")
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
