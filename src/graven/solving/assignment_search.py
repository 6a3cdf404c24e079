"""Search of puzzles in which moves are never undone: Sudoku, queens, a Latin square.

Every proposition changes at most once in a game, and no move becomes legal that was not. A solution
is then a set of moves, in any order, and constraint propagation finds it:

- A move is ruled out if after it the highest goal cannot become true any more, whatever the moves
  left change (`goal_cone.bound_goal`).
- A legal move that is never played must become illegal if the game only ends without legal moves.
  So either it or one of those that make it illegal is played. The next move is one of the smallest
  such group.
- A move that has been searched is ruled out: its order does not matter.

Random playouts suggest whether a game has this form (`note_moves`); it is not proved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import bits, contract
from graven.core.bits import words_for
from graven.core.compile import compiled, inlined
from graven.core.contract import TERMINAL, Moves, Rules, Scores, State
from graven.core.position import Position
from graven.core.rng import Rng, below, generator
from graven.gdl.kernels.compact import CompactState, compact_state
from graven.gdl.kernels.goal_cone import CONE_BASES, CONE_GATES, bound_goal
from graven.solving.move_replay import copy_to, play_one

PLAYOUTS = 32
MAX_WORDS = 4_000_000
"""The most words of the moves' tables: moves times words of moves or of bases."""
CASES = 64
MAX_ROUNDS = 2  # of ruling out moves in one position
NO_MOVE = -1
# Results of `examine`, if not a move.
DEAD, SOLVED = -1, -2

Words = NDArray[np.int64]


class AssignmentTables(NamedTuple):
    """What is known of the moves, and scratch."""

    changes: Words  # [move * base words + word]: the bases that a move may change
    rising: Words  # [word]: bases that have become true
    falling: Words  # [word]: bases that have become false
    unknown: Words  # [word]: bases that count time
    following: Words  # [move * move words + word]: the moves that are legal after a move
    viable: Words  # [word]: the legal moves that are not ruled out
    removed: Words  # [word]: the moves that are ruled out
    certain: Words  # [node of the goal's cone]
    possible: Words
    state: State
    child: State
    legal: Moves
    next_legal: Moves
    joint: Moves
    out: Scores
    # Constants.
    base_words: int
    bases: int
    move_words: int
    cone: int
    top_score: float
    fills: int  # whether games only end without legal moves


@compiled
def note_moves(rules: Rules, tables: AssignmentTables, root: State, rng: Rng) -> int:
    """Play a random game, and note what its moves add.

    Return -1 if a move removes something or makes another legal, else how many moves were legal in
    the final position.
    """
    copy_to(tables.state, root, rules.state_words)
    count = contract.legal(rules, tables.state, 0, tables.legal)
    for _ in range(rules.max_plies):
        if contract.turn(rules, tables.state) == TERMINAL:
            break
        _clear(tables.viable, 0, tables.move_words)
        for i in range(count):
            _set(tables.viable, 0, tables.legal[i])
        move = tables.legal[below(rng, count)]
        copy_to(tables.child, tables.state, tables.base_words)
        play_one(rules, tables.state, tables.joint, move)
        for word in range(tables.base_words):
            before, after = tables.child[word], tables.state[word]
            known = ~tables.unknown[word]
            tables.changes[move * tables.base_words + word] |= (before ^ after) & known
            tables.rising[word] |= after & ~before & known
            tables.falling[word] |= before & ~after & known
            if tables.rising[word] & tables.falling[word]:
                return -1
        count = contract.legal(rules, tables.state, 0, tables.legal)
        for i in range(count):
            if not _has(tables.viable, 0, tables.legal[i]):
                return -1
    return count


@inlined
def _set(words: Words, first: int, element: int) -> None:
    words[first + (element >> 6)] |= np.int64(1) << (element & 63)


@inlined
def _has(words: Words, first: int, element: int) -> bool:
    return (words[first + (element >> 6)] >> (element & 63)) & 1 != 0


@inlined
def _clear(words: Words, first: int, count: int) -> None:
    for i in range(first, first + count):
        words[i] = 0


