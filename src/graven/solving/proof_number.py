"""Depth-first proof-number search (df-pn; Nagai 2002) of one question about a two-player game.

The question is whether the player to move at the root (the prover) can reach a score of at least
`goal`, whatever the opponent plays. Every position has a proof number and a disproof number: lower
bounds of the effort that remains to prove and to disprove it. Proved positions have the numbers 0
and INFINITE, disproved ones INFINITE and 0.

The search goes to the most promising child while its numbers are below thresholds, and returns to
the parent when one of them is reached. Numbers are kept in a transposition table of fixed size. The
kernel works on an explicit stack, so that it can be interrupted after any node and continued.

Three refinements:

* In a position graph sums count shared descendants many times. The sum is therefore replaced by the
  maximum plus one for each other open child (weak proof-number search; Ueda et al. 2008).
* The threshold of a child exceeds the second-best number by a quarter (the 1 + epsilon trick;
  Pawlewicz and Lew 2007), which avoids alternating between two children.
* A new position starts with the number of its moves, weighted by the mean result of the move that
  leads to it in random playouts, one of which starts from each expanded position. The playouts
  direct the search; they never decide a proof.

A game may have `proof_moves` (see `core.contract`): bounds of the score of a position, which may
answer the question without children, and moves that suffice. It is called once for every expanded
position but the root, whose best move is wanted, and for each of its children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.compile import caller, compiled, inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Moves, Rules, State
from graven.core.contract.rule_signatures import PROOF_MOVES
from graven.core.rng import Rng
from graven.core.status import Status

INFINITE = 1 << 30
MAX_NUMBER = INFINITE - 1
BUCKET = 4  # entries of the table that a key may occupy

# `counters` of a search: expanded positions, depth of the stack, whether the question is answered,
# and why the game cannot be searched (0 if it can).
NODES, DEPTH, ANSWERED, REFUSED, COUNTERS = range(5)
HAS_SIMULTANEOUS_MOVES, IS_NOT_ZERO_SUM = 1, 2

# `question`: the goal, and the extreme scores of the prover in terminal positions that have been
# reached: the lowest of those at or above the goal and the highest of those below it.
GOAL, LOWEST_REACHING, HIGHEST_MISSING, QUESTION = range(4)

# The weight of playout statistics in the first numbers of a position.
PLAYOUT_WEIGHT = 12.0
_ODD = -7046029254386353131
_SUM_TOLERANCE = 1e-9

_proof_moves = caller(PROOF_MOVES)


class ProofTable(NamedTuple):
    """The transposition table: `size` entries in buckets of BUCKET; an entry of work 0 is empty."""

    keys: NDArray[np.int64]  # [entry]
    proof: NDArray[np.int32]  # [entry] proof number
    disproof: NDArray[np.int32]  # [entry] disproof number
    work: NDArray[np.int32]  # [entry] expanded positions below, at most MAX_NUMBER


class ProofStack(NamedTuple):
    """The path from the root to the current position; row d is the position at depth d."""

    counters: NDArray[np.int64]  # see above
    question: NDArray[np.float64]  # see above
    states: NDArray[np.int64]  # [row, state_words]
    keys: NDArray[np.int64]  # [row]
    prover_moves: NDArray[np.int64]  # [row] whether the prover is to move
    work: NDArray[np.int64]  # [row] expanded positions below
    proof_limit: NDArray[np.int64]  # [row] return when the proof number reaches this
    disproof_limit: NDArray[np.int64]  # [row]
    children: NDArray[np.int64]  # [row] number of children
    chosen: NDArray[np.int64]  # [row] the child that the next row shows
    moves: NDArray[np.int32]  # [row, child]
    child_keys: NDArray[np.int64]  # [row, child]
    child_proof: NDArray[np.int64]  # [row, child]
    child_disproof: NDArray[np.int64]  # [row, child]
    child_work: NDArray[np.int64]  # [row, child]
    # Playout statistics by player * num_codes + move: number of playouts with this move, and the
    # sum of the prover's scores.
    playouts: NDArray[np.float64]
    totals: NDArray[np.float64]
    rng: Rng
    # Scratch: legal moves of a child, a joint move, scores, the state and the trace of a playout.
    legal: NDArray[np.int32]
    joint: NDArray[np.int32]
    scores: NDArray[np.float64]
    state: NDArray[np.int64]
    trace: NDArray[np.int64]
    # Scratch of `proof_moves`: a lower and an upper bound of the score, words.
    bounds: NDArray[np.float64]
    words: NDArray[np.int64]


class ProofGame(NamedTuple):
    """The game as the kernel receives it."""

    rules: Rules
    prover: int  # the player to move at the root
    by_path: int  # whether keys identify the moves played instead of the position
    proof_moves: int  # the address of the game's `proof_moves`, or 0


def new_table(entries: int) -> ProofTable:
    """Return an empty table; `entries` is a power of two, at least BUCKET."""
    return ProofTable(
        keys=np.zeros(entries, np.int64),
        proof=np.zeros(entries, np.int32),
        disproof=np.zeros(entries, np.int32),
        work=np.zeros(entries, np.int32),
    )


ENTRY_BYTES = 20


def new_stack(rules: Rules, rng: Rng, proof_scratch: int) -> ProofStack:
    """Return an empty stack for games of this length; `proof_scratch` is that of `Bounds`."""
    rows = rules.max_plies + 1
    by_child = (rows, rules.max_moves)
    codes = rules.players * rules.num_codes
    return ProofStack(
        counters=np.zeros(COUNTERS, np.int64),
        question=np.zeros(QUESTION),
        states=np.zeros((rows, rules.state_words), np.int64),
        keys=np.zeros(rows, np.int64),
        prover_moves=np.zeros(rows, np.int64),
        work=np.zeros(rows, np.int64),
        proof_limit=np.zeros(rows, np.int64),
        disproof_limit=np.zeros(rows, np.int64),
        children=np.zeros(rows, np.int64),
        chosen=np.zeros(rows, np.int64),
        moves=np.zeros((rows, contract.move_capacity(rules)), np.int32),
        child_keys=np.zeros(by_child, np.int64),
        child_proof=np.zeros(by_child, np.int64),
        child_disproof=np.zeros(by_child, np.int64),
        child_work=np.zeros(by_child, np.int64),
        playouts=np.zeros(codes),
        totals=np.zeros(codes),
        rng=rng,
        legal=contract.new_moves(rules),
        joint=contract.new_joint(rules),
        scores=np.zeros(rules.players),
        state=contract.new_state(rules),
        trace=np.zeros(rules.max_plies, np.int64),
        bounds=np.zeros(2),
        words=np.zeros(proof_scratch, np.int64),
    )


@compiled
def find_entry(table: ProofTable, key: int) -> int:
    """Return the index of the entry with this key, or -1."""
    first = key & (len(table.keys) - BUCKET)
    for entry in range(first, first + BUCKET):
        if table.keys[entry] == key and table.work[entry] > 0:
            return entry
    return -1


@inlined
def store(table: ProofTable, key: int, proof: int, disproof: int, work: int) -> None:
    """Enter a position, in place of the entry of its bucket with the least work."""
    first = key & (len(table.keys) - BUCKET)
    place = first
    for entry in range(first, first + BUCKET):
        if table.keys[entry] == key and table.work[entry] > 0:
            place = entry
            break
        if table.work[entry] < table.work[place]:
            place = entry
    table.keys[place] = key
    table.proof[place] = proof
    table.disproof[place] = disproof
    table.work[place] = min(max(work, 1), MAX_NUMBER)


@compiled
def store_all(
    table: ProofTable,
    keys: NDArray[np.int64],
    proof: NDArray[np.int32],
    disproof: NDArray[np.int32],
    work: NDArray[np.int32],
) -> None:
    """Enter many positions."""
    for i in range(len(keys)):
        store(table, keys[i], proof[i], disproof[i], work=work[i])


@compiled
def child_key(game: ProofGame, parent_key: int, move: int, state: State) -> int:
    """Return the key of a position: of its state, or of the path that leads to it."""
    if not game.by_path:
        return contract.key(game.rules, state)
    mixed = (parent_key ^ (move + 1)) * _ODD
    mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    return mixed * _ODD


@inlined
def play_move(rules: Rules, state: State, joint: NDArray[np.int32], player: int, move: int) -> None:
    """Play one player's move."""
    joint[player] = move
    contract.play(rules, state, joint)


