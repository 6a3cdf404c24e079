"""Games as GDL text, by name: `rules/skirmish.kif`, `gdl(sheet=skirmish)`, `gdl(file=x.kif)`.

A game's spec holds a digest of the text: a worker, a store or a saved search that names a file
that has changed since raises an error, and never mixes two games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graven.core.calls import CallSyntaxError, parse_arguments
from graven.core.errors import UsageError, listed, unknown
from graven.core.game import MISERE, Game, GameOutline, spec_of
from graven.core.game import Option as Value
from graven.games.registry import Family, GameOption

if TYPE_CHECKING:
    from graven.gdl.sheet_loader import SheetOptions

NAME = "gdl"
SHORTEST_PART = 4  # of a name, to be found in another one
SIMILAR_LISTED = 6
OPTIONS = ("sheet", "file", "steps", "by", "text")
_FILE = re.compile(r"(?P<file>.+?(?:\.kif|\.gdl))\s*(?:\((?P<options>[^()]*)\))?", re.IGNORECASE)
_CALL = re.compile(rf"{NAME}\s*(?:\((?P<options>.*)\))?", re.DOTALL)


def is_gdl(text: str) -> bool:
    """Return whether a text names a game that is written in GDL."""
    plain = text.strip().removeprefix(MISERE)
    return bool(_CALL.fullmatch(plain) or _FILE.fullmatch(plain))


def sheet_error(name: str, message: str = "") -> UsageError | None:
    """Return the error for a sheet's name, or an unknown one, as a game's name; None for a game's.

    `message` is what the registry of games says about the name.
    """
    from graven.games import registry
    from graven.gdl import sheets

    plain = name.strip().removeprefix(MISERE)
    games = {family.name for family in registry.families()}
    known = {sheet.lower(): sheet for sheet in sheets.names() if sheet.lower() not in games}
    near = get_close_matches(plain.lower(), [*games, *known], n=1, cutoff=0.8)
    if near and near[0] in games:
        return None
    prefix = MISERE if name.strip().startswith(MISERE) else ""
    if near:
        spec = f"{NAME}(sheet={known[near[0]]})"
        return UsageError(
            f"unknown game {name.strip()!r}. Did you mean the rulesheet {prefix}{spec}?"
        )
    if not message.startswith("unknown game "):
        return None
    similar = [
        f"{prefix}{NAME}(sheet={known[sheet]})" for sheet in known if _is_similar(plain, sheet)
    ]
    hint = f" Rulesheets with similar names: {listed(similar, SIMILAR_LISTED)}." if similar else ""
    return UsageError(f"{message}{hint} `graven games` lists all games and rulesheets.")


def _is_similar(name: str, sheet: str) -> bool:
    """Return whether one of two names contains the other or most of its letters, in lower case."""
    first, second = (re.sub(r"[\W_]", "", each.lower()) for each in (name, sheet))
    if min(len(first), len(second)) >= SHORTEST_PART and (first in second or second in first):
        return True
    return bool(get_close_matches(first, [second], n=1, cutoff=0.7))


def rules_text(text: str) -> str:
    """Return the text of the rules."""
    return _source(_parse(text, {}))[2]


def gdl_game(text: str, /, **options: Value) -> Game:
    """Make the game that a text names."""
    game = _make(_parse(text, options))
    return game.as_misere() if text.strip().startswith(MISERE) else game


def families() -> list[Family]:
    """Return the shipped sheets for the list of games."""
    from graven.gdl import sheets

    return [_family(f"{NAME}(sheet={name})", sheets.summary(name)) for name in sheets.names()]


def family_of(game: Game) -> Family:
    """Return a game's entry for the list of games."""
    from graven.gdl import sheets

    shipped = game.options.get("sheet")
    about = sheets.summary(str(shipped)) if shipped else f"The rules in {game.options['file']}."
    return _family(game.spec, about)


def _family(name: str, about: str) -> Family:
    from graven.gdl.network_game import DEFAULT_STEPS
    from graven.gdl.sheet_loader import AUTO

    options = {
        "steps": GameOption(DEFAULT_STEPS, "the game ends after so many steps"),
        "by": GameOption(AUTO, "network, proof (slow), or auto: a network if it is not too large"),
    }
    return Family(name, about, options, lambda **chosen: gdl_game(name, **chosen))


