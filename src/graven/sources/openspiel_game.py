"""OpenSpiel's games: `spiel("chess")`, `spiel("connect_four(rows=5)")`.

Every game of OpenSpiel that is deterministic, sequential and of perfect information, through the
same callbacks as any Python object. A move's code is OpenSpiel's action; its text is OpenSpiel's,
without spaces, unless that depends on the position (then it is the action's number) or is written
in short algebraic notation (chess: from where to where instead).

OpenSpiel is loaded when such a game is first asked for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from graven.core.contract import TERMINAL
from graven.core.errors import UsageError, unknown
from graven.core.game import Game, Option
from graven.sources.object_rules import Look, object_game

_TEXT = re.compile(r"""\s*(misere-)?spiel\s*\(\s*(?:"(.*)"|'(.*)'|([^"']*))\s*\)\s*""")
LONGEST = 1000
# A position of more words than this would take longer to copy than to search.
MOST_WORDS = 1 << 20
TRIED_PLIES = 400


def is_spiel_game(text: str) -> bool:
    """Whether a text names a game of OpenSpiel."""
    return re.match(r"\s*(misere-)?spiel\s*\(", text) is not None


def spiel_game(text: str, **options: Option) -> Game:
    """The game that a text such as `spiel("chess")` names."""
    match = _TEXT.fullmatch(text)
    if match is None or len(text) > LONGEST:
        raise UsageError(f'{text[:80]!r} is not written spiel("game").')
    if options:
        raise UsageError('OpenSpiel\'s options are written inside: spiel("connect_four(rows=5)").')
    inside = next(each for each in match.groups()[1:] if each is not None)
    game = _made("".join(inside.split()))
    return game.as_misere() if match[1] else game


def library() -> Any:
    """The module `pyspiel`."""
    try:
        import pyspiel
    except ImportError:
        raise UsageError(
            "OpenSpiel is not installed: pip install 'graven[spiel]', or 'open_spiel'."
        ) from None
    return pyspiel


def playable() -> list[str]:
    """The names of OpenSpiel's games that can be played here without further options."""
    kinds = library().registered_games()
    return sorted(kind.short_name for kind in kinds if not _refusal(kind) and kind.default_loadable)


def load(text: str) -> Any:
    """OpenSpiel's game, refused with the reason if it is not one for us."""
    pyspiel = library()
    name = text.partition("(")[0]
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise unknown("game of OpenSpiel", name, playable())
    try:
        game = pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError) as error:
        raise UsageError(f"OpenSpiel cannot load {text!r}: {_first_line(error)}.") from None
    if reason := _refusal(game.get_type()):
        raise UsageError(
            f"OpenSpiel's {name} cannot be played: {reason}. graven plays games in which players "
            "move one after the other, without chance, and see everything."
        )
    return game


def _refusal(kind: Any) -> str:
    """Why a kind of game is none for us, or nothing."""
    said = type(kind)
    if kind.chance_mode != said.ChanceMode.DETERMINISTIC:
        return "there is chance in it"
    if kind.information != said.Information.PERFECT_INFORMATION:
        return "its players do not see everything"
    if kind.dynamics != said.Dynamics.SEQUENTIAL:
        return "its players move at once"
    return ""


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1 if len(lines) < 3 else 0].strip().removesuffix(".")[:200]


@cache
def _made(text: str) -> Game:
    game = load(text)
    plies, codes = game.max_game_length(), game.num_distinct_actions()
    if plies + codes > MOST_WORDS:
        raise UsageError(f"a game of {text} may take {plies:,} moves, which is too long for us.")
    try:
        states = States(game)
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"OpenSpiel cannot play {text!r}: {_first_line(error)}.") from None
    return object_game(
        name=text.partition("(")[0],
        objects=states,
        players=game.num_players(),
        codes=codes,
        moves=codes,
        plies=plies,
        read_move=states.action,
        show_move=states.show_move,
        show=lambda state: str(state).rstrip("\n"),
        hint="give OpenSpiel",
        source=f'spiel("{text}")',
    )


class States:
    """OpenSpiel's states as the objects of a game, and the texts of its actions."""

    def __init__(self, game: Any) -> None:
        self.game = game
        low, high = game.min_utility(), game.max_utility()
        self._low, self._span = low, (high - low) or 1.0
        self._texts: list[dict[int, str]] = [{} for _ in range(game.num_players())]
        self._actions: list[dict[str, int]] = [{} for _ in range(game.num_players())]
        self._chess = game.get_type().short_name == "chess"
        self._numbers = not self._chess and self._texts_depend()

    def start(self) -> Any:
        """The initial state."""
        return self.game.new_initial_state()

    def copy(self, thing: Any) -> Any:
        """A copy."""
        return thing.clone()

    def play(self, thing: Any, code: int) -> Any:
        """Apply an action."""
        thing.apply_action(code)
        return thing

    def look(self, thing: Any, length: int) -> Look:
        """What the state shows."""
        if thing.is_terminal():
            return TERMINAL, (), [self.score(value) for value in thing.returns()], None
        player = thing.current_player()
        actions = thing.legal_actions()
        texts = self._texts[player]
        if not all(map(texts.__contains__, actions)):
            self._name(thing, player, actions)
        return player, actions, (), None

    def score(self, utility: float) -> float:
        """A utility as a result from 0 to 1."""
        return min(1.0, max(0.0, (utility - self._low) / self._span))

    def _name(self, state: Any, player: int, actions: Sequence[int]) -> None:
        texts, known = self._texts[player], self._actions[player]
        for action in actions:
            if action in texts:
                continue
            text = self._text(state, player, action)
            if known.setdefault(text.lower(), action) != action:
                text = f"{text}#{action}"
                known[text.lower()] = action
            texts[action] = text

    def _text(self, state: Any, player: int, action: int) -> str:
        if self._numbers:
            return str(action)
        if self._chess:
            board = state.board()
            return str(library().chess.action_to_move(action, board).to_lan())
        return "".join(state.action_to_string(player, action).split()).strip(";") or str(action)

    def _texts_depend(self) -> bool:
        """Whether one action has several texts, as in short algebraic notation: tried at random."""
        chance = random.Random(0)
        seen: dict[tuple[int, int], str] = {}
        state = self.start()
        for _ in range(TRIED_PLIES):
            if state.is_terminal():
                state = self.start()
            player, actions = state.current_player(), state.legal_actions()
            for action in actions:
                text = state.action_to_string(player, action)
                if seen.setdefault((player, action), text) != text:
                    return True
            state.apply_action(chance.choice(actions))
        return False

    def action(self, player: int, text: str) -> int | None:
        """The action of a text."""
        return self._actions[player].get(text.lower())

    def show_move(self, player: int, code: int) -> str:
        """The text of an action."""
        return self._texts[player].get(code, str(code))

    def text(self, code: int) -> str:
        """The text of an action, whoever took it."""
        return next((texts[code] for texts in self._texts if code in texts), str(code))
