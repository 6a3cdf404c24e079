"""Agents and budgets that a page asks for, validated against the server's limits."""

from __future__ import annotations

from graven.agents import is_external
from graven.agents.spec_parser import parse
from graven.core.errors import UsageError
from graven.interfaces.web.web_limits import MAX_BATCH_PLAYOUTS, PageLimits
from graven.search.budget import Budget
from graven.search.specs import Spec


def parse_page_agent(text: str, limits: PageLimits) -> Spec:
    """Parse the spec of an agent that a page may use.

    External programs, budgets above the limits and batches too large to be interrupted raise
    UsageError.
    """
    if is_external(text):
        raise UsageError("programs cannot be started from the page: choose an agent of graven.")
    spec = parse(text)
    limited_budget(spec.budget, limits)
    batch = spec.options.batch_leaves * spec.options.playouts_per_leaf
    if batch > MAX_BATCH_PLAYOUTS:
        raise UsageError(
            f"this server allows at most {MAX_BATCH_PLAYOUTS:,} playouts a batch "
            f"(batch_leaves x playouts_per_leaf), got {batch:,}."
        )
    if spec.options.threads > limits.threads:
        raise UsageError(
            f"this server allows at most {limits.threads} threads a search, got "
            f"{spec.options.threads}."
        )
    return spec


def limited_budget(budget: Budget, limits: PageLimits) -> Budget:
    """Validate a budget, and add the largest allowed time to a budget without seconds."""
    if budget.playouts is not None and budget.playouts > limits.playouts:
        raise UsageError(f"this server allows at most {limits.playouts:,} playouts a move.")
    if budget.seconds is not None and budget.seconds > limits.seconds:
        raise UsageError(f"this server allows at most {limits.seconds:g} seconds a move.")
    return Budget(budget.playouts, budget.seconds or limits.seconds)