@compiled
def add_case(tables: AssignmentTables, move: int, case: int) -> None:
    """Set the bounds of the bases after a move, whose position is `child`, as one case."""
    bit = np.int64(1) << case
    first = move * tables.move_words
    for word in range(tables.base_words):
        left = tables.child[word] & ~tables.unknown[word]
        while left:
            base = 64 * word + bits.lowest(left)
            left &= left - 1
            tables.certain[base] |= bit
            tables.possible[base] |= bit
    for word in range(tables.move_words):
        moves = tables.following[first + word] & ~tables.removed[word]
        while moves:
            change = (64 * word + bits.lowest(moves)) * tables.base_words
            moves &= moves - 1
            for i in range(tables.base_words):
                left = tables.changes[change + i]
                while left:
                    base = 64 * i + bits.lowest(left)
                    left &= left - 1
                    if (tables.child[i] >> (base & 63)) & 1:
                        tables.certain[base] &= ~bit
                    else:
                        tables.possible[base] |= bit


@compiled
def begin_cases(tables: AssignmentTables) -> None:
    """Forget all bounds but those of the bases that count time."""
    _clear(tables.certain, 0, tables.bases)
    for base in range(tables.bases):
        tables.possible[base] = -_has(tables.unknown, 0, base)


@compiled
def rule_out(rules: Rules, tables: AssignmentTables, count: int) -> int:
    """Rule out moves after which the goal is impossible; return a move that solves, or NO_MOVE.

    `legal` has `count` moves, the legal ones.
    """
    begin = 0
    while begin < count:
        begin_cases(tables)
        cases = np.int64(0)
        end = min(begin + CASES, count)
        for i in range(begin, end):
            move = tables.legal[i]
            if not _has(tables.viable, 0, move):
                continue
            copy_to(tables.child, tables.state, rules.state_words)
            play_one(rules, tables.child, tables.joint, move)
            first = move * tables.move_words
            _clear(tables.following, first, tables.move_words)
            if contract.turn(rules, tables.child) == TERMINAL:
                contract.scores(rules, tables.child, tables.out)
                if tables.out[0] >= tables.top_score:
                    return move
                continue
            following = contract.legal(rules, tables.child, 0, tables.next_legal)
            for k in range(following):
                _set(tables.following, first, tables.next_legal[k])
            cases |= np.int64(1) << (i - begin)
            add_case(tables, move, i - begin)
        if cases:
            cases &= bound_goal(rules.constants, tables.cone, tables.certain, tables.possible)
        for i in range(begin, end):
            move = tables.legal[i]
            if _has(tables.viable, 0, move) and not (cases >> (i - begin)) & 1:
                tables.viable[move >> 6] &= ~(np.int64(1) << (move & 63))
                _set(tables.removed, 0, move)
        begin = end
    return NO_MOVE


@compiled
def count_viable(tables: AssignmentTables) -> int:
    """Return how many moves are viable."""
    viable = 0
    for word in range(tables.move_words):
        viable += bits.count(tables.viable[word])
    return viable


@compiled
def examine(rules: Rules, tables: AssignmentTables, found: Moves) -> int:
    """Rule out moves in `state`, and return the next move to play; DEAD or SOLVED if there is none.

    If SOLVED, the move that solves is in `found`.
    """
    count = contract.legal(rules, tables.state, 0, tables.legal)
    _clear(tables.viable, 0, tables.move_words)
    for i in range(count):
        if not _has(tables.removed, 0, tables.legal[i]):
            _set(tables.viable, 0, tables.legal[i])
    before = -1
    for _ in range(MAX_ROUNDS):
        left = count_viable(tables)
        if left == 0:
            return DEAD
        if left == before:
            break
        before = left
        found[0] = rule_out(rules, tables, count)
        if found[0] != NO_MOVE:
            return SOLVED
    return smallest_group(tables, count)


@compiled
def smallest_group(tables: AssignmentTables, count: int) -> int:
    """Return a viable move of the smallest group, the first of equal ones; DEAD if one is empty."""
    best, least = DEAD, 1 << 30
    for i in range(count):
        move = tables.legal[i]
        if not _has(tables.viable, 0, move):
            continue
        if not tables.fills:
            return move
        first, size = move * tables.move_words, 0
        for word in range(tables.move_words):
            size += bits.count(tables.viable[word] & ~tables.following[first + word])
        if size < least:
            best, least = move, size
    return best


