"""Files are replaced as a whole: a failure or a kill leaves what was there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import graven
from graven.core.file_replacement import replace_text, replaced


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path):
    target = tmp_path / "games.csv"
    target.write_text("old")

    def fail_halfway():
        with replaced(target) as draft:
            draft.write_text("half")
            assert target.read_text() == "old"
            raise KeyError

    with pytest.raises(KeyError):
        fail_halfway()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("games.csv", "old")]
    replace_text(target, "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("games.csv", "new")]


def test_links_and_permissions_stay(tmp_path):
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    replace_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_directly():
    replace_text(os.devnull, "text")
    assert not os.path.isfile(os.devnull)


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    target = tmp_path / "none" / "a.txt"
    with pytest.raises(FileNotFoundError) as caught:
        replace_text(target, "text")
    assert caught.value.filename == str(target)


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_killed_export_leaves_the_old_file(tmp_path):
    """The program dies after a third of the games have been written."""
    program = f"""
import os, signal
from pathlib import Path
from graven.lab.store import export

def dying_rows(store):
    for number in range(30_000):
        if number == 10_000:
            os.kill(os.getpid(), signal.SIGKILL)
        yield {{"number": number, "seats": [], "scores": [], "moves": []}}

export.TABLES["games"] = export.TABLES["games"]._replace(rows=dying_rows)
export.export(None, Path({str(tmp_path / "games.jsonl")!r}))
"""
    (tmp_path / "games.jsonl").write_text("old")
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "games.jsonl").read_text() == "old"


def test_no_command_writes_over_a_file_in_place():
    package = Path(graven.__file__).parent
    # `graven new` writes only files that do not exist.
    allowed = {"core/file_replacement.py", "interfaces/cli/commands/new_command.py"}
    direct = [
        name
        for path in package.rglob("*.py")
        if (name := path.relative_to(package).as_posix()) not in allowed
        and re.search(r"\.write_(text|bytes)\(", path.read_text(encoding="utf-8"))
    ]
    assert direct == []
