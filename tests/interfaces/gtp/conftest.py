"""An engine for Go, reset before each test."""

from __future__ import annotations

import pytest

from graven.interfaces.gtp.gtp_engine import GtpEngine
from tests.interfaces.gtp.helpers import new_engine


@pytest.fixture(scope="package")
def shared_engine() -> GtpEngine:
    return new_engine()


@pytest.fixture
def engine(shared_engine: GtpEngine) -> GtpEngine:
    """An engine on an empty 9x9 board, without clocks."""
    shared_engine.answer("boardsize 9")
    shared_engine.answer("komi 7.5")
    shared_engine.answer("kgs-time_settings none")
    shared_engine.answer("graven-params playouts 50")
    return shared_engine