def _parse(text: str, options: Mapping[str, Value]) -> dict[str, str]:
    """Return the options in a text together with those that are keywords."""
    plain = text.strip().removeprefix(MISERE)
    call = _CALL.fullmatch(plain)
    file = None if call else _FILE.fullmatch(plain)
    chosen = _options(((call or file) or {"options": ""})["options"] or "", text)
    if file:
        chosen["file"] = file["file"]
    for option, value in options.items():
        if option in chosen:
            raise UsageError(f"the option {option!r} is given twice: in {text!r} and as a keyword.")
        chosen[option] = str(value)
    for option in chosen:
        if option not in OPTIONS:
            raise unknown("option of gdl", option, OPTIONS)
    return chosen


def _options(inside: str, text: str) -> dict[str, str]:
    try:
        return parse_arguments(inside, repr(text))
    except CallSyntaxError:
        raise UsageError(
            f"{text!r} is not a game: write a file such as rules.kif, or gdl(sheet=skirmish)."
        ) from None


def _make(chosen: dict[str, str]) -> Game:
    from graven.gdl.network_game import DEFAULT_STEPS
    from graven.gdl.sheet_loader import AUTO, SheetOptions

    steps = _steps(chosen.get("steps", str(DEFAULT_STEPS)))
    return _cached(_source(chosen), SheetOptions(chosen.get("by", AUTO), steps))


class SheetSource(NamedTuple):
    """Where rules come from: a shipped sheet or a file, which one, and its text."""

    kind: str
    title: str
    text: str


def _source(chosen: dict[str, str]) -> SheetSource:
    from graven.gdl import sheets
    from graven.gdl.sheet_loader import digest

    if ("sheet" in chosen) == ("file" in chosen):
        raise UsageError(
            "a GDL game needs a sheet or a file: gdl(sheet=NAME) with one of "
            f"{', '.join(sheets.names())}; or gdl(file=rules.kif)."
        )
    if "sheet" in chosen:
        kind, title = "sheet", sheets.proper_name(chosen["sheet"])
        text = sheets.text_of(title)
    else:
        kind, title = "file", chosen["file"]
        if re.search(r"[(),=]", title):
            raise UsageError(f"a sheet's path must not contain any of ( ) , =, got {title!r}.")
        text = read_rules_file(title)
    current = digest(text)
    if chosen.get("text", current) != current:
        raise UsageError(
            f"{title} has changed: the digest of its text was {chosen['text']} and is now "
            f"{current}. Results of the old and the new text must not be mixed."
        )
    return SheetSource(kind, title, text)


# One object for all requests of the same game: its network and its compiled functions are shared.
@lru_cache(maxsize=8)
def _cached(source: SheetSource, options: SheetOptions) -> Game:
    from graven.gdl.sheet_loader import sheet_game

    return sheet_game(source.text, source.title, options, _spec_options(source, options))


def _spec_options(source: SheetSource, options: SheetOptions) -> dict[str, Value]:
    """Return the options in a game's spec."""
    from graven.gdl.network_game import DEFAULT_STEPS
    from graven.gdl.sheet_loader import AUTO, digest

    shown: dict[str, Value] = {source.kind: source.title}
    if options.steps != DEFAULT_STEPS:
        shown["steps"] = options.steps
    if options.by != AUTO:
        shown["by"] = options.by
    shown["text"] = digest(source.text)
    return shown


def gdl_outline(text: str) -> GameOutline:
    """Return the spec and the number of players of a game without making it."""
    from graven.gdl.language.kif_reader import read
    from graven.gdl.network_game import DEFAULT_STEPS
    from graven.gdl.sheet_loader import AUTO, SheetOptions

    chosen = _parse(text, {})
    source = _source(chosen)
    steps = _steps(chosen.get("steps", str(DEFAULT_STEPS)))
    options = SheetOptions(chosen.get("by", AUTO), steps)
    name = f"{MISERE}{NAME}" if text.strip().startswith(MISERE) else NAME
    roles = read(source.text, source.title).roles
    return GameOutline(spec_of(name, _spec_options(source, options)), len(roles))


def _steps(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"steps must be an integer, got {text}.")
    return int(text)


def sheet_text(name: str) -> str:
    """Return the text of a file or of a shipped sheet."""
    from graven.gdl import sheets

    if not Path(name).suffix and name in sheets.names():
        return sheets.text_of(name)
    if not Path(name).exists() and not Path(name).suffix:
        raise unknown("sheet", name, sheets.names())
    return read_rules_file(name)


def read_rules_file(name: str) -> str:
    """Read a sheet from a file; raise UsageError if it cannot be read."""
    from graven.gdl.language.kif_reader import MOST_TEXT

    path = Path(name)
    try:
        if not path.is_file():
            raise UsageError(f"there is no file {name!r} with the rules of a game.")
        with path.open("rb") as file:
            data = file.read(4 * MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "invalid file name"
        raise UsageError(f"cannot read rules from {name!r}: {reason}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
