"""Compiled code on disk: found again, waited for, damaged, removed. Programs draw a number."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from graven.core import compile_cache as caching
from tests.core.copied_package import PROGRAM, run, start


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
from graven.core import rng
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
from graven.core import disk_cache
disk_cache.MOST_WAIT_SECONDS = 0.1
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
