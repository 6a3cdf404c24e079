"""Every module of the package can be imported."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

import graven

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(graven.__path__, "graven.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported(name):
    module = importlib.import_module(name)
    assert Path(module.__file__).is_relative_to(Path(graven.__file__).parent)
