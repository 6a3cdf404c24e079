"""Decisive and anti-decisive moves in playouts (Teytaud and Teytaud 2010).

With the option `decisive` a playout plays a move that wins at once wherever the game's
`winning_move` knows one. With decisive=defend it then plays the game's `defence` against a winning
move of the opponent. Everywhere else the playout policy chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from graven.core import contract
from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.search.tree import Record

DEFENDS = "defend"


def not_noted(rules: Rules, record: Record, memory: Any, player: int, move: int) -> None:
    """Note nothing of a decisive move: for policies that learn from the trace, or not at all."""


@cache
def decisive_choice(
    choose: Callable[..., int], forced: Callable[..., None], defends: bool
) -> Callable[..., int]:
    """Return a `choose` that returns a decisive move if there is one; it calls `forced` first."""
    find = winning_or_defending if defends else winning

    def choose_decisively(rules: Rules, record: Record, memory: Any, player: int) -> int:
        move = find(rules, record, player)
        if move >= 0:
            forced(rules, record, memory, player, move)
            return move
        return choose(rules, record, memory, player)

    return choose_decisively


@inlined
def winning(rules: Rules, record: Record, player: int) -> int:
    """Return a move that wins at once, or -1; -1 at simultaneous moves."""
    if contract.turn(rules, record.state) == SIMULTANEOUS:
        return -1
    return contract.winning_move(rules, record.state, player)


@inlined
def winning_or_defending(rules: Rules, record: Record, player: int) -> int:
    """Return a move that wins at once, else one that prevents the opponent's; -1 if none."""
    move = winning(rules, record, player)
    if move >= 0 or contract.turn(rules, record.state) == SIMULTANEOUS:
        return move
    threat = contract.winning_move(rules, record.state, 1 - player)
    if threat < 0:
        return -1
    return contract.defence(rules, record.state, player, threat, moves=record.moves, rng=record.rng)
