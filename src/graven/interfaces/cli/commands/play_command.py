"""`graven play`: play against an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    AgentText,
    GameText,
    GameTime,
    Increment,
    MovesPlayed,
    Playouts,
    Seconds,
    Size,
    Threads,
    agent_or_default,
    budget_or_default,
    check_agents,
    compile_game,
    split_moves,
    warm_up,
    with_game_clock,
)

if TYPE_CHECKING:
    from graven.core.game import Game
    from graven.interfaces.cli.play_session import PlaySetup
    from graven.interfaces.saved_games import SavedGame

DEFAULT_PLAYOUTS = 10_000


def play(
    game: GameText = "",
    agent: AgentText = None,
    moves: MovesPlayed = "",
    side: Annotated[
        str,
        typer.Option(
            help="Your seat: first, second, third, ..., or a player's name, such as White.",
            metavar="SIDE",
        ),
    ] = "first",
    playouts: Playouts = None,
    seconds: Seconds = None,
    game_time: GameTime = None,
    increment: Increment = None,
    threads: Threads = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed: equal seeds give equal agents. By default a new one, which is "
            "printed.",
            metavar="N",
        ),
    ] = None,
    size: Size = None,
    open_file: Annotated[
        str | None,
        typer.Option("--open", help="Continue a saved game.", metavar="FILE"),
    ] = None,
) -> None:
    """Play against an agent in the terminal.

    Type a move, or: undo, hint, moves, opinion (the agent's evaluation), save, open, help, quit.
    Without a budget the agent makes 10,000 playouts per move. Every game has a new seed, which is
    printed. The web page opens saved games, too.

    \b
    Examples:
      graven play breakthrough
      graven play domineering --side second --agent "rave(bias=1e-3)" --seconds 2
      graven play hex --time 300 --increment 2
      graven play go --seed 4711
      graven play hex --moves "a10 b5"
      graven play --open game.json
    """
    from graven.agents import is_external
    from graven.core.errors import UsageError
    from graven.interfaces.cli.play_session import PlaySession, PlaySetup, fresh_seed

    if not game and open_file is None:
        raise UsageError("name a game to play, such as breakthrough, or --open a saved one.")
    if game.endswith(".json") and open_file is None:
        raise UsageError(f"{game!r} is no game: a saved one is continued by --open {game}.")
    if open_file is not None and moves:
        raise UsageError("--moves begins a new game, and --open has moves of its own: give one.")
    if agent is not None and is_external(agent):
        raise UsageError(
            f"{agent} plays only matches (graven match), not against a user in the terminal."
        )
    if agent is not None:
        check_agents(agent)
    played = compile_game(game, size) if game else None

    def open_game(path: str) -> PlaySetup:
        return opened_setup(path, played)

    if open_file is not None:
        setup = open_game(open_file)
    else:
        assert played is not None
        seat = seat_of(side, played)
        opponent = agent_or_default(agent, played, threads)
        clocked = with_game_clock(opponent.spec, game_time, increment, (playouts, seconds))
        if clocked != opponent.spec:
            opponent = agent_or_default(clocked, played)
        budget = opponent.budget_or(budget_or_default(playouts, seconds, DEFAULT_PLAYOUTS))
        warm_up(opponent, played)
        setup = PlaySetup(
            game=played,
            agent=opponent,
            budget=budget,
            seat=seat,
            seed=fresh_seed() if seed is None else seed,
            moves=split_moves(moves),
        )
    PlaySession(setup, open_game).run()


def seat_of(side: str, game: Game) -> int:
    """Return the seat that a text names: first, second, ..., or by the name of its player."""
    from graven.core.errors import unknown
    from graven.interfaces.cli.play_session import SEATS

    seats = [*SEATS[: game.players], *game.player_names]
    names = [name.lower() for name in seats]
    if side.lower() not in names:
        raise unknown(f"side of {game.name}", side, seats)
    return names.index(side.lower()) % game.players


def opened_setup(path: str, played: Game | None) -> PlaySetup:
    """Return the setup of a saved game; `played` is the game of the command line, if any."""
    from graven.agents import is_external
    from graven.core.errors import UsageError
    from graven.interfaces.cli.play_session import PlaySetup, fresh_seed
    from graven.interfaces.saved_games import PERSON, read_saved_game

    saved = read_saved_game(path)
    game = saved_rules(saved, path, played)
    if len(saved.seats) != game.players:
        raise UsageError(f"{path!r} has {len(saved.seats)} seats; {game.name} has {game.players}.")
    specs = [seat for seat in saved.seats if seat != PERSON]
    spec = specs[0] if specs else None
    if spec is not None and (is_external(spec) or ".py" in spec):  # a file must not start programs
        raise UsageError(f"{path!r} has an agent that is a program: {spec}.")
    agent = agent_or_default(spec, game)
    warm_up(agent, game)
    return PlaySetup(
        game=game,
        agent=agent,
        budget=agent.budget_or(budget_or_default(saved.playouts, saved.seconds, DEFAULT_PLAYOUTS)),
        seat=saved.seats.index(PERSON) if PERSON in saved.seats else 0,
        seed=fresh_seed() if saved.seed is None else saved.seed,
        moves=saved.moves,
        rules=saved.rules,
        title=saved.game,
    )


def saved_rules(saved: SavedGame, path: str, played: Game | None) -> Game:
    """Return the game of a saved one. Python files are run only if the command line names them."""
    from graven.core.errors import UsageError
    from graven.sources.python_file import is_file_game

    if saved.rules is not None:
        from graven.gdl.sheet_loader import sheet_game

        return sheet_game(saved.rules, saved.game)
    if played is not None and played.spec == saved.game:
        return played
    if is_file_game(saved.game):
        raise UsageError(
            f"{path!r} is a game of {saved.game}, a Python file: name that game, as in "
            f"graven play ./mygame.py:game --open {path}."
        )
    return compile_game(saved.game, None)
