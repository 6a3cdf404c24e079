from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from graven.core.errors import UsageError
from graven.games.registry import families, find, make_game
from graven.sources.load import load_game

NAMES = ["atarigo", "breakthrough", "domineering", "knightthrough", "nogo"]
PAGES = Path(__file__).parents[2] / "docs" / "games"


def test_every_game_of_the_package_is_listed() -> None:
    listed = families()
    assert set(NAMES) <= {family.name for family in listed}
    for family in listed:
        assert family.summary
        assert all(option.about for option in family.options.values())


@pytest.mark.parametrize("name", NAMES)
def test_defaults_match_the_default_game(name: str) -> None:
    family = find(name)
    assert family.options["size"].default == "8x8"
    assert family.make().spec == make_game(name).spec == f"{name}(size=8x8)"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("breakthrough(size=6x5)", "breakthrough(size=6x5)"),
        (" Breakthrough ( size = 6 ) ", "breakthrough(size=6x6)"),
        ("misere-breakthrough(size=6)", "misere-breakthrough(size=6x6)"),
        ("misere-nogo(size=9)", "misere-nogo(size=9x9)"),
        ("atarigo()", "atarigo(size=8x8)"),
    ],
)
def test_specs_are_canonical(text: str, spec: str) -> None:
    game = make_game(text)
    assert game.spec == spec
    assert make_game(game.spec).spec == spec, "stored specs can be read back"


def test_options_may_be_given_by_keyword() -> None:
    assert make_game("domineering", size=5).spec == "domineering(size=5x5)"
    assert make_game("misere-domineering", size="5x6").spec == "misere-domineering(size=5x6)"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("brekthrough", "Did you mean 'breakthrough'?"),
        ("misere-nogoo", "Did you mean 'misere-nogo'?"),
        ("boards", "unknown game 'boards'"),
        ("stones", "unknown game 'stones'"),
        ("registry", "unknown game 'registry'"),
        ("misere-misere-nogo", "unknown game 'misere-misere-nogo'"),
        ("nogo(sise=9)", "Did you mean 'size'?"),
        ("nogo(size=20)", "2 to 19 rows"),
        ("knightthrough(size=5x3)", "4 to 26 columns"),
        ("nogo(size=9", "'nogo(size=9' has a '(' without its ')'."),
        ("nogo(size=9))", "'nogo(size=9))' has a ')' without its '('."),
        ("nogo(9)", "'nogo(9)': 9 has no name: write size=9. nogo takes size."),
        ("go(9,komi=3)", "9 has no name: write size=9. go takes size, komi,"),
        ("nogo(9,size=9)", "9 is not an option: nogo takes size."),
        ("nogo(size)", "size has no value: write size=8x8."),
        ("nogo(size=)", "size= has no value: write name=value."),
        ("nogo(=9)", "=9 has no name: write name=value."),
        ("nogoo(9)", "unknown game 'nogoo'. Did you mean 'nogo'?"),
        ("nogo 9", "is not a game"),
        ("", "is not a game"),
        ("nogo(size=9,size=8)", "given twice"),
    ],
)
def test_mistakes_are_explained(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_game(text)
    assert hint in str(caught.value)


@pytest.mark.parametrize("name", ["tictactoe", "tic-tac-toe", "misere-tictactoe"])
def test_rulesheets_with_similar_names_are_suggested(name: str) -> None:
    prefix = "misere-" if name.startswith("misere-") else ""
    with pytest.raises(UsageError) as caught:
        load_game(name)
    message = str(caught.value)
    assert message.startswith(f"unknown game {name!r}.")
    assert f"Rulesheets with similar names: {prefix}gdl(sheet=tictactoe_3d_2player)" in message
    assert message.endswith("`graven games` lists all games and rulesheets.")
    with pytest.raises(UsageError, match=r"^nogo: size|2 to 19 rows"):
        load_game("nogo(size=20)")


def test_an_option_in_the_text_and_as_keyword_raises() -> None:
    with pytest.raises(UsageError, match="given twice"):
        make_game("nogo(size=9)", size=9)


def test_finding_a_game_imports_no_other() -> None:
    code = (
        "import sys; from graven.games.registry import find; find('nogo');"
        "print([name for name in ('atarigo', 'domineering', 'breakthrough')"
        " if f'graven.games.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", [*NAMES, "go", "havannah", "hex", "othello"])
def test_every_game_has_a_page_with_a_picture(name: str) -> None:
    assert f"]({name}.svg)" in (PAGES / f"{name}.md").read_text()
    assert ElementTree.fromstring((PAGES / f"{name}.svg").read_text()).tag.endswith("svg")


@pytest.mark.parametrize("name", NAMES)
def test_every_position_can_be_drawn(name: str) -> None:
    position = make_game(name, size=5).start()
    while not position.is_over:
        ElementTree.fromstring(position.svg())
        lines = [line.split() for line in position.text().splitlines()]
        assert list("ABCDE" if name in ("atarigo", "nogo") else "abcde") in lines
        position = position.play(position.legal_moves[position.ply % len(position.legal_moves)])
