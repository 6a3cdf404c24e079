"""`graven play`: a person against an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from graven.interfaces.cli.arguments import (
    AgentText,
    GameText,
    Playouts,
    Seconds,
    Seed,
    Size,
    given_budget,
    make_game,
)
from graven.interfaces.cli.console import awaited

DEFAULT_PLAYOUTS = 10_000


def play(
    game: GameText,
    agent: AgentText = "grave",
    side: Annotated[
        str, typer.Option(help="Where you sit: first, second, third, ...", metavar="SIDE")
    ] = "first",
    playouts: Playouts = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    size: Size = None,
) -> None:
    """Play against an agent in the terminal.

    Type a move, or: undo, hint, moves, opinion (what the agent believes), help, quit. Without a
    budget the agent takes 10,000 playouts for a move.

    \b
    Examples:
      graven play breakthrough
      graven play domineering --side second --agent "rave(bias=1e-3)" --seconds 2
    """
    from graven.agents import agent as make_agent
    from graven.agents import is_external
    from graven.core.errors import UsageError, unknown
    from graven.interfaces.cli.play_session import SEATS, Session

    if is_external(agent):
        raise UsageError(f"{agent} plays matches (graven match), and no person in the terminal.")
    opponent = make_agent(agent)
    budget = opponent.budget_or(given_budget(playouts, seconds, DEFAULT_PLAYOUTS))
    played = make_game(game, size)
    seats = SEATS[: played.players]
    if side not in seats:
        raise unknown(f"side of {played.name}", side, seats)
    awaited(opponent.player(played).warm_up, f"compiling {opponent.spec}")
    Session(played, opponent, budget, seat=seats.index(side), seed=seed).run()
