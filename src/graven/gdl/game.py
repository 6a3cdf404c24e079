"""A `Game` from a network."""

from __future__ import annotations

from collections.abc import Mapping

from graven.core.game import Game, Option
from graven.gdl import many, one
from graven.gdl.circuit import circuit
from graven.gdl.many_tables import pack_many
from graven.gdl.network import Network
from graven.gdl.one_tables import pack_one
from graven.gdl.simplify import tidy

STEPS = 1000
"""The most steps of a game that does not bound itself."""


def network_game(
    network: Network,
    name: str = "gdl",
    options: Mapping[str, Option] | None = None,
    steps: int = STEPS,
) -> Game:
    """The game that a network describes."""
    plain = tidy(circuit(network))
    packed = pack_one(plain, True, steps)
    scratch = pack_many(packed.pack, plain)
    codes = max(len(moves) for moves in network.moves)
    texts = network.moves

    def show_move(player: int, code: int) -> str:
        return texts[player][code] if code < len(texts[player]) else f"#{code}"

    return Game(
        name=name,
        players=len(network.roles),
        words=packed.words,
        codes=codes,
        moves=codes,
        plies=steps,
        tables=packed.pack.vector(),
        start=one.start,
        turn=one.turn,
        legal=one.legal,
        play=one.play,
        scores=one.scores,
        sample=one.sample,
        key=one.key,
        allowed=one.allowed,
        many=many.many,
        scratch=scratch,
        options=options,
        player_names=network.roles,
        show_move=show_move,
    )
