"""Read positions from text: what `print(position)` shows, and one-liners like chess's FEN.

Each game says how a list of owners, one for each cell, becomes a position. This module reads the
owners and the player to move from the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graven.core import contract
from graven.core.contract import State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.games.boards import VACANT

# A row of a board as `boards.as_text` and `hex_boards.as_text` draw it: its number, then cells of
# one character. Havannah's rows may end with the letter of a column.
_ROW = re.compile(r"\s*(\d+)((?: \S)+)\s*")
_TURN = re.compile(r"(\w+) to move")
EMPTY = ".+-"


def read_rows(text: str, lengths: Sequence[int], letters: str) -> list[str]:
    """Return the symbols of each row, row number 1 first; `lengths` are the cells of each row."""
    rows: dict[int, str] = {}
    for line in text.splitlines():
        match = _ROW.fullmatch(line)
        if match is None:
            continue
        number, symbols = int(match[1]), match[2].replace(" ", "")
        if not 1 <= number <= len(lengths) or number in rows:
            raise UsageError(
                f"row {number} is unexpected: this board has one row each from 1 to {len(lengths)}."
            )
        cells = lengths[number - 1]
        if not cells <= len(symbols) <= cells + 1:
            raise UsageError(f"row {number} must have {cells} cells, got {len(symbols)}: {line!r}.")
        rows[number] = symbols[:cells]
    if len(rows) != len(lengths):
        raise UsageError(
            f"expected {len(lengths)} rows with a number and {letters!r} or '.', got {len(rows)}: "
            "write the board as print(position) shows it."
        )
    for number, symbols in rows.items():
        for symbol in symbols:
            if symbol not in letters + EMPTY:
                raise UsageError(
                    f"row {number}: a cell is one of {letters} or '.', got {symbol!r}."
                )
    return [rows[number] for number in sorted(rows)]


def owners_of(rows: Sequence[str], letters: str) -> list[int]:
    """Return the player of each cell, or VACANT, row by row."""
    return [VACANT if symbol in EMPTY else letters.index(symbol) for row in rows for symbol in row]


def player_to_move(text: str, names: Sequence[str]) -> int | None:
    """Return the player of a line such as "White to move"; None without one."""
    match = _TURN.search(text)
    if match is None:
        return None
    lower = [name.lower() for name in names]
    if match[1].lower() not in lower:
        raise UsageError(f"{match[1]!r} is no player: the players are {', '.join(names)}.")
    return lower.index(match[1].lower())


def turn_line(position_over: bool, player: int, names: Sequence[str]) -> str:
    """Return the last line of a board that does not show whose turn it is otherwise."""
    return "The game is over" if position_over else f"{names[player]} to move"


def read_fen(text: str, rows: int, columns: int, letters: str) -> tuple[list[str], str] | None:
    """Return the rows of a one-liner, top row first, and the word after it; None if it is none.

    Rows are separated by slashes, a number stands for so many empty cells: as in chess's FEN.
    """
    words = text.split()
    if not words or len(text.strip().splitlines()) > 1 or "/" not in words[0]:
        return None
    lines = [re.sub(r"\d+", lambda run: "." * int(run[0]), line) for line in words[0].split("/")]
    if len(lines) != rows or any(len(line) != columns for line in lines):
        raise UsageError(f"{words[0]!r} is not a board of {rows} rows and {columns} columns.")
    for symbol in "".join(lines):
        if symbol not in letters + ".":
            raise UsageError(f"{words[0]!r}: a piece is one of {letters}, got {symbol!r}.")
    return lines, words[1] if len(words) > 1 else ""


def placed(game: Game, stones: Sequence[Sequence[int]]) -> Position:
    """Return the position after these moves, given as the codes of each player.

    Players place one stone each in turn, the first player first, in any order: so the number of
    stones determines whose turn it is. If the game is over, the stone that ended it is placed last.
    """
    counts = [len(codes) for codes in stones]
    if not 0 <= counts[0] - counts[1] <= 1:
        first, second = game.player_names
        raise UsageError(
            f"{first} moves first and both move in turn: {counts[0]} pieces of {first} and "
            f"{counts[1]} of {second} cannot be."
        )
    last_mover = 0 if counts[0] > counts[1] else 1
    position = _replayed(game, stones)
    if position is not None or not stones[last_mover]:
        return position or game.start()
    for last in stones[last_mover]:
        reordered = [list(codes) for codes in stones]
        reordered[last_mover].remove(last)
        reordered[last_mover].append(last)
        position = _replayed(game, reordered)
        if position is not None:
            return position
    raise UsageError(f"no game of {game.name} leads to this position.")


def _replayed(game: Game, stones: Sequence[Sequence[int]]) -> Position | None:
    """Return the position after these moves; None if one is illegal or the game ends before."""
    position = game.start()
    for ply in range(sum(len(codes) for codes in stones)):
        code = stones[ply % 2][ply // 2]
        if code not in position.legal_codes_of(ply % 2):  # empty if the game is over
            return None
        position = position.play_code(code)
    return position


def by_player(owners: Sequence[int], players: int) -> list[list[int]]:
    """Return the cells of each player."""
    return [
        [cell for cell, owner in enumerate(owners) if owner == player] for player in range(players)
    ]


def play_code(game: Game, state: State, player: int, code: int) -> None:
    """Play a move of any player in a state, as if it were this player's turn."""
    joint = contract.new_joint(game.rules)
    joint[player] = code
    contract.play(game.rules, state, joint)
