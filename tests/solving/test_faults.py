"""What a game or a person may get wrong."""

from __future__ import annotations

import pytest

from graven.core.errors import ContractError, UsageError
from graven.solving import solve
from tests.naive import tiny


def no_number(constants, state, out):
    out[0] = float("nan")


@pytest.mark.parametrize("method", ["nrpa(level=1,iterations=10)", "nmcs(level=1)"])
def test_scores_that_are_no_numbers_end_it_with_a_message(method):
    game = tiny.lottery(4).changed(scores=no_number)
    with pytest.raises(ContractError, match="scores"):
        solve(game, method, playouts=20)


def test_a_seed_that_could_not_be_saved_is_refused():
    with pytest.raises(UsageError, match="seed"):
        solve(tiny.lottery(4), seed=1 << 70)
