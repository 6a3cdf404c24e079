"""Fixtures for the tests of the GGP protocol."""

from __future__ import annotations

import pytest

from graven.agents.spec_parser import parse as parse_spec
from graven.interfaces.ggp.pondering import warm_up
from tests.interfaces.ggp.helpers import SPEC


@pytest.fixture(autouse=True, scope="package")
def compiled() -> None:
    """Compile first: the clocks of these tests are too short for it."""
    warm_up(parse_spec(SPEC))
