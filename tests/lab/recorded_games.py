"""Games that are added to a store without being played."""

from __future__ import annotations

from graven.lab.experiments.job import GameResult


def add_games(store, pairing, outcomes):
    """Add games with these results of the first agent, by index."""
    number = store.pairing_id(pairing)
    for index, outcome in outcomes.items():
        seats = pairing.seats(index)
        scores = tuple(outcome if side == 0 else 1 - outcome for side in seats)
        store.add(
            number,
            GameResult(
                index=index,
                seats=seats,
                seed=index,
                scores=scores,
                moves=("a", "b"),
                playouts=10,
                seconds=0.5,
            ),
        )
