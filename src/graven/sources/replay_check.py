"""Games of objects must be replayable: the same moves lead to the same position every time."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from graven.core.contract import TERMINAL
from graven.core.errors import ContractError

if TYPE_CHECKING:
    from graven.sources.object_rules import ObjectRules

# Random games that are replayed before the first use of a game, at most for so many seconds.
GAMES, REPLAYS, SECONDS = 20, 2, 0.05
CHANCE_REMEDY = (
    "Let a method `chances` list the outcomes with their probabilities instead of drawing one: see "
    "docs/dice.md"
)


def random_rules_error(name: str) -> ContractError:
    """Return the error that the rules of a game are random."""
    return ContractError(
        f"the same moves of {name} lead to different positions: the rules are random. "
        + CHANCE_REMEDY
    )


def check_replays(name: str, rules: ObjectRules, max_plies: int) -> None:
    """Raise ContractError if random games, replayed, lead to other positions.

    A search does not notice this reliably: it plays few games twice.
    """
    rng, deadline = random.Random(0), time.monotonic() + SECONDS
    for _ in range(GAMES):
        history = _random_history(rules, max_plies, rng, deadline)
        first = looks(rules, history)
        if any(looks(rules, history) != first for _ in range(REPLAYS)):
            raise random_rules_error(name)
        if time.monotonic() > deadline:
            return


def looks(rules: ObjectRules, history: Sequence[int]) -> list[int]:
    """Return a hash of every position of a game, up to a move that is not possible this time."""
    hashes = []
    with suppress(Exception):
        position = rules.start()
        for length in range(len(history) + 1):
            turn, codes, results, _ = rules.observe(position, length)
            hashes.append(hash((turn, *codes, *results)))
            if length < len(history):
                position = rules.play(position, history[length])
    return hashes


def _random_history(
    rules: ObjectRules, max_plies: int, rng: random.Random, deadline: float
) -> list[int]:
    """Return the codes of random moves from the start, until the time is over."""
    history: list[int] = []
    with suppress(Exception):  # reported when the game is played
        position = rules.start()
        while len(history) < max_plies and time.monotonic() < deadline:
            turn, codes, *_rest = rules.observe(position, len(history))
            if turn == TERMINAL:
                break
            history.append(rng.choice(codes))
            position = rules.play(position, history[-1])
    return history
