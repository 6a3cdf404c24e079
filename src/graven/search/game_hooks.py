"""Check that a game has what a search needs: hooks, and no dice in batched playouts."""

from __future__ import annotations

from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.specs import Spec

HOW = "see docs/write-a-game.md for how a game gets one"


def check_hooks(name: str, rules: Rules, spec: Spec) -> None:
    """Raise UsageError if the options of a spec do not fit the game `name`."""
    options = spec.options
    if spec.uses_prior_options and not rules.prior:
        raise UsageError(
            f"{name} has no `prior`: leave prior_amaf and prior_bias out of {spec.text}; {HOW}."
        )
    if options.prior_amaf > 0 and spec.ref is None:
        raise UsageError(
            f"prior_amaf needs AMAF values, which {spec.tree.name} does not have: use rave, grave "
            "or hrave, or leave prior_amaf out."
        )
    if options.root_amaf > 0 and (spec.ref is None or options.root == "policy"):
        raise UsageError(
            f"root_amaf is the weight of AMAF values in sequential halving, which {spec.text} does "
            "not have: use rave, grave or hrave with root=sh or root=anytime, or leave it out."
        )
    if rules.chance and options.learn_after == "batch":
        raise UsageError(
            f"learn_after=batch: batched playouts roll no dice, and {name} has chance events; "
            "leave learn_after out."
        )
    if not spec.cuts_off:
        return
    if not rules.evaluate:
        raise UsageError(f"{name} has no `evaluate`: leave cutoff out of {spec.text}; {HOW}.")
    if spec.playout.variant.play_out is not None:
        raise UsageError(
            f"cutoff: the playouts of {spec.playout.text} have a loop of their own, which cannot "
            "be cut off; leave cutoff out."
        )
    if options.learn_after == "batch":
        raise UsageError("cutoff: batched playouts cannot be cut off; leave learn_after out.")
