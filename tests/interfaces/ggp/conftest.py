"""What all tests of the GGP protocol need."""

from __future__ import annotations

import pytest

from graven.agents.spec import parse as parse_spec
from graven.interfaces.ggp.pondering import warm_up
from tests.interfaces.ggp.small import SPEC


@pytest.fixture(autouse=True, scope="package")
def compiled() -> None:
    """Players listen once all is compiled; the clocks of these tests are too short for it."""
    warm_up(parse_spec(SPEC))
