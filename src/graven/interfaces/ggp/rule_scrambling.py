"""Replace the words of rules and moves by meaningless ones, so that names give no hints."""

from __future__ import annotations

import re

from graven.core.rng import derive
from graven.gdl.language.kif_reader import Expression, KifList, Word, expressions
from graven.gdl.language.kif_terms import KEYWORDS, OPERATORS
from graven.interfaces.ggp.ggp_messages import kif

# Replacement words have two or three of these syllables.
SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]
_NUMBER = re.compile(r"[+-]?\d+")


class Scrambler:
    """A one-to-one replacement of words; keywords, numbers and variables stay."""

    def __init__(self, rules: str, seed: int) -> None:
        self._replacements: dict[str, str] = {}
        words = sorted({word for item in expressions(rules) for word in _replaceable_words(item)})
        taken = {word.lower() for word in words}
        for number, word in enumerate(words):
            attempt = 0
            while (replacement := _random_word(derive(seed, number, attempt))) in taken:
                attempt += 1
            taken.add(replacement)
            self._replacements[word] = replacement
        self._originals = {new: word for word, new in self._replacements.items()}

    def scramble(self, text: str) -> str:
        """Return a text with its words replaced."""
        return " ".join(kif(_replace(item, self._replacements)) for item in expressions(text))

    def unscramble(self, text: str) -> str:
        """Return a scrambled text in the words of the rules."""
        return " ".join(kif(_replace(item, self._originals)) for item in expressions(text))


def _random_word(number: int) -> str:
    syllables = []
    for _ in range(2 + number % 2):
        number //= len(SYLLABLES)
        syllables.append(SYLLABLES[number % len(SYLLABLES)])
    return "".join(syllables)


def _is_fixed(word: str) -> bool:
    lower = word.lower()
    return (
        word.startswith("?")
        or lower in KEYWORDS
        or lower in OPERATORS
        or bool(_NUMBER.fullmatch(word))
    )


def _replaceable_words(expression: Expression) -> set[str]:
    if isinstance(expression, Word):
        return set() if _is_fixed(expression.text) else {expression.text}
    return {word for item in expression.items for word in _replaceable_words(item)}


def _replace(expression: Expression, words: dict[str, str]) -> Expression:
    if isinstance(expression, Word):
        return Word(words.get(expression.text, expression.text), expression.at)
    return KifList(tuple(_replace(item, words) for item in expression.items), expression.at)
