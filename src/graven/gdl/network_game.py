"""A `Game` from a propositional network."""

from __future__ import annotations

from collections.abc import Mapping

from graven.core.contract import State
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.gdl.fact_board import FactBoard, Seats
from graven.gdl.kernels import batched, single, unit_state
from graven.gdl.kernels.batched_tables import pack_batched
from graven.gdl.kernels.single_tables import pack_single
from graven.gdl.network.game_length import longest_game
from graven.gdl.network.legality import simplified
from graven.gdl.network.propositional import Network

DEFAULT_STEPS = 1000
"""The most steps of a game whose rules do not bound them."""


def network_game(
    network: Network,
    options: Mapping[str, Option] | None = None,
    steps: int = DEFAULT_STEPS,
) -> Game:
    """Make the game of a network.

    Where one role has a choice, it moves and the others make their only moves; where several have
    a choice, moves are simultaneous; where no role has one, it is the turn of the first role whose
    move has an effect. The game is over when it is terminal, and when a role has no legal move.
    Unless the rules bound the steps, it also ends after `steps` steps, which are then counted in
    the state and part of its key. A score is the goal as a part of 100: the highest goal that is
    true, 0 if none is.
    """
    simple = simplified(network)
    bound = longest_game(simple)
    counted = bound is None or bound > steps
    packed = pack_single(simple, counted, steps)
    scratch = pack_batched(packed.packer, simple)
    codes = max(1, *(len(moves) for moves in network.moves))
    texts, bases = network.moves, network.bases
    words = [{word for text in moves for word in text.split()} for moves in texts]
    board = FactBoard([*bases, *network.always], Seats(network.roles, words))
    step = packed.packer.header[unit_state.STEP]

    def show_move(player: int, code: int) -> str:
        return texts[player][code] if code < len(texts[player]) else f"#{code}"

    def facts_of(state: State) -> list[str]:
        facts = [text for i, text in enumerate(bases) if int(state[i >> 6]) >> (i & 63) & 1]
        return [*facts, *network.always]

    def show(state: State, colour: bool) -> str:
        text = board.text(facts_of(state))
        return f"{text}\nstep {state[step]}" if counted else text

    return Game(
        name="gdl",
        players=len(network.roles),
        functions=RuleFunctions(
            start=single.start,
            turn=single.turn,
            legal=single.legal,
            play=single.play,
            scores=single.scores,
            sample=single.sample,
            key=single.key,
            is_playout_move=single.allowed,
            batch_playouts=batched.batch_playouts,
            batch_policy_playouts=batched.batch_policy_playouts,
        ),
        bounds=Bounds(
            state_words=packed.words,
            num_codes=codes,
            max_moves=codes,
            max_plies=max(1, steps if counted or bound is None else bound),
            batch_scratch=scratch,
        ),
        constants=packed.packer.vector(),
        display=Display(
            player_names=network.roles,
            format_move=show_move,
            render=show,
            svg=(lambda state: board.svg(facts_of(state))) if board.is_grid else None,
        ),
        options=options,
    )
