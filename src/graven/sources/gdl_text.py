"""Games as GDL text, by name: `rules/skirmish.kif`, `gdl(sheet=skirmish)`, `gdl(file=x.kif)`.

A game's spec holds a digest of the text, so that a worker, a store or a saved search that names a
file which has changed since is told so, and never mixes two games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from graven.core.calls import CallSyntaxError, parse_arguments
from graven.core.errors import UsageError, unknown
from graven.core.game import MISERE, Game, Outline, spec_of
from graven.core.game import Option as Value
from graven.games.registry import Family, GameOption

NAME = "gdl"
OPTIONS = ("sheet", "file", "steps", "by", "text")
_FILE = re.compile(r"(?P<file>.+?(?:\.kif|\.gdl))\s*(?:\((?P<options>[^()]*)\))?", re.IGNORECASE)
_CALL = re.compile(rf"{NAME}\s*(?:\((?P<options>.*)\))?", re.DOTALL)


def is_gdl(text: str) -> bool:
    """Whether a text names a game that is written in GDL."""
    plain = text.strip().removeprefix(MISERE)
    return bool(_CALL.fullmatch(plain) or _FILE.fullmatch(plain))


def text_of(text: str) -> str:
    """The rules themselves."""
    return _source(_chosen(text, {}))[2]


def gdl_game(text: str, /, **options: Value) -> Game:
    """The game that the text names."""
    game = _make(_chosen(text, options))
    return game.as_misere() if text.strip().startswith(MISERE) else game


def families() -> list[Family]:
    """The shipped sheets, as the list of games shows them."""
    from graven.gdl import sheets

    return [_family(f"{NAME}(sheet={name})", sheets.summary(name)) for name in sheets.names()]


def family(game: Game) -> Family:
    """What the list of games would say of a game."""
    from graven.gdl import sheets

    shipped = game.options.get("sheet")
    about = sheets.summary(str(shipped)) if shipped else f"The rules in {game.options['file']}."
    return _family(game.spec, about)


def _family(name: str, about: str) -> Family:
    from graven.gdl.game import STEPS
    from graven.gdl.make import AUTO

    options = {
        "steps": GameOption(STEPS, "a game that has not ended after so many steps ends there"),
        "by": GameOption(AUTO, "network, proof (slow), or auto: a network if it is not too large"),
    }
    return Family(name, about, options, lambda **chosen: gdl_game(name, **chosen))


def _chosen(text: str, options: Mapping[str, Value]) -> dict[str, str]:
    plain = text.strip().removeprefix(MISERE)
    call = _CALL.fullmatch(plain)
    file = None if call else _FILE.fullmatch(plain)
    chosen = _options(((call or file) or {"options": ""})["options"] or "", text)
    if file:
        chosen["file"] = file["file"]
    for option, value in options.items():
        if option in chosen:
            raise UsageError(f"the option {option!r} is given twice: in {text!r} and beside it.")
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
    from graven.gdl import make
    from graven.gdl.game import STEPS

    steps = _steps(chosen.get("steps", str(STEPS)))
    return _cached(*_source(chosen), steps, chosen.get("by", make.AUTO))


def _source(chosen: dict[str, str]) -> tuple[str, str, str]:
    """Whether it is a sheet or a file, which one, and its text."""
    from graven.gdl import make, sheets

    if ("sheet" in chosen) == ("file" in chosen):
        raise UsageError(
            "a GDL game needs a sheet or a file: gdl(sheet=NAME) with one of "
            f"{', '.join(sheets.names())}; or gdl(file=rules.kif)."
        )
    if "sheet" in chosen:
        source, title = "sheet", sheets.proper_name(chosen["sheet"])
        text = sheets.text_of(title)
    else:
        source, title = "file", chosen["file"]
        if re.search(r"[(),=]", title):
            raise UsageError(f"a sheet's path must not have any of ( ) , = in it: {title!r}.")
        text = file_text(title)
    known = make.digest(text)
    if chosen.get("text", known) != known:
        raise UsageError(
            f"{title} has changed: its text was {chosen['text']} and is now {known}. Results of "
            "the old text and of the new one do not belong together."
        )
    return source, title, text


# A game knows how to be made again from its spec; made once, it is the same object for all who ask,
# with its network and its compiled functions.
@lru_cache(maxsize=8)
def _cached(source: str, title: str, text: str, steps: int, by: str) -> Game:
    from graven.gdl import make

    how = make.How(by, steps)
    return make.make(text, title, how, NAME, _said(source, title, text, steps, by))


def _said(source: str, title: str, text: str, steps: int, by: str) -> dict[str, Value]:
    """The options in a game's spec."""
    from graven.gdl.game import STEPS
    from graven.gdl.make import AUTO, digest

    options: dict[str, Value] = {source: title}
    if steps != STEPS:
        options["steps"] = steps
    if by != AUTO:
        options["by"] = by
    options["text"] = digest(text)
    return options


def gdl_outline(text: str) -> Outline:
    """The spec and the players of the game that a text names, from its text alone."""
    from graven.gdl.game import STEPS
    from graven.gdl.make import AUTO
    from graven.gdl.read import read

    chosen = _chosen(text, {})
    source, title, rules = _source(chosen)
    steps = _steps(chosen.get("steps", str(STEPS)))
    said = _said(source, title, rules, steps, chosen.get("by", AUTO))
    name = f"{MISERE}{NAME}" if text.strip().startswith(MISERE) else NAME
    return Outline(spec_of(name, said), len(read(rules, title).roles))


def _steps(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"steps must be a whole number, not {text}.")
    return int(text)


def sheet_text(name: str) -> str:
    """The text of a file, or of a sheet that graven has."""
    from graven.gdl import sheets

    if not Path(name).suffix and name in sheets.names():
        return sheets.text_of(name)
    if not Path(name).exists() and not Path(name).suffix:
        raise unknown("sheet", name, sheets.names())
    return file_text(name)


def file_text(name: str) -> str:
    """A sheet's text from a file, which may be wrong in any way."""
    from graven.gdl.read import MOST_TEXT

    path = Path(name)
    try:
        if not path.is_file():
            raise UsageError(f"there is no file {name!r} with the rules of a game.")
        with path.open("rb") as file:
            data = file.read(4 * MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name makes no sense"
        raise UsageError(f"cannot read rules from {name!r}: {reason}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
