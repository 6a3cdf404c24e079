"""Draw a position: the facts of a board relation as a board, all others as sorted facts.

A board relation has two arguments that are coordinates, such as `( cell 1 2 white )`, or three,
such as `( cell 1 2 4 x )`; boards of three coordinates are drawn layer by layer, side by side.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from graven.drawing import COLOURS, Piece, grid, player_colour

MAX_SIDE = 40
MAX_LAYERS = 6
EMPTY_WORDS = frozenset({"b", "blank", "empty", "e", "none", "clear"})
CHESS_PIECES = {
    "pawn": "♟",
    "knight": "♞",
    "bishop": "♝",
    "rook": "♜",
    "queen": "♛",
    "king": "♚",
}
MEN_AND_KINGS = {"p", "k"}
TEXT_STYLE = "\N{VARIATION SELECTOR-15}"  # show the symbol as text, not as an emoji
NEUTRAL = "grey"
MAX_LABEL = 3

_INDEX = re.compile(r"([a-z]*?)(\d+)|([a-z])", re.IGNORECASE)


class PlacedFact(NamedTuple):
    """A fact such as `( cell 1 2 white )`: its relation, and its arguments."""

    relation: tuple[str, int]
    arguments: tuple[str, ...]


def placed(fact: str) -> PlacedFact | None:
    """Parse a fact with at least three plain arguments; None if it has another form."""
    words = fact.split()
    if len(words) < 6 or words[0] != "(" or "(" in words[1:]:
        return None
    return PlacedFact((words[1], len(words)), tuple(words[2:-1]))


@dataclass(frozen=True)
class Seats:
    """The roles of a game, and the words of each role's moves, if they are known in advance."""

    roles: Sequence[str] = ()
    moves: Sequence[Iterable[str]] = ()


class FactBoard:
    """Draws the relation of a game that looks most like a board; `is_grid` if there is one."""

    def __init__(self, facts: Iterable[str], seats: Seats | None = None) -> None:
        by_relation: dict[tuple[str, int], list[tuple[str, ...]]] = defaultdict(list)
        for fact in facts:
            if cell := placed(fact):
                by_relation[cell.relation].append(cell.arguments)
        self.relation = max(
            (relation for relation, cells in by_relation.items() if _is_board(cells)),
            key=lambda relation: (len(by_relation[relation]), relation),
            default=None,
        )
        cells = by_relation[self.relation] if self.relation else []
        self.is_grid = bool(cells)
        self._dimensions = 3 if _has_layers(cells) else 2
        domains = (
            [_domain(cells, argument) for argument in range(self._dimensions)] if cells else []
        )
        # Letters name columns, also where they are the second argument; r1 is a row.
        self._transposed = bool(cells) and _names_rows(domains[0]) and not _names_rows(domains[1])
        self._places = {cell[: self._dimensions] for cell in cells}
        self._rows = domains[1 - self._transposed] if cells else []
        self._across = domains[self._transposed] if cells else []
        self._layers = [*domains[2]] if self._dimensions == 3 else [""]
        pieces = [cell[self._dimensions :] for cell in cells]
        self._marks = [_marks(words) for words in zip(*pieces, strict=True)]
        self._looks = _looks(set(pieces), seats or Seats()) if cells else {}

    # Text.

    def text(self, facts: Sequence[str]) -> str:
        """Return the board, the last row on top, and the other facts below it, sorted."""
        cells, others = self._split(facts)
        return "\n".join([*self._lines(cells), *sorted(others)]) or "(no facts)"

    def _split(
        self, facts: Iterable[str]
    ) -> tuple[dict[tuple[str, ...], list[tuple[str, ...]]], list[str]]:
        """Return the pieces on each cell, and all facts that are not on the board."""
        cells: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
        others = []
        for fact in facts:
            cell = placed(fact)
            if cell and cell.relation == self.relation:
                at, piece = cell.arguments[: self._dimensions], cell.arguments[self._dimensions :]
                cells[at].append(piece)
            else:
                others.append(fact)
        return cells, others

    def _place(self, across: str, row: str, layer: str) -> tuple[str, ...]:
        """Return the coordinates of a cell in the order of the facts' arguments."""
        place = (row, across) if self._transposed else (across, row)
        return (*place, layer) if layer else place

    def _lines(self, cells: dict[tuple[str, ...], list[tuple[str, ...]]]) -> list[str]:
        if not self.is_grid:
            return []
        shown = {}
        for place in self._places:
            marks = [
                "".join(m[w] for m, w in zip(self._marks, p, strict=True)) for p in cells[place]
            ]
            shown[place] = "/".join(marks) or "."
        wide = max(map(len, [*shown.values(), *self._across]))
        edge = max(map(len, self._rows))
        lines = [
            f"{row.rjust(edge)} "
            + "   ".join(
                " ".join(
                    shown.get(self._place(across, row, layer), "").ljust(wide)
                    for across in self._across
                )
                for layer in self._layers
            )
            for row in reversed(self._rows)
        ]
        foot = "   ".join(" ".join(x.ljust(wide) for x in self._across) for _ in self._layers)
        return [line.rstrip() for line in [*lines, f"{'':{edge}} {foot}"]]

    # Pictures.

    def svg(self, facts: Iterable[str], title: str = "") -> str:
        """Return the board as an SVG picture. A cell's name is its coordinates: `2 3`."""
        cells, _ = self._split(facts)
        columns: list[tuple[str, str] | None] = []
        for layer in self._layers:
            columns += [*([None] if columns else []), *((across, layer) for across in self._across)]
        pieces: list[Piece | None] = []
        names = []
        for row in self._rows:
            for column in columns:
                place = self._place(column[0], row, column[1]) if column else ()
                exists = place in self._places
                names.append(" ".join(place) if exists else "")
                drawn = [look for piece in cells.get(place, ()) if (look := self._looks[piece])]
                pieces.append(drawn[0] if drawn else None)
        return grid(
            pieces,
            columns=len(columns),
            board="chequered" if self._is_chequered() else "plain",
            row_labels=self._rows,
            column_labels=[column[0] if column else "" for column in columns],
            names=names,
            title=title,
        )

    def _is_chequered(self) -> bool:
        """Return whether only the squares of one colour are cells, as in checkers."""
        if self._dimensions == 3:
            return False
        squares = [
            row + column
            for row, label in enumerate(self._rows)
            for column, across in enumerate(self._across)
            if self._place(across, label, "") in self._places
        ]
        return len({square % 2 for square in squares}) == 1


