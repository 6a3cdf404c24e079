"""Uniformly random moves to the end of the game.

Also serves the playouts that a game brings itself: they stand in place of its `sample`.
"""

from __future__ import annotations

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import Rules
from graven.core.rng import Rng
from graven.search.plan import Learner
from graven.search.playout.loop import play_with
from graven.search.policy import PlayoutForm, PlayoutPolicy
from graven.search.tree import Record, Tree


@inlined
def any_move(
    rules: Rules,
    tree: Tree,
    record: Record,
    learner: Learner,
    player: int,
    length: int,
    rng: Rng,
) -> int:
    """Any legal move."""
    return contract.sample(rules, record.state, player, record.moves, rng)


def play_out(rules: Rules, tree: Tree, record: Record, learner: Learner, rng: Rng) -> int:
    """Random moves until nobody is to move."""
    return play_with(any_move, rules, tree, record, learner, rng)


POLICIES = (PlayoutPolicy("uniform", "Uniformly random legal moves.", (PlayoutForm(play_out),)),)
