"""What every game must pass, for our own tests and for people who write a game."""

from __future__ import annotations

from graven.testing.contract_suite import check_game

__all__ = ["check_game"]
