"""Games in user-defined Python files."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.sources.python_file import is_file_game

HEAPS = """
import graven as gv
from beside import TERMINAL

def start(constants, state):
    state[0] = state[1] = constants[0]
    state[2] = 0

def turn(constants, state):
    return state[2] if state[0] + state[1] > 0 else TERMINAL

def legal(constants, state, player, moves):
    count = 0
    for heap in range(2):
        for stones in range(1, 3):
            if state[heap] >= stones:
                moves[count] = 2 * heap + stones - 1
                count += 1
    return count

def play(constants, state, joint):
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]

def scores(constants, state, out):
    out[1 - state[2]], out[state[2]] = 1.0, 0.0

def make(size=4):
    return gv.Game(
        name="heaps",
        players=2,
        functions=gv.RuleFunctions(start=start, turn=turn, legal=legal, play=play, scores=scores),
        bounds=gv.Bounds(state_words=3, num_codes=4, max_moves=4, max_plies=2 * size),
        constants=[size],
    )

game = make()
number = 7

class Walk:
    players = 1
    def __init__(self, length=3):
        self.left, self.points = length, 0
    def moves(self):
        return ["up", "down"]
    def play(self, move):
        self.left -= 1
        self.points += move == "up"
    @property
    def over(self):
        return self.left == 0
    @property
    def scores(self):
        return [self.points / 10]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("TERMINAL = -1\n")
    (tmp_path / "mine.py").write_text(HEAPS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_game_an_option_and_a_class(folder):
    game = gv.game("./mine.py:game")
    gv.check_game(game)
    assert gv.game("mine.py:make(size=2)").start().play_moves(["1", "3"]).is_over
    walk = gv.game("mine.py:Walk(length=5)")
    assert gv.solve(walk, playouts=200).score == 0.5


def test_its_text_finds_it_again_from_other_processes(folder):
    game = gv.game("./mine.py:make(size=3)")
    assert game.spec.startswith("mine.py:make(size=3,digest=")
    assert gv.game(game.spec).spec == game.spec
    result = gv.match(game, "uct", "grave", games=4, playouts=30, workers=2)
    assert result.games == 4
    assert not result.failures
    assert result.game == game.spec


def test_a_file_that_has_changed_is_another_game(folder):
    before = gv.game("mine.py:game").spec
    (folder / "mine.py").write_text(HEAPS.replace("make(size=4)", "make(size=5)"))
    after = gv.game("mine.py:game")
    assert after.spec != before
    assert after.max_plies == 10
    with pytest.raises(UsageError, match=r"mine\.py has changed"):
        gv.game(before)


def test_a_changed_file_plays_in_every_later_process(folder):
    """Compiled code that the change has not touched stays in the cache, by its module's name."""
    play = "import graven as gv; print(*gv.game('mine.py:game').start().play('1').legal_moves)"

    def in_a_new_process():
        done = subprocess.run([sys.executable, "-c", play], capture_output=True, text=True)
        return done.stdout.strip() or done.stderr

    assert in_a_new_process() == "0 1 2 3"
    (folder / "mine.py").write_text(HEAPS + "# It is mine.\n")
    assert in_a_new_process() == "0 1 2 3"
    (folder / "other.py").write_text("from mine import game\n")
    assert gv.game("other.py:game").start().play("1").legal_moves == ("0", "1", "2", "3")


def test_a_folder_without_an_init_file_belongs_to_it_too(folder):
    (folder / "sizes").mkdir()
    (folder / "sizes" / "small.py").write_text("SIZE = 2\n")
    text = "from sizes.small import SIZE\n" + HEAPS.replace("size=4", "size=SIZE")
    (folder / "mine.py").write_text(text)
    before = gv.game("mine.py:game")
    (folder / "sizes" / "small.py").write_text("SIZE = 3\n")
    after = gv.game("mine.py:game")
    assert (before.max_plies, after.max_plies) == (4, 6)
    assert before.spec != after.spec


def test_an_error_in_a_neighbour_names_the_neighbour(folder):
    (folder / "beside.py").write_text("TERMINAL = -1\nPASS = = 2\n")
    with pytest.raises(UsageError, match=r"beside\.py, line 2: invalid syntax"):
        gv.game("mine.py:game")


def test_what_it_imports_from_beside_it_belongs_to_it(folder):
    (folder / "mine.py").write_text("import beside\n" + HEAPS.replace("size=4", "size=beside.SIZE"))
    (folder / "beside.py").write_text("from deeper import SIZE\nTERMINAL = -1\n")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "__init__.py").write_text("from .sizes import SIZE\n")
    (folder / "deeper" / "sizes.py").write_text("SIZE = 4\n")
    before = gv.game("mine.py:game")
    assert before.max_plies == 8
    (folder / "deeper" / "sizes.py").write_text("SIZE = 3 + 2\n")
    with pytest.raises(UsageError, match=r"mine\.py has changed, or a file beside it"):
        gv.game(before.spec)
    after = gv.game("mine.py:game")
    assert after.spec != before.spec
    assert after.max_plies == 10


