"""Positions of Go as text: the line below a drawn board, and reading both."""

from __future__ import annotations

import re

from graven.core.contract import State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.games import position_text
from graven.games.boards import LETTERS
from graven.games.go_captures import (
    BLOOM_WORDS,
    CAPTURED_WORDS,
    HISTORY,
    LAST_MOVE,
    NO_MOVE,
    PASSES,
    PLY,
)
from graven.games.stone_groups import TURN

NAMES = ("Black", "White", "Red", "Blue")
_FOOTER = re.compile(r"Move (\d+): (\w+) to move(?:, after (\d+) pass)?|over after (\d+) moves")


def footer(state: State, colours: int, plies: int) -> str:
    """Return a line with the move number, the player to move and the number of passes."""
    passed = int(state[PASSES])
    if passed >= colours or state[PLY] >= plies:
        return f"The game is over after {state[PLY]} moves"
    after = f", after {passed} {'pass' if passed == 1 else 'passes'}" if passed else ""
    return f"Move {state[PLY] + 1}: {NAMES[state[TURN]]} to move{after}"


def _have_liberties(stones: list[list[int]], size: tuple[int, int]) -> bool:
    """Return whether every group of these stones has an empty neighbour."""
    occupied = {code for own in stones for code in own}
    for own in stones:
        # Stones with an empty neighbour, then all that are connected to them.
        alive = [code for code in own if any(n not in occupied for n in _around(code, size))]
        reached = set(alive)
        while alive:
            for neighbour in _around(alive.pop(), size):
                if neighbour in own and neighbour not in reached:
                    reached.add(neighbour)
                    alive.append(neighbour)
        if len(reached) < len(own):
            return False
    return True


def _around(code: int, size: tuple[int, int]) -> list[int]:
    """Return the codes of the neighbours of a point."""
    rows, columns = size
    row, column = divmod(code, columns)
    cells = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * columns + c for r, c in cells if 0 <= r < rows and 0 <= c < columns]


def parse_position(game: Game, text: str, size: tuple[int, int]) -> Position:
    """Read a position from a drawn board and its last line.

    Without the line the number of stones is the move number. Earlier positions are not known, so
    superko forbids no move at first.
    """
    rows, columns = size
    letters, colours = LETTERS["stones"][: game.players], game.players
    lines = position_text.read_rows(text, [columns] * rows, letters)
    stones = position_text.by_player(position_text.owners_of(lines, letters), colours)
    if not _have_liberties(stones, size):
        raise UsageError("a group of stones has no liberty in this position.")
    total = sum(len(own) for own in stones)
    footer = _FOOTER.search(text)
    ply, passes, player = total, 0, total % colours
    if footer and footer[4]:
        ply, passes = int(footer[4]), colours
        player = ply % colours
    elif footer:
        ply, passes = int(footer[1]) - 1, int(footer[3] or 0)
        player = position_text.player_to_move(text, game.player_names) or 0
    if not 0 <= ply <= game.max_plies:
        raise UsageError(f"a game has at most {game.max_plies} moves, got {ply}.")
    start = game.start()
    if total == 0 and ply == 0:
        return start
    state = start.state.copy()
    for owner, own in enumerate(stones):
        for code in own:
            state[TURN] = owner
            position_text.play_code(game, state, owner, code)
    # Forget the order of the stones: only the position itself has occurred. A pass records it.
    history = start.state[game.constants[HISTORY] - CAPTURED_WORDS - BLOOM_WORDS :]
    state[game.constants[HISTORY] - CAPTURED_WORDS - BLOOM_WORDS :] = history
    before = (player - 1) % colours
    state[TURN], state[PLY] = before, max(0, ply - 1)
    position_text.play_code(game, state, before, rows * columns)
    state[PLY], state[PASSES], state[LAST_MOVE] = ply, passes, NO_MOVE
    return Position(game, state)
