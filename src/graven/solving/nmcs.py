"""Nested Monte Carlo Search (Cazenave 2009).

A search of level 0 is a random playout. A search of a higher level plays a game: in each position
it tries every legal move with a search of the level below, then plays the next move of the best
game seen so far, which it memorises: if no move improves on it, the search follows that game.

The implementation is iterative: each level above 0 is a frame with a position and the moves still
to try there. The current frame starts the frame below with its next untried move (level 1: a
playout). A frame that has tried all moves plays one. A frame whose game is over passes its best
game to the frame above, which continues with its next move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.calls import Value
from graven.core.compile import compiled
from graven.core.contract import TERMINAL, Rules, State
from graven.core.rng import Rng
from graven.core.status import Status
from graven.search.policy import Parameter
from graven.solving.method import (
    FINISHED,
    LEVEL,
    NO_SCORE,
    PLAYOUTS,
    OnePlayerSearch,
    SolveMethod,
    check_codes,
    check_integers,
)
from graven.solving.move_replay import copy_to, play_one, replayed


class NmcsFrames(NamedTuple):
    """One row per level. Row 0 is the playout, the last row the best game of all runs."""

    counters: NDArray[np.int64]  # see `method`
    states: NDArray[np.int64]  # [row, state_words] the frame's position
    path: NDArray[np.int32]  # [row, max_plies] the moves from the root to the position
    depth: NDArray[np.int64]  # [row] the length of `path`
    legal: NDArray[np.int32]  # [row, moves] the legal moves of the position
    choices: NDArray[np.int64]  # [row] the number of legal moves
    tried: NDArray[np.int64]  # [row] how many of them have been tried
    line: NDArray[np.int32]  # [row, max_plies] the best game of the frame, from the root
    length: NDArray[np.int64]  # [row] the length of `line`
    score: NDArray[np.float64]  # [row] the score of `line`, or NO_SCORE
    joint: NDArray[np.int32]  # scratch
    out: NDArray[np.float64]  # scratch


def new_frames(rules: Rules, level: int, counters: NDArray[np.int64]) -> NmcsFrames:
    """Return empty frames for a search of this level."""
    rows = level + 2
    return NmcsFrames(
        counters=counters,
        states=np.zeros((rows, rules.state_words), np.int64),
        path=np.zeros((rows, rules.max_plies), np.int32),
        depth=np.zeros(rows, np.int64),
        legal=np.zeros((rows, rules.max_moves + rules.num_codes), np.int32),
        choices=np.zeros(rows, np.int64),
        tried=np.zeros(rows, np.int64),
        line=np.zeros((rows, rules.max_plies), np.int32),
        length=np.zeros(rows, np.int64),
        score=np.full(rows, NO_SCORE),
        joint=contract.new_joint(rules),
        out=np.zeros(rules.players),
    )


@compiled
def update_best(frames: NmcsFrames, source: int, target: int) -> None:
    """Copy the best game of one row to another if its score is higher."""
    if frames.score[source] > frames.score[target]:
        length = frames.length[source]
        frames.score[target] = frames.score[source]
        frames.length[target] = length
        copy_to(frames.line[target], frames.line[source], length)


@compiled
def list_moves(rules: Rules, frames: NmcsFrames, level: int) -> int:
    """List the legal moves of a frame's position; return a status.

    There are none if the game is over. If the frame has no best game yet, it is this one.
    """
    state = frames.states[level]
    frames.tried[level] = 0
    frames.choices[level] = 0
    if contract.turn(rules, state) == TERMINAL:
        if frames.score[level] == NO_SCORE:
            contract.scores(rules, state, frames.out)
            if not contract.are_scores(frames.out, rules.players):
                return Status.BAD_SCORE
            frames.score[level] = frames.out[0]
            frames.length[level] = frames.depth[level]
            copy_to(frames.line[level], frames.path[level], frames.depth[level])
        return Status.OK
    if frames.depth[level] >= rules.max_plies:
        return Status.TOO_LONG
    count = contract.legal(rules, state, 0, frames.legal[level])
    if count > rules.max_moves:
        return Status.TOO_MANY
    if count <= 0:
        return Status.NO_MOVE
    for i in range(count):
        if not 0 <= frames.legal[level, i] < rules.num_codes:
            return Status.BAD_CODE
    frames.choices[level] = count
    return Status.OK


@compiled
def play_in_frame(rules: Rules, frames: NmcsFrames, level: int, move: int) -> None:
    """Play a move in a frame."""
    frames.path[level, frames.depth[level]] = move
    frames.depth[level] += 1
    play_one(rules, frames.states[level], frames.joint, move)


@compiled
def enter(rules: Rules, frames: NmcsFrames, level: int) -> None:
    """Set the frame below to the position after a frame's next untried move."""
    lower, depth = level - 1, frames.depth[level]
    copy_to(frames.states[lower], frames.states[level], rules.state_words)
    copy_to(frames.path[lower], frames.path[level], depth)
    frames.depth[lower] = depth
    frames.score[lower] = NO_SCORE
    play_in_frame(rules, frames, lower, frames.legal[level, frames.tried[level]])


@compiled
def play_out(rules: Rules, frames: NmcsFrames, rng: Rng) -> int:
    """Play random moves in frame 0 to the end of the game; return a status."""
    state, path, length = frames.states[0], frames.path[0], frames.depth[0]
    while contract.turn(rules, state) != TERMINAL:
        if length >= rules.max_plies:
            return Status.TOO_LONG
        move = contract.sample(rules, state, 0, frames.legal[0], rng=rng)
        if move < 0:
            return Status.NO_MOVE
        if move >= rules.num_codes:
            return Status.BAD_CODE
        path[length] = move
        length += 1
        play_one(rules, state, frames.joint, move)
    contract.scores(rules, state, frames.out)
    if not contract.are_scores(frames.out, rules.players):
        return Status.BAD_SCORE
    frames.score[0] = frames.out[0]
    frames.length[0] = length
    copy_to(frames.line[0], path, length)
    return Status.OK


