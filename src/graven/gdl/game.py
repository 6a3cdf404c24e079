"""A `Game` from a network."""

from __future__ import annotations

from collections.abc import Mapping

from graven.core.contract import State
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.gdl import many, one
from graven.gdl.circuit import circuit
from graven.gdl.clock import longest_game
from graven.gdl.many_tables import pack_many
from graven.gdl.network import Network
from graven.gdl.one_tables import pack_one
from graven.gdl.show import Board
from graven.gdl.simplify import tidy

STEPS = 1000
"""The most steps of a game that does not bound itself."""


def network_game(
    network: Network,
    name: str = "gdl",
    options: Mapping[str, Option] | None = None,
    steps: int = STEPS,
) -> Game:
    """The game that a network describes.

    Where one role has a choice, it moves and the others make the only moves they have; where
    several have, all move at once; where nobody has, the turn is that of the first role whose move
    anything depends on. The game is over when the rules say so, and where somebody has no legal
    move at all. Unless the rules themselves end it before, it also ends after `steps` steps: these
    are then counted in the state and part of its key. A result is the goal as a part of 100: the
    highest if several hold, 0 if none does.
    """
    plain = tidy(circuit(network))
    bound = longest_game(plain)
    counted = bound is None or bound > steps
    packed = pack_one(plain, counted, steps)
    scratch = pack_many(packed.pack, plain)
    codes = max(1, *(len(moves) for moves in network.moves))
    texts, bases, board = network.moves, network.bases, Board([*network.bases, *network.always])
    step = packed.pack.header[one.STEP]

    def show_move(player: int, code: int) -> str:
        return texts[player][code] if code < len(texts[player]) else f"#{code}"

    def show(state: State, colour: bool) -> str:
        facts = [text for i, text in enumerate(bases) if int(state[i >> 6]) >> (i & 63) & 1]
        text = board.text([*facts, *network.always])
        return f"{text}\nstep {state[step]}" if counted else text

    return Game(
        name=name,
        players=len(network.roles),
        functions=RuleFunctions(
            start=one.start,
            turn=one.turn,
            legal=one.legal,
            play=one.play,
            scores=one.scores,
            sample=one.sample,
            key=one.key,
            is_playout_move=one.allowed,
            batch_playouts=many.many,
        ),
        bounds=Bounds(
            state_words=packed.words,
            num_codes=codes,
            max_moves=codes,
            max_plies=max(1, steps if counted or bound is None else bound),
            batch_scratch=scratch,
        ),
        constants=packed.pack.vector(),
        display=Display(player_names=network.roles, format_move=show_move, render=show),
        options=options,
    )
