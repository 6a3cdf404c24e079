"""The rules as a search uses them: what its options, policies and playouts need of a game."""

from __future__ import annotations

from graven.core.contract import Rules
from graven.search.game_hooks import check_hooks
from graven.search.specs import Spec
from graven.search.tree import PACKED, WIDE, words_of_code


def rules_of_search(name: str, rules: Rules, spec: Spec) -> Rules:
    """Return the rules of a game as a search with this spec uses them.

    Raise a UsageError if the spec needs a function that the game does not have.
    """
    if not spec.playout.policy.features:
        rules = rules._replace(
            feature=0, playout_moves_with_features=0, num_features=rules.num_codes
        )
    options = spec.options
    if options.amaf_count != "first":
        rules = rules._replace(shared_points=0)
    # Proofs need nodes that searches of two levels remove.
    solves = options.solver == "on" and not spec.inner
    rules = rules._replace(score_bounds=int(rules.score_bounds and solves))
    check_hooks(name, rules, spec)
    reads = spec.formula.reads
    if not reads.prior and not spec.needs_prior:
        rules = rules._replace(prior=0)
    rules = rules._replace(
        squares=int(reads.squares),
        permutations=int(reads.permutations),
        regrets=int(options.simultaneous == "regret"),
        last_use=int(options.full == "recycle"),
        implicit=int(options.implicit > 0),
        criticality=int(options.criticality > 0),
        cutoff=spec.cutoff,
    )
    amaf = spec.ref is not None or spec.playout.pool_min_visits is not None
    words = _entry_words(spec) if amaf else 0
    rules = rules._replace(amaf=words)
    return rules._replace(few_edges=_list_words(rules, spec))


def _list_words(rules: Rules, spec: Spec) -> int:
    """Return `few_edges` of the rules: 0 if the nodes of a search must have all edges."""
    options, playout = spec.options, spec.playout.variant
    impossible = (
        rules.feature,
        rules.prior,
        rules.chance,
        rules.squares,
        rules.permutations,
        rules.regrets,
        rules.implicit,
        playout.learn is not None and playout.reads_edges,
        options.edges == "all",
        options.batch_leaves * options.playouts_per_leaf > 1,
        options.learn_after == "batch",
        spec.inner > 0,
        options.threads > 1 and options.parallel == "sync" and not rules.amaf,
    )
    if any(impossible):
        return 0
    return words_of_code(max(rules.num_codes, rules.max_moves + 1))


def _entry_words(spec: Spec) -> int:
    """Return the words of an entry of AMAF tables at first: WIDE if they cannot be packed.

    A simulation that asks for wide tables is repeated, which batches cannot do, nor searches that
    do not begin the playout at a new node.
    """
    options = spec.options
    impossible = (
        options.amaf_weight == "distance",
        spec.playout.pool_min_visits is not None,
        options.batch_leaves * options.playouts_per_leaf > 1,
        options.learn_after == "batch",
        spec.inner > 0,
        not options.credit_creation,
    )
    return WIDE if any(impossible) else PACKED


def widened(rules: Rules) -> Rules:
    """Return the rules of a search with wide AMAF tables."""
    return rules._replace(amaf=WIDE)
