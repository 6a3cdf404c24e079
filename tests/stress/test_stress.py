"""The stress tests in a reduced form: every one of them for some seconds, with a fixed seed."""

from __future__ import annotations

from unittest import SkipTest

import pytest

from tests.stress import __main__ as driver

SECONDS = 3.0
SEED = 21


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", driver.tests())
def test_nothing_fails(name):
    try:
        tried, failures = driver.tests()[name].run(SEED, SECONDS)
    except SkipTest as reason:
        pytest.skip(str(reason))
    assert tried > 0
    assert failures == []
