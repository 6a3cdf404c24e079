"""`graven search`: what an agent thinks of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    AgentText,
    GameText,
    Json,
    Playouts,
    Seconds,
    Seed,
    Size,
    given_budget,
    make_game,
    split_moves,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    awaited,
    duration,
    out,
    print_board,
    print_json,
    watched,
)

if TYPE_CHECKING:
    import threading

    from graven.agents import SearchResult
    from graven.core.game import Position

DEFAULT_PLAYOUTS = 10_000


def search(
    game: GameText,
    moves: Annotated[
        str, typer.Option(help="The moves that lead to the position.", metavar="'A B ...'")
    ] = "",
    agent: AgentText = "grave",
    playouts: Playouts = None,
    seconds: Seconds = None,
    seed: Seed = 0,
    size: Size = None,
    top: Annotated[int, typer.Option(help="How many moves to list.", metavar="N")] = 10,
    memory: Annotated[
        int | None, typer.Option(help="The tree's largest size in MiB.", metavar="MIB")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="First check that the game keeps the contract.")
    ] = False,
    json: Json = False,
) -> None:
    """Analyse a position: a table of moves, the main line.

    Without a budget the search takes 10,000 playouts. Ctrl-C ends it and shows the best so far.

    \b
    Examples:
      graven search breakthrough --playouts 10000
      graven search knightthrough --size 6x5 --moves "a2b4 d5c3" --agent "rave(bias=0.01)"
      graven search nogo --seconds 5 --json
    """
    from graven.agents import agent as make_agent
    from graven.core.errors import UsageError
    from graven.interfaces.cli import result_tables

    if top < 1:
        raise UsageError(f"--top must be at least 1, not {top}.")
    searcher = make_agent(agent)
    budget = searcher.budget_or(given_budget(playouts, seconds, DEFAULT_PLAYOUTS))
    played = make_game(game, size)
    if check:
        from graven import check_game

        awaited(lambda: check_game(played), f"checking {played.name}")
    position = played.start().play_moves(split_moves(moves))
    if position.is_over:
        raise UsageError(f"the game of {played.name} is over there: nothing is left to search.")

    def work(stop: threading.Event) -> SearchResult:
        searcher.player(played).warm_up()
        return searcher.search(
            position, budget.playouts, budget.seconds, seed=seed, stop=stop, memory=memory
        )

    found, interrupted = watched(
        work,
        lambda elapsed: f"searching for {duration(elapsed)}; Ctrl-C shows the best so far",
    )

    if json:
        head = {
            "game": played.spec,
            "played": split_moves(moves),
            "agent": searcher.spec,
            "seed": seed,
        }
        print_json({**head, **result_tables.as_json(found)})
    else:
        _show(position, searcher.spec, found, top)
        if interrupted:
            out().print("Stopped before the budget was spent.", style="yellow")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(position: Position, spec: str, found: SearchResult, top: int) -> None:
    from graven.interfaces.cli import result_tables

    console = out()

    def line(text: str, style: str = "") -> None:
        console.print(text, markup=False, soft_wrap=True, style=style)

    line(f"{spec} at {position.game.spec}")
    print_board(position)
    for player, stats in found.by_player.items():
        if len(found.by_player) > 1:
            line(f"{position.game.player_names[player]}:")
        console.print(result_tables.move_table(stats, top))
        if len(stats) > top:
            line(f"and {len(stats) - top} more: --top {len(stats)}", style="dim")
    line("")
    whose = f" to {position.game.player_names[0]}" if len(found.by_player) > 1 else ""
    worth = f"worth {found.value:.3f}{whose}"
    line(f"best       {result_tables.move_text(found.best_move)}, {worth}", style="bold")
    if found.pv:  # where all move at once there is none
        line(f"main line  {result_tables.line_text(found)}")
    line(f"spent      {result_tables.speed_text(found)}")
    if found.memory_full:
        line(
            "The memory was full: the search went on in the tree it had. --memory gives it more.",
            style="yellow",
        )
