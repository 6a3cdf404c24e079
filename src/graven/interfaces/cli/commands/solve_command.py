"""`graven solve`: search for the best game of a one-player game."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import GameText, Json, Size, compile_game, split_moves
from graven.interfaces.cli.console import (
    INTERRUPTED,
    err,
    format_duration,
    out,
    print_board,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.solving import Solution, Solving

DEFAULT_METHOD = "nrpa"
PRINT_INTERVAL = 1.0
"""Seconds between improved games on stderr, of which the first seconds bring many."""


def solve(
    game: GameText,
    method: Annotated[
        str | None,
        typer.Option(help="nrpa or nmcs, with parameters if needed.", metavar="METHOD"),
    ] = None,
    level: Annotated[int | None, typer.Option(help="The method's level.", metavar="N")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="NRPA: calls of the next lower level.", metavar="N")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="NRPA: step size of the policy adaptation.", metavar="A")
    ] = None,
    moves: Annotated[
        str, typer.Option(help="The moves that lead to the position.", metavar="'A B ...'")
    ] = "",
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this time.", metavar="S")
    ] = None,
    playouts: Annotated[
        int | None, typer.Option(help="Stop after this many playouts.", metavar="N")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Stop after this many runs of the method.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed: equal seeds give equal results.", metavar="N")
    ] = None,
    size: Size = None,
    save: Annotated[
        str | None, typer.Option(help="Autosave to this file, to resume from it.", metavar="FILE")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Resume from such a file.", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """Search for the best game of a one-player game.

    Improved games are shown as they are found. Without a limit the method runs once; with --seconds
    or --playouts alone it is repeated until they are spent. Ctrl-C stops it and shows the best game
    so far; with --save it can be resumed, even if the process was killed.

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
    played = compile_game(game, size)
    position = played.start().play_moves(split_moves(moves))
    progress = _SolveProgress()

    def work(stop: threading.Event) -> Solution:
        if resume is not None:
            solving = load(resume, position)
            has_method = any(option is not None for option in (method, level, iterations, alpha))
            if has_method and chosen.text != solving.chosen.text:
                raise UsageError(
                    f"{resume!r} was saved by {solving.chosen.text}: leave --method out."
                )
            if seed not in (None, solving.seed):
                raise UsageError(f"{resume!r} has the seed {solving.seed}: leave --seed out.")
        else:
            solving = Solving(position, chosen, seed or 0)
        keeper = Keeper(solving, progress.improve, save, resume)
        progress.solving = solving
        solution = solving.run(limits, stop, keeper.look)
        keeper.close()
        return solution

    solution, interrupted = run_with_progress(work, progress.line)
    if json:
        print_json(solution.as_json())
    else:
        _print_solution(solution)
    if interrupted:
        options = {
            "--moves": moves or None,
            "--size": size,
            "--seconds": seconds,
            "--playouts": playouts,
            "--runs": runs,
        }
        _print_resume_command(game, options, save or resume)
        raise typer.Exit(INTERRUPTED)


class _SolveProgress:
    """Progress on stderr: improved games, and a status line."""

    def __init__(self) -> None:
        self.solving: Solving | None = None
        self._best: Solution | None = None
        self._printed: Solution | None = None
        self._next_print = 0.0

    def improve(self, solution: Solution) -> None:
        """Record an improved game, and print it unless one has just been printed."""
        self._best = solution
        self._print_best()

    def line(self, elapsed: float) -> str:
        """Return the status line."""
        self._print_best()
        if self.solving is None or self._best is None:
            return f"starting for {format_duration(elapsed)}"
        playouts, runs = self.solving.solver.playouts, self.solving.runs
        again = f", run {runs + 1}" if runs else ""
        return (
            f"best {points_text(self._best.points)} after {format_duration(self.solving.seconds)}, "
            f"{playouts:,} playouts{again}; Ctrl-C shows it"
        )

    def _print_best(self) -> None:
        best = self._best
        if best is None or best is self._printed or time.monotonic() < self._next_print:
            return
        self._printed, self._next_print = best, time.monotonic() + PRINT_INTERVAL
        line = f"{points_text(best.points)} after {best.seconds:.1f} s: {' '.join(best.moves)}"
        err().print(line, markup=False, soft_wrap=True)


def points_text(points: float) -> str:
    """Format points with thousands separators."""
    return f"{points:,}" if isinstance(points, int) else f"{points:,.6g}"


def _print_solution(solution: Solution) -> None:
    def line(text: str, style: str = "") -> None:
        out().print(text, markup=False, soft_wrap=True, style=style)

    line(f"{solution.method} at {solution.game}, seed {solution.seed}")
    print_board(solution.position)
    line(f"best   {points_text(solution.points)} points, {len(solution.moves)} moves", style="bold")
    line(f"moves  {' '.join(solution.moves)}")
    line(
        f"spent  {solution.playouts:,} playouts in {solution.seconds:.2f} s, "
        f"{solution.playouts_per_second:,.0f} playouts/s; {solution.runs:,} runs complete"
    )


def _print_resume_command(game: str, options: Mapping[str, object], file: str | None) -> None:
    if file is None:
        err().print("Stopped. Use --save FILE to be able to resume.", style="yellow")
        return
    command = ["graven", "solve", game, "--resume", file]
    for option, value in options.items():
        command += [option, str(value)] if value is not None else []
    err().print("Stopped. To resume:", style="yellow")
    err().print(f"  {shlex.join(command)}", markup=False, soft_wrap=True)
