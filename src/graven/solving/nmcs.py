"""Nested Monte Carlo Search (Cazenave 2009).

A search of level 0 is a random playout. One of a higher level plays a game: at every move it tries
each legal move with a search of the level below, and plays the next move of the best game that it
has seen, which it remembers: if no move leads to a better one, it follows that.

Told without recursion: each level above 0 is a frame with the position it has reached and the
moves still to try there. The frame at work lets the frame below try its next move (level 1: a
playout). A frame that has tried all moves plays one; a frame whose game is over offers the best
game that it has seen to the frame above, which then goes on with its own next move.
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
from graven.solving.method import AT, FINISHED, PLAYOUTS, Method, Solver, whole_numbers
from graven.solving.move_replay import copy_to, finish_at_random, play_one, replayed

NOTHING = -np.inf  # the score of a game that has not been played


class Frames(NamedTuple):
    """A row for each level. Row 0 is the playout, the last row the best game of all runs.

    `path` are the moves up to a frame's position, `depth` how many these are; `legal` its `choices`
    legal moves, of which `tried` have been tried. `line`, `length` and `score` are the best game
    that the frame has seen, from the root on; its score is NOTHING before it has seen any.
    """

    states: NDArray[np.int64]
    path: NDArray[np.int32]
    depth: NDArray[np.int64]
    legal: NDArray[np.int32]
    choices: NDArray[np.int64]
    tried: NDArray[np.int64]
    line: NDArray[np.int32]
    length: NDArray[np.int64]
    score: NDArray[np.float64]
    joint: NDArray[np.int32]
    out: NDArray[np.float64]


def new_frames(rules: Rules, level: int) -> Frames:
    """Frames for a search of some level."""
    rows = level + 2
    return Frames(
        states=np.zeros((rows, rules.state_words), np.int64),
        path=np.zeros((rows, rules.max_plies), np.int32),
        depth=np.zeros(rows, np.int64),
        legal=np.zeros((rows, rules.max_moves + rules.num_codes), np.int32),
        choices=np.zeros(rows, np.int64),
        tried=np.zeros(rows, np.int64),
        line=np.zeros((rows, rules.max_plies), np.int32),
        length=np.zeros(rows, np.int64),
        score=np.full(rows, NOTHING),
        joint=contract.new_joint(rules),
        out=np.zeros(rules.players),
    )


@compiled
def offer(frames: Frames, giver: int, taker: int) -> None:
    """Remember the giver's best game, if it is better than the taker's."""
    if frames.score[giver] > frames.score[taker]:
        length = frames.length[giver]
        frames.score[taker] = frames.score[giver]
        frames.length[taker] = length
        copy_to(frames.line[taker], frames.line[giver], length)


@compiled
def look(rules: Rules, frames: Frames, level: int) -> int:
    """List the moves of a frame's position; none if the game is over, which is then its game."""
    state = frames.states[level]
    frames.tried[level] = 0
    frames.choices[level] = 0
    if contract.turn(rules, state) == TERMINAL:
        if frames.score[level] == NOTHING:
            contract.scores(rules, state, frames.out)
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
def follow(rules: Rules, frames: Frames, level: int, move: int) -> None:
    """Play a move in a frame."""
    frames.path[level, frames.depth[level]] = move
    frames.depth[level] += 1
    play_one(rules, frames.states[level], frames.joint, move)


@compiled
def enter(rules: Rules, frames: Frames, level: int) -> None:
    """Set the frame below to where the next untried move of a frame leads."""
    below, depth = level - 1, frames.depth[level]
    copy_to(frames.states[below], frames.states[level], rules.state_words)
    copy_to(frames.path[below], frames.path[level], depth)
    frames.depth[below] = depth
    frames.score[below] = NOTHING
    follow(rules, frames, below, frames.legal[level, frames.tried[level]])


@compiled
def play_out(rules: Rules, frames: Frames, rng: Rng) -> int:
    """Play frame 0 to its end at random."""
    length = finish_at_random(
        rules,
        frames.states[0],
        frames.path[0],
        frames.depth[0],
        frames.legal[0],
        frames.joint,
        frames.out,
        rng,
    )
    if length < 0:
        return -1 - length
    frames.score[0] = frames.out[0]
    frames.length[0] = length
    copy_to(frames.line[0], frames.path[0], length)
    return Status.OK


