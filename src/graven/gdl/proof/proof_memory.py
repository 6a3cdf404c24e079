"""The arrays of the prover's abstract machine, and the meaning of their numbers."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int8 = NDArray[np.int8]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


class ProofStatus(IntEnum):
    """How a kernel ended."""

    OK = 0
    PAUSED = 1
    NEED_MEMORY = 2
    NEED_FORM = 3
    TOO_MANY_WORDS = 4
    # Of a step of a game, see `proof_step`.
    NEED_FACTS = 5
    BAD_MOVE = 6
    TOO_MANY_FACTS = 7
    TOO_MANY_LEGAL = 8
    TOO_MANY_MOVES = 9


# Kinds of query forms; an UNKNOWN one has to be compiled when it is first needed.
UNKNOWN, FACTS, TRUE, DOES, CLAUSES = range(5)
# What the answers of a form depend on.
STATIC, OF_STATE, OF_MOVE, LIFETIMES = range(4)
# The status of a goal.
NEW, ACTIVE, COMPLETE = range(3)
# Instructions; `run` and `clause_code` document their operands.
LOOP, NEXT, IF, UNLESS, EQUAL, DIFFER, UNPACK, BUILD, REPORT = range(9)
# What `meta` holds: counts, the answers and values of static goals, the answers that have left the
# hash table, what has changed (a lifetime), how many rows are needed, and the form or term that a
# status is about.
(
    GOALS,
    KEYS,
    ANSWERS,
    VALUES,
    FRAMES,
    TOP,
    STATE_FACTS,
    JOINT,
    ROOTS,
    ROOT,
    STATIC_ANSWERS,
    STATIC_VALUES,
    CLEARED,
    CHANGED,
    NEEDED,
    SUBJECT,
    META,
) = range(17)
# What `resolve` returns instead of a goal.
NO_ANSWER, PUSHED, FULL, NOT_COMPILED = -1, -2, -3, -4
LEADER = 2
"""In `frame_used`: the frame is a leader's."""
MAX_WORDS = 10_000
"""The maximum number of words of a term: subterms are shared in memory, but repeated in text."""


class TermArrays(NamedTuple):
    """All ground terms: a constant has no parts, a function its name and its arguments."""

    counts: Int64  # (2,) terms and parts
    first: Int32
    size: Int32
    words: Int32  # in its text
    parts: Int32
    slots: Int32  # hash table of functions: number + 1, or 0


class ProofMemory(NamedTuple):
    """Goals, answers, and the stack of an evaluation."""

    meta: Int64
    epochs: Int64  # (LIFETIMES,)
    terms: TermArrays
    key: Int32  # scratch: the bound values of a goal, the parts of a term
    # goals
    goal_form: Int32
    goal_key: Int32  # where its bound values start in `keys`
    goal_status: Int8
    goal_epoch: Int64
    goal_stamp: Int64  # differs after each new evaluation
    goal_head: Int32  # its first answer, or -1
    goal_tail: Int32
    goal_count: Int32  # answers; of a goal without free arguments 1 if it is proved
    goal_round: Int32
    goal_link: Int32  # the next goal of its component's tables, or -1
    goal_slots: Int32  # hash table: number + 1, or 0
    keys: Int32
    # answers
    answer_first: Int32  # where its values start
    answer_next: Int32  # or -1
    answer_goal: Int32
    answer_stamp: Int64
    answer_slot: Int32  # its place in the hash table, or -1
    answer_slots: Int32  # hash table of the answers of goals under evaluation: number + 1, or 0
    values: Int32
    # frames: goals under evaluation
    frame_goal: Int32
    frame_clause: Int32
    frame_at: Int32  # the next instruction; -1: the clause is done
    frame_base: Int32  # where its slots start
    frame_used: Int8  # the flag `group_used` before it, or LEADER
    frame_answers: Int64  # of a leader: `group_answers` at the start of the round
    slots: Int32
    # components of recursive relations
    group_round: Int32
    group_answers: Int64
    group_used: Int8  # whether an incomplete goal was read
    group_head: Int32  # the first goal in its tables, or -1
    # the state, the joint move and the goals that are asked for
    facts: Int32
    joint: Int32  # role, move, role, move, ...
    root_form: Int32
    root_key: Int32
    root_end: Int32  # where the answers to each goal that was asked for end in `out`
    out: Int32
    form_epoch: Int64  # when the facts of a form TRUE or DOES were added


class ProofCode(NamedTuple):
    """Query forms and their clauses."""

    code: Int32
    clause_at: Int32  # where the code of each clause starts
    columns: Int32  # for TRUE and DOES: the bound columns, then the free ones
    form_kind: Int8
    form_life: Int8
    form_bound: Int32  # the number of bound arguments
    form_free: Int32
    form_group: Int32  # the component of a recursive relation, or -1
    form_slots: Int32  # the slots of its largest clause
    form_first: Int32  # its first clause; for TRUE and DOES, its first column
    form_end: Int32
    form_name: Int32  # for TRUE: the function's name, or -1 for whole terms
    form_size: Int32  # and the number of its arguments
