"""Sets of up to 64 cells as the bits of one word, for fast rules of user-defined games.

    from graven import bitboards

See docs/write-a-game.md. All but `word_of` are for compiled rules.
"""

from __future__ import annotations

from graven.core.bits import append, bit, count, down, draw, lowest, nth, word_of

__all__ = ["append", "bit", "count", "down", "draw", "lowest", "nth", "word_of"]
