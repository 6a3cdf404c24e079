from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import graven


@pytest.fixture
def package(tmp_path):
    """A copy of the package's core that a test may edit."""
    source = Path(graven.__file__).parent
    copy = tmp_path / "copy" / "graven"
    shutil.copytree(source / "core", copy / "core")
    (copy / "__init__.py").write_text('"""A copy of the core alone."""\n')
    return copy
