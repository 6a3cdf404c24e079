"""Make a `Game` that is played by the prover, for sheets that are too large to ground.

Python is called once a ply: `play` proves the next position and writes everything about it into the
state (`proof_step.py`); `turn`, `legal`, `sample`, `scores` and `key` are compiled and only read.
The facts are in the state too, as term numbers, so a state is complete by itself.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from itertools import islice

import numpy as np

from graven.core.callbacks import BROKEN, Callback
from graven.core.contract import Constants, Moves, Scores, State
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below
from graven.gdl.fact_board import FactBoard, Seats
from graven.gdl.language.kif_terms import Sheet
from graven.gdl.language.sheet_checks import goal_value
from graven.gdl.move_text import move_term
from graven.gdl.proof import proof_step
from graven.gdl.proof.proof_memory import ProofStatus
from graven.gdl.proof.proof_program import PAUSE
from graven.gdl.proof.proof_step import (
    FACTS,
    HEAD,
    KEY,
    LEGAL_AT,
    PLAYERS,
    STEP,
    TURN,
    WORDS_PER_ROLE,
    StepTables,
)
from graven.gdl.proof.prover import Prover

MAX_CODES = 1 << 16
MAX_LEGAL = 1 << 14
MIN_FACTS, MAX_FACTS = 64, 1 << 15
MAX_BOARD_FACTS = 20_000  # possible facts up to which a board is looked for
MEMO_SLOTS, MEMO_NUMBERS = 1 << 16, 8_000_000
"""The size of the memo of positions: places of its hash table, and numbers of all entries."""


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
        self.tables = self._new_tables()
        self._goals_known = 0
        # The prover evaluates one query at a time.
        self._lock = threading.RLock()

    def _number_moves(self) -> None:
        """Give each possible move a code; if there are too many, at its first occurrence."""
        terms = self.prover.terms
        domain = self.prover.domains.of(("legal", 2))[1]
        self.num_codes = min(max(1, domain.size()), MAX_CODES)
        self._known_moves: list[int] = []
        if domain.size() <= MAX_CODES:
            self._known_moves = terms.numbers(domain.values())

    def _new_tables(self) -> StepTables:
        moves, size = self._known_moves, len(self.prover.terms.arrays.first)
        limits = np.zeros(proof_step.LIMITS, np.int64)
        limits[:] = (
            self.players,
            self.legal_at,
            self.facts_at,
            self.max_legal,
            self.max_facts,
            self.steps,
        )
        tables = StepTables(
            limits=limits,
            counts=np.zeros(proof_step.COUNTS, np.int64),
            roots=np.array(self.prover.game_forms, np.int32),
            roles=np.array(self.prover.roles, np.int32),
            move_of=np.zeros(self.num_codes, np.int32),
            code_of=np.full(size, -1, np.int32),
            goal_of=np.full(size, -1, np.int32),
            key_of=np.full(size, -1, np.int64),
            marks=np.zeros(self.num_codes // 64 + 1, np.int64),
            memo_state=np.full(MEMO_SLOTS, proof_step.NO_STATE, np.int64),
            memo_joint=np.zeros(MEMO_SLOTS, np.int64),
            memo_first=np.zeros(MEMO_SLOTS, np.int32),
            pool=np.zeros(MEMO_NUMBERS, np.int32),
        )
        tables.move_of[: len(moves)] = moves
        tables.code_of[moves] = np.arange(len(moves))
        tables.counts[proof_step.CODED] = len(moves)
        tables.counts[proof_step.CURRENT] = proof_step.NO_STATE
        return tables

    # States.

    def start(self, constants: Constants, state: State) -> None:
        """Write the initial position."""
        with self._lock:
            state[:] = 0
            state[TURN], state[STEP] = BROKEN, -1
            facts = list(self.prover.initial)
            self.prover.program.reserve_facts(len(facts))
            memory = self.prover.program.memory
            memory.facts[: len(facts)] = facts
            if len(facts) > self.max_facts:
                raise self._error(ProofStatus.TOO_MANY_FACTS)
            proof_step.begin_position(memory, self.tables, len(facts))
            self._step(state, np.zeros(self.players, np.int32))

    def play(self, constants: Constants, state: State, joint: Moves) -> None:
        """Write the position after a move of each role to move; other roles have one move."""
        with self._lock:
            self._step(state, joint)

    def _step(self, state: State, joint: Moves) -> None:
        prover, program, counts = self.prover, self.prover.program, self.tables.counts
        prover.begin_query("next")
        if program.tidy():
            counts[proof_step.CURRENT] = proof_step.NO_STATE
        try:
            while True:
                self._update_tables()
                status = ProofStatus(
                    proof_step.step(program.memory, program.code, self.tables, state, joint, PAUSE)
                )
                if status == ProofStatus.OK:
                    return
                if status >= ProofStatus.BAD_MOVE:
                    raise self._error(status)
                if counts[proof_step.PHASE] == proof_step.POSITION:
                    prover.query_name = "legal"
                program.resume(status)
        except BaseException:
            state[TURN] = BROKEN
            program.abort()
            counts[proof_step.PHASE] = proof_step.BEGIN
            counts[proof_step.CURRENT] = proof_step.NO_STATE
            raise

    def _update_tables(self) -> None:
        """Make the tables as large as the prover's arrays, and read goals that are new."""
        terms = self.prover.terms
        self.prover.program.update()
        size = len(terms.arrays.first)
        if len(self.tables.code_of) < size:
            grown = {}
            for name in ("code_of", "goal_of", "key_of"):
                old = getattr(self.tables, name)
                grown[name] = np.full(size, -1, old.dtype)
                grown[name][: len(old)] = old
            self.tables = self.tables._replace(**grown)
        names = terms.names
        if len(names) > self._goals_known:
            for number, name in islice(names.items(), self._goals_known, None):
                value = goal_value(name)
                self.tables.goal_of[number] = -1 if value is None else value
            self._goals_known = len(names)

    def _error(self, status: ProofStatus) -> ContractError:
        limit = {
            ProofStatus.TOO_MANY_FACTS: (
                f"a position of {{}} has more than {self.max_facts:,} facts"
            ),
            ProofStatus.TOO_MANY_LEGAL: (
                f"a position of {{}} has more than {self.max_legal:,} legal moves"
            ),
            ProofStatus.TOO_MANY_MOVES: f"{{}} has more than {self.num_codes:,} different moves",
            ProofStatus.BAD_MOVE: "a move of {} has an unknown code",
        }[status]
        return ContractError(f"{limit.format(self.name)}.")

    def facts_of(self, state: State) -> frozenset[int]:
        """Return the facts of a state."""
        first, count = 2 * self.facts_at, int(state[FACTS])
        return frozenset(state.view(np.int32)[first : first + count].tolist())

    # Text.

    def format_move(self, code: int) -> str:
        """Format a move; `#` for a code that has no move yet."""
        tables = self.tables
        known = code < tables.counts[proof_step.CODED]
        return self.prover.terms.text(int(tables.move_of[code])) if known else "#"

    def parse_move(self, text: str) -> int | None:
        """Return the code of a move; None if there is none."""
        term = move_term(text)
        number = None if term is None else self.prover.terms.known(term)
        code = -1 if number is None else int(self.tables.code_of[number])
        return None if code < 0 else code

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
        step = int(state[STEP])
        return f"at step {step}" if step >= 0 else "at the start"


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
