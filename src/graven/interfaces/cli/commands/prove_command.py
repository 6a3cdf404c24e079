"""`graven prove`: prove the result of a two-player position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graven.core.plural import counted
from graven.interfaces.cli.arguments import (
    BoardText,
    GameText,
    Json,
    MovesPlayed,
    ResumeFile,
    SaveFile,
    SecondsInAll,
    Size,
    compile_game,
    position_of,
    split_moves,
)
from graven.interfaces.cli.console import (
    INTERRUPTED,
    err,
    format_duration,
    print_board,
    print_json,
    print_line,
    run_with_progress,
)

if TYPE_CHECKING:
    import threading

    from graven.core.position import Position
    from graven.solving import ProofResult, ProofSession

DEFAULT_MEMORY = 256


def prove(
    game: GameText,
    moves: MovesPlayed = "",
    board: BoardText = None,
    seconds: SecondsInAll = None,
    nodes: Annotated[
        int | None, typer.Option(help="Stop after this total of positions.", metavar="N")
    ] = None,
    memory: Annotated[
        int, typer.Option(help="Size of the transposition table in MiB.", metavar="MIB")
    ] = DEFAULT_MEMORY,
    seed: Annotated[int, typer.Option(help="Seed of the playouts.", metavar="N")] = 0,
    size: Size = None,
    save: SaveFile = None,
    resume: ResumeFile = None,
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
    position = position_of(rules, board).play_moves(split_moves(moves))
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
        return f"compiling the search, {format_duration(elapsed)}"
    session = sessions[0]
    proof, disproof = session.numbers
    return (
        f"{counted(session.nodes, 'position')} after {format_duration(session.seconds)}, "
        f"proof number {proof:,.0f}, disproof number {disproof:,.0f}, "
        f"score from {session.lower:g} to {session.upper:g}; Ctrl-C stops"
    )


def _show(position: Position, result: ProofResult) -> None:
    names = position.game.player_names
    print_line(f"proof-number search at {result.game}")
    print_board(position)
    if result.scores is None:
        bounds = ", ".join(
            f"{name} {low:g} to {high:g}"
            for name, (low, high) in zip(names, result.bounds, strict=True)
        )
        print_line(f"not proven  scores within: {bounds}", style="bold")
        print_line(f"most work   {result.best_move}")
    else:
        print_line(f"proven  {outcome_text(names, result.scores)}", style="bold")
        print_line(f"best    {result.best_move}")
        print_line(f"pv      {' '.join(result.pv)}")
    print_line(
        f"spent   {counted(result.nodes, 'position')} in {result.seconds:.2f} s, "
        f"{result.nodes_per_second:,.0f} positions/s"
    )


def outcome_text(names: tuple[str, ...], scores: tuple[float, ...]) -> str:
    """Return the outcome in words: who wins, a draw, or each player's score."""
    if sorted(scores) == [0.0, 1.0]:
        return f"{names[scores.index(1.0)]} wins"
    if scores[0] == scores[1]:
        return "draw"
    return ", ".join(f"{name} {score:g}" for name, score in zip(names, scores, strict=True))
