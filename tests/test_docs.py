"""The code and the commands that the README and the documentation show work as they stand."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest

from graven.agents import catalogue, parse
from graven.games import registry
from graven.interfaces.cli import app
from graven.search.options import options_table
from tests.documents import HERE, PAGES, RUN, SHOWN, blocks

BLOCKS = blocks()
PYTHON = [block for block in BLOCKS if block.kind == "python" and block.left_out is None]
SHELL = [block for block in BLOCKS if block.kind == "sh" and block.left_out is None]
# What a block may run without saying more: `graven` in this process, `pytest` in one of its own.
OURS = {"graven", "pytest"}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """A folder of its own for whatever a page writes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    # As on a machine with one core: starting workers takes longer than these few games do.
    monkeypatch.setattr("graven.lab.experiments.run.cores", lambda: 1)


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_examples_run(block, tmp_path):
    # In a file of its own, as its reader would have it: compiled code is cached by file.
    program = tmp_path / "example.py"
    program.write_text(block.program)
    exec(compile(block.program, str(program), "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", sorted({block.page for block in SHELL}))
def test_commands_run(page, monkeypatch, capsys):
    """All commands of a page, from top to bottom in one folder."""
    for block in SHELL:
        for words in block.commands if block.page == page else ():
            assert words[0] in OURS, f"{words[0]} is neither ours nor marked as not run"
            if words[0] == "graven":
                typed = io.TextIOWrapper(io.BytesIO(block.stdin.encode()), encoding="utf-8")
                monkeypatch.setattr(sys, "stdin", typed)
                code = app.run(words[1:])
                said = capsys.readouterr()
                assert code == 0, f"{' '.join(words)}: {said.err}"
            else:
                command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
                done = subprocess.run([*command, *words[1:]], capture_output=True, text=True)
                assert done.returncode == 0, done.stdout


def test_every_block_says_what_it_is():
    for block in BLOCKS:
        assert block.kind in SHOWN | {"python", "sh"}, f"{block.name}: a block of {block.kind!r}"
        assert not block.rule or block.left_out or block.rule.startswith(RUN), block.name
        if block.kind in SHOWN:
            assert not re.search(r"^\s*(\$ )?graven ", block.text, re.M), (
                f"{block.name}: commands belong into a block of sh"
            )


def test_few_blocks_are_left_out_and_all_say_why(record_property):
    left_out = [block for block in BLOCKS if block.left_out is not None]
    assert all(len(block.left_out) > 10 for block in left_out)
    record_property("not run", [f"{block.name}: {block.left_out}" for block in left_out])
    for block in left_out:
        print(f"not run: {block.name}: {block.left_out}")
    run = len(PYTHON) + len(SHELL)
    assert len(left_out) < run / 2


@pytest.mark.parametrize(
    "spec",
    re.findall(
        r"`((?:uct|rave|grave|hrave|history)\([^`]*)`",
        (HERE / "README.md").read_text(encoding="utf-8"),
    ),
)
def test_every_spec_in_the_readme_is_one(spec):
    assert parse(spec).text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE)))
def test_linked_files_exist(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_game_has_a_page_with_all_that_it_should_say():
    for family in registry.families():
        text = (HERE / "docs/games" / f"{family.name}.md").read_text(encoding="utf-8")
        for heading in ("Rules as played here", "Moves", "Options", "Features", "Perft"):
            assert f"## {heading}" in text, f"{family.name}: {heading}"
        assert f"]({family.name}.svg)" in text
        for option in family.options:
            assert f"`{option}`" in text


def test_perft_counts_on_the_pages_are_those_that_the_tests_check():
    for family in registry.families():
        counts = (HERE / "tests/games/perft" / f"{family.name}.txt").read_text(encoding="utf-8")
        page = (HERE / "docs/games" / f"{family.name}.md").read_text(encoding="utf-8")
        section = page.partition("## Perft")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| `(.+?)` \| (\d+) \| ([\d,]+) \|$", section, re.M)
        assert rows, family.name
        known = {tuple(line.rsplit(" ", 2)) for line in counts.splitlines() if line[:1] != "#"}
        for game, depth, count in rows:
            assert (game, depth, count.replace(",", "")) in known


def test_every_policy_has_a_page_with_its_parameters():
    from graven.core.calls import format_value

    for policy in catalogue():
        if policy.kind not in ("tree", "playout", "game"):
            continue
        page = HERE / "docs/policies" / f"{policy.name}.md"
        assert page.exists(), policy.name
        text = page.read_text(encoding="utf-8")
        assert "## When it helps" in text
        for parameter in policy.parameters:
            default = format_value(parameter.default)
            row = f"| `{parameter.name}` | `{default}` | {parameter.doc} |"
            assert row in text, f"{policy.name}: {row}"


def test_the_page_of_search_options_has_their_table():
    page = (HERE / "docs/search-options.md").read_text(encoding="utf-8")
    assert options_table() in page


def test_every_paper_has_a_page():
    for paper in (HERE / "src/graven/lab/published").glob("*.toml"):
        assert (HERE / "docs/papers" / f"{paper.stem}.md").exists()


def test_the_site_is_built(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    config = load_config(str(HERE / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    build(config)
    assert (tmp_path / "site/index.html").exists()
    assert (tmp_path / "site/api/index.html").read_text().count("doc-function") > 5
