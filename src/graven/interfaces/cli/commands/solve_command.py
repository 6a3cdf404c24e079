"""`graven solve`: search for the best game of a one-player game."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    GameText,
    Json,
    MovesPlayed,
    ResumeFile,
    SaveFile,
    SecondsInAll,
    Size,
    compile_game,
    split_moves,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    err,
    format_duration,
    print_board,
    print_json,
    print_line,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.solving import Solution, SolveSession

DEFAULT_METHOD = "nrpa"
SHOW_SECONDS = 1.0  # the minimum interval between better games shown; the first seconds bring many


def solve(
    game: GameText,
    method: Annotated[
        str | None,
        typer.Option(
            help="nrpa or nmcs, optionally with parameters, which 'graven agents nrpa' lists.",
            metavar="METHOD",
        ),
    ] = None,
    level: Annotated[int | None, typer.Option(help="The method's level.", metavar="N")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="NRPA: calls of the level below.", metavar="N")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="NRPA: learning rate of the policy.", metavar="A")
    ] = None,
    moves: MovesPlayed = "",
    seconds: SecondsInAll = None,
    playouts: Annotated[
        int | None, typer.Option(help="Stop after this total of playouts.", metavar="N")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Stop after this number of runs of the method.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same games.", metavar="N")
    ] = None,
    size: Size = None,
    save: SaveFile = None,
    resume: ResumeFile = None,
    json: Json = False,
) -> None:
    """Search for the best game of a one-player game.

    Better games are shown as they are found. Without a limit the method runs once; with only
    --seconds or --playouts it restarts until the limit is reached. Ctrl-C stops and shows the best
    game so far. With --save the solve can be resumed, even after a crash.

    \b
    Examples:
      graven solve morpion --method nrpa
      graven solve "morpion(variant=5T)" --method "nrpa(level=4,alpha=1)" --save 5t.json
      graven solve "morpion(variant=5T)" --resume 5t.json --seconds 3600
      graven solve samegame --method nmcs --level 2 --seconds 60
      graven solve "samegame(seed=1)" --method "nrpa(iterations=30,bias=6)"
      graven solve "tsptw(file=n20w20.001.txt,prune=true)" --runs 10 --json
    """
    from graven.core.errors import UsageError
    from graven.solving import SolveLimits, SolveSession, parse_method
    from graven.solving.autosave import SolveAutosave
    from graven.solving.solve_file import load

    limits = SolveLimits(seconds, playouts, runs)
    method_spec = parse_method(
        method or DEFAULT_METHOD, level=level, iterations=iterations, alpha=alpha
    )
    position = compile_game(game, size).start().play_moves(split_moves(moves))
    display = _SolveDisplay()

    def work(stop: threading.Event) -> Solution:
        if resume is not None:
            session = load(resume, position)
            has_method = any(option is not None for option in (method, level, iterations, alpha))
            if has_method and method_spec.text != session.method.text:
                raise UsageError(f"{resume!r} was saved by {session.method.text}: omit --method.")
            if seed not in (None, session.seed):
                raise UsageError(f"{resume!r} has the seed {session.seed}: omit --seed.")
        else:
            session = SolveSession(position, method_spec, seed or 0)
        autosave = SolveAutosave(session, display.better, save, resume)
        display.session = session
        solution = session.advance(limits, stop, autosave.update)
        autosave.close()
        return solution

    solution, interrupted = run_with_progress(work, display.progress)
    if json:
        print_json(solution.to_dict())
    else:
        _show(solution)
    if interrupted:
        options = {
            "--moves": moves or None,
            "--size": size,
            "--seconds": seconds,
            "--playouts": playouts,
            "--runs": runs,
        }
        _show_resume_command(game, options, save or resume)
        raise typer.Exit(INTERRUPTED)


class _SolveDisplay:
    """Displays better games and a progress line during a solve."""

    def __init__(self) -> None:
        self.session: SolveSession | None = None
        self._best: Solution | None = None
        self._last_shown: Solution | None = None
        self._next_time = 0.0

    def better(self, solution: Solution) -> None:
        """Show a better game, unless another was shown in the last SHOW_SECONDS."""
        self._best = solution
        self._show_best()

    def progress(self, elapsed: float) -> str:
        """Return the progress line."""
        self._show_best()
        if self.session is None or self._best is None:
            return f"compiling the search, {format_duration(elapsed)}"
        playouts, runs = self.session.search.playouts, self.session.runs
        run_text = f", run {runs + 1}" if runs else ""
        return (
            f"best {points_text(self._best.points)} after {format_duration(self.session.seconds)}, "
            f"{playouts:,} playouts{run_text}; Ctrl-C shows it"
        )

    def _show_best(self) -> None:
        best = self._best
        if best is None or best is self._last_shown or time.monotonic() < self._next_time:
            return
        self._last_shown, self._next_time = best, time.monotonic() + SHOW_SECONDS
        line = f"{points_text(best.points)} after {best.seconds:.1f} s: {' '.join(best.moves)}"
        err().print(line, markup=False, soft_wrap=True)


def points_text(points: float) -> str:
    """Return points as text: integers exactly, other numbers with six digits."""
    return f"{points:,}" if isinstance(points, int) else f"{points:,.6g}"


def _show(solution: Solution) -> None:
    print_line(f"{solution.method} at {solution.game}, seed {solution.seed}")
    print_board(solution.position)
    print_line(
        f"best   {points_text(solution.points)} points, {len(solution.moves)} moves", style="bold"
    )
    print_line(f"moves  {' '.join(solution.moves)}")
    runs = "1 run" if solution.runs == 1 else f"{solution.runs:,} runs"
    print_line(
        f"spent  {solution.playouts:,} playouts in {solution.seconds:.2f} s, "
        f"{solution.playouts_per_second:,.0f} playouts/s; {runs} complete"
    )


def _show_resume_command(game: str, options: Mapping[str, object], file: str | None) -> None:
    if file is None:
        err().print("Stopped. Use --save FILE to be able to resume.", style="yellow")
        return
    command = ["graven", "solve", game, "--resume", file]
    for option, value in options.items():
        command += [option, str(value)] if value is not None else []
    err().print("Stopped. To resume:", style="yellow")
    err().print(f"  {shlex.join(command)}", markup=False, soft_wrap=True)
