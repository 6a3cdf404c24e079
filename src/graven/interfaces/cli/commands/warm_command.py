"""`graven warm`: compile everything once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from graven.interfaces.cli.console import format_duration, out, run_to_completion

if TYPE_CHECKING:
    from graven.core.game import Game

SMALL_GAME = "hex(size=3)"
SMALL_SHEET = "gdl(sheet=tictactoe_3d_2player)"
SMALL_PUZZLE = "samegame(size=4)"
BATCHED_AGENT = "uct(batch_leaves=8,playouts_per_leaf=8)"


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", help="Only these games; default: all games."),
    ] = None,
) -> None:
    """Compile games, agents and solvers once, so that no later command has to.

    Compiled code is kept in the cache folder (GRAVEN_CACHE_DIR, else your cache folder). Without
    arguments this takes some minutes; a second run only loads what is there.

    \b
    Examples:
      graven warm
      graven warm go hex ./mygame.py:game
    """
    steps = list(_steps(games))
    began = time.monotonic()
    for number, (name, work) in enumerate(steps, 1):
        started = time.monotonic()
        run_to_completion(work, f"{number}/{len(steps)} compiling {name}")
        seconds = time.monotonic() - started
        out().print(f"{number:>3}/{len(steps)}  {name}  {seconds:.1f} s", markup=False)
    out().print(f"Done after {format_duration(time.monotonic() - began)}.")


def _steps(games: list[str] | None) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what is to be compiled: the default agent at each game, then all policies."""
    from graven.agents import PuzzleAgent, default_spec
    from graven.games.registry import families
    from graven.sources.load import load_game

    texts = games or [family.name for family in families()]
    for text in texts:
        game = load_game(text)
        yield game.spec, partial(_warm_up, default_spec(game), game)
    if games:
        return
    small = load_game(SMALL_GAME)
    for spec in _policy_specs():
        yield spec, partial(_warm_up, spec, small)
    sheet = load_game(SMALL_SHEET)
    for spec in (default_spec(sheet), BATCHED_AGENT):
        yield f"{spec} at {SMALL_SHEET}", partial(_warm_up, spec, sheet)
    for method in ("nmcs", "nrpa"):
        yield method, partial(_solve, method)
    yield PuzzleAgent().spec, partial(_warm_up, PuzzleAgent().spec, load_game(SMALL_PUZZLE))


def _policy_specs() -> Iterator[str]:
    """Yield specs that together use every formula and every playout variant."""
    from graven.search.policy import playout_policies, tree_policies

    for tree in tree_policies().values():
        for formula in tree.formulas:
            yield f"{tree.name}(beta={formula.name})" if len(tree.formulas) > 1 else tree.name
    for playout in playout_policies().values():
        for variant in playout.variants:
            chosen = [each for each in variant.parameters if each.name == variant.selected_by]
            values = "".join(f"({each.name}={each.default})" for each in chosen)
            yield f"uct+{playout.name}{values}"


def _warm_up(spec: str, game: Game) -> None:
    from graven.agents import agent

    agent(spec).player(game).warm_up()


def _solve(method: str) -> None:
    from graven.solving import solve

    solve(SMALL_PUZZLE, method, playouts=2)
