"""Compare searches, matches and solves with the stored fingerprint; see README.md."""

from __future__ import annotations

import platform

import pytest

from tests.fingerprint.cases import groups
from tests.fingerprint.record import compute, differences, load, report

GROUPS = groups()
EXPECTED = load()

# Logarithms and exponentials of another platform may differ in the last bit.
recorded_here = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the fingerprint was recorded on Linux x86_64",
)


def test_stored_file_has_exactly_the_cases():
    assert sorted(EXPECTED) == sorted(case.id for cases in GROUPS.values() for case in cases)


@recorded_here
@pytest.mark.parametrize("group", GROUPS)
def test_fingerprint(group):
    cases = GROUPS[group]
    stored = {case.id: EXPECTED[case.id] for case in cases if case.id in EXPECTED}
    messages = differences(stored, compute(cases))
    if messages:
        pytest.fail(report(messages, len(cases)), pytrace=False)
