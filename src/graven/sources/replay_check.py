"""Games of objects must be replayable: the same moves lead to the same position every time."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from graven.core.contract import TERMINAL
from graven.core.errors import ContractError

if TYPE_CHECKING:
    from graven.sources.object_rules import ObjectRules

# Random games that are replayed before the first use of a game, at most for so many seconds.
GAMES, REPLAYS, SECONDS = 20, 2, 0.05
STARTS = 20  # objects that are made to tell a random start from a start that was changed
MUTABLE = (list, dict, set, bytearray, deque, np.ndarray)
CHANCE_REMEDY = (
    "Let a method `chances` list the outcomes with their probabilities instead of drawing one: see "
    "docs/dice.md"
)
SHARED_REMEDY = (
    "Is a list shared between objects as a class attribute or a default argument? Set what changes "
    "in `__init__`."
)


def random_rules_error(name: str) -> ContractError:
    """Return the error that the rules of a game are random."""
    return ContractError(
        f"the same moves of {name} lead to different positions: the rules are random. "
        + CHANCE_REMEDY
    )


def shared_data_error(name: str, attributes: Sequence[str]) -> ContractError:
    """Return the error that objects share data; `attributes` are those that have changed."""
    cause = SHARED_REMEDY
    if attributes:
        quoted = ", ".join(f"`{attribute}`" for attribute in attributes)
        cause = (
            f"all objects share {quoted} of the class, and `play` changes it. Set what changes in "
            "`__init__`."
        )
    return ContractError(f"a new object of {name} is not at the start of the game: {cause}")


def check_replays(name: str, rules: ObjectRules, max_plies: int, begins: bool) -> None:
    """Raise ContractError if random games, replayed, lead to other positions.

    A search does not notice this reliably: it plays few games twice. `begins` is whether a new
    object must be before the end of a game.
    """
    rng, deadline = random.Random(0), time.monotonic() + SECONDS
    shared, start = _shared_attributes(rules), looks(rules, ())
    if begins and _is_over(rules):
        raise ContractError(
            f"a new object of {name} is not at the start of the game: `over` is true. Let it be "
            "false (False, None or 0) until the end: a text is true, and so is -1. " + SHARED_REMEDY
        )
    for _ in range(GAMES):
        history = _random_history(rules, max_plies, rng, deadline)
        if looks(rules, ()) != start:
            if len({tuple(looks(rules, ())) for _ in range(STARTS)}) > 1:
                raise random_rules_error(name)
            after = _shared_attributes(rules)
            raise shared_data_error(name, [each for each in shared if after[each] != shared[each]])
        first = looks(rules, history)
        if any(looks(rules, history) != first for _ in range(REPLAYS)):
            raise random_rules_error(name)
        if time.monotonic() > deadline:
            return


def _is_over(rules: ObjectRules) -> bool:
    with suppress(Exception):  # reported when the game is played
        return rules.observe(rules.start(), 0)[0] == TERMINAL
    return False


def _shared_attributes(rules: ObjectRules) -> dict[str, str]:
    """Return the texts of the lists and the like that all objects have from their class."""
    texts = {}
    with suppress(Exception):
        position = rules.start()
        own = getattr(position, "__dict__", {})
        for base in reversed(type(position).__mro__):
            for name, value in vars(base).items():
                if isinstance(value, MUTABLE) and not name.startswith("__") and name not in own:
                    texts[name] = repr(value)
    return texts


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
