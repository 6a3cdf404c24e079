"""Ground terms as whole numbers, so that comparing two of them costs nothing."""

from __future__ import annotations

from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import Compound, Term, Variable, spaced

LARGEST = 10_000  # words of a term: each part may stand in it many times, and is written each time


class TermTable:
    """Every ground term that was ever seen has a number.

    `parts[n]` is empty for a constant; of `(cell 1 b)` it has the numbers of `cell`, `1` and `b`.
    A name stands for the same number as a constant and as a function.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[int, ...]] = []
        self._terms: list[Term] = []
        self._constants: dict[str, int] = {}
        self._compounds: dict[tuple[int, ...], int] = {}
        self._sizes: list[int] = []

    def __len__(self) -> int:
        return len(self.parts)

    def constant(self, name: str) -> int:
        """The number of a name."""
        number = self._constants.get(name)
        if number is None:
            number = self._constants[name] = self._add((), name)
        return number

    def compound(self, parts: tuple[int, ...]) -> int:
        """The number of a function with its arguments, all given by their numbers."""
        number = self._compounds.get(parts)
        if number is None:
            name = self._terms[parts[0]]
            assert isinstance(name, str)
            if sum(self._sizes[part] for part in parts) > LARGEST:
                raise TooLargeError(f"a term of {name} has more than {LARGEST:,} words.")
            term = Compound(name, tuple(self._terms[part] for part in parts[1:]))
            number = self._compounds[parts] = self._add(parts, term)
        return number

    def number(self, term: Term) -> int:
        """The number of a ground term."""
        if isinstance(term, Compound):
            return self.compound((self.constant(term.name), *map(self.number, term.args)))
        assert not isinstance(term, Variable)
        return self.constant(term)

    def known(self, term: Term) -> int | None:
        """The number of a ground term if it has one; nothing is added."""
        if isinstance(term, Compound):
            parts = [self._constants.get(term.name), *map(self.known, term.args)]
            if None in parts:
                return None
            return self._compounds.get(tuple(part for part in parts if part is not None))
        return self._constants.get(term) if isinstance(term, str) else None

    def term(self, number: int) -> Term:
        """The term of a number."""
        return self._terms[number]

    def text(self, number: int) -> str:
        """The term as GGP-Base prints it: `( move 1 2 )`, `noop`."""
        return spaced(self._terms[number])

    def _add(self, parts: tuple[int, ...], term: Term) -> int:
        self.parts.append(parts)
        self._sizes.append(sum(self._sizes[part] for part in parts) or 1)
        self._terms.append(term)
        return len(self.parts) - 1