@inlined
def terminal_score(game: ProofGame, stack: ProofStack, state: State) -> float:
    """Return the prover's score in a terminal position; set REFUSED if the game is not zero-sum."""
    contract.scores(game.rules, state, stack.scores)
    if not abs(stack.scores[0] + stack.scores[1] - 1.0) <= _SUM_TOLERANCE:
        stack.counters[REFUSED] = IS_NOT_ZERO_SUM
    return stack.scores[game.prover]


@compiled
def play_out(game: ProofGame, stack: ProofStack, row: int) -> int:
    """Play a random game from a row's position and count it for each of its moves."""
    rules, state = game.rules, stack.state
    for i in range(rules.state_words):
        state[i] = stack.states[row, i]
    length = 0
    while True:
        turn = contract.turn(rules, state)
        if turn == TERMINAL:
            break
        if turn == SIMULTANEOUS:
            stack.counters[REFUSED] = HAS_SIMULTANEOUS_MOVES
            return Status.OK
        if row + length >= rules.max_plies:
            return Status.TOO_LONG
        move = contract.sample(rules, state, turn, stack.legal, rng=stack.rng)
        if move < 0:
            return Status.NO_MOVE
        if move >= rules.num_codes:
            return Status.BAD_CODE
        stack.trace[length] = turn * rules.num_codes + move
        length += 1
        play_move(rules, state, stack.joint, turn, move=move)
    score = terminal_score(game, stack, state)
    for i in range(length):
        stack.playouts[stack.trace[i]] += 1.0
        stack.totals[stack.trace[i]] += score
    return Status.OK


