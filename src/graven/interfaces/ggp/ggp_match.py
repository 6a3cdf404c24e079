"""One match: from rules to moves, within the clocks."""

from __future__ import annotations

import logging
import threading
import time

from graven.core import contract
from graven.core.cancellation import SearchCancelled, cancelled_by
from graven.core.errors import GravenError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.gdl.ground import Limits
from graven.gdl.make import How, network_game_of, proof_game_of
from graven.gdl.moves import after, moves_of
from graven.gdl.program import TooLargeError
from graven.gdl.read import Sheet
from graven.interfaces.ggp.clock_margin import Margin
from graven.interfaces.ggp.ggp_messages import Joint, Start
from graven.interfaces.ggp.pondering import Thinker
from graven.search.specs import Spec

log = logging.getLogger("graven.ggp")

GRACE = 0.15
"""How long an answer waits for a search that was told to end: a chunk of playouts takes 10 ms, a
batch in a large game much longer. It may take half of the margin, too, if that is more."""
MOST_GROUNDING = 600.0
"""Seconds; a network that is ready only in the middle of a match is still worth it."""
PATIENCE = 60.0
"""A match is given up if nothing is heard for ten play clocks and this."""


class Match:
    """A match that is being played.

    The rules are first made ready to be proved, which takes a moment; with that every answer is a
    legal move. Then a network is made of them, in a thread, and takes over when it is ready.
    """

    def __init__(self, start: Start, sheet: Sheet, spec: Spec, margin: Margin, seed: int) -> None:
        self.start = start
        self.role = sheet.roles.index(start.role)
        # The first PLAY comes when the start clock has run out.
        self.heard = time.monotonic() + start.start_clock
        self.finished = threading.Event()
        self._sheet = sheet
        self._spec = spec
        self._margin = margin
        self._seed = seed
        # `_lock` guards what follows; `_asking` lets one question at a time be answered.
        self._lock = threading.RLock()
        self._asking = threading.Lock()
        self._ready = threading.Event()  # moves can be answered
        self._grounding = True
        self._game: Game | None = None
        self._position: Position | None = None
        self._history: list[tuple[str, ...]] = []
        self._thinker: Thinker | None = None
        self._answer: str | None = None  # to the latest PLAY
        self._asked: Joint = None
        self._slow = True  # whether the game is played by proof
        self._playing = False  # whether a move was ever asked for
        threading.Thread(target=self._prepare_or_stop, name="grounding", daemon=True).start()

    @property
    def lost(self) -> bool:
        """Whether the server seems to have gone."""
        return time.monotonic() > self.heard + 10 * self.start.play_clock + PATIENCE

    @property
    def roles(self) -> int:
        """How many roles there are."""
        return len(self._sheet.roles)

    # Making the rules ready.

    def _prepare_or_stop(self) -> None:
        """Prepare the rules; stop when the match is over."""
        with cancelled_by(self.finished):
            self._prepare()

    def _prepare(self) -> None:
        began = time.monotonic()
        title = f"match {self.start.match}"
        try:
            self._use(proof_game_of(self._sheet, title, How()), slow=True)
        except SearchCancelled:
            log.info("%s: over before its rules were ready", title)
        except GravenError as error:
            level = logging.INFO if self.finished.is_set() else logging.ERROR
            log.log(level, "%s: %s", title, error)
        self._ready.set()
        try:
            if not self.finished.is_set():
                limits = Limits(seconds=MOST_GROUNDING)
                self._use(network_game_of(self._sheet, How(limits=limits)), slow=False)
                log.info("%s: grounded after %.1f s", title, time.monotonic() - began)
        except SearchCancelled:
            log.info("%s: over before it was grounded", title)
        except GravenError as error:
            level = logging.WARNING if isinstance(error, TooLargeError) else logging.ERROR
            level = logging.INFO if self.finished.is_set() else level
            log.log(level, "%s: played by proof, which is slow: %s", title, error)
        except Exception:
            log.exception("%s: played by proof, which is slow", title)
        with self._lock:
            self._grounding = False
            self._think()

    def _use(self, game: Game, slow: bool) -> None:
        """Go on with another game of the same rules, from where the match is."""
        position = game.start()
        done = 0
        while True:
            with self._lock:
                missing = self._history[done:]
                if not missing:
                    if self._agrees(position):
                        self._switch(game, position, slow)
                    return
            for joint in missing:
                position = after(position, joint)
                done += 1

    def _agrees(self, position: Position) -> bool:
        """Two readings of the same rules have the same moves, or the slow one is right."""
        known = self._position
        if known is None:
            return True
        roles = range(self.roles)
        same = known.is_over == position.is_over and all(
            sorted(moves_of(known, role)) == sorted(moves_of(position, role)) for role in roles
        )
        if not same:
            log.error("match %s: the network disagrees with the rules", self.start.match)
        return same

    def _switch(self, game: Game, position: Position, slow: bool) -> None:
        if self.finished.is_set():
            return
        old, self._thinker = self._thinker, None
        if old is not None:
            old.close()
        self._game, self._position = game, position
        self._slow = slow
        if not slow:
            self._think()

    def _think(self) -> None:
        """Search on, unless the machine is needed for grounding and there is still time for it."""
        if self._position is None or self._game is None or self.finished.is_set():
            return
        if self._slow and self._grounding and not self._playing:
            return
        if self._thinker is None:
            try:
                seed = derive(self._seed, len(self._history))
                self._thinker = Thinker(self._spec, self._game, seed, self._slow)
            except GravenError as error:
                log.error("match %s: cannot search: %s", self.start.match, error)
                return
        self._thinker.aim(self._position)

    # Answers.

    def begin(self, received: float) -> str:
        """`ready`, when the start clock is nearly over: until then there is much to do."""
        clock = self.start.start_clock
        self._wait(received + clock - self._margin.seconds(clock))
        return "ready"

    def play(self, joint: Joint, received: float) -> str:
        """Our move in the position after a joint move (None: in the first one)."""
        with self._asking:
            self.heard = time.monotonic()
            if self._is_repeated(joint) and self._answer is not None:
                return self._answer
            clock = self.start.play_clock
            margin = self._margin.seconds(clock)
            planned = received + clock - margin
            self._ready.wait(max(0.0, planned - time.monotonic()))
            with self._lock:
                self._playing = True
                self._advance(joint)
                self._answer, self._asked = None, joint
                self._think()
            legal = self._legal()
            if len(legal) > 1:
                self._wait(planned)
            self._answer = self._choose(legal, max(GRACE, margin / 2))
            self._margin.observe(time.monotonic() - planned)
            self._ponder(self._answer)
            return self._answer

    def stop(self, joint: Joint) -> None:
        """The match is over, after one more joint move."""
        self.end()
        with self._lock:
            self._advance(joint)
            position = self._position
        if position is not None and position.scores is not None:
            goals = " ".join(f"{100 * score:.0f}" for score in position.scores)
            log.info("match %s is over: %s", self.start.match, goals)

    def end(self) -> None:
        """Leave the match."""
        self.finished.set()
        with self._lock:
            if self._thinker is not None:
                self._thinker.close()

    def _wait(self, until: float) -> None:
        self.finished.wait(max(0.0, until - time.monotonic()))

    def _is_repeated(self, joint: Joint) -> bool:
        """Whether a message came a second time: it cannot be what followed on our answer."""
        if self._answer is None or joint != self._asked:
            return False
        return joint is None or not (joint[self.role] == self._answer and self._possible(joint))

    def _possible(self, joint: tuple[str, ...]) -> bool:
        with self._lock:
            if self._position is None or len(joint) != self.roles:
                return False
            moves = (moves_of(self._position, role) for role in range(len(joint)))
            return all(move in legal for move, legal in zip(joint, moves, strict=True))

    def _advance(self, joint: Joint) -> None:
        """Play what everybody did."""
        if joint is None or self._position is None:
            if joint is not None:
                self._history.append(joint)
            return
        if not self._possible(joint):
            log.error(
                "match %s: %s cannot have been played here; ours is the position before",
                self.start.match,
                " ".join(joint),
            )
            return
        if self._answer is not None and joint[self.role] != self._answer:
            log.warning(
                "match %s: %s was played for us, not %s",
                self.start.match,
                joint[self.role],
                self._answer,
            )
            self._margin.replaced()
        self._position = after(self._position, joint)
        self._history.append(joint)

    def _legal(self) -> list[str]:
        """Our legal moves, even where the rules say that the game is over."""
        with self._lock:
            position = self._position
        if position is None:
            return []
        rules = position.game.rules
        buffer = contract.new_moves(rules)
        count = contract.legal(rules, position.state.copy(), self.role, buffer)
        return [position.game.format_move(self.role, int(code)) for code in buffer[:count]]

    def _choose(self, legal: list[str], grace: float) -> str:
        if len(legal) < 2:
            return legal[0] if legal else "noop"
        with self._lock:
            thinker, position = self._thinker, self._position
        found = thinker.harvest(position, grace) if thinker and position else None
        if found is not None and position is not None and self.role in position.players_to_move:
            move = _move_of(found.best_move, position.players_to_move, self.role)
            if move in legal:
                log.info(
                    "match %s: %s, %.0f %%, %s playouts",
                    self.start.match,
                    move,
                    100 * (found.value_of(self.role) or 0.0),
                    f"{found.playouts:,}",
                )
                return move
        log.warning("match %s: no search was possible; a random move", self.start.match)
        return legal[derive(self._seed, len(self._history)) % len(legal)]

    def _ponder(self, answer: str) -> None:
        """Think on while others do: after our move if nobody else has a choice, else here."""
        with self._lock:
            position, thinker = self._position, self._thinker
            if position is None or thinker is None or position.players_to_move != (self.role,):
                return
            if not self._slow:
                thinker.aim(position.play(answer))


def _move_of(best: str | tuple[str, ...], choosers: tuple[int, ...], role: int) -> str:
    return best if isinstance(best, str) else best[choosers.index(role)]
