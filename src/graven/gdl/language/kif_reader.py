"""Parse KIF text into rules: the syntax of GDL.

There are two layers. `expressions` reads words and parentheses, which the messages of the GGP
protocol consist of as well; `read` makes rules of them. The input is untrusted: its size and its
nesting are bounded, and errors give line and column.

Names are case-sensitive, as in GGP-Base; GDL's keywords (`role`, `next`, ...) are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, NoReturn

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import (
    KEYWORDS,
    MOST_DEPTH,
    OPERATORS,
    And,
    Atom,
    Compound,
    Distinct,
    Literal,
    Not,
    Or,
    Rule,
    Sheet,
    Term,
    Variable,
    flattened,
)
from graven.gdl.language.quick_reader import NotPlainError, quick_rules

MOST_TEXT = 4_000_000
"""The maximum length of a text in characters."""


class Word(NamedTuple):
    """A word and its position in the text."""

    text: str
    at: int


class KifList(NamedTuple):
    """A parenthesised list and the position of its opening parenthesis."""

    items: tuple[Expression, ...]
    at: int


Expression = Word | KifList


def read(text: str, name: str = "the sheet") -> Sheet:
    """Parse the rules of a text; error messages refer to it as `name`."""
    if len(text) <= MOST_TEXT:
        with suppress(NotPlainError):
            return Sheet(quick_rules(text))
    return Sheet(located_rules(text, name))


def located_rules(text: str, name: str = "the sheet") -> tuple[Rule, ...]:
    """Parse the rules of any text; errors show the line and the column."""
    reader = _Reader(text, name)
    return tuple(reader.rule(each) for each in expressions(text, name))


def expressions(text: str, name: str = "the text") -> list[Expression]:
    """Return all words and lists of a text, without comments."""
    reader = _Reader(text, name)
    if len(text) > MOST_TEXT:
        raise UsageError(f"{name} has {len(text):,} characters; at most {MOST_TEXT:,} are read.")
    top_level: list[Expression] = []
    open_forms: list[tuple[int, list[Expression]]] = []
    items = top_level
    for kind, word, at in _tokens(reader):
        if kind == "(":
            if len(open_forms) >= MOST_DEPTH:
                reader.fail(at, f"parentheses are nested more than {MOST_DEPTH} deep")
            items = []
            open_forms.append((at, items))
        elif kind == ")":
            if not open_forms:
                reader.fail(at, "this parenthesis closes nothing")
            start, closed = open_forms.pop()
            items = open_forms[-1][1] if open_forms else top_level
            items.append(KifList(tuple(closed), start))
        else:
            items.append(Word(word, at))
    if open_forms:
        reader.fail(open_forms[-1][0], "this parenthesis is never closed")
    return top_level


# A quote mark before a list or a word has no effect in GDL and is skipped.
_TOKEN = re.compile(
    r"""(?P<skip>[\s\0\ufeff]+|;[^\r\n]*|'(?=[(|"?\w]))
      | (?P<open>\()
      | (?P<close>\))
      | (?P<bars>\|[^|\r\n]*\|)
      | (?P<string>"(?:[^"\\]|\\.){0,10000}+")
      | (?P<broken>["|])
      | (?P<word>[^\s\0\ufeff();]+)""",
    re.VERBOSE | re.DOTALL,
)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _tokens(reader: _Reader) -> Iterator[tuple[str, str, int]]:
    for match in _TOKEN.finditer(reader.text):
        kind, word, at = match.lastgroup, match.group(), match.start()
        if kind not in (None, "skip") and (bad := _CONTROL.search(word)):
            # Names are printed to terminals, which would interpret control characters.
            reader.fail(at + bad.start(), "here is a control character")
        if kind == "open" or kind == "close":
            yield word, word, at
        elif kind == "bars":
            if _plain(word[1:-1]):
                yield "word", word[1:-1], at
            else:
                yield "word", word, at
        elif kind == "word" or kind == "string":
            yield "word", word, at
        elif kind == "broken":
            reader.fail(at, f"this {word} is never closed")


def _plain(word: str) -> bool:
    """Return whether a quoted word would be read as the same word without its quotes."""
    return bool(re.fullmatch(r"""[^\s\0\ufeff();|"'?][^\s\0\ufeff();]*""", word))


class _Reader:
    """Converts expressions to rules; keeps the text for error messages."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text[:MOST_TEXT]))]

    def line(self, at: int) -> int:
        """Return the line number of a position, from 1."""
        low, high = 0, len(self._starts)
        while high - low > 1:
            middle = (low + high) // 2
            if self._starts[middle] <= at:
                low = middle
            else:
                high = middle
        return low + 1

    def fail(self, at: int, reason: str) -> NoReturn:
        """Raise a UsageError that shows this position of the text."""
        number = self.line(at)
        start = self._starts[number - 1]
        column = at - start + 1
        line = re.split(r"[\r\n]", self.text[start : start + column + 200], maxsplit=1)[0]
        shown, before = _window(_CONTROL.sub("?", line), column - 1)
        raise UsageError(
            f"{self.name}, line {number}, column {column}: {reason}.\n"
            f"    {shown}\n    {' ' * before}^"
        )

    def rule(self, expression: Expression) -> Rule:
        """Convert a fact, or a head with its body."""
        line = self.line(expression.at)
        if isinstance(expression, KifList) and expression.items:
            first = expression.items[0]
            if isinstance(first, Word) and first.text == "<=":
                if len(expression.items) < 2:
                    self.fail(expression.at, "a rule needs a head: (<= head condition ...)")
                body = tuple(self.literal(each) for each in expression.items[2:])
                return Rule(self.atom(expression.items[1]), flattened(body), line)
        return Rule(self.atom(expression), (), line)

    def literal(self, expression: Expression) -> Literal:
        """Convert one condition of a body."""
        if isinstance(expression, Word) or not expression.items:
            return self.atom(expression)
        first, rest = expression.items[0], expression.items[1:]
        operator = first.text.lower() if isinstance(first, Word) else ""
        if operator == "not":
            if len(rest) != 1:
                self.fail(expression.at, f"'not' takes one condition, here it has {len(rest)}")
            return Not(self.literal(rest[0]))
        if operator in ("or", "and"):
            parts = tuple(self.literal(each) for each in rest)
            return Or(parts) if operator == "or" else And(parts)
        if operator == "distinct":
            if len(rest) != 2:
                self.fail(expression.at, f"'distinct' takes two terms, here it has {len(rest)}")
            return Distinct(self.term(rest[0]), self.term(rest[1]))
        if operator == "quote" and len(rest) == 1:
            return self.literal(rest[0])
        return self.atom(expression)

    def atom(self, expression: Expression) -> Atom:
        """Convert a relation with its arguments, or a proposition."""
        if isinstance(expression, Word):
            return Atom(self._name(expression))
        if not expression.items:
            self.fail(expression.at, "there is nothing between these parentheses")
        first = expression.items[0]
        if isinstance(first, Word) and first.text.lower() == "quote" and len(expression.items) == 2:
            return self.atom(expression.items[1])
        if not isinstance(first, Word):
            self.fail(first.at, "a relation starts with its name, here with a parenthesis")
        return Atom(self._name(first), tuple(self.term(each) for each in expression.items[1:]))

    def term(self, expression: Expression) -> Term:
        """Convert a constant, a variable or a function."""
        if isinstance(expression, Word):
            if expression.text.startswith("?"):
                return Variable(expression.text)
            return _keyword(expression.text)
        if not expression.items:
            self.fail(expression.at, "there is nothing between these parentheses")
        first = expression.items[0]
        if not isinstance(first, Word):
            self.fail(first.at, "a function starts with its name, here with a parenthesis")
        if first.text.lower() == "quote" and len(expression.items) == 2:
            return self.term(expression.items[1])
        return Compound(self._name(first), tuple(self.term(each) for each in expression.items[1:]))

    def _name(self, word: Word) -> str:
        if word.text.startswith("?"):
            self.fail(word.at, f"a name is expected here, not the variable {word.text}")
        if word.text.lower() in OPERATORS:
            self.fail(word.at, f"{word.text!r} cannot be the name of a relation or function here")
        return _keyword(word.text)


def term_of(expression: Expression) -> Term:
    """Convert a separate expression, such as a move in a message, to a term."""
    return _Reader("", "the message").term(expression)


def _keyword(word: str) -> str:
    lower = word.lower()
    return lower if lower in KEYWORDS else word


def _window(line: str, at: int, width: int = 76) -> tuple[str, int]:
    """Return the part of a line around a position, tabs as spaces, and the position in it."""
    start = max(0, at - width // 2) if len(line) > width else 0
    shown = re.sub(r"[^\x20-\x7e\xa0-\U0010ffff]", " ", line[start : start + width])
    return shown.rstrip(), at - start
