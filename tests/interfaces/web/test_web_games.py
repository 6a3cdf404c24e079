"""Games and agents that a page may ask for, and those that the server refuses."""

from __future__ import annotations

import pytest

from graven.core.errors import UsageError
from graven.games import registry
from graven.interfaces.web.agent_limits import limited_budget, parse_page_agent
from graven.interfaces.web.board_cells import cells_of_move
from graven.interfaces.web.game_titles import game_title
from graven.interfaces.web.web_games import list_files, packaged_game, page_game, resolve_in_folder
from graven.interfaces.web.web_limits import PageLimits
from graven.search.budget import Budget

LIMITS = PageLimits(playouts=1000, seconds=5.0)


def test_programs_and_budgets_above_the_limits_are_refused(tmp_path):
    proof = tmp_path / "ran"
    for spec in (f'gtp("touch {proof}")', f" GTP ('touch {proof}')", f"gtp(touch {proof})"):
        with pytest.raises(UsageError):
            parse_page_agent(spec, LIMITS)
    own = tmp_path / "own.py"
    own.write_text(f"open({str(proof)!r}, 'w').close()\n")
    for spec in (f"{own}:tree", f"uct+{own}:playout"):
        with pytest.raises(UsageError, match="on your own machine"):
            parse_page_agent(spec, LIMITS)
    assert not proof.exists()
    with pytest.raises(UsageError, match="at most 1,000 playouts"):
        parse_page_agent("uct(playouts=1001)", LIMITS)
    with pytest.raises(UsageError, match="at most 5 seconds"):
        limited_budget(Budget(seconds=5.01), LIMITS)
    # A search cannot be stopped within a batch.
    assert (
        parse_page_agent(
            "uct(batch_leaves=32,playouts_per_leaf=32)", LIMITS
        ).options.playouts_per_leaf
        == 32
    )
    with pytest.raises(UsageError, match="playouts a batch"):
        parse_page_agent("uct(batch_leaves=32,playouts_per_leaf=33)", LIMITS)
    # A budget in playouts is bounded in time as well.
    assert limited_budget(Budget(1000), LIMITS) == Budget(1000, 5.0)


def test_no_file_outside_the_folder_is_read(tmp_path):
    folder = tmp_path / "games"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "board.txt").write_text("112\n122\n")
    secret = tmp_path / "secret.txt"
    secret.write_text("112\n122\n")
    (folder / "link.txt").symlink_to(secret)
    assert resolve_in_folder(folder, "deep/board.txt").name == "board.txt"
    assert list_files(folder) == ["deep/board.txt"]
    outside = [
        "../secret.txt",
        str(secret),
        "link.txt",
        "deep/../../secret.txt",
        "",
        ".",
        "no",
        "a\0b",
    ]
    for name in outside:
        with pytest.raises(UsageError):
            resolve_in_folder(folder, name)
    limits = PageLimits(folder=folder)
    assert packaged_game("samegame(file=deep/board.txt)", folder).name == "samegame"
    for spec in ("samegame(file=../secret.txt)", f"tsptw(file={secret})"):
        with pytest.raises(UsageError):
            packaged_game(spec, limits.folder)
        with pytest.raises(UsageError, match="reads no files"):
            packaged_game(spec, None)


@pytest.mark.parametrize(
    "text", ["evil.py:game", "rules/tictactoe.kif", "../x.py", "os", "__init__"]
)
def test_only_games_of_the_package_can_be_named(text):
    with pytest.raises(UsageError):
        packaged_game(text, None)


def test_cells_of_moves():
    names = frozenset({"a2", "b3", "m21", "12", "D4"})
    assert cells_of_move("a2b3", names) == ["a2", "b3"]
    assert cells_of_move("m21:ne3", names) == ["m21"]
    assert cells_of_move("12", names) == ["12"]
    assert cells_of_move("pass", names) == []
    assert cells_of_move("D4", names) == ["D4"]
    coordinates = frozenset({"b 3", "a 4", "1 2", "2 1"})
    assert cells_of_move("( move wp b 3 a 4 )", coordinates) == ["b 3", "a 4"]
    assert cells_of_move("( jump 1 2 1 2 1 )", coordinates) == ["1 2", "1 2"]
    assert cells_of_move("noop", coordinates) == []
    assert cells_of_move("( select 1 2 3 )", frozenset({"1 2 3", "2 3 1"})) == ["1 2 3"]


def test_only_python_files_named_on_the_command_line_are_run(tmp_path):
    proof = tmp_path / "ran"
    rules = tmp_path / "mine.py"
    rules.write_text(f"open({str(proof)!r}, 'w').close()\ngame = None\n")
    own = registry.make_game("nogo(size=3)")
    limits = PageLimits(games={"./own.py:game": own})
    assert page_game("./own.py:game", limits) is own
    assert page_game("misere-./own.py:game", limits).misere
    for spec in (f"{rules}:game", "./own.py:other", "own.py:game", f"misere-{rules}:game"):
        with pytest.raises(UsageError):
            page_game(spec, limits)
    assert not proof.exists()
    assert page_game("nogo(size=3)", limits) is not own


def test_a_sheet_asked_for_as_a_game_is_suggested():
    with pytest.raises(UsageError, match=r"gdl\(sheet=checkers\)"):
        page_game("checkers", PageLimits())


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        ("go(size=9)", "Go 9x9"),
        ("go(size=5,colors=4)", "Go 5x5, 4 colours"),
        ("misere-nogo(size=6x5)", "Misère NoGo 6x5"),
        ("havannah(size=5)", "Havannah 5"),
        ("morpion(variant=4D)", "Morpion Solitaire 4D"),
        ("gdl(sheet=sheepAndWolf)", "Sheep and wolf"),
    ],
)
def test_titles_are_names(spec, title):
    assert game_title(packaged_game(spec, None)) == title
