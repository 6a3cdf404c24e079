"""The code that the README and the documentation show works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graven.agents import parse

HERE = Path(__file__).parents[1]
PAGES = [HERE / "README.md", *sorted((HERE / "docs").rglob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(HERE)}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_examples_run(block, tmp_path):
    # In a file of its own, as its reader would have it: compiled code is cached by file.
    program = tmp_path / "example.py"
    program.write_text(block)
    exec(compile(block, str(program), "exec"), {"__name__": "example"})


@pytest.mark.parametrize(
    "spec",
    re.findall(r"`((?:uct|rave|grave|hrave)\([^`]*\))`", (HERE / "README.md").read_text()),
)
def test_every_spec_in_the_readme_is_one(spec):
    assert parse(spec).text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE)))
def test_linked_files_exist(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
