"""A `Game` that asks the prover: for sheets that cannot be grounded.

Python is called once a ply: `play` proves the next position and writes all that can be asked about
it into the state's words; `turn`, `legal`, `sample`, `scores` and `key` are compiled and only read.
The facts themselves are in the state too, as the numbers of their terms, so a state is whole and
nothing has to be remembered for it. What was proved lately is kept nevertheless: a search passes
the same positions again and again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graven.core.callbacks import BROKEN, Callback
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below, derive
from graven.gdl.language.kif_reader import Sheet
from graven.gdl.language.sheet_checks import goal_value
from graven.gdl.move_text import move_term
from graven.gdl.proof.prover import Prover

# The words of a state: who moves, the step, the key, how many facts there are; then for each role
# its goal, its number of legal moves and where they begin; then the legal moves and the facts, two
# to a word. `tables` says how many players there are and where these two parts begin.
TURN, STEP, KEY, FACTS, HEAD = range(5)
PLAYERS, LEGAL_AT, FACTS_AT = range(3)
EACH = 3  # words for each role

MOST_CODES = 1 << 16
MOST_LEGAL = 1 << 14
MOST_FACTS = 1 << 15
KEPT_POSITIONS = 20_000
KEPT_NUMBERS = 4_000_000
MASK = (1 << 63) - 1
KEYS, STEPS = 0x66616374, 0x73746570  # seeds of the keys of facts and steps


def turn(constants: Constants, state: State) -> int:
    """Who moves."""
    return state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Any role's legal moves, also where it is not asked to choose."""
    numbers = state.view(np.int32)
    at = HEAD + EACH * player
    first = 2 * constants[LEGAL_AT] + state[at + 2]
    for i in range(state[at + 1]):
        moves[i] = numbers[first + i]
    return state[at + 1]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """One of them."""
    at = HEAD + EACH * player
    if state[at + 1] < 1:
        return -1
    first = 2 * constants[LEGAL_AT] + state[at + 2]
    return state.view(np.int32)[first + below(rng, state[at + 1])]


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Each role's goal as a part of 100."""
    for player in range(constants[PLAYERS]):
        out[player] = state[HEAD + EACH * player] / 100.0


def key(constants: Constants, state: State) -> int:
    """A key of the facts and the step."""
    return state[KEY]


@dataclass(frozen=True, slots=True)
class ProvedPosition:
    """What was proved of a position: all but its facts and the step."""

    turn: int
    goals: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]  # the codes of each role's moves
    key: int

    @property
    def size(self) -> int:
        """How many numbers it keeps."""
        return sum(map(len, self.legal))


