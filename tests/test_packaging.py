"""What is shipped: a wheel and a source archive that install into a clean environment and work; who
is to be cited."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import graven

HERE = Path(__file__).parents[1]
SMOKE = """
import graven as gv
from pathlib import Path

assert Path(gv.__file__).is_relative_to(r"{site}"), gv.__file__
game = gv.game("nogo(size=4)")
gv.check_game(game, games=1)
assert gv.agent("grave").search(game.start(), playouts=100).playouts == 100
assert gv.match(game, "grave", "uct", games=2, playouts=20, workers=1).games == 2
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A source archive, and the wheel that is built from it: not from this folder."""
    pytest.importorskip("build", reason="the package build is not installed")
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    target = tmp_path_factory.mktemp("dist")
    for arguments in (["--sdist", str(HERE)],):
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), *arguments)
    archive = next(target.glob("*.tar.gz"))
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet",
        "--wheel-dir", str(target), str(archive))  # fmt: skip
    return next(target.glob("*.whl"))


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_all_files_and_nothing_else(built):
    names = set(zipfile.ZipFile(built).namelist())
    package = HERE / "src/graven"
    ours = {
        f"graven/{path.relative_to(package)}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= names
    others = {name for name in names - ours if ".dist-info/" not in name}
    assert not others
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_works_in_a_clean_environment(built, tmp_path):
    """Only graven itself is installed there; what it stands on is taken from here, read-only."""
    home = tmp_path / "clean"
    venv.create(home, with_pip=False)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    run(sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet",
        "--no-index", str(built))  # fmt: skip
    # The dependencies of this environment, after the clean one's own packages, without the .pth
    # file by which this one finds the sources.
    here = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "GRAVEN_DB": str(tmp_path / "graven.db"),
    }
    (site / "zz_dependencies.pth").write_text(here + "\n")
    run(python, "-c", SMOKE.format(site=site), cwd=tmp_path, env=environment)
    command = python.parent / "graven"
    assert graven.__version__ in run(command, "--version", cwd=tmp_path, env=environment)
    run(command, "new", "game", "mine", cwd=tmp_path, env=environment)
    assert (tmp_path / "mine.py").exists()


def test_everybody_agrees_about_the_version():
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == graven.__version__
    assert f"## [{graven.__version__}]" in (HERE / "CHANGELOG.md").read_text(encoding="utf-8")
    assert citation()["version"] == graven.__version__


def citation():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load((HERE / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_has_the_five_papers():
    said = citation()
    assert {"cff-version", "message", "title", "authors"} <= said.keys()
    assert said["cff-version"] == "1.2.0"
    titles = {each["title"] for each in said["references"]}
    published = {
        tomllib.loads(path.read_text(encoding="utf-8"))["title"]
        for path in (HERE / "src/graven/lab/published").glob("*.toml")
    }
    assert len(published) == 5
    assert titles == published
    for each in said["references"]:
        assert each["authors"]
        assert each["type"] in ("conference-paper", "article", "generic")


def test_python_versions_go_from_3_11_on():
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [each.rpartition(" ")[2] for each in project["classifiers"] if "Python :: 3." in each]
    assert named[0] == project["requires-python"].removeprefix(">=") == "3.11"
    assert "License" not in " ".join(project["classifiers"])  # the field `license` says it
    assert project["license"] == "MIT"
    assert "MIT License" in (HERE / "LICENSE").read_text(encoding="utf-8")
