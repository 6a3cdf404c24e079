"""Games that break the contract, and invalid arguments."""

from __future__ import annotations

import pytest

from graven.core.errors import ContractError, UsageError
from graven.solving import solve
from tests.naive import tiny


def nan_scores(constants, state, out):
    out[0] = float("nan")


@pytest.mark.parametrize("method", ["nrpa(level=1,iterations=10)", "nmcs(level=1)"])
def test_nan_scores_raise_a_contract_error(method):
    game = tiny.lottery(4).changed(scores=nan_scores)
    with pytest.raises(ContractError, match="scores"):
        solve(game, method, playouts=20)


def test_a_seed_that_could_not_be_saved_is_rejected():
    with pytest.raises(UsageError, match="seed"):
        solve(tiny.lottery(4), seed=1 << 70)
