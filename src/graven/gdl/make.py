"""From a rulesheet's text to a game: grounded where it can be, else by proof."""

from __future__ import annotations

import gc
import hashlib
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from graven.core.errors import UsageError, unknown
from graven.core.game import Game, Option
from graven.gdl.build import network
from graven.gdl.check import check
from graven.gdl.game import STEPS, network_game
from graven.gdl.ground import Limits
from graven.gdl.moves import move_term
from graven.gdl.program import TooLargeError
from graven.gdl.proof.game import proof_game
from graven.gdl.read import Sheet, read, spaced

AUTO, NETWORK, PROOF = "auto", "network", "proof"
WAYS = (AUTO, NETWORK, PROOF)
MOST_STEPS = 100_000

log = logging.getLogger("graven.gdl")


@dataclass(frozen=True)
class How:
    """How a game is to be made of a sheet.

    `by` is "network", "proof" or "auto" (a network if the limits allow one, else proof); a game
    that has not ended after `steps` steps ends there, with the goals as they are.
    """

    by: str = AUTO
    steps: int = STEPS
    limits: Limits | None = None

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise unknown("way to play a sheet", self.by, WAYS)
        if not 1 <= self.steps <= MOST_STEPS:
            raise UsageError(f"steps must be from 1 to {MOST_STEPS:,}, not {self.steps}.")


def digest(text: str) -> str:
    """What tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def make(
    text: str,
    title: str,
    how: How | None = None,
    name: str = "gdl",
    options: Mapping[str, Option] | None = None,
) -> Game:
    """The game of a text. `title` is what messages call the sheet."""
    how = how or How()
    sheet = checked(text, title)
    if how.by != PROOF:
        try:
            return network_game_of(sheet, how, name, options)
        except TooLargeError as error:
            if how.by == NETWORK:
                raise
            reason = str(error).removesuffix(".")
            log.warning("%s is played by proof, which is slow: %s.", title, reason)
    return proof_game_of(sheet, title, how, name, options)


def checked(text: str, title: str) -> Sheet:
    """The rules in a text, after all checks."""
    sheet = read(text, title)
    check(sheet, title)
    return sheet


def network_game_of(
    sheet: Sheet, how: How, name: str = "gdl", options: Mapping[str, Option] | None = None
) -> Game:
    """The game of a sheet as a network; TooLargeError where the limits do not allow it."""
    with _uncollected():
        made = network(sheet, how.limits)
        game = network_game(made, name, options, how.steps)
    codes = [{text: code for code, text in enumerate(texts)} for texts in made.moves]

    def read_move(role: int, text: str) -> int | None:
        term = move_term(text)
        return None if term is None else codes[role].get(spaced(term))

    return game.changed(parse_move=read_move)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Do not look for garbage: a large network is millions of tuples and sets, none of them in a
    cycle, and going through all of them again and again takes a fifth of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def proof_game_of(
    sheet: Sheet,
    title: str,
    how: How,
    name: str = "gdl",
    options: Mapping[str, Option] | None = None,
) -> Game:
    """The game of a sheet by proof."""
    return proof_game(sheet, title, name, options, how.steps)
