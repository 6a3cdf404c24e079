"""Prepare the rules of a match: a slow game at once, a fast one when it is ready."""

from __future__ import annotations

import logging
import threading
import time

from graven.core.cancellation import SearchCancelled, cancelled_by
from graven.core.errors import GravenError
from graven.gdl.grounding.grounder import GroundingLimits
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_terms import Sheet
from graven.gdl.sheet_loader import SheetOptions, network_game_of, proof_game_of
from graven.interfaces.ggp.match_state import MatchState

log = logging.getLogger("graven.ggp")

MAX_GROUNDING_SECONDS = 600.0
"""A network that is ready only in the middle of a match is still worth the time."""


def prepare_rules(sheet: Sheet, state: MatchState, ready: threading.Event) -> None:
    """Set the state's games one after the other; cancel when the state is closed.

    The first game proves its rules. It takes a moment to prepare, and every answer is a legal move
    from then on: `ready` is set. A propositional network replaces it once it is built.
    """
    with cancelled_by(state.closed):
        began = time.monotonic()
        _use_proof_game(sheet, state)
        ready.set()
        _use_network_game(sheet, state, began)
        state.end_grounding()


def _use_proof_game(sheet: Sheet, state: MatchState) -> None:
    try:
        state.use_game(proof_game_of(sheet, state.title, SheetOptions()), slow=True)
    except SearchCancelled:
        log.info("%s: over before its rules were ready", state.title)
    except GravenError as error:
        log.log(_level(state, logging.ERROR), "%s: %s", state.title, error)


def _use_network_game(sheet: Sheet, state: MatchState, began: float) -> None:
    if state.closed.is_set():
        return
    try:
        options = SheetOptions(limits=GroundingLimits(seconds=MAX_GROUNDING_SECONDS))
        state.use_game(network_game_of(sheet, options), slow=False)
        log.info("%s: grounded after %.1f s", state.title, time.monotonic() - began)
    except SearchCancelled:
        log.info("%s: over before it was grounded", state.title)
    except GravenError as error:
        level = logging.WARNING if isinstance(error, TooLargeError) else logging.ERROR
        message = "%s: not grounded, continuing with the slow proof: %s"
        log.log(_level(state, level), message, state.title, error)
    except Exception:
        log.exception("%s: not grounded, continuing with the slow proof", state.title)


def _level(state: MatchState, level: int) -> int:
    """Return the log level of an error; cancellation after the end of a match is no error."""
    return logging.INFO if state.closed.is_set() else level