@compiled
def search(rules: Rules, frames: NmcsFrames, rng: Rng, goal: int) -> int:
    """Search until the total of playouts is `goal` or the run ends; return OK or a fault."""
    counters = frames.counters
    overall = frames.score.size - 1
    top = overall - 1
    status: int = Status.OK
    while counters[PLAYOUTS] < goal and not counters[FINISHED] and status == Status.OK:
        level = counters[LEVEL]
        if frames.choices[level] == 0:
            # This frame's game is over: pass its best game to the frame above.
            update_best(frames, level, overall)
            if level == top:
                counters[FINISHED] = 1
            else:
                update_best(frames, level, level + 1)
                frames.tried[level + 1] += 1
                counters[LEVEL] = level + 1
        elif frames.tried[level] == frames.choices[level]:
            play_in_frame(rules, frames, level, frames.line[level, frames.depth[level]])
            status = list_moves(rules, frames, level)
        elif level > 1:
            enter(rules, frames, level)
            counters[LEVEL] = level - 1
            status = list_moves(rules, frames, level - 1)
        else:
            enter(rules, frames, 1)
            status = play_out(rules, frames, rng)
            if status == Status.OK:
                counters[PLAYOUTS] += 1
                update_best(frames, 0, overall)
                update_best(frames, 0, 1)
                frames.tried[1] += 1
    return status


class NmcsSearch(OnePlayerSearch):
    """NMCS of one level from one position."""

    def __init__(self, name: str, rules: Rules, root: State, values: Mapping[str, Value]) -> None:
        super().__init__(name, rules, root)
        self.level = int(values["level"])
        self.frames = new_frames(rules, self.level, self.counters)
        self.begin()

    def begin(self) -> None:
        """Begin a new run with the frame of the highest level at the root."""
        top = self.level
        self.counters[FINISHED], self.counters[LEVEL] = 0, top
        self.frames.states[top] = self.root
        self.frames.depth[top] = 0
        self.frames.score[top] = NO_SCORE
        self._run(lambda: list_moves(self.rules, self.frames, top))

    def step(self, rng: Rng, goal: int) -> int:
        """See `OnePlayerSearch`."""
        return search(self.rules, self.frames, rng, goal)

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """See `OnePlayerSearch`."""
        overall = self.level + 1
        if self.frames.score[overall] == NO_SCORE:
            return None
        return float(self.frames.score[overall]), self._line(overall)

    def set_best(self, score: float, moves: Sequence[int]) -> None:
        """See `OnePlayerSearch`."""
        self._set_line(self.level + 1, score, moves)

    def save(self) -> dict[str, Any]:
        """Return path, number of tried moves and best game of each active frame, top first."""
        frames, current = self.frames, int(self.counters[LEVEL])
        return {
            "frames": [
                {
                    "path": frames.path[level, : frames.depth[level]].tolist(),
                    "tried": int(frames.tried[level]),
                    "best": self._line(level) if frames.score[level] != NO_SCORE else None,
                }
                for level in range(self.level, current - 1, -1)
            ],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `OnePlayerSearch`."""
        rules, frames = self.rules, self.frames
        rows = saved["frames"]
        if not isinstance(rows, list) or not 1 <= len(rows) <= self.level:
            raise ValueError
        for level, row in zip(range(self.level, 0, -1), rows, strict=False):
            path = check_codes(row["path"], rules)
            if level < self.level:
                entry = self._next_entry(level + 1)
                if path[: len(entry)] != entry:
                    raise ValueError
            frames.states[level], _ = replayed(rules, self.root, path)
            frames.depth[level] = len(path)
            frames.path[level, : len(path)] = path
            frames.score[level] = NO_SCORE
            if row["best"] is not None:
                line = check_codes(row["best"], rules)
                _, score = replayed(rules, self.root, line)
                if score is None or line[: len(path)] != path:
                    raise ValueError
                self._set_line(level, score, line)
            self._run(partial(list_moves, rules, frames, level))
            count = int(frames.choices[level])
            (tried,) = check_integers([row["tried"]], 0, count, 1)
            if tried and frames.score[level] == NO_SCORE:
                raise ValueError
            frames.tried[level] = tried
        self.counters[LEVEL] = self.level + 1 - len(rows)

    def _next_entry(self, level: int) -> list[int]:
        """Return the moves to the position after a frame's next untried move."""
        frames = self.frames
        if frames.tried[level] >= frames.choices[level]:
            raise ValueError
        path = frames.path[level, : frames.depth[level]].tolist()
        return [*path, int(frames.legal[level, frames.tried[level]])]

    def _line(self, row: int) -> list[int]:
        moves: list[int] = self.frames.line[row, : self.frames.length[row]].tolist()
        return moves

    def _set_line(self, row: int, score: float, moves: Sequence[int]) -> None:
        self.frames.score[row] = score
        self.frames.length[row] = len(moves)
        self.frames.line[row, : len(moves)] = moves


METHODS = (
    SolveMethod(
        name="nmcs",
        summary="Nested Monte Carlo Search: tries each move with a search of the level below "
        "(Cazenave 2009).",
        parameters=(
            Parameter("level", 2, "nesting depth; 1 tries moves by random playouts", low=1, high=8),
        ),
        make=NmcsSearch,
    ),
)
