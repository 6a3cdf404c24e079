from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import graven
from graven.core import compile as compiling
from graven.core import compile_cache as caching
from graven.core.compile import address, caller, compiled
from graven.core.contract.rule_signatures import TURN
from graven.core.errors import RuleCompileError

TIMES = numba.types.int64(numba.types.int64, numba.types.int64)


def product(one, other):
    return one * other


def total(one, other):
    return one + other


_call = caller(TIMES)


@compiled
def call(code, one, other):
    return _call(code, (one, other))


def test_a_kernel_calls_whichever_function_it_is_given():
    assert call(address(product, TIMES), 6, 7) == 42
    assert call(address(total, TIMES), 6, 7) == 13


def test_a_function_keeps_its_address():
    assert address(product, TIMES) == address(product, TIMES)


def test_different_bodies_and_names_give_different_code():
    for _ in range(2):  # the second time from memory
        for body, names, expected in (
            ("return inner({0}, {1}) + 1", {}, 43),
            ("return inner({0}, helper({0}, {1}))", {"helper": total}, 78),
            ("return inner({0}, helper({0}, {1}))", {"helper": product}, 252),
        ):
            assert call(address(product, TIMES, body, names=names), 6, 7) == expected
        compiling._code.clear()  # and then from the cache on disk


def last_but(state, place):
    return state[-place]


LAST_BUT = numba.types.int64(numba.types.Array(numba.types.int64, 1, "C"), numba.types.int64)
_call_last_but = caller(LAST_BUT)


@compiled
def call_last_but(code, state, place):
    return _call_last_but(code, (state, place))


def test_a_negative_index_counts_from_the_end_in_user_defined_rules():
    assert call_last_but(address(last_but, LAST_BUT), np.array([4, 5, 6]), 2) == 5


def rule_with_a_dictionary_of_anything(constants, state):
    return {"a": 1, 2: "b"}


def rule_with_an_unknown_name(constants, state):
    return undefined_name  # noqa: F821


@pytest.mark.parametrize("rule", [rule_with_a_dictionary_of_anything, rule_with_an_unknown_name])
def test_a_rule_that_cannot_be_compiled_is_named(rule):
    with pytest.raises(RuleCompileError) as caught:
        address(rule, TURN)
    message = str(caught.value)
    assert repr(rule.__name__) in message
    assert Path(__file__).name in message
    assert f"line {rule.__code__.co_firstlineno + 1}, `return" in message


def test_the_message_says_what_is_wrong_with_the_rule():
    with pytest.raises(RuleCompileError, match="undefined_name"):
        address(rule_with_an_unknown_name, TURN)


# The cache, seen from outside: programs that draw a number with a copy of the package.

PROGRAM = """
from graven.core import rng
from graven.core.compile_cache import cache_directory
rng.draw(rng.generator(0))
print(cache_directory())
print(sum(rng.draw.stats.cache_hits.values()), sum(rng.draw.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package's core that a test may edit."""
    source = Path(graven.__file__).parent
    copy = tmp_path / "copy" / "graven"
    shutil.copytree(source / "core", copy / "core")
    (copy / "__init__.py").write_text('"""A copy of the core alone."""\n')
    return copy


def run(package: Path, home: Path, program: str = PROGRAM) -> tuple[Path, int, int]:
    """Run the program in a process of its own: its cache, and its hits and misses there."""
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "GRAVEN_CACHE_DIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    directory, numbers = done.stdout.split("\n")[:2]
    hits, misses = numbers.split()
    return Path(directory), int(hits), int(misses)


def test_a_second_process_finds_what_the_first_compiled(package, tmp_path):
    home = tmp_path / "cache"
    directory, hits, misses = run(package, home)
    assert directory.parent == home
    assert (hits, misses) == (0, 1)
    assert run(package, home) == (directory, 1, 0)


AT_THE_SAME_TIME = """
import sys, time
from pathlib import Path
from graven.core import rng
Path(sys.argv[1]).touch()
while len(list(Path(sys.argv[1]).parent.iterdir())) < 3:
    time.sleep(0.01)
rng.draw(rng.generator(0))
print(sum(rng.draw.stats.cache_hits.values()), sum(rng.draw.stats.cache_misses.values()))
"""


def start(package, home, program, *arguments):
    """Start a program that uses a copy of the package and a cache."""
    environment = os.environ | {"PYTHONPATH": str(package.parent), "GRAVEN_CACHE_DIR": str(home)}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
def test_of_several_processes_one_compiles_and_the_others_wait_for_it(package, tmp_path):
    (tmp_path / "ready").mkdir()
    programs = [
        start(package, tmp_path / "cache", AT_THE_SAME_TIME, tmp_path / "ready" / str(number))
        for number in range(3)
    ]
    answers = sorted(program.communicate(timeout=120)[0].split() for program in programs)
    assert answers == [["0", "1"], ["1", "0"], ["1", "0"]]


