"""What the README shows works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graven.agents import parse

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_python_example_runs(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 10


@pytest.mark.parametrize("spec", re.findall(r"`((?:uct|rave|grave|hrave)\([^`]*\))`", README))
def test_every_spec_in_the_table_is_one(spec):
    assert parse(spec).text


def test_linked_files_exist():
    here = Path(__file__).parents[1]
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (here / target).exists(), target
