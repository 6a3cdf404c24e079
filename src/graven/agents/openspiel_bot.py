"""OpenSpiel's bots as opponents, and our agents as OpenSpiel bots.

`spiel-mcts(simulations=1000)` is OpenSpiel's C++ MCTS. It plays every game that OpenSpiel has, and
those of ours that `openspiel_peers` translates. `openspiel_bot` makes a `pyspiel.Bot` of one of our
agents, for OpenSpiel's own tools.
"""

from __future__ import annotations

import re
import time
from typing import Any

from graven.agents.agent import Agent, SearchAgent, spec_budget_or
from graven.agents.external_agent import ExternalAgent
from graven.agents.move_clock import MoveClock
from graven.agents.openspiel_peers import OpenSpielTranslator, native
from graven.agents.player import ForfeitError
from graven.agents.search_result import SearchResult
from graven.core.calls import Value, format_call, parse_call
from graven.core.errors import UsageError, unknown
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.policy import Parameter
from graven.sources import openspiel_game

NAME = "spiel-mcts"
TREE_MIB = 1000
MOST_SIMULATIONS = 100_000_000  # the limit of a move that has a time budget only

SIMULATIONS = Parameter(
    "simulations",
    0,
    "simulations a move; 0: the budget of the match (playouts or seconds)",
    low=0,
    high=MOST_SIMULATIONS,
)
C = Parameter(
    "c", 2.0, "exploration, on OpenSpiel's scale from -1 to 1; 2 as in its examples", low=0
)
ROLLOUTS = Parameter("rollouts", 1, "random playouts of a leaf", low=1, high=1000)
SOLVE = Parameter("solve", True, "whether it proves wins and losses in the tree (MCTS-Solver)")
PARAMETERS = {parameter.name: parameter for parameter in (SIMULATIONS, C, ROLLOUTS, SOLVE)}


class OpenSpielAgent(ExternalAgent):
    """OpenSpiel's MCTS as an agent."""

    def __init__(self, spec: str) -> None:
        name, arguments = parse_call(spec)
        if name != NAME:
            raise UsageError(f"{spec!r}: OpenSpiel's MCTS is written {NAME}(simulations=1000).")
        for key in arguments:
            if key not in PARAMETERS:
                raise unknown(f"parameter of {NAME}", key, PARAMETERS)
        self.values: dict[str, Value] = {
            key: parameter.check(arguments[key], NAME) if key in arguments else parameter.default
            for key, parameter in PARAMETERS.items()
        }

    @staticmethod
    def matches(spec: str) -> bool:
        """Return whether a spec names OpenSpiel's search."""
        return re.match(rf"\s*{NAME}\s*(\(|$)", spec) is not None

    @property
    def spec(self) -> str:
        """The spec in canonical form, with the parameters that differ from their defaults."""
        changed = {
            name: self.values[name]
            for name, parameter in PARAMETERS.items()
            if self.values[name] != parameter.default
        }
        return format_call(NAME, changed)

    @property
    def budget(self) -> Budget:
        """The simulations of the spec; empty if it has none."""
        count = int(self.values["simulations"])
        return Budget(playouts=count) if count else Budget()

    def budget_or(self, default: Budget) -> Budget:
        """Return the spec's budget, else `default`, else 1,000 playouts."""
        return spec_budget_or(self.budget, default)

    def player(self, game: Game, seed: int = 0) -> OpenSpielPlayer:
        """Make a player for one game."""
        return OpenSpielPlayer(self, game, seed)


class OpenSpielPlayer:
    """OpenSpiel's MCTS in one game."""

    every_step = False

    def __init__(self, agent: OpenSpielAgent, game: Game, seed: int) -> None:
        self._agent = agent
        self._seed = seed
        self._game = game
        self._translator: OpenSpielTranslator | None = None

    def warm_up(self) -> None:
        """Do nothing: OpenSpiel's search is compiled already."""

    def ponder(self, position: Position, clock: MoveClock | None = None) -> None:
        """Return None: OpenSpiel's search makes a new tree for every move."""

    def close(self) -> None:
        """Do nothing: the search holds nothing between moves."""

    def choose(self, position: Position, clock: MoveClock | None = None) -> SearchResult:
        """Return OpenSpiel's move. The search cannot be stopped early."""
        if self._translator is None:
            self._translator = OpenSpielTranslator(self._game)
        translator = self._translator
        budget = clock.budget if clock else self._agent.budget_or(Budget())
        began = time.monotonic()
        state = translator.state(position)
        if state is None:
            raise ForfeitError("OpenSpiel rejects a move of this game as illegal")
        bot = self._bot(translator.spiel, budget, derive(self._seed, position.ply))
        root = bot.mcts_search(state)
        # Go's superko differs between the two programs: take the best move that both allow.
        by_visits = sorted(root.children, key=lambda child: -child.explore_count)
        actions = [root.best_child().action, *(child.action for child in by_visits)]
        codes = (translator.code(position, state, action) for action in actions)
        code = next((code for code in codes if code is not None), None)
        if code is None:
            raise ForfeitError("OpenSpiel found no move that is legal here")
        move = position.game.format_move(position.current_player, code)
        return SearchResult(
            best_move=move,
            pv=(move,),
            playouts=int(root.explore_count),
            seconds=time.monotonic() - began,
        )

    def _bot(self, game: Any, budget: Budget, seed: int) -> Any:
        pyspiel = openspiel_game.library()
        values = self._agent.values
        seed %= 1 << 31
        return pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(int(values["rollouts"]), seed),
            uct_c=float(values["c"]),
            max_simulations=budget.playouts or MOST_SIMULATIONS,
            max_memory_mb=TREE_MIB,
            solve=bool(values["solve"]),
            seed=seed,
            verbose=False,
            max_wall_clock_time=budget.seconds or -1.0,
        )


def openspiel_bot(
    agent: Agent | str,
    game: Any,
    player: int = 0,
    playouts: int | None = None,
    *,
    seconds: float | None = None,
    seed: int = 0,
) -> Any:
    """Make a `pyspiel.Bot` that plays `game`, a `pyspiel.Game` or its name, as `player`.

    Where the game is also one of ours (Breakthrough, Hex, Havannah, Othello) the agent searches
    with our faster rules.
    """
    pyspiel = openspiel_game.library()
    loaded = openspiel_game.load(game if isinstance(game, str) else str(game))
    ours: Game = native(loaded) or openspiel_game.openspiel_game(f'spiel("{loaded}")')
    entrant: Agent = SearchAgent(agent) if isinstance(agent, str) else agent
    seat = entrant.player(ours, seed)
    clock = MoveClock(entrant.budget_or(Budget(playouts, seconds)))
    translator = OpenSpielTranslator(ours)

    class GravenBot(pyspiel.Bot):  # type: ignore[misc, name-defined]
        """An agent of graven as a bot of OpenSpiel."""

        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)

        def step(self, state: Any) -> int:
            """Return the action to take in a state."""
            position = translator.position(state)
            to_move = position.current_player
            code = ours.move_code(to_move, seat.choose(position, clock).move_of(to_move))
            action = None if code is None else translator.action(state, to_move, code)
            assert action is not None, "both programs have the same rules"
            return action

        def player_id(self) -> int:
            """Return the player whom the bot plays."""
            return player

        def restart(self) -> None:
            """Begin a new game; a state contains its whole history, so nothing is kept."""

        def restart_at(self, state: Any) -> None:
            """Begin a new game from a position."""

    return GravenBot()
