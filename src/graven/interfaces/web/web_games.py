"""Games that a page may ask for, and which cells of their pictures a move is about.

A page names a game of the package, or sends rules as GDL text. It can neither run a file of the
server's nor read one outside the folder that the server was given.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from graven.core.errors import UsageError
from graven.core.game import MISERE, Game
from graven.games import registry
from graven.sources.gdl_text import gdl_game

GDL = "gdl"
LONGEST_TITLE = 80  # characters
FILE = "file"  # the option of some games that names a file
_CELL = re.compile(r"data-cell='([^']*)'")
_WORD = re.compile(r"[A-Za-z]+\d+")


def named_game(text: str, folder: Path | None) -> Game:
    """A game of the package; an option that names a file must name one in the folder."""
    name, options = registry.parse(text)
    if FILE in options:
        options[FILE] = str(inside(folder, str(options[FILE])))
    if name.removeprefix(MISERE) == GDL:
        return gdl_game(name, **options)
    return registry.make_game(name, **options)


def game_of_rules(rules: str, title: str) -> Game:
    """A game from its rules as GDL text; `title` is what messages call it.

    Messages may go to the server's terminal, which must not take orders from a file's name.
    """
    from graven.gdl.sheet_loader import sheet_game

    plain = "".join(letter for letter in title if letter.isprintable())[:LONGEST_TITLE]
    return sheet_game(rules, plain)


def inside(folder: Path | None, name: str) -> Path:
    """The file of that name below the folder; whatever leads out of it is refused."""
    if folder is None:
        raise UsageError("this server reads no files: start it with --folder to let it.")
    try:
        base = folder.resolve()
        path = (base / name).resolve()
        there = path.is_relative_to(base) and path.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise UsageError(f"there is no file {name!r} in the server's folder.")
    return path


def files_in(folder: Path | None, most: int = 200) -> list[str]:
    """The names of the files below the folder, as `inside` takes them."""
    if folder is None:
        return []
    base = folder.resolve()
    found: list[str] = []
    for path in sorted(base.rglob("*")):
        if len(found) == most:
            break
        if path.is_file() and path.resolve().is_relative_to(base):
            found.append(str(path.relative_to(base)))
    return found


def cell_names(svg: str) -> frozenset[str]:
    """The cells that a picture names."""
    return frozenset(_CELL.findall(svg))


def cells_of(move: str, names: Collection[str]) -> list[str]:
    """The cells that a move's text is about, in its order: `a2b3` is about a2 and b3, `pass` about
    none, `m21:ne3` about m21."""
    if move in names:
        return [move]
    return [word for word in _WORD.findall(move) if word in names]
