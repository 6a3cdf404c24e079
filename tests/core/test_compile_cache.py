"""Which changes of sources make compiled code out of date."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.core.copied_package import run


def test_a_change_above_the_kernels_keeps_the_cache(package, tmp_path):
    home = tmp_path / "cache"
    before, *_ = run(package, home)
    (package / "lab").mkdir()
    (package / "lab" / "table.py").write_text("# new\n")
    assert run(package, home) == (before, 1, 0)


def test_any_change_below_the_kernels_starts_an_empty_cache(package, tmp_path):
    home = tmp_path / "cache"
    before, *_ = run(package, home)
    with (package / "core" / "errors.py").open("a") as file:
        file.write("# changed\n")
    after, hits, misses = run(package, home)
    assert after != before
    assert after.parent == before.parent
    assert (hits, misses) == (0, 1)


def test_a_change_in_a_helper_of_another_file_is_noticed(package, tmp_path):
    # Numba's own cache misses this: the kernel's own file stays as it was.
    (package / "core" / "helper.py").write_text(
        "from graven.core.compile import compiled\n@compiled\ndef answer():\n    return 1\n"
    )
    (package / "core" / "kernel.py").write_text(
        "from graven.core.compile import compiled\n"
        "from graven.core.helper import answer\n"
        "@compiled\n"
        "def ask():\n"
        "    return answer()\n"
    )
    program = "from graven.core.kernel import ask; print('-'); print(ask(), 0)"
    assert run(package, tmp_path / "cache", program)[1] == 1
    helper = package / "core" / "helper.py"
    helper.write_text(helper.read_text().replace("return 1", "return 2"))
    assert run(package, tmp_path / "cache", program)[1] == 2


KERNEL_OF_A_PART = """
from graven.core.compile import compiled
{imports}
@compiled
def answer():
    return {value}
"""


def write_part(package, name, value="1", imports=""):
    (package / name).mkdir(exist_ok=True)
    (package / name / "__init__.py").touch()
    text = KERNEL_OF_A_PART.format(value=value, imports=imports)
    (package / name / "kernel.py").write_text(text)


COUNT_MISSES = """
from graven.search.kernel import answer
print("-")
print(answer(), sum(answer.stats.cache_misses.values()))
"""


def test_a_change_in_a_part_that_is_not_imported_keeps_the_code(package, tmp_path):
    write_part(package, "search")
    write_part(package, "games")
    assert run(package, tmp_path / "cache", COUNT_MISSES)[1:] == (1, 1)
    write_part(package, "games", value="2")
    assert run(package, tmp_path / "cache", COUNT_MISSES)[1:] == (1, 0)


def test_a_change_in_an_imported_part_is_noticed(package, tmp_path):
    write_part(package, "games", value="3")
    imports = "from graven.games.kernel import answer as other"
    write_part(package, "search", value="other()", imports=imports)
    assert run(package, tmp_path / "cache", COUNT_MISSES)[1:] == (3, 1)
    write_part(package, "games", value="4")
    assert run(package, tmp_path / "cache", COUNT_MISSES)[1:] == (4, 1)


def test_a_function_that_another_part_passes_in_is_noticed(package, tmp_path):
    """`search` compiles a function of `games`, which it does not import."""
    (package / "search").mkdir()
    (package / "search" / "maker.py").write_text(
        "from graven.core.compile import compiled\n"
        "def make(inner):\n"
        "    @compiled\n"
        "    def outer():\n"
        "        return inner()\n"
        "    return outer\n"
    )
    program = (
        "from graven.games.kernel import answer\nfrom graven.search.maker import make\n"
        "print('-')\nprint(make(answer)(), 0)\n"
    )
    for value in ("5", "6"):
        write_part(package, "games", value=value)
        assert run(package, tmp_path / "cache", program)[1] == int(value)


def test_a_user_defined_function_that_a_part_is_made_with_is_noticed(package, tmp_path):
    """`search` wraps a user's function, whose file keeps its name when it changes."""
    (package / "search").mkdir()
    (package / "search" / "maker.py").write_text(
        "def make(inner):\n    def outer(x):\n        return inner(x)\n    return outer\n"
    )
    program = (
        "from numba import types\nfrom graven.core.compile import address, caller, compiled\n"
        "from graven.search.maker import make\nimport mine\n"
        "SIGNATURE = types.int64(types.int64)\ncall = caller(SIGNATURE)\n"
        "@compiled\ndef ask(place):\n    return call(place, (1,))\n"
        "print('-')\nprint(ask(address(make(mine.add), SIGNATURE)), 0)\n"
    )
    for added in (5, 6):
        text = f"def add(x):\n    return x + {added}\n"
        (package.parent / "mine.py").write_text(text)
        assert run(package, tmp_path / "cache", program)[1] == 1 + added


def test_code_with_a_table_in_it_is_kept_for_each_table(package, tmp_path):
    """`games` compiles playouts for one board: the board is a constant of the code."""
    (package / "games").mkdir()
    (package / "games" / "maker.py").write_text(
        "def make(table):\n    def outer(x):\n        return table[x]\n    return outer\n"
    )
    program = (
        "import numpy as np\nfrom numba import types\n"
        "from graven.core import compile\nfrom graven.games.maker import make\n"
        "SIGNATURE = types.int64(types.int64)\ncall = compile.caller(SIGNATURE)\n"
        "@compile.compiled\ndef ask(place):\n    return call(place, (1,))\n"
        "value = ask(compile.address(make(np.array([0, {value}])), SIGNATURE))\n"
        "print('-')\nprint(value, sum(code.cache_hits for code in compile._code.values()))\n"
    )
    for value, hits in ((5, 0), (6, 0), (5, 1), (6, 1)):
        answer = run(package, tmp_path / "cache", program.format(value=value))
        assert answer[1:] == (value, hits)


def test_two_copies_of_the_same_sources_share_compiled_code(package, tmp_path):
    assert run(package, tmp_path / "cache")[1:] == (0, 1)
    copy = tmp_path / "elsewhere" / "graven"
    shutil.copytree(package, copy)
    assert run(copy, tmp_path / "cache")[1:] == (1, 0)


HELPER = """
import numba

WIDTH = {width}


@numba.njit
def doubled(n):
    return {factor} * n
"""


OWN_RULES = """
import sys

import numpy as np

import helper
from graven.core import contract
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions
from helper import doubled


def turn(tables, state):
    return doubled(helper.WIDTH)


def nothing(tables, state):
    state[0] = 0


def nothing_else(tables, state, more):
    pass


def legal(tables, state, player, moves):
    return 0


game = Game(
    name="own",
    players=2,
    functions=RuleFunctions(
        start=nothing, turn=turn, legal=legal, play=nothing_else, scores=nothing_else
    ),
    bounds=Bounds(state_words=1, num_codes=1, max_moves=1, max_plies=1),
)
print(contract.turn(game.rules, np.zeros(1, np.int64)))
"""


def test_a_game_of_several_files_notices_a_change_in_any_of_them(tmp_path):
    (tmp_path / "rules.py").write_text(OWN_RULES)
    environment = {**os.environ, "GRAVEN_CACHE_DIR": str(tmp_path / "cache")}

    def turn_with(width, factor):
        (tmp_path / "helper.py").write_text(HELPER.format(width=width, factor=factor))
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        done = subprocess.run(
            [sys.executable, "rules.py"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout)

    assert turn_with(width=1, factor=2) == 2
    assert turn_with(width=3, factor=2) == 6
    assert turn_with(width=3, factor=5) == 15
