"""A game under test and its random games: the arguments of the contract's checks."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from graven.core.contract import CHANCE
from graven.core.game import Game
from graven.core.rule_probe import PositionView, ProbedPosition, RuleProbe


@dataclass
class GameTrial:
    """A game under test, and its positions so far by key and by view."""

    probe: RuleProbe
    chance: random.Random
    constant_sum: float | None
    by_key: dict[int, tuple[PositionView, ProbedPosition]] = field(default_factory=dict)
    by_view: dict[PositionView, tuple[int, ProbedPosition]] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        """The game under test."""
        return self.probe.game


@dataclass
class RandomGame:
    """A random game: its positions, the view of each, and the moves between them."""

    positions: list[ProbedPosition] = field(default_factory=list)
    views: list[PositionView] = field(default_factory=list)
    joints: list[dict[int, int]] = field(default_factory=list)


def random_joint(trial: GameTrial, position: ProbedPosition) -> dict[int, int]:
    """Return a random legal move for each player to move, or an outcome of chance."""
    probe = trial.probe
    turn = probe.turn(position)
    if turn == CHANCE:
        outcomes = probe.outcomes(position)
        drawn = trial.chance.choices([*outcomes], [*outcomes.values()])
        return {probe.game.chance_index: drawn[0]}
    players = probe.players_to_move(turn)
    return {player: trial.chance.choice(probe.legal_codes(position, player)) for player in players}