@compiled
def list_moves(game: ProofGame, stack: ProofStack, state: State, turn: int, moves: Moves) -> int:
    """Write moves that suffice and `stack.bounds` of the prover's score; return their number.

    It is 0 only if the bounds answer the question.
    """
    bounds = stack.bounds
    bounds[0], bounds[1] = 0.0, 1.0
    if not game.proof_moves:
        return contract.legal(game.rules, state, turn, moves)
    count = _proof_moves(
        game.proof_moves, (game.rules.constants, state, turn, moves, bounds, stack.words)
    )
    if turn != game.prover:
        bounds[0], bounds[1] = 1.0 - bounds[1], 1.0 - bounds[0]
    return count


@inlined
def answer(stack: ProofStack, low: float, high: float) -> tuple[int, int]:
    """Return the numbers of a position with these bounds of the prover's score; 1, 1 if open."""
    question = stack.question
    if low >= question[GOAL]:
        question[LOWEST_REACHING] = min(low, question[LOWEST_REACHING])
        return 0, INFINITE
    if high < question[GOAL]:
        question[HIGHEST_MISSING] = max(high, question[HIGHEST_MISSING])
        return INFINITE, 0
    return 1, 1


@compiled
def expand(game: ProofGame, stack: ProofStack, table: ProofTable, row: int) -> int:
    """List the children of a row's position with their numbers; return a status.

    If a child decides the position, it is listed alone.
    """
    rules = game.rules
    turn = contract.turn(rules, stack.states[row])
    if turn == SIMULTANEOUS:
        stack.counters[REFUSED] = HAS_SIMULTANEOUS_MOVES
        return Status.OK
    if not 0 <= turn < rules.players:
        return Status.BAD_TURN
    if row >= rules.max_plies:
        return Status.TOO_LONG
    moves, state = stack.moves[row], stack.state
    is_prover = turn == game.prover
    stack.prover_moves[row] = is_prover
    stack.work[row] = 1
    stack.counters[NODES] += 1
    if row == 0:  # its best move is wanted
        count = contract.legal(rules, stack.states[row], turn, moves)
    else:
        count = list_moves(game, stack, stack.states[row], turn, moves=moves)
    if count <= 0:
        return Status.NO_MOVE
    if count > rules.max_moves:
        return Status.TOO_MANY
    for child in range(count):
        move = moves[child]
        if not 0 <= move < rules.num_codes:
            return Status.BAD_CODE
        for i in range(rules.state_words):
            state[i] = stack.states[row, i]
        play_move(rules, state, stack.joint, turn, move=move)
        next_turn = contract.turn(rules, state)
        stack.child_work[row, child] = 0
        key, proof, disproof = 0, 0, 0
        if next_turn == TERMINAL:
            score = terminal_score(game, stack, state)
            proof, disproof = answer(stack, score, score)
        else:
            key = child_key(game, stack.keys[row], move, state)
            entry = find_entry(table, key)
            if entry >= 0:
                proof, disproof = table.proof[entry], table.disproof[entry]
                stack.child_work[row, child] = table.work[entry]
            elif next_turn == SIMULTANEOUS:
                stack.counters[REFUSED] = HAS_SIMULTANEOUS_MOVES
                return Status.OK
            else:
                width = max(1, list_moves(game, stack, state, next_turn, moves=stack.legal))
                proof, disproof = answer(stack, stack.bounds[0], stack.bounds[1])
                if proof == disproof:
                    code = turn * rules.num_codes + move
                    mean = (stack.totals[code] + 1.0) / (stack.playouts[code] + 2.0)
                    proof = 1 + int(PLAYOUT_WEIGHT * (1.0 - mean))
                    disproof = 1 + int(PLAYOUT_WEIGHT * mean)
                    if next_turn == game.prover:
                        disproof *= width
                    else:
                        proof *= width
                if game.proof_moves:  # which may take long
                    store(table, key, proof, disproof, work=1)
        decides = proof == 0 if is_prover else disproof == 0
        place = 0 if decides else child
        moves[place] = move
        stack.child_keys[row, place] = key
        stack.child_proof[row, place] = proof
        stack.child_disproof[row, place] = disproof
        if decides:
            stack.child_work[row, 0] = stack.child_work[row, child]
            count = 1
            break
    stack.children[row] = count
    return Status.OK


