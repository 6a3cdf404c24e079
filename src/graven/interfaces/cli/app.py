"""The command `graven`: its commands, and what it says when something goes wrong."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from graven.core.errors import GravenError, unknown
from graven.interfaces.cli.commands.agents_command import agents
from graven.interfaces.cli.commands.bench_command import bench
from graven.interfaces.cli.commands.games_command import games
from graven.interfaces.cli.commands.gdl_command import gdl
from graven.interfaces.cli.commands.ggp_command import ggp
from graven.interfaces.cli.commands.gtp_command import gtp
from graven.interfaces.cli.commands.match_command import match
from graven.interfaces.cli.commands.new_command import new
from graven.interfaces.cli.commands.play_command import play
from graven.interfaces.cli.commands.referee_command import referee
from graven.interfaces.cli.commands.report_command import export, report
from graven.interfaces.cli.commands.reproduce_command import reproduce
from graven.interfaces.cli.commands.search_command import search
from graven.interfaces.cli.commands.serve_command import serve
from graven.interfaces.cli.commands.solve_command import solve
from graven.interfaces.cli.commands.sweep_command import sweep
from graven.interfaces.cli.commands.tournament_command import tournament
from graven.interfaces.cli.commands.tune_command import tune
from graven.interfaces.cli.console import INTERRUPTED, remember_command, say_how_to_go_on

BAD_INPUT = 2
# Commands that remember what they have played: the same command goes on.
EXPERIMENTS = ("match", "tournament", "sweep", "tune", "reproduce")
BUG = 1
SHOWN = "    "


class StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


class Commands(TyperGroup):
    """The commands, which speak of an unknown one as everything else here does."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Typer would take Ctrl-C for an exit without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise unknown("command", cmd_name, self.list_commands(ctx))
        return found


# Typer's own help: Rich's takes as long to load as everything else together.
app = typer.Typer(
    name="graven",
    cls=Commands,
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
    match,
    tournament,
    sweep,
    tune,
    reproduce,
    report,
    export,
    bench,
    gtp,
    ggp,
    referee,
    new,
    serve,
):
    app.command()(command)
app.add_typer(gdl)

# What Typer raises for a wrong command line: Click's errors, or its own copies of them.
CommandLineError = cast("type[Exception]", typer.BadParameter.__mro__[2])


def _print_version(wanted: bool) -> None:
    if wanted:
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
    """Run the command line and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows a question mark.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; what goes wrong becomes a sentence on stderr and an exit code."""
    remember_command(arguments)
    try:
        return app(arguments, prog_name="graven", standalone_mode=False) or 0
    except GravenError as error:
        _complain(str(error))
        return BAD_INPUT
    except CommandLineError as error:
        _complain(_explain(error))
        return BAD_INPUT
    except (typer.Abort, KeyboardInterrupt, StoppedError):
        if arguments and arguments[0] in EXPERIMENTS:
            say_how_to_go_on()
        else:
            _complain("stopped.")
        return INTERRUPTED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}.")
        return BAD_INPUT
    except Exception as error:
        if os.environ.get("GRAVEN_DEBUG"):
            raise
        _complain(
            f"this is a bug: {type(error).__name__}: {error}. "
            "Set GRAVEN_DEBUG=1 to see the traceback, and please report it."
        )
        return BUG


def _explain(error: Any) -> str:
    """A wrong command line in one sentence, and where to read on."""
    command = error.ctx.command_path if getattr(error, "ctx", None) else "graven"
    reason = error.format_message()
    return f"{reason if reason.endswith(('.', '?')) else reason + '.'} See '{command} --help'."


def _complain(sentence: str) -> None:
    # Lines that begin with four spaces show a place in a text, and stay as they are.
    said = [line for line in sentence.splitlines() if not line.startswith(SHOWN)]
    shown = [line for line in sentence.splitlines() if line.startswith(SHOWN)]
    print("\n".join(["graven: " + " ".join(" ".join(said).split()), *shown]), file=sys.stderr)
