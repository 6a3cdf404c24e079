"""The default agent: the one place that says which agent plays where the user names none.

docs/default-agent.md has the measurements by which the agents of compiled games, of rulesheets and
of games in Python were chosen.
"""

from __future__ import annotations

from graven.agents.agent import Agent, SearchAgent
from graven.agents.matrix_rounds import is_matrix_game
from graven.agents.puzzle_agent import PuzzleAgent
from graven.core.errors import UsageError
from graven.core.game import Game

DEFAULT_SPEC = "grave(ref=50,bias=1e-4)"
# Rulesheets and games in Python have fewer playouts a second.
FEW_PLAYOUTS_SPEC = "grave(ref=50,k=250,c=0.2)+mast(epsilon=0.4,decay=0.2)"
# Rulesheets of two players with a network play the same playouts in batches.
BATCHED_SPEC = (
    "grave(ref=50,k=250,c=0.2,batch_leaves=64,playouts_per_leaf=4,batch_growth=8,learn_after=batch)"
    "+mast(epsilon=0.4,decay=0.2)"
)
# Games with strong playouts of their own: the name of the playout policy and the agent.
SPECS_BY_PLAYOUT = {"mogo": "grave(ref=100,bias=1e-6)+mogo"}

GDL = "gdl"  # the name of all games that are rulesheets


def default_spec(game: Game | None = None) -> str:
    """Return the spec of the default tree search for a game; without a game, for a compiled one."""
    if game is None:
        return DEFAULT_SPEC
    has_batches = game.functions.batch_policy_playouts is not None
    if game.name == GDL or game.in_python:
        spec = BATCHED_SPEC if has_batches and game.players == 2 else FEW_PLAYOUTS_SPEC
        # Without a network the rules are too slow to find out.
        may_be_matrix = has_batches
    else:
        own = [spec for playout, spec in SPECS_BY_PLAYOUT.items() if playout in game.playouts]
        spec = own[0] if own else DEFAULT_SPEC
        # In the games of the package players move in turn.
        may_be_matrix = bool(game.compiled_user_functions)
    return with_regret(spec) if may_be_matrix and is_matrix_game(game) else spec


def with_regret(spec: str) -> str:
    """Return a spec of GRAVE with regret matching at simultaneous moves."""
    return spec.replace(")", ",simultaneous=regret)", 1)


def is_puzzle(game: Game) -> bool:
    """Return whether a game is a rulesheet with one role and no chance events."""
    return game.players == 1 and game.name == GDL and not game.has_chance


def default_agent(game: Game | None = None) -> Agent:
    """Return the agent that `play`, `search`, `gtp` and `ggp` use if none is given.

    Rulesheets with one role are puzzles, which have a search of their own; `serve`, whose page
    shows tree searches, uses `default_spec` at them, too.
    """
    if not isinstance(game, Game | None):
        raise UsageError(f"{game!r} is not a game: make one first, as in gv.game('hex').")
    if game is not None and is_puzzle(game):
        return PuzzleAgent()
    return SearchAgent(default_spec(game))