class Stage:
    """Where a sheet is played by proof: makes states of facts and the other way round."""

    def __init__(self, sheet: Sheet, name: str, steps: int) -> None:
        self.name = name
        self.steps = steps
        self.prover = Prover(sheet)
        self.players = len(self.prover.roles)
        self._number_moves()
        domains = self.prover.domains
        self.facts = min(MOST_FACTS, max(64, domains.of(("true", 1))[0].size()))
        self.moves = min(self.codes, MOST_LEGAL)
        self.legal = min(self.players * self.moves, 2 * MOST_LEGAL)
        self.legal_at = HEAD + EACH * self.players
        self.facts_at = self.legal_at + (self.legal + 1) // 2
        self.words = self.facts_at + (self.facts + 1) // 2
        self._keys: list[int] = []
        self._seen: OrderedDict[tuple[frozenset[int], bool], ProvedPosition] = OrderedDict()
        self._seen_numbers = 0
        # The prover answers one question at a time.
        self._lock = threading.RLock()

    def _number_moves(self) -> None:
        """A code for every move that can be; if those are too many, for each as it is met."""
        terms = self.prover.terms
        place = self.prover.domains.of(("legal", 2))[1]
        self._move_of: list[int] = []
        self._code_of: dict[int, int] = {}
        self.codes = min(max(1, place.size()), MOST_CODES)
        if place.size() <= MOST_CODES:
            for term in place.values():
                self._add_move(terms.number(term))

    def _add_move(self, move: int) -> int:
        if len(self._move_of) >= self.codes:
            raise ContractError(f"{self.name} has more than {self.codes:,} different moves.")
        self._code_of[move] = len(self._move_of)
        self._move_of.append(move)
        return len(self._move_of) - 1

    # States.

    def start(self, constants: Constants, state: State) -> None:
        """Write the initial position."""
        with self._lock:
            state[:] = 0
            state[TURN] = BROKEN
            self._write(state, self.prover.initial, 0)

    def play(self, constants: Constants, state: State, joint: Moves) -> None:
        """Write the position after a move of each role that has a choice."""
        with self._lock:
            who, step = int(state[TURN]), int(state[STEP])
            facts = self.facts_of(state)
            seen = self._look(facts, step)
            state[TURN] = BROKEN  # until all is well
            moves = []
            for player, codes in enumerate(seen.legal):
                code = int(joint[player]) if who in (SIMULTANEOUS, player) else codes[0]
                moves.append(self._move_of[code])
            self.prover.at(facts)
            after = self.prover.next(moves)
            self._write(state, after, step + 1)

    def facts_of(self, state: State) -> frozenset[int]:
        """What is true in a state."""
        first, count = 2 * self.facts_at, int(state[FACTS])
        return frozenset(state.view(np.int32)[first : first + count].tolist())

    def _write(self, state: State, facts: frozenset[int], step: int) -> None:
        if len(facts) > self.facts:
            raise ContractError(f"a position of {self.name} has more than {self.facts:,} facts.")
        seen = self._look(facts, step)
        head = [seen.turn, step, (seen.key + derive(STEPS, step)) & MASK, len(facts)]
        begin = 0
        for goal, codes in zip(seen.goals, seen.legal, strict=True):
            head += [goal, len(codes), begin]
            begin += len(codes)
        if begin > self.legal:
            raise ContractError(
                f"a position of {self.name} has {begin:,} legal moves; {self.legal:,} are the most "
                "that can be handled."
            )
        state[1 : len(head)] = head[1:]
        numbers = state.view(np.int32)
        first = 2 * self.legal_at
        numbers[first : first + begin] = [code for codes in seen.legal for code in codes]
        first = 2 * self.facts_at
        numbers[first : first + len(facts)] = sorted(facts)
        state[TURN] = seen.turn

    # What is proved.

    def _look(self, facts: frozenset[int], step: int) -> ProvedPosition:
        last = step >= self.steps
        seen = self._seen.get((facts, last))
        if seen is not None:
            self._seen.move_to_end((facts, last))
            return seen
        seen = self._prove(facts, last)
        self._seen[facts, last] = seen
        self._seen_numbers += seen.size + len(facts)
        while len(self._seen) > KEPT_POSITIONS or self._seen_numbers > KEPT_NUMBERS:
            (old, _), gone = self._seen.popitem(last=False)
            self._seen_numbers -= gone.size + len(old)
        return seen

    def _prove(self, facts: frozenset[int], last: bool) -> ProvedPosition:
        prover = self.prover
        prover.at(facts)
        over = last or prover.terminal()
        legal = tuple(self._codes(prover.legal(role)) for role in prover.roles)
        goals = tuple(self._goal(prover.goals(role)) for role in prover.roles)
        choosers = [player for player, codes in enumerate(legal) if len(codes) > 1]
        if over or not all(legal):
            who = TERMINAL
        elif len(choosers) > 1:
            who = SIMULTANEOUS
        else:
            who = choosers[0] if choosers else 0
        return ProvedPosition(who, goals, legal, self._key(facts))

    def _codes(self, moves: Sequence[int]) -> tuple[int, ...]:
        known = self._code_of
        return tuple(
            sorted(known[move] if move in known else self._add_move(move) for move in moves)
        )

    def _goal(self, goals: Sequence[int]) -> int:
        """The highest goal that holds; 0 where none does."""
        values = (goal_value(self.prover.terms.text(goal)) for goal in goals)
        return max((value for value in values if value is not None), default=0)

    def _key(self, facts: frozenset[int]) -> int:
        keys = self._keys
        while len(keys) < len(self.prover.terms):
            keys.append(derive(KEYS, len(keys)))
        return sum(map(keys.__getitem__, facts)) & MASK

    # Text.

    def text(self, code: int) -> str:
        """A move's text."""
        return self.prover.terms.text(self._move_of[code]) if code < len(self._move_of) else "#"

    def read(self, text: str) -> int | None:
        """The code of a move's text."""
        term = move_term(text)
        number = None if term is None else self.prover.terms.known(term)
        return None if number is None else self._code_of.get(number)

    def show(self, state: State, colour: bool) -> str:
        """How many steps were made, and what is true, in alphabetical order."""
        texts = sorted(self.prover.terms.text(fact) for fact in self.facts_of(state))
        return "\n".join([f"after {int(state[STEP])} steps", *texts])

    def where(self, state: State) -> str:
        """For errors."""
        return f"at step {int(state[STEP])}"


def proof_game(
    sheet: Sheet,
    title: str,
    options: Mapping[str, Option] | None = None,
    steps: int = 1000,
) -> Game:
    """The game of a sheet by proof; one that has not ended after `steps` steps ends there."""
    if not sheet.roles:
        raise UsageError(f"{title} has no roles.")
    stage = Stage(sheet, title, steps)
    return Game(
        name="gdl",
        players=stage.players,
        functions=RuleFunctions(
            start=Callback("start", stage.start, title, stage.where),
            turn=turn,
            legal=legal,
            play=Callback("play", stage.play, title, stage.where),
            scores=scores,
            sample=sample,
            key=key,
        ),
        bounds=Bounds(
            state_words=stage.words, num_codes=stage.codes, max_moves=stage.moves, max_plies=steps
        ),
        constants=[stage.players, stage.legal_at, stage.facts_at],
        display=Display(
            player_names=sheet.roles,
            format_move=lambda player, code: stage.text(code),
            parse_move=lambda player, text: stage.read(text),
            render=stage.show,
        ),
        options=options,
    )
