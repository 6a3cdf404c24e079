"""Arguments and options that several commands share, and their conversion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from graven.core.calls import IN_FILE
from graven.interfaces.cli.console import BAD_INPUT, err, run_to_completion

if TYPE_CHECKING:
    from graven.agents import Agent
    from graven.core.game import Game
    from graven.core.position import Position
    from graven.lab.store.store import Store
    from graven.search.budget import Budget

GameText = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A game, with options if needed: breakthrough, 'breakthrough(size=6x5)'; a custom "
        "game: ./mygame.py:game; a game of OpenSpiel: 'spiel(\"chess\")'.",
        show_default=False,
    ),
]
BoardText = Annotated[
    str | None,
    typer.Option("--board", help="Start from this position, as graven prints it.", metavar="TEXT"),
]
Size = Annotated[str | None, typer.Option(help="Board size: 8, or 6x5.", metavar="SIZE")]
MovesPlayed = Annotated[
    str, typer.Option(help="Moves from the start to the position.", metavar="'A B ...'")
]
AgentText = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="The agent: see 'graven agents'; by default the one that docs/default-agent.md "
        "recommends for the game.",
        metavar="SPEC",
    ),
]
Playouts = Annotated[int | None, typer.Option(help="Playouts per move.", metavar="N")]
Seconds = Annotated[float | None, typer.Option(help="Seconds per move.", metavar="S")]
GameTime = Annotated[
    float | None,
    typer.Option(
        "--time",
        help="Seconds for all moves of a game: the agents plan their time.",
        metavar="S",
    ),
]
Increment = Annotated[
    float | None, typer.Option(help="With --time: seconds that each move adds.", metavar="S")
]
SecondsInAll = Annotated[float | None, typer.Option(help="Stop after this time.", metavar="S")]
Threads = Annotated[
    int | None,
    typer.Option(
        help="Threads of a search, for agents that do not name their own: see docs/parallel.md.",
        metavar="N",
    ),
]
Seed = Annotated[
    int, typer.Option(help="Random seed: equal seeds give equal results.", metavar="N")
]
Db = Annotated[
    str | None,
    typer.Option(
        help="The database of all games; default: GRAVEN_DB, else graven.db.",
        metavar="FILE",
    ),
]
SaveFile = Annotated[
    str | None, typer.Option(help="Save regularly to this new file.", metavar="FILE")
]
ResumeFile = Annotated[str | None, typer.Option(help="Continue from a saved file.", metavar="FILE")]
MAX_GAME_SECONDS = 1e6
SHORT_SPEC = 60
MoveBudget = tuple[int | None, float | None]  # --playouts and --seconds
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def compile_game(text: str, size: str | None) -> Game:
    """Load the game of the command line and compile its rules; check user-defined ones."""
    game = _load_game(text, size)

    def work() -> None:
        _check_user_rules(game)
        game.start()

    run_to_completion(work, f"compiling the rules of {text}")
    return game


def _check_user_rules(game: Game) -> None:
    """Check user-defined rules once."""
    if not game.compiled_user_functions:
        return
    from graven.core.rule_check import check_rules_once

    with user_code_watched(game):
        check_rules_once(game)


@contextmanager
def user_code_watched(game: Game, agent: Agent | None = None) -> Iterator[None]:
    """End the program with a sentence if user-defined compiled code does not return."""
    code = ""
    if game.compiled_user_functions:
        code = f"the rules of {game.name}"
    elif agent is not None and IN_FILE in agent.spec:
        code = f"the policies of {agent.spec}"
    if game.in_python or not code:
        yield
        return
    from graven.core.watchdog import watched
    from graven.lab.experiments.processes import rule_seconds

    limit = rule_seconds()

    def end_program() -> None:
        err().show_cursor()
        err().print(
            f"graven: {code} did not return within {limit:g} s of processor "
            "time. Look for an endless loop.",
            markup=False,
            soft_wrap=True,
        )
        os._exit(BAD_INPUT)  # the thread that runs the code cannot be stopped

    with watched(limit, end_program):
        yield


def compiling(agent: Agent, game: Game) -> str:
    """Describe the compilation of a search, for progress."""
    return f"compiling {short(agent.spec)} for {game_label(game)}; later runs load it from a cache"


def short(spec: str) -> str:
    """Return a spec for a progress line, which is repeated: shortened if it is long."""
    return spec if len(spec) <= SHORT_SPEC else f"{spec[: SHORT_SPEC - 3]}..."


def game_label(game: Game) -> str:
    """Return a name of a game for a progress line; for a game in GDL, that of its sheet."""
    sheet = game.options.get("sheet") or game.options.get("file")
    return game.name if sheet is None else os.path.basename(str(sheet))


def warm_up(agent: Agent, game: Game) -> None:
    """Compile the search of a game, with progress."""
    run_to_completion(agent.player(game).warm_up, compiling(agent, game))


def load_game_to_match(text: str, size: str | None) -> Game:
    """Load the game of an experiment; user-defined rules are compiled and run by workers only."""
    game = _load_game(text, size)
    if not game.compiled_user_functions:
        run_to_completion(game.start, f"compiling the rules of {text}")
    return game


def _load_game(text: str, size: str | None) -> Game:
    from graven.sources.load import load_game

    return load_game(text, size=size) if size is not None else load_game(text)


def position_of(game: Game, board: str | None) -> Position:
    """Return the position of --board, or else the start of the game."""
    return game.start() if board is None else game.parse(board)


def agent_or_default(spec: str | None, game: Game, threads: int | None = None) -> Agent:
    """Return the agent of the command line, or the default agent of the game."""
    from graven.agents import agent, default_agent

    return agent(with_threads(default_agent(game).spec if spec is None else spec, threads))


def with_threads(spec: str, threads: int | None) -> str:
    """Return the spec of an agent with so many threads, unless it names a number itself."""
    from graven.agents import agent
    from graven.agents.agent import SearchAgent
    from graven.core.errors import UsageError
    from graven.search.options import MOST_THREADS

    if threads is None:
        return spec
    if not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"--threads must be from 1 to {MOST_THREADS}, got {threads}.")
    given = agent(spec)
    if not isinstance(given, SearchAgent) or given.search_spec.options.threads > 1:
        return spec
    return given.with_options(threads=threads).spec


def check_agents(*specs: str) -> None:
    """Raise `UsageError` for an invalid agent, before any rules are compiled."""
    from graven.agents import agent

    for spec in specs:
        agent(spec)


def with_game_clock(
    spec: str, seconds: float | None, increment: float | None, move_budget: MoveBudget
) -> str:
    """Return a spec with a clock for the whole game, unless it has a budget of its own.

    `move_budget` is what --playouts and --seconds give, which exclude a clock.
    """
    from graven.agents import SearchAgent, agent
    from graven.core.errors import UsageError

    for name, limit in zip(("--playouts", "--seconds"), move_budget, strict=True):
        if seconds is not None and limit is not None:
            raise UsageError(
                f"--time {seconds:g} limits a whole game and {name} {limit:g} each move: give one "
                "of them."
            )
    if seconds is None:
        if increment is not None:
            raise UsageError("--increment adds to a clock: give --time, too.")
        return spec
    if not 0 < seconds <= MAX_GAME_SECONDS or not 0 <= (increment or 0.0) <= MAX_GAME_SECONDS:
        raise UsageError(
            f"--time must be more than 0 and at most {MAX_GAME_SECONDS:,.0f} seconds, --increment "
            "from 0 to as much."
        )
    player = agent(spec)
    if not isinstance(player, SearchAgent):
        raise UsageError(
            f"--time is for tree searches, which plan their time; {spec} has none: use --seconds, "
            "or another agent."
        )
    if player.budget.is_limited:
        return spec
    return player.with_options(time=seconds, increment=increment or 0.0).spec


def split_moves(text: str) -> list[str]:
    """Split moves at spaces, but not within parentheses, which moves of GDL games contain."""
    moves, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter.isspace() and depth <= 0:
            moves.append("")
        else:
            moves[-1] += letter
    return [move for move in moves if move]


def budget_or_default(playouts: int | None, seconds: float | None, default_playouts: int) -> Budget:
    """Return the budget of the command line, or the command's default."""
    from graven.search.budget import Budget

    budget = Budget(playouts, seconds)
    return budget if budget.is_limited else Budget(default_playouts)


def check_output_file(file: str) -> None:
    """Raise `UsageError` if a file cannot be written, before any work is done.

    A database is not overwritten either: `graven report my.db` means --db.
    """
    from pathlib import Path

    from graven.core.errors import UsageError
    from graven.lab.store.schema import SQLITE_MAGIC

    path = Path(file)
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to write into.")
    if path.is_dir():
        raise UsageError(f"{file!r} is a folder: name a file to write.")
    if path.is_file():
        with path.open("rb") as existing:
            if existing.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC:
                raise UsageError(
                    f"{file!r} is a database and is not overwritten: name it with --db."
                )


def open_store(db: str | None, write: bool = True) -> Store:
    """Open the store of the command line, or the default one."""
    from graven.lab.store.store import Store
    from graven.lab.store.store_file import default_path

    return Store(db or default_path(), write)
