"""Make a game from the text of a rulesheet: by a network if possible, else by proof."""

from __future__ import annotations

import gc
import hashlib
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from graven.core.errors import UsageError, unknown
from graven.core.game import Game, Option
from graven.gdl.grounding.grounder import GroundingLimits
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import read
from graven.gdl.language.kif_terms import Sheet, spaced
from graven.gdl.language.sheet_checks import check
from graven.gdl.move_text import move_term
from graven.gdl.network.network_builder import build_network
from graven.gdl.network.propositional import Network
from graven.gdl.network_game import DEFAULT_STEPS, network_game
from graven.gdl.proof.proof_game import proof_game

AUTO, NETWORK, PROOF = "auto", "network", "proof"
METHODS = (AUTO, NETWORK, PROOF)
MAX_STEPS = 100_000

log = logging.getLogger("graven.gdl")

SpecOptions = Mapping[str, Option]
"""The options that a game's spec shows."""


@dataclass(frozen=True)
class SheetOptions:
    """How to make a game of a sheet.

    `by` is "network", "proof" or "auto": a network within the limits, else proof. A game that is
    not over after `steps` steps ends there, with the goals of that position.
    """

    by: str = AUTO
    steps: int = DEFAULT_STEPS
    limits: GroundingLimits | None = None

    def __post_init__(self) -> None:
        if self.by not in METHODS:
            raise unknown("way to play a sheet", self.by, METHODS)
        if not 1 <= self.steps <= MAX_STEPS:
            raise UsageError(f"steps must be from 1 to {MAX_STEPS:,}, not {self.steps}.")


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def sheet_game(
    text: str, title: str, options: SheetOptions | None = None, spec: SpecOptions | None = None
) -> Game:
    """Make the game of a text; `title` names the sheet in messages."""
    options = options or SheetOptions()
    sheet = checked_sheet(text, title)
    if options.by != PROOF:
        try:
            return network_game_of(sheet, options, spec)
        except TooLargeError as error:
            if options.by == NETWORK:
                raise
            reason = str(error).removesuffix(".")
            log.warning("%s is played by proof, which is slow: %s.", title, reason)
    return proof_game_of(sheet, title, options, spec)


def checked_sheet(text: str, title: str) -> Sheet:
    """Read and check the rules in a text; raise UsageError if they have errors."""
    with _garbage_collection_paused():
        sheet = read(text, title)
        check(sheet, title)
    return sheet


def network_game_of(sheet: Sheet, options: SheetOptions, spec: SpecOptions | None = None) -> Game:
    """Make the game of a sheet by a network; raise TooLargeError beyond the limits."""
    with _garbage_collection_paused():
        return game_of_network(build_network(sheet, options.limits), options, spec)


def game_of_network(
    network: Network, options: SheetOptions, spec: SpecOptions | None = None
) -> Game:
    """Make the game of a network that was built from a sheet."""
    game = network_game(network, spec, options.steps)
    codes = [{text: code for code, text in enumerate(texts)} for texts in network.moves]

    def read_move(role: int, text: str) -> int | None:
        term = move_term(text)
        return None if term is None else codes[role].get(spaced(term))

    return game.changed(parse_move=read_move)


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection.

    A large sheet is a hundred thousand objects and its network millions of tuples, all without a
    cycle. The collector would traverse them repeatedly, which takes a fifth of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def proof_game_of(
    sheet: Sheet, title: str, options: SheetOptions, spec: SpecOptions | None = None
) -> Game:
    """Make the game of a sheet by proof."""
    return proof_game(sheet, title, spec, options.steps)
