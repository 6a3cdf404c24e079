"""A position as text: the facts that hold, those that look like a board as a board."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_SIDE = 40
EMPTY = frozenset({"b", "blank", "empty", "e", "none", "clear"})


class Placed(NamedTuple):
    """A fact such as `( cell 1 2 white )`: two coordinates, and what is there in further words."""

    relation: tuple[str, int]
    x: str
    y: str
    piece: tuple[str, ...]


def placed(fact: str) -> Placed | None:
    """The fact taken apart, or None if it is of another form."""
    words = fact.split()
    if len(words) < 6 or words[0] != "(" or "(" in words[1:]:
        return None
    return Placed((words[1], len(words)), words[2], words[3], tuple(words[4:-1]))


class Board:
    """The relation of a game that looks most like a board, and how it is drawn."""

    def __init__(self, facts: Iterable[str]) -> None:
        by_relation: dict[tuple[str, int], list[Placed]] = defaultdict(list)
        for fact in facts:
            if at := placed(fact):
                by_relation[at.relation].append(at)
        self.relation = max(
            (relation for relation, cells in by_relation.items() if _like_a_board(cells)),
            key=lambda relation: (len(by_relation[relation]), relation),
            default=None,
        )
        cells = by_relation[self.relation] if self.relation else []
        self.columns = sorted({cell.x for cell in cells}, key=_order)
        self.rows = sorted({cell.y for cell in cells}, key=_order)
        self.marks = [_marks(words) for words in zip(*(cell.piece for cell in cells), strict=True)]

    def text(self, facts: Sequence[str]) -> str:
        """The board, the last row on top, and the other facts below it."""
        cells: dict[tuple[str, str], list[str]] = defaultdict(list)
        others = []
        for fact in facts:
            at = placed(fact)
            if at and at.relation == self.relation:
                marks = zip(self.marks, at.piece, strict=True)
                cells[at.x, at.y].append("".join(short[word] for short, word in marks))
            else:
                others.append(fact)
        return "\n".join([*self._lines(cells), *others]) or "(nothing holds)"

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


def _like_a_board(cells: list[Placed]) -> bool:
    """Whether most pairs of coordinates are used, and there are not too many of them."""
    wide, high = len({cell.x for cell in cells}), len({cell.y for cell in cells})
    used = len({(cell.x, cell.y) for cell in cells})
    return 2 <= wide <= MOST_SIDE and 2 <= high <= MOST_SIDE and 2 * used > wide * high


def _order(word: str) -> tuple[int, int, str]:
    """Numbers by size, then words."""
    return (0, int(word), "") if word.isascii() and word.isdigit() else (1, 0, word)


def _marks(words: Iterable[str]) -> dict[str, str]:
    """A short name for each word: as few of its first letters as tell it from the others."""
    known = set(words)
    marks = {}
    for word in known:
        length = 1
        while length < len(word) and any(
            other.startswith(word[:length]) for other in known - {word}
        ):
            length += 1
        marks[word] = "." if word.lower() in EMPTY and len(known) > 1 else word[:length]
    return marks