@inlined
def summarise(near: NDArray[np.int64], far: NDArray[np.int64], count: int):  # type: ignore[no-untyped-def]
    """Return the best child, its number, the second number, the combined far number, open children.

    `near` are the numbers of which the player to move needs the smallest, `far` the others.
    """
    best, least, second, largest, open_children = 0, INFINITE + 1, INFINITE, 0, 0
    for child in range(count):
        if near[child] < least:
            second = least
            least = near[child]
            best = child
        elif near[child] < second:
            second = near[child]
        if far[child] > 0:
            open_children += 1
            largest = max(largest, far[child])
    combined = 0
    if least == 0:
        combined = INFINITE
    elif open_children > 0:
        combined = min(largest + open_children - 1, MAX_NUMBER)
    if combined == 0:
        least = INFINITE
    return best, min(least, INFINITE), min(second, INFINITE), combined, open_children


@compiled
def root_numbers(near: NDArray[np.int64], far: NDArray[np.int64], count: int) -> tuple[int, int]:
    """Return the proof and disproof number of a position whose player to move is the prover."""
    _, least, _, combined, _ = summarise(near, far, count)
    return least, combined


@compiled
def start_question(game: ProofGame, stack: ProofStack, table: ProofTable, goal: float) -> int:
    """Ask a new question; row 0 holds the root's state. The table must be empty."""
    stack.question[GOAL] = goal
    stack.question[LOWEST_REACHING] = 1.0
    stack.question[HIGHEST_MISSING] = 0.0
    stack.counters[DEPTH] = 0
    stack.counters[ANSWERED] = 0
    stack.keys[0] = _ODD if game.by_path else contract.key(game.rules, stack.states[0])
    stack.proof_limit[0] = INFINITE
    stack.disproof_limit[0] = INFINITE
    return expand(game, stack, table, 0)


@compiled
def search(game: ProofGame, stack: ProofStack, table: ProofTable, until: int) -> int:
    """Search until `counters[NODES]` is `until` or the question is answered; return a status."""
    rules, counters = game.rules, stack.counters
    row = counters[DEPTH]
    while counters[NODES] < until and not counters[ANSWERED] and not counters[REFUSED]:
        count = stack.children[row]
        if stack.prover_moves[row]:
            near, far = stack.child_proof[row], stack.child_disproof[row]
            near_limit, far_limit = stack.proof_limit[row], stack.disproof_limit[row]
        else:
            near, far = stack.child_disproof[row], stack.child_proof[row]
            near_limit, far_limit = stack.disproof_limit[row], stack.proof_limit[row]
        best, least, second, combined, open_children = summarise(near, far, count)
        if least >= near_limit or combined >= far_limit or least == 0 or combined == 0:
            proof = least if stack.prover_moves[row] else combined
            disproof = combined if stack.prover_moves[row] else least
            store(table, stack.keys[row], proof, disproof, work=stack.work[row])
            if row == 0:
                counters[ANSWERED] = 1
                break
            row -= 1
            counters[DEPTH] = row
            child = stack.chosen[row]
            stack.child_proof[row, child] = proof
            stack.child_disproof[row, child] = disproof
            stack.child_work[row, child] = stack.work[row + 1]
            stack.work[row] += stack.work[row + 1]
            continue
        near_child = min(near_limit, second + 1 + second // 4)
        far_child = far_limit - (open_children - 1)
        stack.chosen[row] = best
        for i in range(rules.state_words):
            stack.states[row + 1, i] = stack.states[row, i]
        turn = contract.turn(rules, stack.states[row])
        play_move(rules, stack.states[row + 1], stack.joint, turn, move=stack.moves[row, best])
        stack.keys[row + 1] = stack.child_keys[row, best]
        if stack.prover_moves[row]:
            stack.proof_limit[row + 1], stack.disproof_limit[row + 1] = near_child, far_child
        else:
            stack.proof_limit[row + 1], stack.disproof_limit[row + 1] = far_child, near_child
        status = expand(game, stack, table, row + 1)
        if status == Status.OK and not counters[REFUSED]:
            status = play_out(game, stack, row + 1)
        if status != Status.OK:
            return status
        row += 1
        counters[DEPTH] = row
    return Status.OK
