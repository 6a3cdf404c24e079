"""Games of Go as SGF, by way of sgfmill: with players, result and a comment for each move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graven.core.errors import UsageError
from graven.core.game import Game

LARGEST_FILE = 1 << 20  # bytes
MOST_MOVES = 5000
COLOURS = ("b", "w")


@dataclass(frozen=True)
class Record:
    """A game of Go: stones set up before it, by player, then (player, move, comment) each move."""

    size: int
    komi: float
    setup: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    moves: Sequence[tuple[int, str, str]] = field(default_factory=tuple)
    names: tuple[str, str] = ("", "")
    result: str = ""
    first: int | None = None  # who is to move where nobody has moved yet


def write(record: Record) -> str:
    """The record as an SGF text."""
    from sgfmill import common, sgf

    made = sgf.Sgf_game(size=record.size)
    root = made.get_root()
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
        node = made.extend_main_sequence()
        node.set_move(COLOURS[player], common.move_from_vertex(move, record.size))
        if comment:
            node.set("C", comment)
    text: str = made.serialise().decode("utf-8", "replace")
    return text


def read(data: bytes, moves: int | None = None) -> Record:
    """The main line of an SGF file, up to so many moves."""
    from sgfmill import common, sgf

    if len(data) > LARGEST_FILE:
        raise UsageError(f"an SGF file has at most {LARGEST_FILE:,} bytes; this one {len(data):,}.")
    try:
        found = sgf.Sgf_game.from_bytes(data)
        size = found.get_size()
        root = found.get_root()
        black, white, _ = root.get_setup_stones()
        played: list[tuple[int, str, str]] = []
        first = None
        if root.has_property("PL"):
            first = COLOURS.index(root.get("PL"))
        for node in found.get_main_sequence():
            if len(played) >= MOST_MOVES or (moves is not None and len(played) >= moves):
                break
            if node is not root and node.has_setup_stones():
                raise UsageError("stones are set up in the middle of the SGF's game.")
            colour, point = node.get_move()
            if colour is not None:
                comment = node.get("C") if node.has_property("C") else ""
                played.append((COLOURS.index(colour), common.format_vertex(point), comment))
        komi = found.get_komi()
    except UsageError:
        raise
    except Exception as error:  # sgfmill raises ValueError, KeyError and more for broken files
        raise UsageError(f"the SGF file cannot be read: {' '.join(str(error).split())}.") from None
    black, white = (
        tuple(sorted(common.format_vertex(point) for point in side)) for side in (black, white)
    )
    return Record(size, komi, (black, white), tuple(played), first=first)


def result_text(game: Game, areas: tuple[float, ...]) -> str:
    """The result of a game with these areas as SGF and GTP write it: B+3.5, W+0.5, 0."""
    ahead = areas[0] - areas[1] - float(game.options["komi"])
    if ahead == 0:
        return "0"
    return f"{'B' if ahead > 0 else 'W'}+{abs(ahead):g}"
