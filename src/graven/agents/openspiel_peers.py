"""Games that both programs have: OpenSpiel's names for them, and how it writes their moves.

Through these, OpenSpiel's bots play our games and our agents play OpenSpiel's games with our faster
rules. A game `spiel("...")` is its own peer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graven.core.errors import UsageError
from graven.core.game import Game, Option
from graven.core.position import Position
from graven.sources import openspiel_game as spiel

Notation = Callable[[str, int], str]


@dataclass(frozen=True)
class OpenSpielPeer:
    """OpenSpiel's version of a game: its name with parameters, and its notation.

    `notation(text, player)` turns our text of a move into OpenSpiel's, up to what `_plain` removes.
    """

    spiel: str
    notation: Notation


def _same(text: str, player: int) -> str:
    return text


def _rows(game: Game) -> tuple[int, int]:
    rows, _, columns = str(game.options["size"]).partition("x")
    return int(rows), int(columns or rows)


def _breakthrough(game: Game) -> OpenSpielPeer:
    rows, columns = _rows(game)

    def notation(text: str, player: int) -> str:
        # OpenSpiel's first player begins at the top.
        return re.sub(r"\d+", lambda rank: str(rows + 1 - int(rank[0])), text)

    return OpenSpielPeer(f"breakthrough(rows={rows},columns={columns})", notation)


def _go(game: Game) -> OpenSpielPeer:
    rows, columns = _rows(game)
    if rows != columns or int(game.options["colors"]) != 2:
        raise UsageError(f"OpenSpiel does not play {game.spec}: square boards, two colours.")
    return OpenSpielPeer(
        f"go(board_size={rows},komi={float(game.options['komi'])},max_game_length={game.max_plies})",
        lambda text, player: "bw"[player] + text,
    )


def _hex(game: Game) -> OpenSpielPeer:
    rows, columns = _rows(game)
    return OpenSpielPeer(f"hex(num_rows={rows},num_cols={columns})", _same)


def _havannah(game: Game) -> OpenSpielPeer:
    return OpenSpielPeer(f"havannah(board_size={game.options['size']})", _same)


def _othello(game: Game) -> OpenSpielPeer:
    if _rows(game) != (8, 8):
        raise UsageError(f"OpenSpiel does not play {game.spec}: a board of 8x8.")
    return OpenSpielPeer("othello", _same)


PEERS: dict[str, Callable[[Game], OpenSpielPeer]] = {
    "breakthrough": _breakthrough,
    "go": _go,
    "havannah": _havannah,
    "hex": _hex,
    "othello": _othello,
}


def peer_of(game: Game) -> OpenSpielPeer:
    """Return OpenSpiel's version of a game; raise a UsageError if it has none."""
    if spiel.is_openspiel_game(game.source):
        if game.misere:
            raise UsageError(f"OpenSpiel does not play {game.spec}.")
        return OpenSpielPeer(game.source.partition('"')[2].rpartition('"')[0], _same)
    if game.name not in PEERS or game.misere or game.source:
        known = ", ".join(sorted(PEERS))
        raise UsageError(f'OpenSpiel does not play {game.spec}: it plays {known} and spiel("...").')
    return PEERS[game.name](game)


class OpenSpielTranslator:
    """Translates between our positions and moves and OpenSpiel's states and actions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.peer = peer_of(game)
        self.spiel = spiel.load(self.peer.spiel)
        self._raw = spiel.is_openspiel_game(game.source)
        self._state: Any = None
        self._history: tuple[tuple[int, ...], ...] = ()  # the moves that led to `_state`

    def state(self, position: Position) -> Any:
        """Return OpenSpiel's state; None if one of the position's moves is illegal there."""
        history = position.history
        if self._state is None or history[: len(self._history)] != self._history:
            self._state, self._history = self.spiel.new_initial_state(), ()
        for joint in history[len(self._history) :]:
            if self._state.is_terminal():
                return None
            player = self._state.current_player()
            action = self.action(self._state, player, joint[player])
            if action is None:
                return None
            self._state.apply_action(action)
        self._history = history
        return None if self._state.is_terminal() else self._state

    def action(self, state: Any, player: int, code: int) -> int | None:
        """Return OpenSpiel's action for one of our moves; None if it is illegal there."""
        if self._raw:
            return code if code in state.legal_actions() else None
        text = _plain(self._written(player, code))
        for action in state.legal_actions():
            if _plain(state.action_to_string(player, action)) == text:
                return int(action)
        return None

    def code(self, position: Position, state: Any, action: int) -> int | None:
        """Return our move for an OpenSpiel action; None if it is illegal here."""
        if self._raw:
            return action
        player = position.current_player
        text = _plain(state.action_to_string(player, action))
        for code in position.legal_codes_of(player):
            if _plain(self._written(player, code)) == text:
                return code
        return None

    def position(self, state: Any) -> Position:
        """Return our position after the actions that led to OpenSpiel's state."""
        position, replayed = self.game.start(), self.spiel.new_initial_state()
        for action in state.history():
            code = self.code(position, replayed, action)
            assert code is not None, "both programs have the same rules"
            position = position.play_code(code)
            replayed.apply_action(action)
        return position

    def _written(self, player: int, code: int) -> str:
        """Return our move in OpenSpiel's notation."""
        return self.peer.notation(self.game.format_move(player, code), player)


def _plain(text: str) -> str:
    """Remove case, spaces and the star of a capture from a move's text."""
    return re.sub(r"[\s*]", "", text).lower()


def native(spiel_game: Any) -> Game | None:
    """Return our version of an OpenSpiel game; None if there is none."""
    from graven.games import registry

    name = spiel_game.get_type().short_name
    parameters: dict[str, Option] = dict(spiel_game.get_parameters())
    options: dict[str, Option]
    if name == "breakthrough":
        options = {"size": f"{parameters['rows']}x{parameters['columns']}"}
    elif name == "hex":
        options = {"size": f"{parameters['num_rows']}x{parameters['num_cols']}"}
    elif name == "havannah" and not parameters.get("swap"):
        options = {"size": str(parameters["board_size"])}
    elif name == "othello":
        options = {}
    else:  # also Go, whose maximum length differs
        return None
    try:
        return registry.make_game(name, **options)
    except UsageError:
        return None
