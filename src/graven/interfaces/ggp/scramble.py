"""Rules with every word replaced by another: a player shall learn nothing from names."""

from __future__ import annotations

import re

from graven.core.rng import derive
from graven.gdl.language.kif_reader import (
    KEYWORDS,
    OPERATORS,
    Expression,
    KifList,
    Word,
    expressions,
)
from graven.interfaces.ggp.ggp_messages import kif

# Made-up words of two or three syllables, of which there are enough.
SYLLABLES = [a + b for a in "bdfghjklmnprstvz" for b in "aeiou"]
_NUMBER = re.compile(r"[+-]?\d+")


class Scramble:
    """Other words for those of some rules: not for keywords, numbers and variables."""

    def __init__(self, rules: str, seed: int) -> None:
        self._there: dict[str, str] = {}
        words = sorted({word for each in expressions(rules) for word in _words(each)})
        taken = {word.lower() for word in words}
        for number, word in enumerate(words):
            attempt = 0
            while (other := _made_up(derive(seed, number, attempt))) in taken:
                attempt += 1
            taken.add(other)
            self._there[word] = other
        self._back = {other: word for word, other in self._there.items()}

    def there(self, text: str) -> str:
        """A text in other words."""
        return " ".join(kif(_changed(each, self._there)) for each in expressions(text))

    def back(self, text: str) -> str:
        """A text in the words of the rules."""
        return " ".join(kif(_changed(each, self._back)) for each in expressions(text))


def _made_up(number: int) -> str:
    parts = []
    for _ in range(2 + number % 2):
        number //= len(SYLLABLES)
        parts.append(SYLLABLES[number % len(SYLLABLES)])
    return "".join(parts)


def _fixed(word: str) -> bool:
    lower = word.lower()
    return (
        word.startswith("?")
        or lower in KEYWORDS
        or lower in OPERATORS
        or bool(_NUMBER.fullmatch(word))
    )


def _words(expression: Expression) -> set[str]:
    if isinstance(expression, Word):
        return set() if _fixed(expression.text) else {expression.text}
    return {word for item in expression.items for word in _words(item)}


def _changed(expression: Expression, words: dict[str, str]) -> Expression:
    if isinstance(expression, Word):
        return Word(words.get(expression.text, expression.text), expression.at)
    return KifList(tuple(_changed(item, words) for item in expression.items), expression.at)
