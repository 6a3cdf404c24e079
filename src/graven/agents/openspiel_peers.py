"""Games that OpenSpiel has, too: what it calls them, and how it writes their moves.

OpenSpiel's bots play our own games through these, and our agents play OpenSpiel's with our own,
faster rules. Any game `spiel("...")` is its own peer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graven.core.errors import UsageError
from graven.core.game import Game, Option, Position
from graven.sources import openspiel_game as spiel

Text = Callable[[str, int], str]


@dataclass(frozen=True)
class Peer:
    """`spiel` is OpenSpiel's game with its parameters; `theirs(text, player)` is its text of our
    move, as far as it matters (see `_plain`)."""

    spiel: str
    theirs: Text


def _same(text: str, player: int) -> str:
    return text


def _rows(game: Game) -> tuple[int, int]:
    rows, _, columns = str(game.options["size"]).partition("x")
    return int(rows), int(columns or rows)


def _breakthrough(game: Game) -> Peer:
    rows, columns = _rows(game)

    def theirs(text: str, player: int) -> str:
        # OpenSpiel's first player begins at the top.
        return re.sub(r"\d+", lambda rank: str(rows + 1 - int(rank[0])), text)

    return Peer(f"breakthrough(rows={rows},columns={columns})", theirs)


def _go(game: Game) -> Peer:
    rows, columns = _rows(game)
    if rows != columns or int(game.options["colors"]) != 2:
        raise UsageError(f"OpenSpiel does not play {game.spec}: square boards, two colours.")
    return Peer(
        f"go(board_size={rows},komi={float(game.options['komi'])},max_game_length={game.max_plies})",
        lambda text, player: "bw"[player] + text,
    )


def _hex(game: Game) -> Peer:
    rows, columns = _rows(game)
    return Peer(f"hex(num_rows={rows},num_cols={columns})", _same)


def _havannah(game: Game) -> Peer:
    return Peer(f"havannah(board_size={game.options['size']})", _same)


def _othello(game: Game) -> Peer:
    if _rows(game) != (8, 8):
        raise UsageError(f"OpenSpiel does not play {game.spec}: a board of 8x8.")
    return Peer("othello", _same)


PEERS: dict[str, Callable[[Game], Peer]] = {
    "breakthrough": _breakthrough,
    "go": _go,
    "havannah": _havannah,
    "hex": _hex,
    "othello": _othello,
}


def peer_of(game: Game) -> Peer:
    """What OpenSpiel calls a game of ours."""
    if spiel.is_openspiel_game(game.source):
        if game.misere:
            raise UsageError(f"OpenSpiel does not play {game.spec}.")
        return Peer(game.source.partition('"')[2].rpartition('"')[0], _same)
    if game.name not in PEERS or game.misere or game.source:
        known = ", ".join(sorted(PEERS))
        raise UsageError(f'OpenSpiel does not play {game.spec}: {known} and spiel("...") it does.')
    return PEERS[game.name](game)


class Interpreter:
    """Follows a game on OpenSpiel's side: from our position to its state, from its action to our
    move."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.peer = peer_of(game)
        self.spiel = spiel.load(self.peer.spiel)
        self._raw = spiel.is_openspiel_game(game.source)
        self._state: Any = None
        self._told: tuple[tuple[int, ...], ...] = ()

    def state(self, position: Position) -> Any:
        """OpenSpiel's state of a position; None if OpenSpiel holds one of its moves for illegal."""
        history = position.history
        if self._state is None or history[: len(self._told)] != self._told:
            self._state, self._told = self.spiel.new_initial_state(), ()
        for joint in history[len(self._told) :]:
            if self._state.is_terminal():
                return None
            player = self._state.current_player()
            action = self.action(self._state, player, joint[player])
            if action is None:
                return None
            self._state.apply_action(action)
        self._told = history
        return None if self._state.is_terminal() else self._state

    def action(self, state: Any, player: int, code: int) -> int | None:
        """OpenSpiel's action for a move of ours, if it is legal there."""
        if self._raw:
            return code if code in state.legal_actions() else None
        wanted = _plain(self.peer.theirs(self.game.format_move(player, code), player))
        for action in state.legal_actions():
            if _plain(state.action_to_string(player, action)) == wanted:
                return int(action)
        return None

    def code(self, position: Position, state: Any, action: int) -> int | None:
        """Our move for an action of OpenSpiel's."""
        if self._raw:
            return action
        player = position.current_player
        wanted = _plain(state.action_to_string(player, action))
        for code in position.legal_codes_of(player):
            theirs = self.peer.theirs(self.game.format_move(player, code), player)
            if _plain(theirs) == wanted:
                return code
        return None


def _plain(text: str) -> str:
    """A move's text without case, spaces, and the star of a capture."""
    return re.sub(r"[\s*]", "", text).lower()


def native(spiel_game: Any) -> Game | None:
    """Our own game that is the same as one of OpenSpiel's, if there is one."""
    from graven.games import registry

    name = spiel_game.get_type().short_name
    given: dict[str, Option] = dict(spiel_game.get_parameters())
    options: dict[str, Option]
    if name == "breakthrough":
        options = {"size": f"{given['rows']}x{given['columns']}"}
    elif name == "hex":
        options = {"size": f"{given['num_rows']}x{given['num_cols']}"}
    elif name == "havannah" and not given.get("swap"):
        options = {"size": str(given["board_size"])}
    elif name == "othello":
        options = {}
    else:  # Go's longest game is another one here
        return None
    try:
        return registry.make_game(name, **options)
    except UsageError:
        return None
