"""`graven solve`: the best game of one player."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import GameText, Json, Size, make_game, split_moves
from graven.interfaces.cli.console import (
    INTERRUPTED,
    duration,
    err,
    out,
    print_board,
    print_json,
    watched,
)

if TYPE_CHECKING:
    import threading

    from graven.solving import Solution, Solving

DEFAULT_METHOD = "nrpa"
SHOW_SECONDS = 1.0
"""Better games are shown at most this often: the first seconds bring many."""


def solve(
    game: GameText,
    method: Annotated[
        str | None,
        typer.Option(help="nrpa or nmcs, with parameters if need be.", metavar="METHOD"),
    ] = None,
    level: Annotated[int | None, typer.Option(help="The method's level.", metavar="N")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="NRPA: calls of the level below.", metavar="N")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="NRPA: how far the policy moves at a time.", metavar="A")
    ] = None,
    moves: Annotated[
        str, typer.Option(help="The moves that lead to the position.", metavar="'A B ...'")
    ] = "",
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this time.", metavar="S")
    ] = None,
    playouts: Annotated[
        int | None, typer.Option(help="Stop after so many playouts in all.", metavar="N")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Stop after so many runs of the method.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same games.", metavar="N")
    ] = None,
    size: Size = None,
    save: Annotated[
        str | None, typer.Option(help="Keep this file up to date, to resume from.", metavar="FILE")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Go on from such a file.", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """Look for the best game of one player.

    Better games are shown as they are found. With no limit the method runs once; with --seconds
    or --playouts alone it starts over until they are spent. Ctrl-C ends it and shows the best so
    far; with --save it can be resumed, even if it was killed.

    \b
    Examples:
      graven solve morpion --method nrpa
      graven solve "morpion(variant=5T)" --method "nrpa(level=4,alpha=1)" --save 5t.json
      graven solve "morpion(variant=5T)" --resume 5t.json --seconds 3600
      graven solve samegame --method nmcs --level 2 --seconds 60
      graven solve "tsptw(file=n20w20.001.txt,prune=true)" --runs 10 --json
    """
    from graven.core.errors import UsageError
    from graven.solving import Limits, Solving, parse_method
    from graven.solving.autosave import Keeper
    from graven.solving.solve_file import load

    limits = Limits(seconds, playouts, runs)
    chosen = parse_method(method or DEFAULT_METHOD, level=level, iterations=iterations, alpha=alpha)
    played = make_game(game, size)
    position = played.start().play_moves(split_moves(moves))
    shown = _Shown()

    def work(stop: threading.Event) -> Solution:
        if resume is not None:
            solving = load(resume, position)
            asked = [method, level, iterations, alpha]
            if any(each is not None for each in asked) and chosen.text != solving.chosen.text:
                raise UsageError(
                    f"{resume!r} was saved by {solving.chosen.text}: leave --method out."
                )
            if seed not in (None, solving.seed):
                raise UsageError(f"{resume!r} has the seed {solving.seed}: leave --seed out.")
        else:
            solving = Solving(position, chosen, seed or 0)
        keeper = Keeper(solving, shown.better, save, resume)
        shown.solving = solving
        found = solving.run(limits, stop, keeper.look)
        keeper.close()
        return found

    found, interrupted = watched(work, shown.progress)
    if json:
        print_json(found.as_json())
    else:
        _show(found)
    if interrupted:
        asked = {
            "--moves": moves or None,
            "--size": size,
            "--seconds": seconds,
            "--playouts": playouts,
            "--runs": runs,
        }
        _say_how_to_go_on(game, asked, save or resume)
        raise typer.Exit(INTERRUPTED)


class _Shown:
    """What is said while it goes on: better games, and a line of progress."""

    def __init__(self) -> None:
        self.solving: Solving | None = None
        self._best: Solution | None = None
        self._told: Solution | None = None
        self._next = 0.0

    def better(self, found: Solution) -> None:
        """Show a better game, or leave it for later if one has just been shown."""
        self._best = found
        self._tell()

    def progress(self, elapsed: float) -> str:
        """The line of progress."""
        self._tell()
        if self.solving is None or self._best is None:
            return f"starting for {duration(elapsed)}"
        playouts, runs = self.solving.solver.playouts, self.solving.runs
        again = f", run {runs + 1}" if runs else ""
        return (
            f"best {points_text(self._best.points)} after {duration(self.solving.seconds)}, "
            f"{playouts:,} playouts{again}; Ctrl-C shows it"
        )

    def _tell(self) -> None:
        found = self._best
        if found is None or found is self._told or time.monotonic() < self._next:
            return
        self._told, self._next = found, time.monotonic() + SHOW_SECONDS
        line = f"{points_text(found.points)} after {found.seconds:.1f} s: {' '.join(found.moves)}"
        err().print(line, markup=False, soft_wrap=True)


def points_text(points: float) -> str:
    """Points as people read them."""
    return f"{points:,}" if isinstance(points, int) else f"{points:,.6g}"


def _show(found: Solution) -> None:
    def line(text: str, style: str = "") -> None:
        out().print(text, markup=False, soft_wrap=True, style=style)

    line(f"{found.method} at {found.game}, seed {found.seed}")
    print_board(found.position)
    line(f"best   {points_text(found.points)} points, {len(found.moves)} moves", style="bold")
    line(f"moves  {' '.join(found.moves)}")
    line(
        f"spent  {found.playouts:,} playouts in {found.seconds:.2f} s, "
        f"{found.playouts_per_second:,.0f} playouts/s; {found.runs:,} runs complete"
    )


def _say_how_to_go_on(game: str, asked: Mapping[str, object], file: str | None) -> None:
    if file is None:
        err().print("Stopped. With --save FILE it could be gone on with.", style="yellow")
        return
    command = ["graven", "solve", game, "--resume", file]
    for option, value in asked.items():
        command += [option, str(value)] if value is not None else []
    err().print("Stopped. To go on:", style="yellow")
    err().print(f"  {shlex.join(command)}", markup=False, soft_wrap=True)
