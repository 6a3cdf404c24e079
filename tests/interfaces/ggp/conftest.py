"""Fixtures for the tests of the GGP protocol."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graven.interfaces.ggp.ggp_player import GgpPlayer
from graven.interfaces.ggp.pondering import MatchAgent, warm_up
from tests.interfaces.ggp.helpers import SPEC


@pytest.fixture(autouse=True, scope="package")
def compiled() -> None:
    """Compile first: the clocks of these tests are too short for it."""
    warm_up(MatchAgent(SPEC))


@pytest.fixture(autouse=True)
def close_players(monkeypatch) -> Iterator[None]:
    """Close every player of a test: a match that is left open searches on in its thread."""
    players: list[GgpPlayer] = []
    make = GgpPlayer.__init__

    def recorded(self: GgpPlayer, *arguments: object, **options: object) -> None:
        make(self, *arguments, **options)
        players.append(self)

    monkeypatch.setattr(GgpPlayer, "__init__", recorded)
    yield
    for player in players:
        player.close()
