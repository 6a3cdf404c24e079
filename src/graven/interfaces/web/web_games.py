"""Games that a page may ask for: a game of the package or of the command line, or GDL text.

A page can neither run another Python file of the server nor read a file outside the folder that the
server was started with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graven.core.errors import UsageError
from graven.core.game import MISERE, Game
from graven.games import registry
from graven.sources.gdl_text import gdl_game, sheet_error

if TYPE_CHECKING:
    from graven.interfaces.web.web_limits import PageLimits

if TYPE_CHECKING:
    from graven.gdl.network.propositional import Network

GDL = "gdl"
MAX_TITLE_CHARACTERS = 80
MAX_LISTED_FILES = 200
FILE_OPTION = "file"  # the option of some games that names a file


def page_game(spec: str, limits: PageLimits) -> Game:
    """Make a game that a page asks for: one named on the command line, or one of the package."""
    named = spec.strip().removeprefix(MISERE)
    if named in limits.games:
        game = limits.games[named]
        return game.as_misere() if spec.strip().startswith(MISERE) else game
    return packaged_game(spec, limits.folder)


def packaged_game(spec: str, folder: Path | None) -> Game:
    """Make a game of the package. An option that names a file must name one in the folder."""
    name, options = registry.parse(spec)
    if FILE_OPTION in options:
        options[FILE_OPTION] = str(resolve_in_folder(folder, str(options[FILE_OPTION])))
    if name.removeprefix(MISERE) == GDL:
        return gdl_game(name, **options)
    try:
        return registry.make_game(name, **options)
    except UsageError:
        if error := sheet_error(name):
            raise error from None
        raise


def is_gdl_spec(spec: str) -> bool:
    """Return whether a spec names a game of the package that is written in GDL."""
    return spec.strip().removeprefix(MISERE).startswith(GDL)


def game_from_rules(rules: str, title: str, network: Network | None) -> Game:
    """Make a game from GDL text, by its network; by proof without one."""
    from graven.gdl.sheet_loader import (
        SheetOptions,
        checked_sheet,
        game_of_network,
        proof_game_of,
    )

    if network is not None:
        return game_of_network(network, SheetOptions())
    title = printable_title(title)
    return proof_game_of(checked_sheet(rules, title), title, SheetOptions())


def printable_title(title: str) -> str:
    """Return the title of rules for error messages, which may be printed on a terminal."""
    printable = "".join(character for character in title if character.isprintable())
    return printable[:MAX_TITLE_CHARACTERS]


def resolve_in_folder(folder: Path | None, name: str) -> Path:
    """Return the path of a file in the folder; a path outside the folder raises UsageError."""
    if folder is None:
        raise UsageError("this server reads no files: start it with --folder to allow them.")
    try:
        base = folder.resolve()
        path = (base / name).resolve()
        exists = path.is_relative_to(base) and path.is_file()
    except (OSError, ValueError):
        exists = False
    if not exists:
        raise UsageError(f"there is no file {name!r} in the server's folder.")
    return path


def list_files(folder: Path | None) -> list[str]:
    """Return names of files in the folder, in the form that `resolve_in_folder` accepts."""
    if folder is None:
        return []
    base = folder.resolve()
    names: list[str] = []
    for path in sorted(base.rglob("*")):
        if len(names) == MAX_LISTED_FILES:
            break
        if path.is_file() and path.resolve().is_relative_to(base):
            names.append(str(path.relative_to(base)))
    return names
