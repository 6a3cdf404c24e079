"""The optional steps of a simulation, compiled for the searches that take them."""

from __future__ import annotations

from functools import cache
from typing import Any

from graven.core.compile import address
from graven.core.contract import Rules
from graven.search import amaf, joint_bounds, score_bounds
from graven.search.chance_nodes import draw_edge, list_outcomes
from graven.search.criticality import count_in_tables, read_totals
from graven.search.few_edges import copy_moves, list_all, select_few, try_move
from graven.search.implicit_minimax import evaluate_moves, update_minimax
from graven.search.permutations import count_permutations, record_simulation
from graven.search.plan import (
    DEPTH_CHOICE,
    NODE_CHOICE,
    NODE_STEP,
    PLACE_CHOICE,
    PLACE_STEP,
    RANGE_STEP,
    STATE_STEP,
    Plan,
    Steps,
)
from graven.search.record_log import RecordLog
from graven.search.recycling import note_use
from graven.search.regret_matching import add_regrets, draw_by_regret, draws
from graven.search.root_halving import select_arm
from graven.search.self_tuning import choose_parameters, reward_parameters, set_parameters
from graven.search.shared_tree import exchange
from graven.search.simulate import log_simulation
from graven.search.virtual_loss import select_apart
from graven.search.widening import order_moves, width

# By what a search does: the function and the signature of each of its steps.
STEPS_OF: dict[str, dict[str, tuple[Any, Any]]] = {
    "amaf": {
        "build_table": (amaf.build_table, NODE_CHOICE),
        "update_tables": (amaf.update, STATE_STEP),
    },
    "solver": {
        "select_open": (score_bounds.select_open, PLACE_CHOICE),
        "update_bounds": (score_bounds.update, STATE_STEP),
        "combine_joint": (joint_bounds.combine_joint, NODE_STEP),
        "deviate": (joint_bounds.deviate, NODE_STEP),
    },
    "halving": {"select_arm": (select_arm, NODE_CHOICE)},
    "chance": {
        "list_outcomes": (list_outcomes, NODE_CHOICE),
        "draw_edge": (draw_edge, PLACE_STEP),
    },
    "regrets": {
        "draws": (draws, DEPTH_CHOICE),
        "draw_by_regret": (draw_by_regret, DEPTH_CHOICE),
        "add_regrets": (add_regrets, NODE_STEP),
    },
    "permutations": {
        "count_permutations": (count_permutations, RANGE_STEP),
        "record_simulation": (record_simulation, STATE_STEP),
    },
    "shared": {"exchange": (exchange, NODE_STEP)},
    "few_edges": {
        "select_few": (select_few, PLACE_CHOICE),
        "list_all": (list_all, NODE_CHOICE),
    },
    "exchanged_lists": {
        "try_move": (try_move, PLACE_CHOICE),
        "copy_moves": (copy_moves, PLACE_CHOICE),
    },
    "log": {
        "log_simulation": (log_simulation, STATE_STEP),
        "select_apart": (select_apart, DEPTH_CHOICE),
    },
    "recycling": {"note_use": (note_use, STATE_STEP)},
    "muting": {"mute_amaf": (amaf.mute, STATE_STEP)},
    "widening": {
        "order_moves": (order_moves, PLACE_STEP),
        "width": (width, NODE_CHOICE),
    },
    "implicit": {
        "evaluate_moves": (evaluate_moves, NODE_CHOICE),
        "update_minimax": (update_minimax, STATE_STEP),
    },
    "criticality": {
        "count_in_tables": (count_in_tables, STATE_STEP),
        "read_totals": (read_totals, NODE_STEP),
    },
    "tuning": {
        "choose_parameters": (choose_parameters, STATE_STEP),
        "set_parameters": (set_parameters, NODE_STEP),
        "reward_parameters": (reward_parameters, STATE_STEP),
    },
}


def steps_of(rules: Rules, plan: Plan, log: RecordLog) -> Steps:
    """Return the addresses of the steps that a search takes."""
    taken = {
        "amaf": plan.amaf,
        "solver": plan.solver,
        "halving": plan.halving,
        "chance": rules.chance,
        "regrets": rules.regrets,
        "permutations": rules.permutations,
        "shared": plan.shared,
        "few_edges": rules.few_edges,
        "exchanged_lists": rules.few_edges != 0 and log.active != 0,
        "log": log.active,
        "recycling": rules.last_use,
        "muting": plan.select_muted,
        "widening": plan.widen > 0,
        "implicit": rules.implicit,
        "criticality": rules.criticality,
        "tuning": plan.tuned,
    }
    return _compiled_steps(tuple(kind for kind, used in taken.items() if used))


@cache
def _compiled_steps(kinds: tuple[str, ...]) -> Steps:
    addresses = dict.fromkeys(Steps._fields, 0)
    for kind in kinds:
        for name, (function, signature) in STEPS_OF[kind].items():
            addresses[name] = address(function, signature)
    return Steps(**addresses)
