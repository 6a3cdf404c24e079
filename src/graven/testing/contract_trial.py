"""What the sentences of the contract are held against: a game under test and its random games."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from graven.core.game import Game
from graven.testing.probe import Moment, Probe, View


@dataclass
class Trial:
    """A game under test, and what is known of its positions so far."""

    probe: Probe
    chance: random.Random
    constant_sum: float | None
    by_key: dict[int, tuple[View, Moment]] = field(default_factory=dict)
    by_view: dict[View, tuple[int, Moment]] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        """The game under test."""
        return self.probe.game


@dataclass
class Record:
    """A random game: its positions, what was seen of each, and the moves between them."""

    moments: list[Moment] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    joints: list[dict[int, int]] = field(default_factory=list)


def random_joint(trial: Trial, moment: Moment) -> dict[int, int]:
    """A random legal move for each player who moves."""
    probe = trial.probe
    choosers = probe.choosers(probe.turn(moment))
    return {player: trial.chance.choice(probe.moves(moment, player)) for player in choosers}
