"""OpenSpiel's games: `spiel("chess")`, `spiel("connect_four(rows=5)")`.

Every game of OpenSpiel that is sequential and of perfect information, with or without dice, through
the same callbacks as any Python object. A move's code is OpenSpiel's action; its text is
OpenSpiel's, without spaces, unless that depends on the position (then it is the action's number) or
is written in short algebraic notation (chess: long algebraic notation instead).

OpenSpiel is imported when such a game is first loaded.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from graven.core.contract import CHANCE, TERMINAL
from graven.core.errors import UsageError, unknown
from graven.core.extras import require
from graven.core.game import Game, Option
from graven.core.game_parts import Display
from graven.sources.object_rules import ObjectBounds, Observation, object_game

_TEXT = re.compile(r"""\s*(misere-)?spiel\s*\(\s*(?:"(.*)"|'(.*)'|([^"']*))\s*\)\s*""")
MAX_TEXT = 1000
# Copying a larger state would take longer than searching it.
MAX_STATE_WORDS = 1 << 20
TRIED_PLIES = 400
CHANCE_PLAYER = -1  # OpenSpiel's number of chance


def is_openspiel_game(text: str) -> bool:
    """Return whether a text names a game of OpenSpiel."""
    return re.match(r"\s*(misere-)?spiel\s*\(", text) is not None


def openspiel_game(text: str, **options: Option) -> Game:
    """Return the game that a text such as `spiel("chess")` names."""
    match = _TEXT.fullmatch(text)
    if match is None or len(text) > MAX_TEXT:
        raise UsageError(f'{text[:80]!r} is not written spiel("game").')
    if options:
        raise UsageError('OpenSpiel\'s options are written inside: spiel("connect_four(rows=5)").')
    name = next(group for group in match.groups()[1:] if group is not None)
    game = _make("".join(name.split()))
    return game.as_misere() if match[1] else game


def library() -> Any:
    """Return the module `pyspiel`."""
    return require("openspiel")


def playable() -> list[str]:
    """Return the names of OpenSpiel's games that are supported without further options."""
    types = library().registered_games()
    return sorted(
        game_type.short_name
        for game_type in types
        if not _refusal(game_type) and game_type.default_loadable
    )


def load(text: str) -> Any:
    """Return OpenSpiel's game; raise UsageError with the reason if it is not supported."""
    pyspiel = library()
    name = text.partition("(")[0]
    if name not in {game_type.short_name for game_type in pyspiel.registered_games()}:
        raise unknown("game of OpenSpiel", name, playable())
    try:
        game = pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError) as error:
        raise UsageError(f"OpenSpiel cannot load {text!r}: {_first_line(error)}.") from None
    if reason := _refusal(game.get_type()):
        raise UsageError(
            f"OpenSpiel's {name} cannot be played: {reason}. graven plays games with "
            "sequential moves and perfect information."
        )
    return game


def _refusal(game_type: Any) -> str:
    """Return why a type of game is not supported, or an empty text."""
    enums = type(game_type)
    if game_type.chance_mode == enums.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws the outcomes of chance events itself, without their probabilities"
    if game_type.information != enums.Information.PERFECT_INFORMATION:
        return "it has hidden information"
    if game_type.dynamics != enums.Dynamics.SEQUENTIAL:
        return "it has simultaneous moves"
    return ""


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1 if len(lines) < 3 else 0].strip().removesuffix(".")[:200]


@cache
def _make(text: str) -> Game:
    game = load(text)
    plies = game.max_game_length() + game.max_chance_nodes_in_history()
    codes = max(game.num_distinct_actions(), game.max_chance_outcomes())
    if plies + codes > MAX_STATE_WORDS:
        raise UsageError(
            f"a game of {text} may take {plies:,} moves among {codes:,} different ones: the sum "
            f"must be at most {MAX_STATE_WORDS:,}."
        )
    try:
        rules = OpenSpielRules(game)
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"OpenSpiel cannot play {text!r}: {_first_line(error)}.") from None
    return object_game(
        name=text.partition("(")[0],
        players=game.num_players(),
        rules=rules,
        bounds=ObjectBounds(codes, codes, plies, declared_in="OpenSpiel"),
        display=Display(
            format_move=rules.format_move,
            parse_move=rules.parse_move,
            move_object=lambda player, code: code,
            format_outcome=lambda code: rules.format_move(game.num_players(), code),
        ),
        position_text=lambda state: str(state).rstrip("\n"),
        source=f'spiel("{text}")',
    )


