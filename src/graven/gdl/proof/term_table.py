"""Number ground terms, so that comparing two of them is comparing integers."""

from __future__ import annotations

from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_terms import Compound, Term, Variable

MAX_WORDS = 10_000
"""The maximum number of words of a term: subterms are shared in memory, but repeated in text."""


class TermTable:
    """The numbers of all ground terms that have occurred.

    `parts[n]` is empty for a constant; for `(cell 1 b)` it has the numbers of `cell`, `1` and `b`.
    A name has the same number as a constant and as a function.
    """

    def __init__(self) -> None:
        self.parts: list[tuple[int, ...]] = []
        self._terms: list[Term] = []
        self._constants: dict[str, int] = {}
        self._compounds: dict[tuple[int, ...], int] = {}
        self._words: list[int] = []

    def __len__(self) -> int:
        return len(self.parts)

    def constant(self, name: str) -> int:
        """Return the number of a name."""
        number = self._constants.get(name)
        if number is None:
            number = self._constants[name] = self._add((), name)
        return number

    def compound(self, parts: tuple[int, ...]) -> int:
        """Return the number of a function; `parts` are the numbers of its name and arguments."""
        number = self._compounds.get(parts)
        if number is None:
            name = self._terms[parts[0]]
            assert isinstance(name, str)
            if sum(self._words[part] for part in parts) > MAX_WORDS:
                raise TooLargeError(f"a term of {name} has more than {MAX_WORDS:,} words.")
            term = Compound(name, tuple(self._terms[part] for part in parts[1:]))
            number = self._compounds[parts] = self._add(parts, term)
        return number

    def number(self, term: Term) -> int:
        """Return the number of a ground term."""
        if isinstance(term, Compound):
            return self.compound((self.constant(term.name), *map(self.number, term.args)))
        assert not isinstance(term, Variable)
        return self.constant(term)

    def known(self, term: Term) -> int | None:
        """Return the number of a ground term; None, and add nothing, if it is new."""
        if isinstance(term, Compound):
            parts = [self._constants.get(term.name), *map(self.known, term.args)]
            if None in parts:
                return None
            return self._compounds.get(tuple(part for part in parts if part is not None))
        return self._constants.get(term) if isinstance(term, str) else None

    def term(self, number: int) -> Term:
        """Return the term with a number."""
        return self._terms[number]

    def text(self, number: int) -> str:
        """Format a term as GGP-Base prints it: `( move 1 2 )`, `noop`."""
        # Without recursion: terms that grow from state to state can be thousands of levels deep.
        words: list[str] = []
        stack: list[int | str] = [number]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                words.append(item)
            elif parts := self.parts[item]:
                words.append("(")
                stack.append(")")
                stack += reversed(parts)
            else:
                name = self._terms[item]
                assert isinstance(name, str)
                words.append(name)
        return " ".join(words)

    def _add(self, parts: tuple[int, ...], term: Term) -> int:
        self.parts.append(parts)
        self._words.append(sum(self._words[part] for part in parts) or 1)
        self._terms.append(term)
        return len(self.parts) - 1
