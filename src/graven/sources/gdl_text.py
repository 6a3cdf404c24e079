"""Games as GDL text, by name: `rules/skirmish.kif`, `gdl(sheet=skirmish)`, `gdl(file=x.kif)`.

A game's spec holds a digest of the text. Workers, stores and saved searches that name a file which
has changed since therefore raise an error and never mix two games.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from graven.core.errors import UsageError, unknown
from graven.core.game import MISERE, Game, GameOutline, spec_of
from graven.core.game import Option as Value
from graven.games.registry import Family, Option

NAME = "gdl"
OPTIONS = ("sheet", "file", "steps", "by", "text")
_FILE = re.compile(r"(?P<file>.+?(?:\.kif|\.gdl))\s*(?:\((?P<options>[^()]*)\))?", re.IGNORECASE)
_CALL = re.compile(rf"{NAME}\s*(?:\((?P<options>.*)\))?", re.DOTALL)


class GdlSource(NamedTuple):
    """A GDL game to load: where its rules come from, their text, and the options."""

    kind: str  # "sheet" or "file"
    title: str  # the sheet's name or the file's path
    rules: str
    steps: int
    by: str

    def spec_options(self) -> dict[str, Value]:
        """Return the options in the game's spec."""
        from graven.gdl.game import STEPS
        from graven.gdl.make import AUTO, digest

        options: dict[str, Value] = {self.kind: self.title}
        if self.steps != STEPS:
            options["steps"] = self.steps
        if self.by != AUTO:
            options["by"] = self.by
        options["text"] = digest(self.rules)
        return options


def is_gdl(text: str) -> bool:
    """Return whether a text names a game that is written in GDL."""
    plain = text.strip().removeprefix(MISERE)
    return bool(_CALL.fullmatch(plain) or _FILE.fullmatch(plain))


def gdl_game(text: str, /, **options: Value) -> Game:
    """Return the game that a text names."""
    game = _load(_source(_parse(text, options)))
    return game.as_misere() if text.strip().startswith(MISERE) else game


def gdl_outline(text: str) -> GameOutline:
    """Return spec and players of the game that a text names; the rules are parsed only."""
    from graven.gdl.read import read

    source = _source(_parse(text, {}))
    name = f"{MISERE}{NAME}" if text.strip().startswith(MISERE) else NAME
    return GameOutline(
        spec_of(name, source.spec_options()), len(read(source.rules, source.title).roles)
    )


def rules_text(text: str) -> str:
    """Return the rules of the game that a text names."""
    return _source(_parse(text, {})).rules


def families() -> list[Family]:
    """Return the sheets of the package as entries of the list of games."""
    from graven.gdl import sheets

    return [_family(f"{NAME}(sheet={name})", sheets.summary(name)) for name in sheets.names()]


def family_of(game: Game) -> Family:
    """Return a GDL game as an entry of the list of games."""
    from graven.gdl import sheets

    sheet = game.options.get("sheet")
    summary = sheets.summary(str(sheet)) if sheet else f"The rules in {game.options['file']}."
    return _family(game.spec, summary)


def _family(name: str, summary: str) -> Family:
    from graven.gdl.game import STEPS
    from graven.gdl.make import AUTO

    options = {
        "steps": Option(STEPS, "a game that has not ended after so many steps ends there"),
        "by": Option(AUTO, "network, proof (slow), or auto: a network if it is not too large"),
    }
    return Family(name, summary, options, lambda **chosen: gdl_game(name, **chosen))


def _parse(text: str, options: Mapping[str, Value]) -> dict[str, str]:
    """Return the options in a text together with those given as keywords."""
    plain = text.strip().removeprefix(MISERE)
    call = _CALL.fullmatch(plain)
    file = None if call else _FILE.fullmatch(plain)
    chosen = _parse_options(((call or file) or {"options": ""})["options"] or "", text)
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


def _parse_options(text: str, whole: str) -> dict[str, str]:
    """Return the options in `name=value,...`; `whole` is the text for error messages."""
    chosen: dict[str, str] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not (option and equals and value):
            raise UsageError(
                f"{whole!r} is not a game: write a file such as rules.kif, or gdl(sheet=skirmish)."
            )
        if option in chosen:
            raise UsageError(f"the option {option!r} is given twice in {whole!r}.")
        chosen[option] = value
    return chosen


def _source(chosen: Mapping[str, str]) -> GdlSource:
    """Return what the options describe; raise UsageError if the text's digest differs."""
    from graven.gdl import make, sheets
    from graven.gdl.game import STEPS

    if ("sheet" in chosen) == ("file" in chosen):
        raise UsageError(
            "a GDL game needs a sheet or a file: gdl(sheet=NAME) with one of "
            f"{', '.join(sheets.names())}; or gdl(file=rules.kif)."
        )
    if "sheet" in chosen:
        kind, title = "sheet", sheets.proper_name(chosen["sheet"])
        rules = sheets.text_of(title)
    else:
        kind, title = "file", chosen["file"]
        if re.search(r"[(),=]", title):
            raise UsageError(f"a sheet's path must not contain any of ( ) , = but is {title!r}.")
        rules = read_rules_file(title)
    digest = make.digest(rules)
    if chosen.get("text", digest) != digest:
        raise UsageError(
            f"{title} has changed: its digest was {chosen['text']} and is now {digest}. Results of "
            "the old and the new text must not be mixed."
        )
    steps = _parse_steps(chosen.get("steps", str(STEPS)))
    return GdlSource(kind, title, rules, steps, chosen.get("by", make.AUTO))


# Equal sources share one game, with its network and its compiled functions.
@lru_cache(maxsize=8)
def _load(source: GdlSource) -> Game:
    from graven.gdl import make

    how = make.How(source.by, source.steps)
    return make.make(source.rules, source.title, how, NAME, source.spec_options())


def _parse_steps(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UsageError(f"steps must be an integer, got {text}.")
    return int(text)


def sheet_text(name: str) -> str:
    """Return the text of a file, or of a sheet of the package."""
    from graven.gdl import sheets

    if not Path(name).suffix and name in sheets.names():
        return sheets.text_of(name)
    if not Path(name).exists() and not Path(name).suffix:
        raise unknown("sheet", name, sheets.names())
    return read_rules_file(name)


def read_rules_file(name: str) -> str:
    """Return the text of a file with GDL rules; raise UsageError if it cannot be read."""
    from graven.gdl.read import MOST_TEXT

    path = Path(name)
    try:
        if not path.is_file():
            raise UsageError(f"there is no file {name!r} with the rules of a game.")
        with path.open("rb") as file:
            data = file.read(4 * MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is invalid"
        raise UsageError(f"cannot read rules from {name!r}: {reason}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
