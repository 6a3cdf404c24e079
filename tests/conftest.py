from __future__ import annotations

import pytest
from hypothesis import settings

# The first call of a kernel compiles it: Hypothesis must not take that for a slow test. And the
# same tests run everywhere: a failure on one machine can be repeated on another.
settings.register_profile("graven", deadline=None, derandomize=True)
settings.load_profile("graven")


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    """Commands remember their games: each test's in a file of its own."""
    monkeypatch.setenv("GRAVEN_DB", str(tmp_path / "graven.db"))
