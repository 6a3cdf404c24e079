"""The contract suite: checks that every game must pass, for this package and for users."""

from __future__ import annotations

from graven.testing.contract_suite import check_game

__all__ = ["check_game"]
