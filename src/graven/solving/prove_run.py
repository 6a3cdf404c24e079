"""Prove the result of a two-player position, within limits; stop, save and resume.

The result is found by questions: can the player to move reach at least this score? With wins, draws
and losses there are at most two of them. Each answer moves a bound of the score to a score that a
terminal position of the search had, so that the bounds meet after a few questions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from graven.core.compile import address
from graven.core.contract.rule_signatures import PROOF_MOVES
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game
from graven.core.number_checks import check_number, check_whole, whole_value
from graven.core.plain_values import PlainValues
from graven.core.plural import counted
from graven.core.position import Position
from graven.core.rng import generator
from graven.core.status import Status, call_kernel, contract_fault
from graven.search.runner import Stop
from graven.solving import proof_number
from graven.solving.proof_line import proof_line
from graven.solving.proof_number import (
    ANSWERED,
    BUCKET,
    ENTRY_BYTES,
    HAS_SIMULTANEOUS_MOVES,
    HIGHEST_MISSING,
    LOWEST_REACHING,
    NODES,
    REFUSED,
    ProofGame,
    new_stack,
    new_table,
)
from graven.sources.load import load_position

DEFAULT_MEMORY_MIB = 256
MAX_MEMORY_MIB = 1 << 20
MAX_NODES = 1 << 60
# The approximate duration of a chunk of nodes; time and stop requests are checked in between.
CHUNK_SECONDS = 0.02
# The first question separates wins from draws; bounds closer than this are equal.
FIRST_GOAL = 0.75
EQUAL = 1e-9


@dataclass(frozen=True)
class ProofResult(PlainValues):
    """What a proof search has found out about a position.

    `proven` is whether the result with best play is known; `scores` is then each player's score,
    else None. `bounds` are a lower and an upper bound of each player's score. `best_move` reaches
    the result; before that it is the move that the search considers most promising. `pv` is a line
    of best play as far as the transposition table still has it. `proof_number` and
    `disproof_number` are the root's numbers in the current question.
    """

    game: str
    proven: bool
    scores: tuple[float, ...] | None
    bounds: tuple[tuple[float, float], ...]
    best_move: str
    pv: tuple[str, ...]
    nodes: int
    seconds: float
    proof_number: float
    disproof_number: float

    def __str__(self) -> str:
        if self.scores is None:
            bounds = ", ".join(f"{low:g} to {high:g}" for low, high in self.bounds)
            return f"not proven: scores within {bounds} after {counted(self.nodes, 'position')}"
        scores = ", ".join(f"{score:g}" for score in self.scores)
        return f"proven: scores {scores} with {self.best_move}, {counted(self.nodes, 'position')}"

    @property
    def nodes_per_second(self) -> float:
        """The average speed."""
        return self.nodes / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values; infinite numbers are null."""

        def finite(number: float) -> float | None:
            return number if math.isfinite(number) else None

        return {
            "game": self.game,
            "proven": self.proven,
            "scores": None if self.scores is None else list(self.scores),
            "bounds": [list(pair) for pair in self.bounds],
            "best_move": self.best_move,
            "pv": list(self.pv),
            "nodes": self.nodes,
            "seconds": self.seconds,
            "nodes_per_second": self.nodes_per_second,
            "proof_number": finite(self.proof_number),
            "disproof_number": finite(self.disproof_number),
        }


@dataclass(frozen=True)
class ProveLimits:
    """Stop after these seconds or this total of nodes, whichever comes first."""

    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        check_number("seconds", self.seconds)
        check_whole("nodes", self.nodes)
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise UsageError(f"seconds must be more than 0 and finite, got {self.seconds}.")
        if self.nodes is not None and not 1 <= self.nodes <= MAX_NODES:
            raise UsageError(f"nodes must be from 1 to {MAX_NODES:,}, got {self.nodes}.")


