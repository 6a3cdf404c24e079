"""The command `graven`: its subcommands, error messages and exit codes."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from graven.core.errors import GravenError, unknown
from graven.interfaces.cli.console import (
    BAD_INPUT,
    INTERRUPTED,
    command_line,
    print_resume_command,
)
from graven.interfaces.cli.crash_guard import needs_guard, run_guarded
from graven.interfaces.cli.plain_arguments import read_plain_values

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

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the command."""
        read_plain_values(self, ctx)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, or raise with the closest names."""
        command = super().get_command(ctx, cmd_name)
        if command is None:
            raise unknown("command", cmd_name, self.list_commands(ctx))
        read_plain_values(command, ctx)
        return command


COMMANDS = {
    "games": "games_command:games",
    "agents": "agents_command:agents",
    "play": "play_command:play",
    "search": "search_command:search",
    "solve": "solve_command:solve",
    "prove": "prove_command:prove",
    "match": "match_command:match",
    "tournament": "tournament_command:tournament",
    "frontier": "frontier_command:frontier",
    "sweep": "sweep_command:sweep",
    "tune": "tune_command:tune",
    "tune-rave": "tune_rave_command:tune_rave",
    "reproduce": "reproduce_command:reproduce",
    "report": "report_command:report",
    "export": "report_command:export",
    "replay": "replay_command:replay",
    "bench": "bench_command:bench",
    "gtp": "gtp_command:gtp",
    "ggp": "ggp_command:ggp",
    "referee": "referee_command:referee",
    "new": "new_command:new",
    "serve": "serve_command:serve",
    "warm": "warm_command:warm",
    "import": "import_command:import_games",
    "gdl": "gdl_command:gdl",
}
"""The module and the function, or the group of commands, of each command."""

# The base class of errors in the command line: Click's, or the copy that Typer contains.
CommandLineError = cast("type[Exception]", typer.BadParameter.__mro__[2])


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"graven {version('graven')}")
        raise typer.Exit


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


def make_app(arguments: list[str]) -> typer.Typer:
    """Return the command line with the command that the arguments name, or with all of them.

    Typer takes a tenth of the start-up time of a search to prepare all commands.
    """
    # Typer's plain help: importing Rich would double the start-up time.
    app = typer.Typer(
        name="graven",
        cls=GravenGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(graven)
    for name in arguments[:1] if arguments[:1] and arguments[0] in COMMANDS else COMMANDS:
        module, _, member = COMMANDS[name].partition(":")
        command = getattr(import_module(f"graven.interfaces.cli.commands.{module}"), member)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command(name)(command)
    return app


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
        return make_app(arguments)(arguments, prog_name="graven", standalone_mode=False) or 0
    except GravenError as error:
        _print_error(str(error))
        return BAD_INPUT
    except CommandLineError as error:
        _print_error(_explain(error, arguments))
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


def _explain(error: Any, arguments: list[str]) -> str:
    """Describe an error in the command line, and name the help to read."""
    named = f"graven {arguments[0]}" if arguments[0] in COMMANDS else "graven"
    # Errors in the number of an option's values have no context.
    command = error.ctx.command_path if getattr(error, "ctx", None) else named
    reason = error.format_message()
    return f"{reason if reason.endswith(('.', '?')) else reason + '.'} See '{command} --help'."


def _print_error(sentence: str) -> None:
    lines = sentence.splitlines()
    quoted = [line for line in lines if line.startswith(QUOTED_LINE)]
    words = " ".join(line for line in lines if not line.startswith(QUOTED_LINE)).split()
    print("\n".join(["graven: " + " ".join(words), *quoted]), file=sys.stderr)
