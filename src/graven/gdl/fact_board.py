"""Format a position as text: the true facts, those of a board relation drawn as a board."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MAX_SIDE = 40
EMPTY = frozenset({"b", "blank", "empty", "e", "none", "clear"})


class PlacedFact(NamedTuple):
    """A fact such as `( cell 1 2 white )`: two coordinates, and the words of a piece."""

    relation: tuple[str, int]
    x: str
    y: str
    piece: tuple[str, ...]


def placed(fact: str) -> PlacedFact | None:
    """Parse a fact of a board; None if it has another form."""
    words = fact.split()
    if len(words) < 6 or words[0] != "(" or "(" in words[1:]:
        return None
    return PlacedFact((words[1], len(words)), words[2], words[3], tuple(words[4:-1]))


class FactBoard:
    """Draws the relation of a game that looks most like a board."""

    def __init__(self, facts: Iterable[str]) -> None:
        by_relation: dict[tuple[str, int], list[PlacedFact]] = defaultdict(list)
        for fact in facts:
            if cell := placed(fact):
                by_relation[cell.relation].append(cell)
        self.relation = max(
            (relation for relation, cells in by_relation.items() if _is_board(cells)),
            key=lambda relation: (len(by_relation[relation]), relation),
            default=None,
        )
        cells = by_relation[self.relation] if self.relation else []
        self.columns = sorted({cell.x for cell in cells}, key=_order)
        self.rows = sorted({cell.y for cell in cells}, key=_order)
        self.marks = [_marks(words) for words in zip(*(cell.piece for cell in cells), strict=True)]

    def text(self, facts: Sequence[str]) -> str:
        """Return the board, the last row on top, and the other facts below it."""
        cells: dict[tuple[str, str], list[str]] = defaultdict(list)
        others = []
        for fact in facts:
            cell = placed(fact)
            if cell and cell.relation == self.relation:
                marks = zip(self.marks, cell.piece, strict=True)
                cells[cell.x, cell.y].append("".join(short[word] for short, word in marks))
            else:
                others.append(fact)
        return "\n".join([*self._lines(cells), *others]) or "(no facts)"

    def _lines(self, cells: dict[tuple[str, str], list[str]]) -> list[str]:
        if not self.relation:
            return []
        shown = {(x, y): "/".join(cells[x, y]) or "." for x in self.columns for y in self.rows}
        wide = max(map(len, [*shown.values(), *self.columns]))
        edge = max(map(len, self.rows))
        lines = [
            f"{y.rjust(edge)} {' '.join(shown[x, y].ljust(wide) for x in self.columns)}"
            for y in reversed(self.rows)
        ]
        lines.append(f"{'':{edge}} {' '.join(x.ljust(wide) for x in self.columns)}")
        return [line.rstrip() for line in lines]


def _is_board(cells: list[PlacedFact]) -> bool:
    """Return whether most pairs of coordinates are used, and there are not too many of them."""
    wide, high = len({cell.x for cell in cells}), len({cell.y for cell in cells})
    used = len({(cell.x, cell.y) for cell in cells})
    return 2 <= wide <= MAX_SIDE and 2 <= high <= MAX_SIDE and 2 * used > wide * high


def _order(word: str) -> tuple[int, int, str]:
    """Sort numbers by value, then words."""
    return (0, int(word), "") if word.isascii() and word.isdigit() else (1, 0, word)


def _marks(words: Iterable[str]) -> dict[str, str]:
    """Return a short name for each word: its shortest prefix that no other word has."""
    distinct = set(words)
    marks = {}
    for word in distinct:
        length = 1
        while length < len(word) and any(
            rival.startswith(word[:length]) for rival in distinct - {word}
        ):
            length += 1
        marks[word] = "." if word.lower() in EMPTY and len(distinct) > 1 else word[:length]
    return marks
