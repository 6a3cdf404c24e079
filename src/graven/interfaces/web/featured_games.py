"""Games of the first screen, each with a picture of a typical position.

The pictures are drawn from the diagrams below, so that no rules have to be compiled for them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from graven import drawing
from graven.games.boards import VACANT, Pieces, SquareBoard
from graven.games.hex_boards import HexBoard
from graven.games.hex_boards import as_svg as hex_svg
from graven.games.svg_boards import as_svg


class FeaturedGame(NamedTuple):
    """A game of the first screen: its spec, title, one sentence about it, and a picture."""

    spec: str
    title: str
    about: str
    svg: str


def _owners(diagram: str) -> list[list[int]]:
    """Return the rows of a diagram: X is the first player, O the second, a dot is empty."""
    values = {"X": 0, "O": 1, ".": VACANT}
    return [[values[symbol] for symbol in row] for row in diagram.split()]


def _square(title: str, pieces: Pieces, diagram: str) -> str:
    rows = _owners(diagram)
    ordered = rows if pieces == "discs" else rows[::-1]
    owners = [owner for row in ordered for owner in row]
    return as_svg(SquareBoard(title, len(rows), len(rows[0]), owners, pieces=pieces))


def _hex(title: str, diagram: str) -> str:
    rows = _owners(diagram)
    letters = "abcdefghijklmnop"[: len(rows[0])]
    names = [[f"{letter}{row + 1}" for letter in letters] for row in range(len(rows))]
    return hex_svg(HexBoard(title, rows, list(range(len(rows))), letters, names=names, sides=True))


def _havannah(title: str, diagram: str) -> str:
    rows = _owners(diagram)
    longest = max(len(row) for row in rows)
    names = [
        [f"{row + 1}-{column}" for column in range(len(line))] for row, line in enumerate(rows)
    ]
    indents = [longest - len(row) for row in rows]
    return hex_svg(
        HexBoard(title, rows, indents, "abcdefghi", names=names, colours=("white", "black"))
    )


def _checkers() -> str:
    pieces = [
        (0 if row < 3 else 1 if row > 4 else drawing.EMPTY)
        if (row + column) % 2 == 0
        else drawing.EMPTY
        for row in range(8)
        for column in range(8)
    ]
    return drawing.grid(pieces, columns=8, colours=("red", "black"), board="chequered")


GO = """
.........
..O...X..
.OX..X...
..X......
....O....
......X..
..X..OO..
...O.....
.........
"""
BREAKTHROUGH = """
OOOO.OOO
OOOOO.OO
........
...O.X..
....X...
..X.....
XX.XX.XX
XXXXXXXX
"""
HEX = """
.......
..X.O..
...X...
..OXO..
..X.O..
.......
.......
"""
HAVANNAH = """
.....
..O...
.XXO...
..OXO...
....X....
...OX...
..OX...
......
.....
"""
OTHELLO = """
........
...X....
..OXO...
..OXXX..
...XOX..
..X.O...
........
........
"""
DOMINEERING = """
........
.X...OO.
.X......
....X...
OO..X...
.....OO.
..X.....
..X.....
"""


def featured_games() -> list[FeaturedGame]:
    """Return the games of the first screen; the first one is the most prominent."""
    return [
        FeaturedGame("go(size=9)", "Go 9x9", "Surround more area.", _square("Go", "stones", GO)),
        FeaturedGame(
            "breakthrough",
            "Breakthrough 8x8",
            "Race a pawn to the far row.",
            _square("Breakthrough", "pawns", BREAKTHROUGH),
        ),
        FeaturedGame("hex(size=7)", "Hex 7x7", "Connect your two sides.", _hex("Hex", HEX)),
        FeaturedGame(
            "othello",
            "Othello 8x8",
            "Turn over lines of discs.",
            _square("Othello", "discs", OTHELLO),
        ),
        FeaturedGame(
            "havannah(size=5)",
            "Havannah 5",
            "Make a ring, a bridge or a fork.",
            _havannah("Havannah", HAVANNAH),
        ),
        FeaturedGame(
            "domineering",
            "Domineering 8x8",
            "Place the last domino.",
            _square("Domineering", "dominoes", DOMINEERING),
        ),
        FeaturedGame("gdl(sheet=checkers)", "Checkers", "Written in GDL.", _checkers()),
    ]


def featured_entries() -> list[dict[str, Any]]:
    """Return the games of the first screen as plain values."""
    return [game._asdict() for game in featured_games()]