def test_equally_named_neighbours_in_two_folders_are_kept_apart(folder):
    text = "import beside\n" + HEAPS.replace("size=4", "size=beside.SIZE")
    for name, size in (("one", 3), ("two", 6)):
        (folder / name).mkdir()
        (folder / name / "beside.py").write_text(f"TERMINAL, SIZE = -1, {size}\n")
        (folder / name / "mine.py").write_text(text)
    games = [gv.game(f"{name}/mine.py:game") for name in ("one", "two")]
    assert [game.max_plies for game in games] == [6, 12]
    assert games[0].spec.partition("digest=")[2] != games[1].spec.partition("digest=")[2]


def test_a_folder_never_replaces_a_library_of_the_same_name(folder):
    (folder / "json").mkdir()
    (folder / "json" / "__init__.py").write_text("raise SystemExit\n")
    (folder / "mine.py").write_text("import json, graven\n" + HEAPS)
    import json

    gv.check_game(gv.game("mine.py:game"))
    assert sys.modules["json"] is json
    assert sys.modules["graven"] is gv


def test_misere(folder):
    game = gv.game("misere-mine.py:game")
    assert game.spec.startswith("misere-mine.py:game(digest=")
    assert gv.game(game.spec).misere


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mine.py", "write the file and the name in it"),
        ("mine.py:gam", "Did you mean 'game'"),
        (
            "walk.py:game",
            r"unknown game in .*walk\.py 'game'\. Valid: Walk\. Write walk\.py:Walk\.",
        ),
        ("mine.py:number", "is a int: expected a game, a class, or a function"),
        ("mine.py:game(size=3)", "takes no options"),
        ("mine.py:make(colour=3)", "make in .* failed: TypeError"),
        ("mine.py:make(size)", "is not written parameter=value"),
        ("mine.py:make(size=3,size=4)", "twice"),
        ("nowhere.py:game", "cannot be read: No such file"),
        ("broken.py:game", r"broken\.py, line 2"),
        ("raises.py:game", r"ZeroDivisionError: division by zero \(.*raises\.py, line 1"),
        ("leaves.py:game", "cannot be run: SystemExit"),
    ],
)
def test_errors_name_the_cause(folder, text, message):
    walk = HEAPS[HEAPS.index("class Walk") :]
    (folder / "walk.py").write_text(f"from fractions import Fraction\nclass Other: ...\n{walk}")
    (folder / "broken.py").write_text("x = 1\ndef\n")
    (folder / "raises.py").write_text("1 / 0\n")
    (folder / "leaves.py").write_text("raise SystemExit\n")
    with pytest.raises(UsageError, match=message):
        gv.game(text)


def test_names_of_other_games_are_not_files():
    for text in ("breakthrough", "go(size=9)", 'spiel("chess")', "copyx"):
        assert not is_file_game(text)
