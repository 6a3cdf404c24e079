"""Records of games: moves with comments and values, forfeits, and SGF files of games of Go.

SGF files go into the folder that the environment variable GRAVEN_SGF names, by default `sgf`.
"""

from __future__ import annotations

import logging
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from graven.agents import ForfeitError, ResignedError, SearchResult
from graven.core.file_replacement import replace_text
from graven.core.game import Game
from graven.core.position import Position
from graven.games import go, sgf
from graven.lab.experiments.job import GameJob, MoveSearch

log = logging.getLogger("graven.lab")

FOLDER_VARIABLE = "GRAVEN_SGF"
DEFAULT_FOLDER = "sgf"


@dataclass
class GameRecord:
    """A game while it is played.

    `comments`, `values` and `searches` have one entry for each of `moves`, those of the opening
    included.
    """

    position: Position
    moves: list[str]
    comments: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    searches: list[MoveSearch] = field(default_factory=list)
    playouts: int = 0
    seconds: float = 0.0
    forfeit_scores: tuple[float, ...] | None = None
    resigned: bool = False

    def __post_init__(self) -> None:
        self.comments = [""] * len(self.moves)
        self.values = [None] * len(self.moves)
        self.searches = [MoveSearch(None, None, None)] * len(self.moves)

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores of a finished game."""
        return self.forfeit_scores or self.position.scores or ()


def forfeit_scores(loser: int, players: int) -> tuple[float, ...]:
    """Return the scores of a game that one player forfeits: the others share the point."""
    return tuple(0.0 if player == loser else 1 / (players - 1) for player in range(players))


def report_forfeit(job: GameJob, error: ForfeitError) -> None:
    """Log why a player forfeits its game; a resignation is not reported."""
    if not isinstance(error, ResignedError):
        log.warning("game %d is lost: %s.", job.index + 1, error)


def move_comment(result: SearchResult) -> str:
    """Return the comment of a move in a game record; empty if its player reports no playouts."""
    if not result.playouts:
        return ""
    return f"{result.playouts} playouts, win rate {100 * result.value:.1f} %"


def write_sgf(job: GameJob, game: Game, record: GameRecord) -> None:
    """Write a finished game of Go on a square board as an SGF file.

    On failure, warn and keep the result.
    """
    rows, _, columns = str(game.options.get("size", "")).partition("x")
    if game.name != "go" or rows != columns or game.players != 2:
        return
    names = [job.pairing.agents[side] for side in job.pairing.seats(job.index)]
    text = sgf.write(
        sgf.SgfGame(
            size=int(rows),
            komi=float(game.options["komi"]),
            moves=[
                (ply % 2, move, comment)
                for ply, (move, comment) in enumerate(
                    zip(record.moves, record.comments, strict=True)
                )
            ],
            names=(names[0], names[1]),
            result=_sgf_result(game, record),
        )
    )
    folder = Path(os.environ.get(FOLDER_VARIABLE) or DEFAULT_FOLDER)
    path = folder / f"go-{zlib.crc32(job.pairing.key.encode()):08x}-{job.index + 1:04}.sgf"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    except OSError as error:
        log.warning(
            "game %d has no SGF file: %s cannot be written: %s; %s names another folder.",
            job.index + 1,
            path,
            error.strerror,
            FOLDER_VARIABLE,
        )


def _sgf_result(game: Game, record: GameRecord) -> str:
    if record.position.is_over:
        return sgf.result_text(game, go.areas(record.position))
    winner = "B" if record.scores[0] > record.scores[1] else "W"
    return winner + ("+R" if record.resigned else "+F")
