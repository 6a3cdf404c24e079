"""`graven play`: play against an agent."""

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
    agent_or_default,
    budget_or_default,
    check_agents,
    compile_game,
)
from graven.interfaces.cli.console import run_to_completion

DEFAULT_PLAYOUTS = 10_000


def play(
    game: GameText,
    agent: AgentText = None,
    side: Annotated[
        str, typer.Option(help="Your seat: first, second, third, ...", metavar="SIDE")
    ] = "first",
    playouts: Playouts = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    size: Size = None,
) -> None:
    """Play against an agent in the terminal.

    Type a move, or: undo, hint, moves, opinion (the agent's evaluation), help, quit. Without a
    budget the agent makes 10,000 playouts per move.

    \b
    Examples:
      graven play breakthrough
      graven play domineering --side second --agent "rave(bias=1e-3)" --seconds 2
    """
    from graven.agents import is_external
    from graven.core.errors import UsageError, unknown
    from graven.interfaces.cli.play_session import SEATS, PlaySession

    if agent is not None and is_external(agent):
        raise UsageError(
            f"{agent} plays only matches (graven match), not against a user in the terminal."
        )
    if agent is not None:
        check_agents(agent)
    played = compile_game(game, size)
    opponent = agent_or_default(agent, played)
    budget = opponent.budget_or(budget_or_default(playouts, seconds, DEFAULT_PLAYOUTS))
    seats = SEATS[: played.players]
    if side not in seats:
        raise unknown(f"side of {played.name}", side, seats)
    run_to_completion(opponent.player(played).warm_up, f"compiling {opponent.spec}")
    PlaySession(played, opponent, budget, seat=seats.index(side), seed=seed).run()
