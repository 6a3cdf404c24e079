"""Read large sheets fast: rules from plain KIF text, without positions for error messages.

`kif_reader` keeps the position of every word, which takes several times as long. Text with errors,
or with rare syntax (quoted names, strings, control characters), is left to it.
"""

from __future__ import annotations

import re
from typing import Any

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
    Term,
    Variable,
    flattened,
)

_COMMENT = re.compile(r";[^\r\n]*")
# Quotes, and whatever is not plain text. A comment may contain them.
_RARE = re.compile(r"""['"|\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff]""")
_LINE_END = re.compile(r"\r\n|\r")
_TOKEN = re.compile(r"[()\n]|[^\s();]+")

Form = Any
"""A word, or a list of forms."""


class NotPlainError(Exception):
    """The text has an error, or something that only `kif_reader` reads."""


def quick_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules of a plain text; raise NotPlainError for any other."""
    forms, lines = _forms(text)
    builder = _Builder()
    try:
        return tuple([builder.rule(form, line) for form, line in zip(forms, lines, strict=True)])
    except (IndexError, ValueError, AttributeError, TypeError):
        # A list that is empty, or where a word is expected.
        raise NotPlainError from None


def _forms(text: str) -> tuple[list[Form], list[int]]:
    """Return the forms at the top level and the line in which each begins, from 1."""
    plain = _COMMENT.sub("", text)
    if _RARE.search(plain):
        raise NotPlainError
    items: list[Form] = []
    lines: list[int] = []
    enclosing: list[list[Form]] = []
    line = 1
    for token in _TOKEN.findall(_LINE_END.sub("\n", plain)):
        if token == "(":
            if not enclosing:
                lines.append(line)
            elif len(enclosing) >= MOST_DEPTH:
                raise NotPlainError
            enclosing.append(items)
            items = []
        elif token == ")":
            if not enclosing:
                raise NotPlainError
            closed = items
            items = enclosing.pop()
            items.append(closed)
        elif token == "\n":
            line += 1
        else:
            if not enclosing:
                lines.append(line)
            items.append(token)
    if enclosing:
        raise NotPlainError
    return items, lines


class _Builder:
    """Makes rules of forms."""

    def __init__(self) -> None:
        self.names, self.constants = _Names(), _Constants()

    def rule(self, form: Form, line: int) -> Rule:
        if form[0] == "<=" and form.__class__ is list:
            body = [self.literal(part) for part in form[2:]]
            return Rule(self.atom(form[1]), flattened(body), line)
        return Rule(self.atom(form), (), line)

    def literal(self, form: Form) -> Literal:
        if form.__class__ is str:
            return Atom(self.names[form])
        operator = form[0].lower()
        if operator not in OPERATORS:
            return Atom(self.names[form[0]], self.terms(form))
        if operator == "not":
            (negated,) = form[1:]
            return Not(self.literal(negated))
        if operator == "or":
            return Or(tuple([self.literal(part) for part in form[1:]]))
        if operator == "and":
            return And(tuple([self.literal(part) for part in form[1:]]))
        if operator == "distinct":
            left, right = self.terms(form)
            return Distinct(left, right)
        raise NotPlainError

    def atom(self, form: Form) -> Atom:
        if form.__class__ is str:
            return Atom(self.names[form])
        return Atom(self.names[form[0]], self.terms(form))

    def terms(self, form: Form) -> tuple[Term, ...]:
        """Return the arguments of a list."""
        constants = self.constants
        return tuple(
            [
                constants[part]
                if part.__class__ is str
                else Compound(self.names[part[0]], self.terms(part))
                for part in form[1:]
            ]
        )


class _Names(dict[str, str]):
    """The names of relations and functions, by their words."""

    def __missing__(self, word: str) -> str:
        lower = word.lower()
        if lower in OPERATORS or word[0] == "?":
            raise NotPlainError
        name = self[word] = lower if lower in KEYWORDS else word
        return name


class _Constants(dict[str, Term]):
    """Constants and variables, by their words."""

    def __missing__(self, word: str) -> Term:
        lower = word.lower()
        term: Term = Variable(word) if word[0] == "?" else lower if lower in KEYWORDS else word
        self[word] = term
        return term