@compiled
def search(
    rules: Rules,
    frames: Frames,
    level: int,
    counters: NDArray[np.int64],
    rng: Rng,
    goal: int,
) -> int:
    """Play until there have been `goal` playouts or the search is at its end; OK or a fault."""
    overall = level + 1
    status: int = Status.OK
    while counters[PLAYOUTS] < goal and not counters[FINISHED] and status == Status.OK:
        at = counters[AT]
        if frames.choices[at] == 0:
            # This frame's game is over: what it has found goes to the frame above.
            offer(frames, at, overall)
            if at == level:
                counters[FINISHED] = 1
            else:
                offer(frames, at, at + 1)
                frames.tried[at + 1] += 1
                counters[AT] = at + 1
        elif frames.tried[at] == frames.choices[at]:
            follow(rules, frames, at, frames.line[at, frames.depth[at]])
            status = look(rules, frames, at)
        elif at > 1:
            enter(rules, frames, at)
            counters[AT] = at - 1
            status = look(rules, frames, at - 1)
        else:
            enter(rules, frames, 1)
            status = play_out(rules, frames, rng)
            if status == Status.OK:
                counters[PLAYOUTS] += 1
                offer(frames, 0, overall)
                offer(frames, 0, 1)
                frames.tried[1] += 1
    return status


class Nmcs(Solver):
    """NMCS of one level from one position."""

    def __init__(self, name: str, rules: Rules, root: State, values: Mapping[str, Value]) -> None:
        super().__init__(name, rules, root)
        self.level = int(values["level"])
        self.frames = new_frames(rules, self.level)
        self.begin()

    def begin(self) -> None:
        """Only the frame of the highest level is at work."""
        top = self.level
        self.counters[FINISHED], self.counters[AT] = 0, top
        self.frames.states[top] = self.root
        self.frames.depth[top] = 0
        self.frames.score[top] = NOTHING
        self._run(lambda: look(self.rules, self.frames, top))

    def step(self, rng: Rng, goal: int) -> int:
        """See `Solver`."""
        return search(self.rules, self.frames, self.level, self.counters, rng, goal)

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """See `Solver`."""
        overall = self.level + 1
        if self.frames.score[overall] == NOTHING:
            return None
        return float(self.frames.score[overall]), self._line(overall)

    def keep(self, score: float, moves: Sequence[int]) -> None:
        """See `Solver`."""
        self._set_line(self.level + 1, score, moves)

    def save(self) -> dict[str, Any]:
        """The frames at work, the highest first: their moves, how many were tried, their best."""
        frames, at = self.frames, int(self.counters[AT])
        return {
            "frames": [
                {
                    "path": frames.path[level, : frames.depth[level]].tolist(),
                    "tried": int(frames.tried[level]),
                    "best": self._line(level) if frames.score[level] != NOTHING else None,
                }
                for level in range(self.level, at - 1, -1)
            ],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `Solver`."""
        rules, frames = self.rules, self.frames
        rows = saved["frames"]
        if not isinstance(rows, list) or not 1 <= len(rows) <= self.level:
            raise ValueError
        for level, row in zip(range(self.level, 0, -1), rows, strict=False):
            path = whole_numbers(row["path"], 0, rules.num_codes - 1, rules.max_plies)
            if level < self.level:
                began = self._tried_next(level + 1)
                if path[: len(began)] != began:
                    raise ValueError
            frames.states[level], _ = replayed(rules, self.root, path)
            frames.depth[level] = len(path)
            frames.path[level, : len(path)] = path
            frames.score[level] = NOTHING
            if row["best"] is not None:
                line = whole_numbers(row["best"], 0, rules.num_codes - 1, rules.max_plies)
                _, score = replayed(rules, self.root, line)
                if score is None or line[: len(path)] != path:
                    raise ValueError
                self._set_line(level, score, line)
            self._run(partial(look, rules, frames, level))
            count = int(frames.choices[level])
            (tried,) = whole_numbers([row["tried"]], 0, count, 1)
            if tried and frames.score[level] == NOTHING:
                raise ValueError
            frames.tried[level] = tried
        self.counters[AT] = self.level + 1 - len(rows)

    def _tried_next(self, level: int) -> list[int]:
        """The moves to where a frame tries its next move."""
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


LEVEL = Parameter("level", 2, "how deep searches are nested; 0 is a random playout", 1, 8)

METHODS = (
    Method(
        "nmcs",
        "Nested Monte Carlo Search: each move tried by a search of the level below "
        "(Cazenave 2009).",
        (LEVEL,),
        Nmcs,
    ),
)