def _is_board(cells: list[tuple[str, ...]]) -> bool:
    """Return whether two arguments are coordinates, and at least half of all pairs are cells."""
    across, up = _domain(cells, 0), _domain(cells, 1)
    used = len({cell[:2] for cell in cells})
    return (
        2 <= len(across) <= MAX_SIDE
        and 2 <= len(up) <= MAX_SIDE
        and _are_coordinates(across)
        and _are_coordinates(up)
        and 2 * used >= len(across) * len(up)
    )


def _has_layers(cells: list[tuple[str, ...]]) -> bool:
    """Return whether the third argument is a coordinate, too, with a piece after it."""
    if not cells or len(cells[0]) < 4:
        return False
    layers = _domain(cells, 2)
    return 2 <= len(layers) <= MAX_LAYERS and _are_coordinates(layers)


def _domain(cells: Iterable[tuple[str, ...]], argument: int) -> list[str]:
    """Return the values of an argument in the order of a board."""
    return sorted({cell[argument] for cell in cells}, key=_order)


def _order(word: str) -> tuple[str, int, str]:
    """Sort by prefix, then numbers by value."""
    match = _INDEX.fullmatch(word)
    if match is None or match[3]:
        return ("", 0, word)
    return (match[1], int(match[2]), "")


def _are_coordinates(words: Sequence[str]) -> bool:
    """Return whether words are coordinates: numbers, numbers after a word (c1), or a, b, c, ..."""
    matches = [match for word in words if (match := _INDEX.fullmatch(word))]
    if len(matches) < len(words):
        return False
    if all(match[3] for match in matches):
        first = ord(words[0])
        return [ord(word) for word in words] == list(range(first, first + len(words)))
    return all(match[2] for match in matches) and len({match[1] for match in matches}) == 1