class ProofSession:
    """The proof search of one position; `advance` continues where it last stopped."""

    def __init__(
        self, position: Position, memory_mib: int = DEFAULT_MEMORY_MIB, seed: int = 0
    ) -> None:
        game = position.game
        if game.players != 2:
            raise UsageError(
                f"prove needs a two-player game; {game.spec} has {game.players}. "
                + (
                    "Use 'graven solve' for one-player games."
                    if game.players == 1
                    else "'graven search' finds good moves in other games."
                )
            )
        if game.has_chance:
            raise UsageError(
                f"{game.spec} has chance events: its results cannot be proved; 'graven search' "
                "estimates them."
            )
        if position.is_over:
            raise UsageError(f"the game of {game.spec} is over in this position: nothing to prove.")
        if position.current_player not in (0, 1):
            raise _refusal(game.spec, HAS_SIMULTANEOUS_MOVES)
        memory_mib = whole_value("memory_mib", memory_mib, 1, MAX_MEMORY_MIB)
        seed = whole_value("seed", seed)
        self.position = position
        self.prover = position.current_player
        self.memory_mib = memory_mib
        self.seed = seed
        self.seconds = 0.0
        self.lower, self.upper = 0.0, 1.0
        self.best_code = position.legal_codes_of(self.prover)[0]
        self.pv: tuple[str, ...] = ()
        try:
            self.table = new_table(_entries(memory_mib))
        except MemoryError:
            raise UsageError(
                f"memory_mib={memory_mib}: this machine has not so much memory; give less."
            ) from None
        self.stack = new_stack(game.rules, generator(seed), game.bounds.proof_scratch)
        self.game = ProofGame(
            game.rules,
            self.prover,
            by_path=int(game.history_dependent or not game.exact_key),
            proof_moves=_proof_moves(game),
        )
        self.stack.states[0] = position.state
        self._ask(FIRST_GOAL)
        self._search(0)  # compiles the kernel before time is measured

    @property
    def proven(self) -> bool:
        """Whether the bounds have met."""
        return self.upper - self.lower <= EQUAL

    @property
    def nodes(self) -> int:
        """The number of expanded positions."""
        return int(self.stack.counters[NODES])

    @property
    def numbers(self) -> tuple[float, float]:
        """The proof and disproof number of the root in the current question."""
        stack, count = self.stack, self.stack.children[0]
        least, combined = proof_number.root_numbers(
            stack.child_proof[0], stack.child_disproof[0], count
        )
        infinite = proof_number.INFINITE
        return (
            math.inf if least >= infinite else float(least),
            math.inf if combined >= infinite else float(combined),
        )

    def result(self) -> ProofResult:
        """Return what is known so far."""
        bounds = [(1.0 - self.upper, 1.0 - self.lower)] * 2
        bounds[self.prover] = (self.lower, self.upper)
        code = self.best_code if self.lower > 0 or self.proven else self._most_promising()
        proof, disproof = self.numbers
        return ProofResult(
            game=self.position.game.spec,
            proven=self.proven,
            scores=tuple(low for low, _ in bounds) if self.proven else None,
            bounds=tuple(bounds),
            best_move=self.position.game.format_move(self.prover, code),
            pv=self.pv,
            nodes=self.nodes,
            seconds=self.seconds,
            proof_number=proof,
            disproof_number=disproof,
        )

    def advance(
        self,
        limits: ProveLimits,
        stop: Stop | None = None,
        on_chunk: Callable[[ProofSession], None] | None = None,
    ) -> ProofResult:
        """Continue until the result is proven, a limit is reached or `stop` is set.

        `on_chunk` is called after each chunk of nodes, every few milliseconds.
        """
        begin = last = time.perf_counter()
        goal = limits.nodes or MAX_NODES
        chunk = 100
        while not self.proven and self.nodes < goal:
            if stop is not None and stop.is_set():
                break
            if limits.seconds is not None and last - begin >= limits.seconds:
                break
            before = self.nodes
            self._search(min(goal, before + chunk))
            if self.stack.counters[ANSWERED]:
                self._use_answer()
            now = time.perf_counter()
            spent, last = max(now - last, 1e-6), now
            self.seconds += spent
            chunk = max(100, min(8 * chunk, int((self.nodes - before) / spent * CHUNK_SECONDS)))
            if on_chunk is not None:
                on_chunk(self)
        return self.result()

    def _search(self, until: int) -> None:
        self._call(lambda: proof_number.search(self.game, self.stack, self.table, until))

    def _ask(self, goal: float) -> None:
        """Start a question with an empty table."""
        self.table.work[:] = 0
        self.restart_question(goal)

    def restart_question(self, goal: float) -> None:
        """Start a question at the root, with the numbers that the table has."""
        self._call(lambda: proof_number.start_question(self.game, self.stack, self.table, goal))

    def restore_table(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Enter saved positions into the empty table."""
        self.table.work[:] = 0
        proof_number.store_all(
            self.table,
            columns["keys"],
            columns["proof"],
            columns["disproof"],
            work=columns["work"],
        )

    def _use_answer(self) -> None:
        """Move a bound, keep the move that reaches it, and ask the next question."""
        stack, proof = self.stack, self.numbers[0]
        reached = proof == 0
        if reached:
            self.lower = max(self.lower, float(stack.question[LOWEST_REACHING]))
        else:
            self.upper = min(self.upper, float(stack.question[HIGHEST_MISSING]))
        if reached or (self.proven and self.lower == 0):
            self.best_code = self._most_promising()
            self.pv = proof_line(
                self.position, self.game, self.stack, self.table, first=self.best_code
            )
        if not self.proven:
            self._ask((self.lower + self.upper) / 2)

    def _most_promising(self) -> int:
        """Return the move that proves the question, else the one that took most work."""
        stack = self.stack
        children = range(int(stack.children[0]))
        best = max(
            children,
            key=lambda child: (stack.child_proof[0, child] == 0, stack.child_work[0, child]),
        )
        return int(stack.moves[0, best])

    def _call(self, kernel: Callable[[], int]) -> None:
        call_kernel(kernel, self._fault, _no_growth)
        if refused := int(self.stack.counters[REFUSED]):
            raise _refusal(self.position.game.spec, refused)

    def _fault(self, status: Status) -> ContractError:
        return contract_fault(status, self.position.game.name, self.position.game.rules)


def _no_growth(status: Status) -> None:
    raise AssertionError(f"proof search never needs growth, got {status}")


def _proof_moves(game: Game) -> int:
    """Return the address of the game's `proof_moves`, which is compiled here first, or 0."""
    function = game.functions.proof_moves
    if function is None or game.misere:
        return 0
    return address(function, PROOF_MOVES)


def _entries(memory_mib: int) -> int:
    """Return the largest power of two of table entries that fit into the memory."""
    return max(BUCKET, 1 << ((memory_mib << 20) // ENTRY_BYTES).bit_length() - 1)


def _refusal(name: str, reason: int) -> UsageError:
    if reason == HAS_SIMULTANEOUS_MOVES:
        return UsageError(
            f"{name} has simultaneous moves: prove needs players who move in turn; 'graven search' "
            "finds good moves."
        )
    return UsageError(
        f"the scores of {name} do not always add up to 1: prove needs a zero-sum game with scores "
        "from 0 (lost) to 1 (won)."
    )


def prove(
    game: Game | Position | str,
    moves: Sequence[Any] = (),
    seconds: float | None = None,
    nodes: int | None = None,
    memory_mib: int = DEFAULT_MEMORY_MIB,
    seed: int = 0,
    stop: Stop | None = None,
    progress: Callable[[ProofSession], None] | None = None,
    save: str | Path | None = None,
    resume: str | Path | None = None,
) -> ProofResult:
    """Prove the result of a two-player position with best play, by proof-number search.

    `moves` are played first, each as `Position.play` takes it. Stops when the result is proven, or
    after `seconds` or `nodes` expanded positions. `memory_mib` is the size of the transposition
    table. `progress` is called regularly. `save` is a new file that is saved regularly; `resume` is
    a saved file to continue from, which is then also saved.
    """
    from graven.solving.proof_file import ProofAutosave, load_proof

    limits = ProveLimits(seconds, nodes)
    position = load_position(game).play_moves(moves)
    if resume is not None:
        session = load_proof(resume, position)
    else:
        session = ProofSession(position, memory_mib, seed)
    autosave = ProofAutosave(session, save, resume)

    def on_chunk(session: ProofSession) -> None:
        autosave.update()
        if progress is not None:
            progress(session)

    result = session.advance(limits, stop, on_chunk)
    autosave.close()
    return result
