"""Make a `Game` that is played by the prover, for sheets that are too large to ground.

Python is called once a ply: `play` proves the next position and writes everything about it into the
state; `turn`, `legal`, `sample`, `scores` and `key` are compiled and only read. The facts are in
the state too, as term numbers, so a state is complete by itself. Proved positions are cached
nevertheless, because a search visits the same positions again and again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graven.core.callbacks import BROKEN, Callback
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below, derive
from graven.gdl.fact_board import FactBoard, Seats
from graven.gdl.language.kif_terms import Sheet
from graven.gdl.language.sheet_checks import goal_value
from graven.gdl.move_text import move_term
from graven.gdl.proof.prover import Prover

# The words of a state: the turn, the step, the key, the number of facts; for each role its goal,
# its number of legal moves and the offset of the first one; then the legal moves and the facts, two
# in a word. The constants are the number of players and the offsets of the last two parts.
TURN, STEP, KEY, FACTS, HEAD = range(5)
PLAYERS, LEGAL_AT, FACTS_AT = range(3)
WORDS_PER_ROLE = 3

MAX_CODES = 1 << 16
MAX_LEGAL = 1 << 14
MIN_FACTS, MAX_FACTS = 64, 1 << 15
MAX_CACHED_POSITIONS = 20_000
MAX_BOARD_FACTS = 20_000  # possible facts up to which a board is looked for
MAX_CACHED_NUMBERS = 4_000_000
MASK = (1 << 63) - 1
FACT_SEED, STEP_SEED = 0x66616374, 0x73746570  # of the Zobrist keys of facts and steps


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or SIMULTANEOUS or TERMINAL."""
    return state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Write the legal moves of a role, also if it is not to move; return their number."""
    numbers = state.view(np.int32)
    at = HEAD + WORDS_PER_ROLE * player
    first = 2 * constants[LEGAL_AT] + state[at + 2]
    for i in range(state[at + 1]):
        moves[i] = numbers[first + i]
    return state[at + 1]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random legal move of a role, -1 if it has none."""
    at = HEAD + WORDS_PER_ROLE * player
    if state[at + 1] < 1:
        return -1
    first = 2 * constants[LEGAL_AT] + state[at + 2]
    return state.view(np.int32)[first + below(rng, state[at + 1])]


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write the goal of each role, divided by 100."""
    for player in range(constants[PLAYERS]):
        out[player] = state[HEAD + WORDS_PER_ROLE * player] / 100.0


def key(constants: Constants, state: State) -> int:
    """Return the key of the facts and the step."""
    return state[KEY]


@dataclass(frozen=True, slots=True)
class ProvedPosition:
    """The proved properties of a position: all of its state but the facts and the step."""

    turn: int
    goals: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]  # the codes of each role's moves
    key: int

    @property
    def size(self) -> int:
        """The number of integers that it stores."""
        return sum(map(len, self.legal))


class ProofRules:
    """The rules of a sheet, evaluated by the prover; converts sets of facts to states and back.

    A match that is not over after `steps` steps ends there.
    """

    def __init__(self, sheet: Sheet, name: str, steps: int) -> None:
        self.name = name
        self.steps = steps
        self.prover = Prover(sheet)
        self.players = len(self.prover.roles)
        self._number_moves()
        domains = self.prover.domains
        self.max_facts = min(MAX_FACTS, max(MIN_FACTS, domains.of(("true", 1))[0].size()))
        self.max_moves = min(self.num_codes, MAX_LEGAL)
        self.max_legal = min(self.players * self.max_moves, 2 * MAX_LEGAL)  # of all roles
        self.legal_at = HEAD + WORDS_PER_ROLE * self.players
        self.facts_at = self.legal_at + (self.max_legal + 1) // 2
        self.state_words = self.facts_at + (self.max_facts + 1) // 2
        self._fact_keys: list[int] = []
        self._cache: OrderedDict[tuple[frozenset[int], bool], ProvedPosition] = OrderedDict()
        self._cached_numbers = 0
        # The prover evaluates one query at a time.
        self._lock = threading.RLock()

    def _number_moves(self) -> None:
        """Give each possible move a code; if there are too many, at its first occurrence."""
        terms = self.prover.terms
        domain = self.prover.domains.of(("legal", 2))[1]
        self._moves: list[int] = []
        self._codes: dict[int, int] = {}
        self.num_codes = min(max(1, domain.size()), MAX_CODES)
        if domain.size() <= MAX_CODES:
            for term in domain.values():
                self._add_move(terms.number(term))

    def _add_move(self, move: int) -> int:
        if len(self._moves) >= self.num_codes:
            raise ContractError(f"{self.name} has more than {self.num_codes:,} different moves.")
        self._codes[move] = len(self._moves)
        self._moves.append(move)
        return len(self._moves) - 1

    # States.

    def start(self, constants: Constants, state: State) -> None:
        """Write the initial position."""
        with self._lock, self.prover.batch():
            state[:] = 0
            state[TURN] = BROKEN
            self._write(state, self.prover.initial, 0)

    def play(self, constants: Constants, state: State, joint: Moves) -> None:
        """Write the position after a move of each role to move; other roles have one move."""
        with self._lock, self.prover.batch():
            turn, step = int(state[TURN]), int(state[STEP])
            facts = self.facts_of(state)
            position = self._position(facts, step)
            state[TURN] = BROKEN  # remains if anything below raises
            moves = []
            for player, codes in enumerate(position.legal):
                code = int(joint[player]) if turn in (SIMULTANEOUS, player) else codes[0]
                moves.append(self._moves[code])
            self.prover.at(facts)
            self._write(state, self.prover.next(moves), step + 1)

    def facts_of(self, state: State) -> frozenset[int]:
        """Return the facts of a state."""
        first, count = 2 * self.facts_at, int(state[FACTS])
        return frozenset(state.view(np.int32)[first : first + count].tolist())

    def _write(self, state: State, facts: frozenset[int], step: int) -> None:
        if len(facts) > self.max_facts:
            raise ContractError(
                f"a position of {self.name} has more than {self.max_facts:,} facts."
            )
        position = self._position(facts, step)
        key = (position.key + derive(STEP_SEED, step)) & MASK
        head = [position.turn, step, key, len(facts)]
        offset = 0
        for goal, codes in zip(position.goals, position.legal, strict=True):
            head += [goal, len(codes), offset]
            offset += len(codes)
        if offset > self.max_legal:
            raise ContractError(
                f"a position of {self.name} has {offset:,} legal moves; at most "
                f"{self.max_legal:,} are supported."
            )
        state[1 : len(head)] = head[1:]
        numbers = state.view(np.int32)
        first = 2 * self.legal_at
        numbers[first : first + offset] = [code for codes in position.legal for code in codes]
        first = 2 * self.facts_at
        numbers[first : first + len(facts)] = sorted(facts)
        state[TURN] = position.turn

    # Proofs.

    def _position(self, facts: frozenset[int], step: int) -> ProvedPosition:
        """Return the properties of a position, from the cache if possible."""
        is_last = step >= self.steps
        position = self._cache.get((facts, is_last))
        if position is not None:
            self._cache.move_to_end((facts, is_last))
            return position
        position = self._prove(facts, is_last)
        self._cache[facts, is_last] = position
        self._cached_numbers += position.size + len(facts)
        while len(self._cache) > MAX_CACHED_POSITIONS or self._cached_numbers > MAX_CACHED_NUMBERS:
            (oldest_facts, _), oldest = self._cache.popitem(last=False)
            self._cached_numbers -= oldest.size + len(oldest_facts)
        return position

    def _prove(self, facts: frozenset[int], is_last: bool) -> ProvedPosition:
        prover = self.prover
        prover.at(facts)
        is_over = is_last or prover.terminal()
        legal = tuple(self._codes_of(prover.legal(role)) for role in prover.roles)
        goals = tuple(self._goal(prover.goals(role)) for role in prover.roles)
        choosers = [player for player, codes in enumerate(legal) if len(codes) > 1]
        if is_over or not all(legal):
            turn = TERMINAL
        elif len(choosers) > 1:
            turn = SIMULTANEOUS
        else:
            turn = choosers[0] if choosers else 0
        return ProvedPosition(turn, goals, legal, self._key(facts))

    def _codes_of(self, moves: Sequence[int]) -> tuple[int, ...]:
        codes = self._codes
        return tuple(
            sorted(codes[move] if move in codes else self._add_move(move) for move in moves)
        )

    def _goal(self, goals: Sequence[int]) -> int:
        """Return the highest goal that is true, 0 if none is."""
        values = (goal_value(self.prover.terms.text(goal)) for goal in goals)
        return max((value for value in values if value is not None), default=0)

    def _key(self, facts: frozenset[int]) -> int:
        keys = self._fact_keys
        while len(keys) < len(self.prover.terms):
            keys.append(derive(FACT_SEED, len(keys)))
        return sum(map(keys.__getitem__, facts)) & MASK

    # Text.

    def format_move(self, code: int) -> str:
        """Format a move; `#` for a code that has no move yet."""
        return self.prover.terms.text(self._moves[code]) if code < len(self._moves) else "#"

    def parse_move(self, text: str) -> int | None:
        """Return the code of a move; None if there is none."""
        term = move_term(text)
        number = None if term is None else self.prover.terms.known(term)
        return None if number is None else self._codes.get(number)

    @cached_property
    def board(self) -> FactBoard:
        """The board of the game, recognised from all facts that are possible."""
        domain = self.prover.domains.of(("true", 1))[0]
        if domain.size() > MAX_BOARD_FACTS:
            return FactBoard([])
        terms = self.prover.terms
        facts = [terms.text(terms.number(term)) for term in domain.values()]
        return FactBoard(facts, Seats([terms.text(role) for role in self.prover.roles]))

    def fact_texts(self, state: State) -> list[str]:
        """Return the facts of a position as texts."""
        return [self.prover.terms.text(fact) for fact in self.facts_of(state)]

    def render(self, state: State, colour: bool) -> str:
        """Return the board, if there is one, the other facts sorted, and the number of steps."""
        return f"{self.board.text(self.fact_texts(state))}\nstep {int(state[STEP])}"

    def svg(self, state: State) -> str:
        """Return the board as an SVG picture."""
        return self.board.svg(self.fact_texts(state))

    def where(self, state: State) -> str:
        """Describe a position for error messages."""
        return f"at step {int(state[STEP])}"


def proof_game(
    sheet: Sheet,
    title: str,
    options: Mapping[str, Option] | None = None,
    steps: int = 1000,
) -> Game:
    """Make the game of a sheet; a match that is not over after `steps` steps ends there."""
    if not sheet.roles:
        raise UsageError(f"{title} has no roles.")
    rules = ProofRules(sheet, title, steps)
    return Game(
        name="gdl",
        players=rules.players,
        functions=RuleFunctions(
            start=Callback("start", rules.start, title, rules.where),
            turn=turn,
            legal=legal,
            play=Callback("play", rules.play, title, rules.where),
            scores=scores,
            sample=sample,
            key=key,
        ),
        bounds=Bounds(
            state_words=rules.state_words,
            num_codes=rules.num_codes,
            max_moves=rules.max_moves,
            max_plies=steps,
        ),
        constants=[rules.players, rules.legal_at, rules.facts_at],
        display=Display(
            player_names=sheet.roles,
            format_move=lambda player, code: rules.format_move(code),
            parse_move=lambda player, text: rules.parse_move(text),
            render=rules.render,
            svg=rules.svg if rules.board.is_grid else None,
        ),
        options=options,
    )
