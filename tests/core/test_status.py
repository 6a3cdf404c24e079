"""How kernels end: every status means done, to be called again, or a fault with a text."""

from __future__ import annotations

import pytest

from graven.core.errors import ContractError
from graven.core.status import Status, call_kernel, contract_fault, fault_text
from tests.naive import tiny

RULES = tiny.heaps(3).rules


def refuse(status):
    raise AssertionError(f"not expected: {status}")


CONTRACT_FAULTS = [s for s in Status if Status.TOO_LONG <= s < Status.TOO_MANY_STEPS]


@pytest.mark.parametrize("status", CONTRACT_FAULTS)
def test_every_fault_has_a_text_and_is_raised(status):
    assert fault_text(status, RULES)
    with pytest.raises(ContractError, match=r"the rules of heaps break the game contract: `.*!\.$"):
        call_kernel(
            kernel=lambda: status,
            fault=lambda status: contract_fault(status, "heaps", RULES, "!"),
            resume=refuse,
        )


@pytest.mark.parametrize("status", [s for s in Status if s.is_unfinished])
def test_a_kernel_that_needs_more_is_to_be_called_again_after_growth(status):
    asked = []
    assert not call_kernel(kernel=lambda: int(status), fault=refuse, resume=asked.append)
    assert asked == [status]


def test_a_fault_of_another_kind_is_raised_too():
    with pytest.raises(TimeoutError):
        call_kernel(lambda: Status.TOO_MANY_STEPS, lambda status: TimeoutError(), refuse)


def test_ok_is_done():
    assert call_kernel(kernel=lambda: 0, fault=refuse, resume=refuse)


def test_an_unknown_status_is_refused():
    with pytest.raises(ContractError, match="returned 99, which is not a Status"):
        call_kernel(kernel=lambda: 99, fault=refuse, resume=refuse)
