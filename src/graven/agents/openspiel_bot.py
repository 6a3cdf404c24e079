"""OpenSpiel's bots as our opponents, and our agents as OpenSpiel's bots.

`spiel-mcts(simulations=1000)` is OpenSpiel's C++ MCTS: it plays every game that OpenSpiel has, too
(see `peers`). `openspiel_bot` makes a `pyspiel.Bot` of an agent of ours, for OpenSpiel's own tools.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

from graven.agents.agent import Agent, SearchResult
from graven.agents.gtp_program import NOTHING, Program, ProgramError, ProgramPlayer
from graven.agents.openspiel_peers import Interpreter, native
from graven.core.calls import Value, format_call, parse_call
from graven.core.errors import UsageError, unknown
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.engine import Stop
from graven.search.policy import Parameter
from graven.sources import openspiel_game

NAME = "spiel-mcts"
MEMORY = 1000  # MiB, of OpenSpiel's tree
MOST = 100_000_000  # simulations of a move that is limited by time

SIMULATIONS = Parameter(
    "simulations", 0, "simulations a move; 0 leaves it to the match (playouts or seconds)", low=0,
    high=MOST,
)  # fmt: skip
C = Parameter(
    "c", 2.0, "exploration, on OpenSpiel's scale from -1 to 1; 2 as in its examples", low=0
)
ROLLOUTS = Parameter("rollouts", 1, "random playouts of a leaf", low=1, high=1000)
SOLVE = Parameter("solve", True, "whether it proves wins and losses in the tree (MCTS-Solver)")
PARAMETERS = {each.name: each for each in (SIMULATIONS, C, ROLLOUTS, SOLVE)}


def is_spiel_bot(spec: str) -> bool:
    """Whether a text names OpenSpiel's search."""
    return re.match(rf"\s*{NAME}\s*(\(|$)", spec) is not None


class SpielMcts(Program):
    """OpenSpiel's MCTS as an agent: it plays, but cannot be searched with."""

    def __init__(self, spec: str) -> None:
        name, given = parse_call(spec)
        if name != NAME:
            raise UsageError(f"{spec!r} is not written {NAME}(simulations=1000).")
        for key in given:
            if key not in PARAMETERS:
                raise unknown(f"parameter of {NAME}", key, PARAMETERS)
        self.values: dict[str, Value] = {
            key: parameter.check(given[key], NAME) if key in given else parameter.default
            for key, parameter in PARAMETERS.items()
        }
        self.command = NAME

    @property
    def spec(self) -> str:
        """The spec in canonical form: what differs from the defaults."""
        return format_call(
            NAME,
            {
                name: self.values[name]
                for name, parameter in PARAMETERS.items()
                if self.values[name] != parameter.default
            },
        )

    @property
    def budget(self) -> Budget:
        """Its simulations, where the spec says how many."""
        count = int(self.values["simulations"])
        return Budget(playouts=count) if count else Budget()

    def budget_or(self, other: Budget) -> Budget:
        """Its own budget, else the match's, else the usual one."""
        return Agent.budget_or(self, other)

    def seat(self, seed: int, budget: Budget) -> ProgramPlayer:
        """A player for one game."""
        return SpielPlayer(self, seed, budget)

    def __repr__(self) -> str:
        return f"<OpenSpiel's {self.spec}>"


class SpielPlayer(ProgramPlayer):
    """OpenSpiel's MCTS in the course of one game."""

    def __init__(self, program: SpielMcts, seed: int, budget: Budget) -> None:
        super().__init__(program, budget)
        self.values = program.values
        self.seed = seed
        self._interpreter: Interpreter | None = None

    def choose(self, position: Position, stop: Stop | None = None) -> SearchResult:
        """OpenSpiel's move. It cannot be stopped while it thinks."""
        if self._interpreter is None or self._interpreter.game is not position.game:
            self._interpreter = Interpreter(position.game)
        follow = self._interpreter
        began = time.monotonic()
        state = follow.state(position)
        if state is None:
            raise ProgramError("OpenSpiel does not follow: it holds a move for illegal")
        bot = self._bot(follow.spiel, derive(self.seed, position.ply))
        root = bot.mcts_search(state)
        # Go's superko is not quite the same here and there: the best move that is legal for both.
        others = sorted(root.children, key=lambda child: -child.explore_count)
        actions = [root.best_child().action, *(child.action for child in others)]
        codes = (follow.code(position, state, action) for action in actions)
        code = next((code for code in codes if code is not None), None)
        if code is None:
            raise ProgramError("OpenSpiel found no move that is legal here")
        move = position.game.format_move(position.current_player, code)
        seconds = time.monotonic() - began
        return replace(
            NOTHING, best_move=move, pv=(move,), playouts=int(root.explore_count), seconds=seconds
        )

    def _bot(self, game: Any, seed: int) -> Any:
        pyspiel = openspiel_game.library()
        seed %= 1 << 31
        return pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(int(self.values["rollouts"]), seed),
            float(self.values["c"]),
            self.budget.playouts or MOST,
            MEMORY,
            bool(self.values["solve"]),
            seed,
            False,
            max_wall_clock_time=self.budget.seconds or -1.0,
        )

    def close(self) -> None:
        """Nothing is running."""


def openspiel_bot(
    agent: Agent | str,
    game: Any,
    player: int = 0,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> Any:
    """A `pyspiel.Bot` that plays `game`, a `pyspiel.Game` or its name, as `player`.

    Where the game is also ours (Breakthrough, Hex, Havannah, Othello) it is played with our own,
    faster rules.
    """
    pyspiel = openspiel_game.library()
    loaded = openspiel_game.load(game) if isinstance(game, str) else openspiel_game.load(str(game))
    ours: Game = native(loaded) or openspiel_game.spiel_game(f'spiel("{loaded}")')
    thinker = (Agent(agent) if isinstance(agent, str) else agent).player(seed, playouts, seconds)
    follow = Interpreter(ours)

    class GravenBot(pyspiel.Bot):  # type: ignore[misc, name-defined]
        """An agent of graven as a bot of OpenSpiel."""

        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)

        def step(self, state: Any) -> int:
            """The action to take in a state."""
            position = _followed(follow, state)
            found = thinker.choose(position)
            code = ours.move_code(position.current_player, found.move_of(position.current_player))
            action = None if code is None else follow.action(state, position.current_player, code)
            assert action is not None, "both sides have the same rules"
            return action

        def player_id(self) -> int:
            """Whom it plays."""
            return player

        def restart(self) -> None:
            """A new game begins; nothing is kept that a state does not say itself."""

        def restart_at(self, state: Any) -> None:
            """The same from a position."""

    return GravenBot()


def _followed(follow: Interpreter, state: Any) -> Position:
    """Our position after the actions that led to OpenSpiel's state."""
    position, theirs = follow.game.start(), follow.spiel.new_initial_state()
    for action in state.history():
        code = follow.code(position, theirs, action)
        assert code is not None, "both sides have the same rules"
        position = position.play(code)
        theirs.apply_action(action)
    return position
