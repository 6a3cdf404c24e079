"""`graven gtp`: an engine for Go programs and user interfaces."""

from __future__ import annotations

import sys
from typing import Annotated, BinaryIO

import typer

from graven.interfaces.cli.arguments import (
    AgentText,
    Playouts,
    Seconds,
    Seed,
    Size,
    Threads,
    compile_game,
    with_threads,
)


def gtp(
    game: Annotated[
        str,
        typer.Option(
            help="A game whose players are Black and White: go, hex, havannah, othello, atarigo, "
            "nogo, breakthrough, knightthrough, or your own.",
            metavar="GAME",
        ),
    ] = "go",
    size: Size = None,
    agent: AgentText = None,
    playouts: Playouts = None,
    seconds: Seconds = None,
    threads: Threads = None,
    seed: Seed = 0,
    ponder: Annotated[
        bool, typer.Option("--ponder", help="Search on while the opponent thinks.")
    ] = False,
) -> None:
    """Run an engine that speaks the Go Text Protocol (GTP) on standard input and output.

    Without a budget a move takes as long as the clock allows that the controller has set, or 10,000
    playouts if there is none. A clock limits a budget, too. The tree is kept between moves.

    \b
    Examples:
      graven gtp --game go --size 9 --agent "grave(ref=100,bias=1e-6)+mogo" --playouts 10000
      graven gtp --game hex --size 11 --agent "grave(ref=50)" --seconds 5 --ponder
      graven gtp --game hex --size 11 --agent "grave(ref=50)" --seconds 5 --threads 2
    """
    from graven.agents import default_spec
    from graven.core.errors import UsageError
    from graven.interfaces.gtp.gtp_board import GtpBoard
    from graven.interfaces.gtp.gtp_engine import GtpEngine
    from graven.interfaces.gtp.input_lines import InputLines
    from graven.search.budget import Budget

    played = compile_game(game, size)
    if {*played.player_names} != {"Black", "White"}:
        raise UsageError(f"GTP needs a game of Black and White; {played.spec} has other players.")
    spec = with_threads(agent or default_spec(played), threads)
    engine = GtpEngine(GtpBoard(played), spec, Budget(playouts, seconds), seed, pondering=ponder)
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("standard input or output is closed: GTP needs both.")
    engine.run(InputLines(_input_stream()), sys.stdout)


def _input_stream() -> BinaryIO:
    """Return a separate stream of standard input.

    A thread blocks in it, and at exit Python would wait forever for the lock of `sys.stdin`.
    """
    import os

    try:
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    except (OSError, ValueError):  # not a file: replaced by a test
        return sys.stdin.buffer
