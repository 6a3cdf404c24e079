"""Games against programs: what became of a program that failed, and SGF files of games of Go.

The files go into the folder that the environment's GRAVEN_SGF names, else into `sgf`.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from graven.agents import SearchResult
from graven.agents.gtp_program import ProgramError, ResignedError
from graven.core.game import Game, Position
from graven.games import go, sgf
from graven.lab.experiments.job import GameJob

FOLDER = "GRAVEN_SGF"


def lost_by(player: int, players: int) -> tuple[float, ...]:
    """The scores of a game that one player has forfeited: the others share the point."""
    return tuple(0.0 if each == player else 1 / (players - 1) for each in range(players))


def report(job: GameJob, error: ProgramError) -> None:
    """Say that a program has lost its game by a fault of its own; giving up is none."""
    if not isinstance(error, ResignedError):
        print(f"graven: game {job.index + 1} is lost: {error}.", file=sys.stderr, flush=True)


def comment_on(found: SearchResult) -> str:
    """What we say of a move of ours in a record; of a program's move we know nothing."""
    if not found.playouts:
        return ""
    return f"{found.playouts} playouts, win rate {100 * found.value:.1f} %"


def keep_record(
    job: GameJob,
    game: Game,
    position: Position,
    moves: Sequence[str],
    comments: Sequence[str],
    scores: tuple[float, ...],
    resigned: bool,
) -> None:
    """Write a finished game of Go on a square board as an SGF file.

    If that cannot be, it is said, and the game counts all the same.
    """
    rows, _, columns = str(game.options.get("size", "")).partition("x")
    if game.name != "go" or rows != columns or game.players != 2:
        return
    names = [job.cell.agents[side] for side in job.cell.seats(job.index)]
    record = sgf.SgfGame(
        size=int(rows),
        komi=float(game.options["komi"]),
        moves=[
            (ply % 2, move, comment)
            for ply, (move, comment) in enumerate(zip(moves, comments, strict=True))
        ],
        names=(names[0], names[1]),
        result=_result(game, position, scores, resigned),
    )
    folder = Path(os.environ.get(FOLDER) or "sgf")
    match = zlib.crc32(repr(job.cell).encode())
    path = folder / f"go-{match:08x}-{job.index + 1:04}.sgf"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(sgf.write(record), encoding="utf-8")
    except OSError as error:
        why = f"{path} cannot be written: {error.strerror}; {FOLDER} names another folder"
        print(f"graven: game {job.index + 1} has no SGF file: {why}.", file=sys.stderr, flush=True)


def _result(game: Game, position: Position, scores: tuple[float, ...], resigned: bool) -> str:
    if position.is_over:
        return sgf.result_text(game, go.areas(position))
    return ("B" if scores[0] > scores[1] else "W") + ("+R" if resigned else "+F")