class _Frame(NamedTuple):
    """A position to examine: the moves ruled out in it, and the moves that lead to it."""

    state: State
    removed: Words
    path: tuple[object, ...]  # (move, path before); empty at the root


class AssignmentSearch:
    """A depth-first search of one puzzle in which moves only add propositions."""

    is_full = False
    is_proof = False

    def __init__(self, position: Position, tables: AssignmentTables) -> None:
        self.name, self.rules = position.game.name, position.game.rules
        self.tables = tables
        self.expanded = 0
        self.best: tuple[float, list[int]] | None = None
        """The highest score and the codes of its moves, once a game with it was found."""
        removed = np.zeros(tables.move_words, np.int64)
        self._waiting = [_Frame(position.state.copy(), removed, ())]
        self._found = np.zeros(1, np.int32)

    @property
    def nodes(self) -> int:
        """The number of positions stored."""
        return len(self._waiting)

    @property
    def is_complete(self) -> bool:
        """Whether a solution was found, or every position has been examined."""
        return self.best is not None or not self._waiting

    def advance(self, until: int) -> None:
        """Examine positions until the total is `until`, or all are examined."""
        while self.expanded < until and not self.is_complete:
            self.expanded += 1
            self._examine(self._waiting.pop())

    def _examine(self, frame: _Frame) -> None:
        rules, tables = self.rules, self.tables
        tables.state[:] = frame.state
        tables.removed[:] = frame.removed
        move = examine(rules, tables, self._found)
        if move == SOLVED:
            self.best = tables.top_score, _codes((int(self._found[0]), frame.path))
        elif move != DEAD:
            removed = tables.removed.copy()
            play_one(rules, tables.state, tables.joint, move)
            child = _Frame(tables.state.copy(), removed.copy(), (int(move), frame.path))
            removed[move >> 6] |= np.int64(1) << np.int64(move & 63)
            self._waiting += [_Frame(frame.state, removed, frame.path), child]


def _codes(path: tuple[object, ...]) -> list[int]:
    codes: list[int] = []
    while path:
        move, path = path  # type: ignore[assignment]
        codes.append(move)  # type: ignore[arg-type]
    return codes[::-1]


def assignment_search(position: Position, mask: NDArray[np.int64]) -> AssignmentSearch | None:
    """Return a search, or None if moves do more than add propositions.

    `mask` are the bits of a position that do more than count time.
    """
    game = position.game
    compact = compact_state(game)
    codes, words = game.rules.num_codes, words_for(game.rules.num_codes)
    if not compact.goal_cone or codes * max(words, compact.bases) > MAX_WORDS:
        return None
    tables, rng = _new_tables(position, compact, mask), generator(2)
    left = [note_moves(game.rules, tables, position.state, rng) for _ in range(PLAYOUTS)]
    if min(left) < 0 or not tables.changes.any():
        return None
    return AssignmentSearch(position, tables._replace(fills=int(max(left) == 0)))


def _new_tables(
    position: Position, compact: CompactState, mask: NDArray[np.int64]
) -> AssignmentTables:
    rules, cone = position.game.rules, compact.goal_cone
    words = words_for(rules.num_codes)
    bases = int(rules.constants[cone + CONE_BASES])
    nodes = bases + int(rules.constants[cone + CONE_GATES])
    return AssignmentTables(
        changes=np.zeros(rules.num_codes * compact.bases, np.int64),
        rising=np.zeros(compact.bases, np.int64),
        falling=np.zeros(compact.bases, np.int64),
        unknown=~mask[: compact.bases],
        following=np.zeros(rules.num_codes * words, np.int64),
        viable=np.zeros(words, np.int64),
        removed=np.zeros(words, np.int64),
        certain=np.zeros(nodes, np.int64),
        possible=np.zeros(nodes, np.int64),
        state=np.zeros(rules.state_words, np.int64),
        child=np.zeros(rules.state_words, np.int64),
        legal=contract.new_moves(rules),
        next_legal=contract.new_moves(rules),
        joint=contract.new_joint(rules),
        out=np.zeros(rules.players),
        base_words=compact.bases,
        bases=bases,
        move_words=words,
        cone=cone,
        top_score=compact.top_score,
        fills=0,
    )
