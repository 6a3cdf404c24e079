"""Nested Rollout Policy Adaptation (Rosin 2011), as in Cazenave 2016, algorithms 1 and 2.

A search of level 0 is a playout that chooses moves with probability proportional to the exponential
of their weights. A search of a higher level has a policy, initially that of the level above.
`iterations` times it calls the level below, stores the best game (of equal ones the latest), and
adapts its policy towards this game.

    NRPA (level, policy)                         adapt (policy, sequence)
      N times:                                     for each move in its position:
        result, new <- NRPA (level - 1, policy)      weight of the move + alpha
        if result >= best: best, seq <- new          weight of each legal move m
        policy <- adapt (policy, seq)                  - alpha * exp(policy[m]) / sum of those

with all probabilities from the policy before the adaptation. Three extensions are off by default:

* GNRPA (Cazenave 2021): policy[m] + bias * prior(m) takes the place of policy[m] in playouts and in
  adaptations. The biases are not learned.
* Stabilised NRPA (Cazenave, Sevestre and Toulemont 2020): level 1 makes `stabilise` playouts, not
  one, before each adaptation.
* Limited repetitions (after Cazenave 2024): a policy that finds its best game repeatedly has
  become deterministic, so a level ends after `repetitions` of them.

The implementation is iterative: after each playout the levels whose iterations are complete pass
their best game up, lowest level first.

Weights are stored with their exponentials, so that a playout calls no `exp`. Exponentials of large
weights overflow and those of small weights underflow; if the sum over the legal moves shows this,
they are recomputed relative to the largest weight. The playout records the codes of the legal
moves, so that the adaptation need not replay the game.

A code is the game's `feature` of a move, if it has features, or the move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from graven.core.calls import Value
from graven.core.contract import Rules, State
from graven.core.errors import UsageError
from graven.core.rng import Rng
from graven.search.policy import Parameter
from graven.solving.method import (
    FINISHED,
    NO_SCORE,
    OnePlayerSearch,
    SolveMethod,
    check_codes,
    check_integers,
)
from graven.solving.move_replay import replayed
from graven.solving.nrpa_kernels import exponential, record_game, search
from graven.solving.nrpa_memory import (
    NrpaMemory,
    new_games,
    new_policies,
    new_scratch,
    with_doubled_codes,
)

MAX_WEIGHT = 1e12  # of a saved policy; far more than any search can reach


class NrpaSearch(OnePlayerSearch):
    """NRPA of one level from one position."""

    def __init__(self, name: str, rules: Rules, root: State, values: Mapping[str, Value]) -> None:
        super().__init__(name, rules, root)
        if values["bias"] and not rules.prior:
            raise UsageError(
                f"nrpa: bias is the weight of the game's `prior`, and {name} has none: leave bias "
                "out; see docs/write-a-game.md for how a game gets one."
            )
        self.level = int(values["level"])
        use_features = bool(rules.feature) and values["code"] == "feature"
        self.num_codes = rules.num_features if use_features else rules.num_codes
        self.memory = NrpaMemory(
            root=self.root,
            counters=self.counters,
            policies=new_policies(
                self.level,
                self.num_codes,
                values,
                use_features=use_features,
            ),
            games=new_games(rules, self.level, biased=float(values["bias"]) != 0.0),
            scratch=new_scratch(rules),
        )

    def begin(self) -> None:
        """Begin a new run with uniform policies and without games."""
        self.counters[FINISHED] = 0
        self.memory.policies.weights[:] = 0.0
        self.memory.policies.exps[:] = 1.0
        self.memory.policies.done[:] = 0
        self.memory.policies.playouts[:] = 0
        self.memory.policies.repeats[:] = 0
        self.memory.games.score[:-1] = NO_SCORE

    def step(self, rng: Rng, goal: int) -> int:
        """See `OnePlayerSearch`."""
        return search(self.rules, self.memory, rng, goal)

    def grow(self) -> None:
        """Double the capacity for codes."""
        self.memory = self.memory._replace(games=with_doubled_codes(self.memory.games))

    @property
    def best(self) -> tuple[float, list[int]] | None:
        """See `OnePlayerSearch`."""
        score = float(self.memory.games.score[-1])
        return None if score == NO_SCORE else (score, self._line(-1))

    def set_best(self, score: float, moves: Sequence[int]) -> None:
        """See `OnePlayerSearch`."""
        self._set_line(len(self.memory.games.score) - 1, score, moves)

    def save(self) -> dict[str, Any]:
        """Return for each level, from 1 up: iterations, nonzero weights and the best game."""
        policies, games = self.memory.policies, self.memory.games
        levels = []
        for level in range(1, self.level + 1):
            codes = np.nonzero(policies.weights[level])[0]
            slot = int(games.slot[level])
            levels.append(
                {
                    "done": int(policies.done[level]),
                    "repeats": int(policies.repeats[level]),
                    "codes": codes.tolist(),
                    "weights": policies.weights[level, codes].tolist(),
                    "best": self._line(slot) if games.score[slot] != NO_SCORE else None,
                }
            )
        return {"levels": levels, "playouts": int(policies.playouts[0])}

    def load(self, saved: Mapping[str, Any]) -> None:
        """See `OnePlayerSearch`."""
        policies = self.memory.policies
        levels = saved["levels"]
        if not isinstance(levels, list) or len(levels) != self.level:
            raise ValueError
        self.begin()
        waiting = [saved.get("playouts", 0)]  # files of earlier versions have neither of the two
        policies.playouts[:] = check_integers(waiting, 0, policies.stabilise - 1, 1)
        for level, row in enumerate(levels, 1):
            (policies.done[level],) = check_integers([row["done"]], 0, policies.iterations - 1, 1)
            (policies.repeats[level],) = check_integers([row.get("repeats", 0)], 0, 1 << 40, 1)
            codes = check_integers(row["codes"], 0, self.num_codes - 1, self.num_codes)
            weights = np.array(row["weights"], dtype=np.float64)
            if weights.shape != (len(codes),) or not (abs(weights) < MAX_WEIGHT).all():
                raise ValueError
            for code, weight in zip(codes, weights.tolist(), strict=True):
                policies.weights[level, code] = weight
                policies.exps[level, code] = exponential(weight)
            if row["best"] is None:
                if policies.done[level]:
                    raise ValueError
                continue
            line = check_codes(row["best"], self.rules)
            _, score = replayed(self.rules, self.root, line)
            if score is None:
                raise ValueError
            slot = int(self.memory.games.slot[level])
            self._set_line(slot, score, line)
            self._run(partial(self._record_game, slot))

    def _record_game(self, slot: int) -> int:
        return record_game(self.rules, self.memory, slot)

    def _line(self, slot: int) -> list[int]:
        games = self.memory.games
        moves: list[int] = games.moves[slot, : games.length[slot]].tolist()
        return moves

    def _set_line(self, slot: int, score: float, moves: Sequence[int]) -> None:
        games = self.memory.games
        games.score[slot] = score
        games.length[slot] = len(moves)
        games.moves[slot, : len(moves)] = moves


PARAMETERS = (
    Parameter("level", 3, "nesting depth; 0 is a playout", low=1, high=8),
    Parameter(
        "iterations", 100, "calls of the level below (N; 100 in the papers)", low=1, high=1_000_000
    ),
    Parameter("alpha", 1.0, "learning rate of an adaptation", low=0.0, high=1000.0),
    Parameter(
        "bias",
        0.0,
        "GNRPA: a move is drawn by the exponential of its weight + bias * the game's `prior` "
        "(Cazenave 2021)",
        low=0.0,
        high=100.0,
        named=False,
    ),
    Parameter(
        "stabilise",
        1,
        "playouts before each adaptation of level 1 (stabilised NRPA, Cazenave, Sevestre and "
        "Toulemont 2020: 4 to 10)",
        low=1,
        high=1_000_000,
        named=False,
    ),
    Parameter(
        "repetitions",
        0,
        "a level ends when it has found its best game again so often; 0: never (limited "
        "repetitions, Cazenave 2024)",
        low=0,
        high=1_000_000,
        named=False,
    ),
    Parameter(
        "code",
        "feature",
        "what has a weight: the game's features, if it has any, or its moves",
        choices=("feature", "move"),
    ),
)

METHODS = (
    SolveMethod(
        name="nrpa",
        summary="Nested Rollout Policy Adaptation: playouts that learn the best game of each level "
        "(Rosin 2011; Cazenave 2016, algorithms 1 and 2).",
        parameters=PARAMETERS,
        make=NrpaSearch,
    ),
)
