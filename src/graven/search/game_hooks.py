"""Check that a game has what a search needs: hooks, and no dice in batched playouts."""

from __future__ import annotations

from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.specs import Spec

HOW = "see docs/write-a-game.md for how a game gets one"


def check_hooks(name: str, rules: Rules, spec: Spec) -> None:
    """Raise UsageError if the options of a spec do not fit the game `name`."""
    options = spec.options
    if spec.needs_prior and not rules.prior:
        raise UsageError(
            f"{name} has no `prior`: leave prior_amaf, prior_bias and widen out of {spec.text}; "
            f"{HOW}."
        )
    if options.implicit > 0:
        if not rules.evaluate:
            raise UsageError(f"{name} has no `evaluate`: leave implicit out of {spec.text}; {HOW}.")
        if rules.players != 2 or rules.chance:
            raise UsageError(
                f"implicit: minimax values need two players and no chance events, which {name} "
                "does not have; leave implicit out."
            )
    refined = options.amaf_off > 0 or options.amaf_weight != "equal" or options.criticality > 0
    if spec.ref is None and refined:
        raise UsageError(
            f"amaf_off, amaf_weight and criticality need AMAF values, which {spec.tree.name} does "
            "not have: use rave, grave or hrave, or leave them out."
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
    if options.decisive != "off":
        check_decisive(name, rules, spec)
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


def check_decisive(name: str, rules: Rules, spec: Spec) -> None:
    """Raise UsageError if the playouts of a spec cannot play decisive moves at the game `name`."""
    option, variant = f"decisive={spec.options.decisive}", spec.playout.variant
    if rules.misere:
        raise UsageError(
            f"{option}: at {name} the moves that win the original game lose; leave decisive out."
        )
    if not rules.winning_move:
        raise UsageError(f"{name} has no `winning_move`: leave decisive out of {spec.text}; {HOW}.")
    if spec.options.decisive == "defend" and rules.players != 2:
        raise UsageError(
            f"{option}: {name} has {rules.players} player(s), and a defence is against one "
            "opponent; use decisive=win."
        )
    if variant.play_out is not None:
        raise UsageError(
            f"{option}: the playouts of {spec.playout.text} have a loop of their own, which plays "
            "no decisive moves; leave decisive out."
        )
    if variant.learn is not None and variant.playout_fields != () and variant.forced is None:
        raise UsageError(
            f"{option}: {spec.playout.text} learns from its own choices, and its variant has no "
            "`forced` that notes other moves (see docs/write-a-policy.md); leave decisive out."
        )
    if spec.options.learn_after == "batch":
        raise UsageError(
            f"{option}: batched playouts play no decisive moves; leave learn_after out."
        )
