"""`graven prove`: prove the result of a two-player position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.arguments import GameText, Json, Size, compile_game, split_moves
from graven.interfaces.cli.console import (
    INTERRUPTED,
    err,
    format_duration,
    out,
    print_board,
    print_json,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.core.position import Position
    from graven.solving import ProofResult, ProofSession

DEFAULT_MEMORY = 256


def prove(
    game: GameText,
    moves: Annotated[
        str, typer.Option(help="Moves from the start to the position.", metavar="'A B ...'")
    ] = "",
    board: Annotated[
        str | None,
        typer.Option(help="Start from this position, as graven prints it.", metavar="TEXT"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this time.", metavar="S")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Stop after this total of positions.", metavar="N")
    ] = None,
    memory: Annotated[
        int, typer.Option(help="Size of the transposition table in MiB.", metavar="MIB")
    ] = DEFAULT_MEMORY,
    seed: Annotated[int, typer.Option(help="Seed of the playouts.", metavar="N")] = 0,
    size: Size = None,
    save: Annotated[
        str | None, typer.Option(help="Save regularly to this new file.", metavar="FILE")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Continue from a saved file.", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """Prove the result of a two-player position with best play, and the move that reaches it.

    Uses depth-first proof-number search until the result is proven, a limit is reached, or Ctrl-C.
    With --save the search can be resumed, even after a crash.

    \b
    Examples:
      graven prove hex --size 6 --moves "a2"
      graven prove "breakthrough(size=5x4)" --moves "a2a3" --seconds 60
      graven prove othello --board "$(cat endgame.txt)"
      graven prove domineering --size 7 --save d7.proof
      graven prove domineering --size 7 --resume d7.proof --json
    """
    from graven.solving import ProofSession, ProveLimits
    from graven.solving.proof_file import ProofAutosave, load_proof

    limits = ProveLimits(seconds, nodes)
    rules = compile_game(game, size)
    start = rules.start() if board is None else rules.parse(board)
    position = start.play_moves(split_moves(moves))
    sessions: list[ProofSession] = []

    def work(stop: threading.Event) -> ProofResult:
        session = load_proof(resume, position) if resume else ProofSession(position, memory, seed)
        autosave = ProofAutosave(session, save, resume)
        sessions.append(session)
        result = session.advance(limits, stop, lambda session: autosave.update())
        autosave.close()
        return result

    result, interrupted = run_with_progress(work, lambda elapsed: _progress(sessions, elapsed))
    if json:
        print_json(result.to_dict())
    else:
        _show(position, result)
    if interrupted:
        hint = "--resume it" if save or resume else "use --save FILE to be able to resume"
        err().print(f"Stopped; {hint}.", style="yellow")
        raise typer.Exit(INTERRUPTED)


def _progress(sessions: list[ProofSession], elapsed: float) -> str:
    """Return the progress line."""
    if not sessions:
        return f"starting for {format_duration(elapsed)}"
    session = sessions[0]
    proof, disproof = session.numbers
    return (
        f"{session.nodes:,} positions after {format_duration(session.seconds)}, "
        f"proof number {proof:,.0f}, disproof number {disproof:,.0f}, "
        f"score from {session.lower:g} to {session.upper:g}; Ctrl-C stops"
    )


def _show(position: Position, result: ProofResult) -> None:
    def line(text: str, style: str = "") -> None:
        out().print(text, markup=False, soft_wrap=True, style=style)

    names = position.game.player_names
    line(f"proof-number search at {result.game}")
    print_board(position)
    if result.scores is None:
        bounds = ", ".join(
            f"{name} {low:g} to {high:g}"
            for name, (low, high) in zip(names, result.bounds, strict=True)
        )
        line(f"not proven  scores within: {bounds}", style="bold")
        line(f"most work   {result.best_move}")
    else:
        line(f"proven  {outcome_text(names, result.scores)}", style="bold")
        line(f"best    {result.best_move}")
        line(f"pv      {' '.join(result.pv)}")
    line(
        f"spent   {result.nodes:,} positions in {result.seconds:.2f} s, "
        f"{result.nodes_per_second:,.0f} positions/s"
    )


def outcome_text(names: tuple[str, ...], scores: tuple[float, ...]) -> str:
    """Return the outcome in words: who wins, a draw, or each player's score."""
    if sorted(scores) == [0.0, 1.0]:
        return f"{names[scores.index(1.0)]} wins"
    if scores[0] == scores[1]:
        return "draw"
    return ", ".join(f"{name} {score:g}" for name, score in zip(names, scores, strict=True))