# A process that compiles, or would, while another one needs the same code.
COMPILE_AND_WAIT = """
import sys
from graven.core import compile_cache, rng
compiler = rng.draw._compiler
def compile(*arguments):
    print("compiling", flush=True)
    sys.stdin.readline()
    raise ValueError("it fails")
compiler.compile = compile
try:
    rng.draw(rng.generator(0))
except ValueError:
    print("failed", flush=True)
sys.stdin.readline()
"""
WAIT_BRIEFLY = f"""
from graven.core import compile_cache
compile_cache.MOST_WAIT_SECONDS = 0.1
{PROGRAM}
"""


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
@pytest.mark.parametrize("end", ["fails", "killed", "hangs"])
def test_code_is_compiled_again_where_the_first_process_does_not(package, tmp_path, end):
    home = tmp_path / "cache"
    with start(package, home, COMPILE_AND_WAIT) as first:
        assert first.stdout.readline() == "compiling\n"
        if end == "fails":
            first.stdin.write("\n")
            first.stdin.flush()
            assert first.stdout.readline() == "failed\n"
        elif end == "killed":
            first.kill()
            first.wait()
        program = WAIT_BRIEFLY if end == "hangs" else PROGRAM
        assert run(package, home, program)[1:] == (0, 1)
        first.kill()
    assert run(package, home)[1:] == (1, 0)


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


def test_old_caches_of_other_versions_are_removed_and_recent_ones_kept(package, tmp_path):
    home = tmp_path / "cache"
    long_ago = 10 * caching.DAY
    for age in range(caching.KEEP_CACHES + 4):
        for name, marked in ((f"version{age}", True), (f"holiday{age}", False)):
            folder = home / name
            folder.mkdir(parents=True)
            marker = folder / (caching.MARKER if marked else "picture")
            marker.touch()
            when = marker.stat().st_mtime - age * long_ago
            os.utime(marker, (when, when))
            os.utime(folder, (when, when))
    directory, *_ = run(package, home)
    new = {path.name for path in home.iterdir() if not path.name.startswith(("version", "holiday"))}
    assert directory.name in new
    kept = {path.name for path in home.iterdir()} - new
    # The second of the new folders counts the first one among the others.
    ours = {f"version{age}" for age in range(caching.KEEP_CACHES + 1 - len(new))}
    # What graven did not make, it does not remove.
    assert kept == ours | {f"holiday{age}" for age in range(caching.KEEP_CACHES + 4)}


def test_a_cache_that_cannot_be_written_does_not_stop_the_program(package, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    program = "from graven.core import rng\nprint('-')\nprint(int(rng.draw(rng.generator(0))), 0)\n"
    assert run(package, blocked, program)[1] == 0xE220A8397B1DCDAF


def flip_a_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        flip_a_bit,
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(os.urandom(500)),
        lambda path: path.unlink(),
    ],
    ids=["flipped", "truncated", "empty", "random", "removed"],
)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_file_of_the_cache_is_compiled_again(package, tmp_path, suffix, damage):
    home = tmp_path / "cache"
    directory, *_ = run(package, home)
    files = list(home.rglob(f"*.{suffix}"))
    assert files
    for path in files:
        damage(path)
    assert run(package, home) == (directory, 0, 1)
    assert run(package, home) == (directory, 1, 0)


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_on_a_full_disk_compiled_code_stays_in_memory(package, tmp_path):
    program = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
from graven.core import rng
print("-")
print(int(rng.draw(rng.generator(0))), int(rng.below(rng.generator(0), 1)))
"""
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "GRAVEN_CACHE_DIR": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["-", str(0xE220A8397B1DCDAF), "0"], done.stderr
    assert done.stderr.count("compiled code cannot be kept in") == 1
    assert "Traceback" not in done.stderr


def test_the_cache_lies_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAVEN_CACHE_DIR", str(tmp_path / "mine"))
    assert caching.cache_home() == tmp_path / "mine"
    monkeypatch.delenv("GRAVEN_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "theirs"))
    assert caching.cache_home() == tmp_path / "theirs" / "graven"


def test_two_functions_of_one_name_in_one_file_are_not_confused():
    def maker(shift):
        def rule(constants, state):
            return state[0] + shift

        return rule

    call_turn = caller(TURN)

    @numba.njit
    def ask(code, constants, state):
        return call_turn(code, (constants, state))

    tables = np.zeros(1, dtype=np.int64)
    tables.setflags(write=False)
    state = np.array([5])
    assert [ask(address(maker(shift), TURN), tables, state) for shift in (1, 10)] == [6, 15]


def rule_without_tables(state):
    return state[0]


def test_a_rule_with_the_wrong_arguments_is_named():
    with pytest.raises(RuleCompileError, match="rule_without_tables"):
        address(rule_without_tables, TURN)


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
