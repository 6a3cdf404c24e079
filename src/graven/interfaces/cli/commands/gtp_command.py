"""`graven gtp`: an engine for Go programs and boards."""

from __future__ import annotations

import sys
from typing import Annotated, BinaryIO

import typer

from graven.interfaces.cli.arguments import AgentText, Playouts, Seconds, Seed, Size


def gtp(
    game: Annotated[
        str, typer.Option(help="The game: go, hex, havannah, othello.", metavar="GAME")
    ] = "go",
    size: Size = None,
    agent: AgentText = "grave(ref=100,bias=1e-6)+mogo",
    playouts: Playouts = None,
    seconds: Seconds = None,
    seed: Seed = 0,
) -> None:
    """Speak the Go Text Protocol on standard input and output.

    Without a budget a move takes as long as the clock allows that the other side has set, or 10,000
    playouts where there is none; a clock is kept in any case.

    \b
    Examples:
      graven gtp --game go --size 9 --agent "grave(ref=100,bias=1e-6)+mogo" --playouts 10000
      graven gtp --game hex --size 11 --agent "grave(ref=50)" --seconds 5
    """
    from graven.core.errors import UsageError
    from graven.interfaces.gtp.gtp_board import Table
    from graven.interfaces.gtp.gtp_engine import Engine
    from graven.interfaces.gtp.input_lines import Lines
    from graven.search.budget import Budget
    from graven.sources.load import make_game

    played = make_game(game, size=size) if size is not None else make_game(game)
    if {*played.player_names} != {"Black", "White"}:
        raise UsageError(f"GTP is for games of Black and White, not for {played.spec}.")
    if played.name != "go" and agent == "grave(ref=100,bias=1e-6)+mogo":
        agent = "grave"
    engine = Engine(Table(played), agent, Budget(playouts, seconds), seed)
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("there is nobody to talk to: standard input or output is closed.")
    engine.run(Lines(_input()), sys.stdout)


def _input() -> BinaryIO:
    """Standard input by a reader of our own: a thread waits in it, and at its end Python would wait
    for that thread to give `sys.stdin` back, in vain."""
    import os

    try:
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    except (OSError, ValueError):  # no file: a test's
        return sys.stdin.buffer
