"""Read and write Go games as SGF (with sgfmill), with players, result and move comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graven.core.errors import UsageError
from graven.core.game import Game

MAX_FILE_BYTES = 1 << 20
MAX_MOVES = 5000
COLOURS = ("b", "w")


@dataclass(frozen=True)
class SgfGame:
    """A game of Go.

    `setup` has each player's stones placed before the game; `moves` has (player, move, comment).
    `first` is the player to move first, or None for the default.
    """

    size: int
    komi: float
    setup: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    moves: Sequence[tuple[int, str, str]] = field(default_factory=tuple)
    names: tuple[str, str] = ("", "")
    result: str = ""
    first: int | None = None


def write(record: SgfGame) -> str:
    """Return a game as SGF text."""
    from sgfmill import common, sgf

    tree = sgf.Sgf_game(size=record.size)
    root = tree.get_root()
    root.set("KM", record.komi)
    root.set("RU", "Chinese")
    root.set("AP", ("graven", "0.1"))
    for key, name in zip(("PB", "PW"), record.names, strict=True):
        if name:
            root.set(key, name)
    if record.result:
        root.set("RE", record.result)
    black, white = (
        [common.move_from_vertex(text, record.size) for text in side] for side in record.setup
    )
    if black or white:
        root.set_setup_stones(black, white)
        if black and not white:
            root.set("HA", len(black))
    if record.first is not None:
        root.set("PL", COLOURS[record.first])
    for player, move, comment in record.moves:
        node = tree.extend_main_sequence()
        node.set_move(COLOURS[player], common.move_from_vertex(move, record.size))
        if comment:
            node.set("C", comment)
    text: str = tree.serialise().decode("utf-8", "replace")
    return text


def read(data: bytes, moves: int | None = None) -> SgfGame:
    """Return the main line of an SGF file, at most the first `moves` moves."""
    from sgfmill import common, sgf

    if len(data) > MAX_FILE_BYTES:
        raise UsageError(
            f"the SGF file has {len(data):,} bytes; at most {MAX_FILE_BYTES:,} are allowed."
        )
    try:
        tree = sgf.Sgf_game.from_bytes(data)
        size = tree.get_size()
        root = tree.get_root()
        black, white, _ = root.get_setup_stones()
        played: list[tuple[int, str, str]] = []
        first = None
        if root.has_property("PL"):
            first = COLOURS.index(root.get("PL"))
        for node in tree.get_main_sequence():
            if len(played) >= MAX_MOVES or (moves is not None and len(played) >= moves):
                break
            if node is not root and node.has_setup_stones():
                raise UsageError("the SGF file sets up stones after the first move.")
            colour, point = node.get_move()
            if colour is not None:
                comment = node.get("C") if node.has_property("C") else ""
                played.append((COLOURS.index(colour), common.format_vertex(point), comment))
        komi = tree.get_komi()
    except UsageError:
        raise
    except Exception as error:  # sgfmill raises ValueError, KeyError and more for broken files
        raise UsageError(f"the SGF file cannot be read: {' '.join(str(error).split())}.") from None
    black, white = (
        tuple(sorted(common.format_vertex(point) for point in side)) for side in (black, white)
    )
    return SgfGame(size, komi, (black, white), tuple(played), first=first)


def result_text(game: Game, areas: tuple[float, ...]) -> str:
    """Return the result of a game with these areas in SGF and GTP notation: B+3.5, W+0.5, 0."""
    ahead = areas[0] - areas[1] - float(game.options["komi"])
    if ahead == 0:
        return "0"
    return f"{'B' if ahead > 0 else 'W'}+{abs(ahead):g}"
