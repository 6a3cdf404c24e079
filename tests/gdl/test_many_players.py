"""Sheets that are not zero-sum, and sheets for many roles: each role maximises its own goal."""

from __future__ import annotations

import pytest

import graven as gv
from graven.gdl.sheet_loader import SheetOptions, sheet_game

AGENTS = [
    "uct(c=0.7)",
    "grave(ref=50,k=250,c=0.2)+mast(epsilon=0.4,decay=0.2)",
    "grave(ref=50,k=250,c=0.2,batch_leaves=8,playouts_per_leaf=4,learn_after=batch)+mast",
]


def kind_or_cruel(roles: int, chooser: int) -> str:
    """One role chooses: `kind` is worth 60 for it and 100 for the others, `cruel` 50 and 0.

    Who compares goals prefers `cruel`, who counts the own goal `kind`. The role after the chooser
    then decides about 10 points of its own.
    """
    names = [f"p{i}" for i in range(roles)]
    first, second = names[chooser], names[(chooser + 1) % roles]
    return f"""
{" ".join(f"(role {name})" for name in names)}
(init (turn {first}))
(<= (legal {first} ?m) (true (turn {first})) (choice ?m)) (choice kind) (choice cruel)
(<= (legal {second} ?m) (true (turn {second})) (plan ?m)) (plan more) (plan less)
(<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
(<= (next (turn {second})) (true (turn {first})))
(<= (next (was ?m)) (does {first} ?m) (true (turn {first})))
(<= (next (was ?m)) (true (was ?m)))
(<= (next (got ?m)) (does {second} ?m) (true (turn {second})))
(<= terminal (true (got ?m)))
(<= (goal {first} 60) (true (was kind))) (<= (goal {first} 50) (true (was cruel)))
(<= (goal {second} 100) (true (was kind)) (true (got more)))
(<= (goal {second} 90) (true (was kind)) (true (got less)))
(<= (goal {second} 10) (true (was cruel)) (true (got more)))
(<= (goal {second} 0) (true (was cruel)) (true (got less)))
(<= (goal ?p 100) (role ?p) (distinct ?p {first}) (distinct ?p {second}) (true (was kind)))
(<= (goal ?p 0) (role ?p) (distinct ?p {first}) (distinct ?p {second}) (true (was cruel)))
"""


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(("roles", "chooser"), [(2, 0), (2, 1), (3, 1), (6, 0), (6, 5)])
def test_the_own_goal_counts_and_not_the_difference(agent, roles, chooser):
    game = sheet_game(kind_or_cruel(roles, chooser), "kind or cruel", SheetOptions())
    assert game.players == roles
    position = game.start()
    assert position.players_to_move == (chooser,)
    result = gv.agent(agent).search(position, playouts=2000)
    assert result.best_move == "kind"
    assert result.value == pytest.approx(0.6, abs=0.01)
    position = position.play("cruel")
    result = gv.agent(agent).search(position, playouts=2000)
    assert result.best_move == "more"
    assert position.play("more").scores[chooser] == 0.5
