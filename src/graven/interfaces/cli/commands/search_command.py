"""`graven search`: analyse a position."""

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
    budget_or_default,
    compile_game,
    split_moves,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    format_duration,
    out,
    print_board,
    print_json,
    run_to_completion,
    run_with_progress,
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
    top: Annotated[int, typer.Option(help="The number of moves to list.", metavar="N")] = 10,
    memory: Annotated[
        int | None, typer.Option(help="The maximum size of the tree in MiB.", metavar="MIB")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="First check that the rules keep the game contract.")
    ] = False,
    json: Json = False,
) -> None:
    """Analyse a position: print a table of moves and the principal variation.

    Without a budget the search makes 10,000 playouts. Ctrl-C stops it and shows the best move so
    far.

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
        raise UsageError(f"--top must be at least 1, got {top}.")
    searcher = make_agent(agent)
    budget = searcher.budget_or(budget_or_default(playouts, seconds, DEFAULT_PLAYOUTS))
    played = compile_game(game, size)
    if check:
        from graven import check_game

        run_to_completion(lambda: check_game(played), f"checking {played.name}")
    position = played.start().play_moves(split_moves(moves))
    if position.is_over:
        raise UsageError(
            f"the game of {played.name} is over after these moves: there is nothing to search."
        )

    def work(stop: threading.Event) -> SearchResult:
        searcher.player(played).warm_up()
        return searcher.search(
            position, budget.playouts, budget.seconds, seed=seed, stop=stop, memory=memory
        )

    result, interrupted = run_with_progress(
        work,
        lambda elapsed: (
            f"searching for {format_duration(elapsed)}; Ctrl-C shows the best move so far"
        ),
    )

    if json:
        head = {
            "game": played.spec,
            "played": split_moves(moves),
            "agent": searcher.spec,
            "seed": seed,
        }
        print_json({**head, **result_tables.as_json(result)})
    else:
        _print_result(position, searcher.spec, result, top)
        if interrupted:
            out().print("Stopped before the budget was spent.", style="yellow")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _print_result(position: Position, spec: str, result: SearchResult, top: int) -> None:
    from graven.interfaces.cli import result_tables

    console = out()

    def line(text: str, style: str = "") -> None:
        console.print(text, markup=False, soft_wrap=True, style=style)

    line(f"{spec} at {position.game.spec}")
    print_board(position)
    for player, stats in result.by_player.items():
        if len(result.by_player) > 1:
            line(f"{position.game.player_names[player]}:")
        console.print(result_tables.move_table(stats, top))
        if len(stats) > top:
            line(f"and {len(stats) - top} more: --top {len(stats)}", style="dim")
    line("")
    whose = f" for {position.game.player_names[0]}" if len(result.by_player) > 1 else ""
    value = f"value {result.value:.3f}{whose}"
    line(f"best       {result_tables.move_text(result.best_move)}, {value}", style="bold")
    if result.pv:  # empty where players move simultaneously
        line(f"pv         {result_tables.pv_text(result)}")
    line(f"spent      {result_tables.speed_text(result)}")
    if result.memory_full:
        line(
            "The tree reached its memory limit and stopped growing: raise it with --memory.",
            style="yellow",
        )
