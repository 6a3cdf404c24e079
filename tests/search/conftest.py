"""Fixtures that several modules of tests/search use."""

from __future__ import annotations

import pytest

from graven.search import sync_search


@pytest.fixture
def rounds(request, monkeypatch):
    """Longer rounds than usual, brief ones from 150 playouts on, or what the test says."""
    growth, complete = getattr(request, "param", (16, 150))
    monkeypatch.setattr(sync_search, "GROWTH", growth)
    monkeypatch.setattr(sync_search, "COMPLETE", complete)