class OpenSpielRules:
    """The rules of a game of OpenSpiel as `ObjectRules`, and the texts of its actions."""

    def __init__(self, game: Any) -> None:
        self.game = game
        low, high = game.min_utility(), game.max_utility()
        self._low, self._range = low, (high - low) or 1.0
        self.has_chance = game.max_chance_outcomes() > 0
        self.prior = self.evaluate = None
        # By player, then those of chance.
        self._texts: list[dict[int, str]] = [{} for _ in range(game.num_players() + 1)]
        self._actions: list[dict[str, int]] = [{} for _ in range(game.num_players() + 1)]
        self._is_chess = game.get_type().short_name == "chess"
        self._texts_are_numbers = not self._is_chess and self._texts_depend_on_positions()

    def start(self) -> Any:
        """Return the initial state."""
        return self.game.new_initial_state()

    def copy(self, position: Any) -> Any:
        """Return a copy."""
        return position.clone()

    def play(self, position: Any, code: int) -> Any:
        """Apply an action."""
        position.apply_action(code)
        return position

    def observe(self, position: Any, length: int) -> Observation:
        """Return the observable part of a state."""
        if position.is_terminal():
            return TERMINAL, (), [self.score(value) for value in position.returns()], None
        if position.is_chance_node():
            actions, probabilities = zip(*position.chance_outcomes(), strict=True)
            texts = self._texts[-1]
            for action in actions:
                if action not in texts:
                    text = position.action_to_string(CHANCE_PLAYER, action)
                    texts[action] = "".join(text.split())
            return CHANCE, actions, probabilities, None
        player = position.current_player()
        actions = position.legal_actions()
        if not all(map(self._texts[player].__contains__, actions)):
            self._add_texts(position, player, actions)
        return player, actions, (), None

    def score(self, utility: float) -> float:
        """Return a utility as a score from 0 to 1."""
        return min(1.0, max(0.0, (utility - self._low) / self._range))

    def _add_texts(self, state: Any, player: int, actions: Sequence[int]) -> None:
        texts, action_of_text = self._texts[player], self._actions[player]
        for action in actions:
            if action in texts:
                continue
            text = self._action_text(state, player, action)
            if action_of_text.setdefault(text.lower(), action) != action:
                text = f"{text}#{action}"
                action_of_text[text.lower()] = action
            texts[action] = text

    def _action_text(self, state: Any, player: int, action: int) -> str:
        if self._texts_are_numbers:
            return str(action)
        if self._is_chess:
            board = state.board()
            return str(library().chess.action_to_move(action, board).to_lan())
        return "".join(state.action_to_string(player, action).split()).strip(";") or str(action)

    def _texts_depend_on_positions(self) -> bool:
        """Return whether an action has several texts in random games."""
        chance = random.Random(0)
        seen: dict[tuple[int, int], str] = {}
        state = self.start()
        for _ in range(TRIED_PLIES):
            if state.is_terminal():
                state = self.start()
            player, actions = state.current_player(), state.legal_actions()
            if state.is_chance_node():
                state.apply_action(chance.choice(actions))
                continue
            for action in actions:
                text = state.action_to_string(player, action)
                if seen.setdefault((player, action), text) != text:
                    return True
            state.apply_action(chance.choice(actions))
        return False

    def parse_move(self, player: int, text: str) -> int | None:
        """Return the action of a text, or None."""
        return self._actions[player].get(text.lower())

    def format_move(self, player: int, code: int) -> str:
        """Return the text of a player's action."""
        return self._texts[player].get(code, str(code))

    def text(self, code: int) -> str:
        """Return the text of an action of any player."""
        return next((texts[code] for texts in self._texts if code in texts), str(code))
