"""Make the search that a spec asks for: by one thread, or by several."""

from __future__ import annotations

from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.search.playout.entry import Functions
from graven.search.runner import Search
from graven.search.shared_search import SharedSearch
from graven.search.specs import Spec
from graven.search.sync_search import SyncSearch
from graven.search.threaded import RootSearch


def new_search(name: str, rules: Rules, spec: Spec, functions: Functions | None = None) -> Search:
    """Return a search of a game with as many threads as the spec says; see `Search`."""
    options = spec.options
    if options.threads == 1:
        return Search(name, rules, spec, functions)
    share = options.memory_mib // options.threads
    if share < 1:
        raise UsageError(
            f"memory_mib={options.memory_mib} is too little for {options.threads} threads, each of "
            "which has a tree of its own: give each of them at least 1 MiB, or use fewer threads."
        )
    kind = {"sync": SyncSearch, "tree": SharedSearch, "root": RootSearch}[options.parallel]
    return kind(name, rules, spec.with_options(memory_mib=share), functions)
