"""`graven search`: analyse a position."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import (
    AgentText,
    BoardText,
    GameText,
    Json,
    Playouts,
    Seconds,
    Seed,
    Size,
    Threads,
    agent_or_default,
    budget_or_default,
    check_agents,
    check_output_file,
    compile_game,
    compiling,
    position_of,
    split_moves,
    user_code_watched,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    format_duration,
    out,
    print_board,
    print_json,
    print_lines,
    run_to_completion,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.agents import SearchResult
    from graven.core.position import Position

DEFAULT_PLAYOUTS = 10_000


def search(
    game: GameText,
    moves: Annotated[
        str, typer.Option(help="The moves that lead to the position.", metavar="'A B ...'")
    ] = "",
    board: BoardText = None,
    agent: AgentText = None,
    playouts: Playouts = None,
    seconds: Seconds = None,
    threads: Threads = None,
    seed: Seed = 0,
    size: Size = None,
    top: Annotated[int, typer.Option(help="The number of moves to list.", metavar="N")] = 10,
    memory: Annotated[
        int | None, typer.Option(help="The maximum size of the tree in MiB.", metavar="MIB")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Search with all workers of a Dask cluster, a tree each.",
            metavar="tcp://HOST:8786",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="First check that the rules keep the game contract.")
    ] = False,
    tree: Annotated[
        str | None,
        typer.Option(help="Write the search tree: .svg, .dot or .json.", metavar="FILE"),
    ] = None,
    tree_nodes: Annotated[
        int, typer.Option(help="The number of nodes to write: the most visited.", metavar="N")
    ] = 50,
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
      graven search othello --board "$(cat endgame.txt)"
      graven search hex --seconds 5 --threads 2
      graven search hex --seconds 5 --cluster tcp://192.168.1.10:8786
      graven search hex --tree tree.svg
    """
    from graven.agents import SearchAgent
    from graven.agents.search_tree import check_tree_file
    from graven.core.errors import UsageError

    if top < 1:
        raise UsageError(f"--top must be at least 1, got {top}.")
    if tree is not None:
        check_tree_file(tree)
        check_output_file(tree)
    if tree_nodes < 1:
        raise UsageError(f"--tree-nodes must be at least 1, got {tree_nodes}.")
    if agent is not None:
        check_agents(agent)
    played = compile_game(game, size)
    searcher = agent_or_default(agent, played, threads)
    if cluster is not None and tree is not None:
        raise UsageError("--tree: the trees of a search on a cluster stay on its workers.")
    if cluster is not None and not isinstance(searcher, SearchAgent):
        raise UsageError(
            f"--cluster: the agent {searcher.spec} cannot search on a cluster: name a tree search, "
            "such as --agent grave."
        )
    if tree is not None and not isinstance(searcher, SearchAgent):
        raise UsageError(
            f"--tree: the agent {searcher.spec} has no tree to write: name a tree search, such as "
            "--agent grave."
        )
    budget = searcher.budget_or(budget_or_default(playouts, seconds, DEFAULT_PLAYOUTS))
    if check:
        from graven import check_game

        run_to_completion(lambda: check_game(played), f"checking {played.name}")
    given = position_of(played, board).play_moves(split_moves(moves))
    position = given.rolled(seed)
    rolled = position.move_texts[given.ply :]
    if position.is_over:
        raise UsageError(
            f"the game of {played.name} is over after these moves: there is nothing to search."
        )

    started_at: float | None = None  # None while the search is compiled

    def work(stop: threading.Event) -> SearchResult:
        nonlocal started_at
        limits = budget.playouts, budget.seconds
        if cluster is not None and isinstance(searcher, SearchAgent):
            started_at = time.monotonic()
            return searcher.search(
                position, *limits, seed=seed, stop=stop, memory=memory, cluster=cluster
            )
        with user_code_watched(played, searcher):
            searcher.player(played).warm_up()
            started_at = time.monotonic()
            return searcher.search(position, *limits, seed=seed, stop=stop, memory=memory)

    def progress(elapsed: float) -> str:
        if started_at is None:
            return f"{compiling(searcher, played)}, {format_duration(elapsed)}"
        searched = format_duration(time.monotonic() - started_at)
        return f"searching for {searched}; Ctrl-C shows the best move so far"

    result, interrupted = run_with_progress(work, progress)

    if tree is not None and result.tree is not None:
        result.tree.save(tree, tree_nodes)
    if json:
        head = {
            "game": played.spec,
            **({} if board is None else {"board": board}),
            "played": [*split_moves(moves), *rolled],
            "agent": searcher.spec,
            "seed": seed,
        }
        print_json({**head, **result.to_dict()})
    else:
        _print_result(position, searcher.spec, result, top, rolled=rolled)
        if interrupted:
            out().print("Stopped before the budget was spent.", style="yellow")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _print_result(
    position: Position, spec: str, result: SearchResult, top: int, rolled: list[str]
) -> None:
    from graven.agents.result_text import TextLine, result_lines

    print_lines([TextLine(f"{spec} at {position.game.spec}")])
    if rolled:
        print_lines([TextLine(f"chance: {' '.join(rolled)} (another --seed, another outcome)")])
    print_board(position)
    print_lines(result_lines(result, top))
