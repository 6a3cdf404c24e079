"""Number ground terms, so that comparing two of them is comparing integers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_terms import Compound, Term, Variable
from graven.gdl.proof.proof_memory import MAX_WORDS, TermArrays
from graven.gdl.proof.term_interning import intern_term, intern_terms, rehash_terms

TERMS, PARTS = range(2)


class TermTable:
    """The numbers of all ground terms that have occurred.

    A constant has no parts; the parts of `(cell 1 b)` are the numbers of `cell`, `1` and `b`. A
    name has the same number as a constant and as a function.
    """

    def __init__(self) -> None:
        self.arrays = _new_arrays(1024)
        self._constants: dict[str, int] = {}
        self.names: dict[int, str] = {}
        """The constants by number."""
        self._buffer = np.zeros(16, np.int32)

    def __len__(self) -> int:
        return int(self.arrays.counts[TERMS])

    def constant(self, name: str) -> int:
        """Return the number of a name."""
        number = self._constants.get(name)
        if number is None:
            if len(self) >= len(self.arrays.first):
                self.reserve(1, 0)
            number = self._constants[name] = len(self)
            self.names[number] = name
            self.arrays.first[number] = self.arrays.counts[PARTS]
            self.arrays.size[number] = 0
            self.arrays.words[number] = 1
            self.arrays.counts[TERMS] += 1
        return number

    def compound(self, parts: tuple[int, ...]) -> int:
        """Return the number of a function; `parts` are the numbers of its name and arguments."""
        if len(parts) > len(self._buffer):
            self._buffer = np.zeros(2 * len(parts), np.int32)
        self._buffer[: len(parts)] = parts
        number = int(intern_term(self.arrays, self._buffer, 0, len(parts)))
        if number == -1:
            self.reserve(1, len(parts))
            number = int(intern_term(self.arrays, self._buffer, 0, len(parts)))
        if number < 0:
            raise self.too_many_words(parts[0])
        return number

    def too_many_words(self, name: int) -> TooLargeError:
        """Return the error for a term that is too large."""
        return TooLargeError(
            f"a term of {self.text(name)} has more than {MAX_WORDS:,} words. Do the rules recurse "
            "without end? See 'graven gdl check'."
        )

    def reserve(self, terms: int, parts: int) -> None:
        """Grow the arrays to hold this many more terms, and this many parts of them."""
        old = self.arrays
        most = max(
            len(old.first) if len(self) + terms <= len(old.first) else 2 * (len(self) + terms), 1
        )
        used = int(old.counts[PARTS])
        if used + parts > len(old.parts):
            most = max(most, (used + parts) // 2)
        if most == len(old.first):
            return
        new = _new_arrays(most)
        new.counts[:] = old.counts
        for name in ("first", "size", "words"):
            getattr(new, name)[: len(self)] = getattr(old, name)[: len(self)]
        new.parts[:used] = old.parts[:used]
        rehash_terms(new)
        self.arrays = new

    def number(self, term: Term) -> int:
        """Return the number of a ground term."""
        if isinstance(term, Compound):
            return self.compound((self.constant(term.name), *map(self.number, term.args)))
        assert not isinstance(term, Variable)
        return self.constant(term)

    def numbers(self, terms: Iterable[Term]) -> list[int]:
        """Return the numbers of many ground terms."""
        result: list[int] = []
        by_size: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        places: dict[int, list[int]] = defaultdict(list)
        for place, term in enumerate(terms):
            result.append(-1)
            if isinstance(term, Compound):
                args = (self.number(arg) for arg in term.args)
                by_size[len(term.args) + 1].append((self.constant(term.name), *args))
                places[len(term.args) + 1].append(place)
            else:
                result[place] = self.number(term)
        for size, rows in by_size.items():
            self.reserve(len(rows), size * len(rows))
            numbers = np.zeros(len(rows), np.int32)
            interned = intern_terms(self.arrays, np.array(rows, np.int32).ravel(), size, numbers)
            if interned < len(rows):
                raise self.too_many_words(rows[interned][0])
            for place, number in zip(places[size], numbers.tolist(), strict=True):
                result[place] = number
        return result

    def known(self, term: Term) -> int | None:
        """Return the number of a ground term, or None if it is new; add nothing."""
        if isinstance(term, Compound):
            parts = [self._constants.get(term.name), *map(self.known, term.args)]
            if None in parts:
                return None
            # Arrays without room: a new term is not added.
            full = self.arrays._replace(first=self.arrays.first[: len(self)])
            number = int(intern_term(full, np.array(parts, np.int32), 0, len(parts)))
            return None if number < 0 else number
        return self._constants.get(term) if isinstance(term, str) else None

    def parts(self, number: int) -> list[int]:
        """Return the parts of a function; none for a constant."""
        first, size = self.arrays.first[number], self.arrays.size[number]
        parts: list[int] = self.arrays.parts[first : first + size].tolist()
        return parts

    def term(self, number: int) -> Term:
        """Return the term with a number."""
        parts = self.parts(number)
        if not parts:
            return self.names[number]
        return Compound(self.names[parts[0]], tuple(map(self.term, parts[1:])))

    def text(self, number: int) -> str:
        """Format a term as GGP-Base prints it: `( move 1 2 )`, `noop`."""
        # Without recursion: terms that grow from state to state can be thousands of levels deep.
        words: list[str] = []
        stack: list[int | str] = [number]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                words.append(item)
            elif parts := self.parts(item):
                words.append("(")
                stack.append(")")
                stack += reversed(parts)
            else:
                words.append(self.names[item])
        return " ".join(words)


def _new_arrays(terms: int) -> TermArrays:
    """Return arrays for this many terms, of four parts on average."""
    first, size, words = (np.zeros(terms, np.int32) for _ in range(3))
    slots = np.zeros(1 << (2 * terms).bit_length(), np.int32)
    counts = np.zeros(2, np.int64)
    return TermArrays(counts, first, size, words, np.zeros(4 * terms, np.int32), slots)
