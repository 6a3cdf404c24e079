"""The command `graven`: its subcommands, error messages and exit codes."""

from __future__ import annotations

import logging
import os
import sys
from io import TextIOWrapper
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from graven.core.errors import GravenError, unknown
from graven.interfaces.cli.commands.agents_command import agents
from graven.interfaces.cli.commands.bench_command import bench
from graven.interfaces.cli.commands.frontier_command import frontier
from graven.interfaces.cli.commands.games_command import games
from graven.interfaces.cli.commands.gdl_command import gdl
from graven.interfaces.cli.commands.ggp_command import ggp
from graven.interfaces.cli.commands.gtp_command import gtp
from graven.interfaces.cli.commands.import_command import import_games
from graven.interfaces.cli.commands.match_command import match
from graven.interfaces.cli.commands.new_command import new
from graven.interfaces.cli.commands.play_command import play
from graven.interfaces.cli.commands.prove_command import prove
from graven.interfaces.cli.commands.referee_command import referee
from graven.interfaces.cli.commands.replay_command import replay
from graven.interfaces.cli.commands.report_command import export, report
from graven.interfaces.cli.commands.reproduce_command import reproduce
from graven.interfaces.cli.commands.search_command import search
from graven.interfaces.cli.commands.serve_command import serve
from graven.interfaces.cli.commands.solve_command import solve
from graven.interfaces.cli.commands.sweep_command import sweep
from graven.interfaces.cli.commands.tournament_command import tournament
from graven.interfaces.cli.commands.tune_command import tune
from graven.interfaces.cli.commands.tune_rave_command import tune_rave
from graven.interfaces.cli.commands.warm_command import warm
from graven.interfaces.cli.console import (
    BAD_INPUT,
    INTERRUPTED,
    command_line,
    print_resume_command,
)
from graven.interfaces.cli.crash_guard import needs_guard, run_guarded

BUG = 1
"""The exit code after an error of graven itself."""
RESUMABLE = ("match", "tournament", "frontier", "sweep", "tune", "tune-rave", "reproduce")
"""Commands that store their games, so that the same command resumes them."""
QUOTED_LINE = "    "
"""Lines of a message that begin like this quote a text and keep their layout."""


class InterruptedByUserError(Exception):
    """Ctrl-C was pressed."""


class GravenGroup(TyperGroup):
    """The group of all commands, with our error for an unknown command."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; convert Ctrl-C, on which Typer would exit without a message."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedByUserError from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, or raise with the closest names."""
        command = super().get_command(ctx, cmd_name)
        if command is None:
            raise unknown("command", cmd_name, self.list_commands(ctx))
        return command


# Typer's plain help: importing Rich would double the start-up time.
app = typer.Typer(
    name="graven",
    cls=GravenGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    games,
    agents,
    play,
    search,
    solve,
    prove,
    match,
    tournament,
    frontier,
    sweep,
    tune,
    tune_rave,
    reproduce,
    report,
    export,
    replay,
    bench,
    gtp,
    ggp,
    referee,
    new,
    serve,
    warm,
):
    app.command()(command)
app.command("import")(import_games)
app.add_typer(gdl)

# The base class of errors in the command line: Click's, or the copy that Typer contains.
CommandLineError = cast("type[Exception]", typer.BadParameter.__mro__[2])


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"graven {version('graven')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def graven(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Play any game well from its rules alone, and measure how well.

    \b
    Examples:
      graven search breakthrough --moves "a2b3 b7a6" --playouts 10000
      graven play knightthrough --agent "grave(ref=50)"
      graven match knightthrough grave rave --games 100 --playouts 1000
      graven solve morpion --method nrpa
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        # Print a question mark for characters that the terminal cannot encode.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    logging.basicConfig(format="graven: %(message)s", level=logging.WARNING)
    arguments = sys.argv[1:]
    if needs_guard(arguments):
        sys.exit(run_guarded(run, arguments, BAD_INPUT))
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run one command; print an error as one sentence on stderr, and return the exit code."""
    with command_line(arguments):
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        return app(arguments, prog_name="graven", standalone_mode=False) or 0
    except GravenError as error:
        _print_error(str(error))
        return BAD_INPUT
    except CommandLineError as error:
        _print_error(_explain(error))
        return BAD_INPUT
    except (typer.Abort, KeyboardInterrupt, InterruptedByUserError):
        if arguments and arguments[0] in RESUMABLE:
            print_resume_command()
        else:
            _print_error("stopped.")
        return INTERRUPTED
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        _print_error(f"{file}{error.strerror or error}.")
        return BAD_INPUT
    except Exception as error:
        if os.environ.get("GRAVEN_DEBUG"):
            raise
        _print_error(
            f"this is a bug: {type(error).__name__}: {error}. "
            "Set GRAVEN_DEBUG=1 to see the traceback, and please report it."
        )
        return BUG


def _explain(error: Any) -> str:
    """Describe an error in the command line, and name the help to read."""
    command = error.ctx.command_path if getattr(error, "ctx", None) else "graven"
    reason = error.format_message()
    return f"{reason if reason.endswith(('.', '?')) else reason + '.'} See '{command} --help'."


def _print_error(sentence: str) -> None:
    lines = sentence.splitlines()
    quoted = [line for line in lines if line.startswith(QUOTED_LINE)]
    words = " ".join(line for line in lines if not line.startswith(QUOTED_LINE)).split()
    print("\n".join(["graven: " + " ".join(words), *quoted]), file=sys.stderr)