def _names_rows(words: Sequence[str]) -> bool:
    """Return whether coordinates are those of rows: numbers, or r1, row1."""
    return all(re.fullmatch(r"(r|row|y)?\d+", word, re.IGNORECASE) for word in words)


def _is_empty(word: str, words: set[str]) -> bool:
    """Return whether a word means an empty cell; `b` is black where there is a `w`."""
    if len(words) < 2 or word.lower() not in EMPTY_WORDS:
        return False
    return word.lower() != "b" or not {"w", "white"} & {each.lower() for each in words}


def _marks(words: Iterable[str]) -> dict[str, str]:
    """Return a short name for each word: its shortest prefix that no other word has."""
    distinct = set(words)
    return {
        word: "." if _is_empty(word, distinct) else prefix
        for word, prefix in _unique_prefixes(distinct).items()
    }


def _unique_prefixes(words: set[str]) -> dict[str, str]:
    """Return the shortest prefix of each word that no other word has, or the whole word."""
    ordered = sorted(words)
    # The word that shares the longest prefix with another one is beside it in this order.
    shared = [_shared_length(*pair) for pair in pairwise(ordered)]
    return {
        word: word[: max(before, after) + 1]
        for word, before, after in zip(ordered, [0, *shared], [*shared, 0], strict=bool(words))
    }


def _shared_length(left: str, right: str) -> int:
    """Return the length of the longest prefix that two different words share."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))


def _looks(pieces: set[tuple[str, ...]], seats: Seats) -> dict[tuple[str, ...], Piece | None]:
    """Return the drawing of each piece: in its owner's colour, with a label if it needs one."""
    words_at = [set(words) for words in zip(*pieces, strict=True)]
    looks: dict[tuple[str, ...], Piece | None] = {}
    by_owner: dict[int | None, set[tuple[str, ...]]] = defaultdict(set)
    for piece in pieces:
        if all(_is_empty(word, words) for word, words in zip(piece, words_at, strict=True)):
            looks[piece] = None
        else:
            by_owner[_owner(piece, seats)].add(piece)
    for owner, owned in by_owner.items():
        labels = _labels(owned, seats.roles) if len(owned) > 1 or owner is None else {}
        for piece in owned:
            named = next((word.lower() for word in piece if word.lower() in COLOURS), None)
            if owner is not None:
                looks[piece] = Piece(player_colour(seats.roles, owner), labels.get(piece, ""))
            elif named:
                looks[piece] = Piece(named)
            else:
                looks[piece] = Piece(NEUTRAL, labels[piece])
    return looks


def _owner(piece: tuple[str, ...], seats: Seats) -> int | None:
    """Return the role whose piece it is: the role that is named, that moves it, or its initial."""
    roles = [role.lower() for role in seats.roles]
    words = [word.lower() for word in piece]
    for word in words:
        if word in roles:
            return roles.index(word)
    for word in piece:
        movers = [role for role, moves in enumerate(seats.moves) if word in moves]
        if len(movers) == 1 and not word.isdigit():
            return movers[0]
    initials = [role[:1] for role in roles]
    for word in words:
        if initials.count(word[:1]) == 1:
            return initials.index(word[:1])
    return None


def _labels(pieces: set[tuple[str, ...]], roles: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return a label for each of one owner's pieces, without the owner's name or initial."""
    words = {piece: "".join(word for word in piece if word not in roles) for piece in pieces}
    named = set(words.values())
    if len(named) > 1 and len({word[:1] for word in named}) == 1 and all(w[1:] for w in named):
        words = {piece: word[1:] for piece, word in words.items()}
        named = set(words.values())
    if {word.lower() for word in named} == MEN_AND_KINGS:  # of checkers: only kings have a mark
        king = CHESS_PIECES["king"] + TEXT_STYLE
        return {piece: king if word.lower() == "k" else "" for piece, word in words.items()}
    labels, prefixes = {}, _unique_prefixes(named)
    for piece, word in words.items():
        symbol = CHESS_PIECES.get(word.lower())
        short = word if len(word) <= MAX_LABEL else prefixes[word]
        labels[piece] = f"{symbol}{TEXT_STYLE}" if symbol else short[:MAX_LABEL].upper()
    return labels
