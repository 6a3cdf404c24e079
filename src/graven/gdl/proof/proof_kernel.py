"""The prover's abstract machine: evaluate goals of compiled clauses, memoise their answers.

A query form is a relation of which some arguments are bound; with values for these it is a goal.
The answers of a goal are the values of its free arguments. Facts are goals that are complete from
the start, facts of the state and moves become such goals when they are first asked for. All other
goals are evaluated once, clause by clause (see `clause_code`), and remembered until what they
depend on changes: each lifetime has an epoch, and goals of an earlier one are evaluated again.

Goals of a strongly connected component of relations are tabled, as in SLG resolution: a goal that
is already being evaluated has its answers so far, and the leader, the first goal of its component,
is evaluated in rounds until a fixpoint. Negation is stratified, so that it does not occur within a
component, and answers are only ever added.

A clause is a list of instructions. An instruction that fails continues at its `fail` address, the
next answer of the loop before it. Frames are goals under evaluation, on a stack of their own:
nothing recurses. Where memory is missing the kernel returns before the instruction has changed
anything, and the instruction is then repeated.
"""

from __future__ import annotations

from graven.core.bits import mix
from graven.core.compile import compiled, inlined
from graven.core.hash_tables import hash_row, is_same_row
from graven.gdl.proof.goal_table import (
    add_answer,
    add_row,
    clear_answer_table,
    goal_of,
    has_room,
    renew,
)
from graven.gdl.proof.proof_memory import (
    ACTIVE,
    ANSWERS,
    BUILD,
    CHANGED,
    CLAUSES,
    CLEARED,
    COMPLETE,
    DIFFER,
    DOES,
    EQUAL,
    FRAMES,
    FULL,
    IF,
    JOINT,
    KEYS,
    LEADER,
    LOOP,
    NEEDED,
    NEW,
    NEXT,
    NO_ANSWER,
    NOT_COMPILED,
    OF_MOVE,
    OF_STATE,
    PUSHED,
    ROOT,
    ROOTS,
    STATE_FACTS,
    STATIC,
    STATIC_ANSWERS,
    STATIC_VALUES,
    SUBJECT,
    TOP,
    TRUE,
    UNKNOWN,
    UNLESS,
    UNPACK,
    VALUES,
    Int32,
    ProofCode,
    ProofMemory,
    ProofStatus,
)
from graven.gdl.proof.term_interning import intern_term


@inlined
def _value(operand: int, slots: Int32, base: int) -> int:
    return slots[base + operand] if operand >= 0 else ~operand


@compiled
def _add_state(memory: ProofMemory, code: ProofCode, form: int) -> None:
    """Add the facts of the state, or the moves, to the goals of a form."""
    meta, terms = memory.meta, memory.terms
    kind, name = code.form_kind[form], code.form_name[form]
    source = memory.joint
    count = meta[JOINT] // 2
    if kind == TRUE:
        source = memory.facts if name < 0 else terms.parts
        count = meta[STATE_FACTS]
    for i in range(count):
        at = 2 * i if kind == DOES else i
        if kind == TRUE and name >= 0:
            term = memory.facts[i]
            at = terms.first[term] + 1
            if terms.size[term] != code.form_size[form] + 1 or terms.parts[at - 1] != name:
                continue
        add_row(memory, code, form, source, at)
    memory.form_epoch[form] = memory.epochs[code.form_life[form]]


@inlined
def resolve(memory: ProofMemory, code: ProofCode, form: int) -> int:
    """Return the goal of a form with the values in `key`, once its answers can be read.

    NO_ANSWER: it has none. PUSHED: its evaluation has begun; resolve it again afterwards. FULL:
    memory is missing. NOT_COMPILED: the form has to be compiled.
    """
    meta, kind, bound = memory.meta, code.form_kind[form], code.form_bound[form]
    if kind == UNKNOWN:
        meta[SUBJECT] = form
        return NOT_COMPILED
    epoch = memory.epochs[code.form_life[form]]
    rows = 1
    outdated = kind in (TRUE, DOES) and memory.form_epoch[form] != epoch
    if outdated:
        rows += meta[STATE_FACTS] + meta[JOINT]
    if not has_room(memory, rows):
        return FULL
    if outdated:
        key = meta[KEYS] + (rows - 1) * bound
        for i in range(bound):
            memory.keys[key + i] = memory.key[i]
        _add_state(memory, code, form)
        for i in range(bound):
            memory.key[i] = memory.keys[key + i]
    goal = goal_of(memory, form, bound)
    if kind != CLAUSES:
        return goal if memory.goal_epoch[goal] == epoch else NO_ANSWER
    is_new = memory.goal_epoch[goal] != epoch or memory.goal_status[goal] == NEW
    if not is_new and memory.goal_status[goal] == COMPLETE:
        return goal
    group = code.form_group[form]
    if not is_new and memory.goal_round[goal] == memory.group_round[group]:
        memory.group_used[group] = 1
        return goal
    # Evaluate it.
    if meta[TOP] + code.form_slots[form] > len(memory.slots):
        meta[NEEDED] = 1
        return FULL
    frame = meta[FRAMES]
    memory.frame_used[frame] = 0
    if is_new:
        renew(memory, goal, epoch, ACTIVE)
    if group >= 0:
        memory.frame_used[frame] = memory.group_used[group]
        if is_new:
            if memory.group_head[group] < 0:
                memory.frame_used[frame] = LEADER
                memory.frame_answers[frame] = memory.group_answers[group]
                memory.group_round[group] += 1
            memory.goal_link[goal] = memory.group_head[group]
            memory.group_head[group] = goal
        memory.goal_round[goal] = memory.group_round[group]
        memory.group_used[group] = 0
    memory.frame_goal[frame] = goal
    memory.frame_clause[frame] = code.form_first[form] - 1
    memory.frame_at[frame] = -1
    memory.frame_base[frame] = meta[TOP]
    for i in range(bound):
        memory.slots[meta[TOP] + i] = memory.key[i]
    meta[TOP] += code.form_slots[form]
    meta[FRAMES] += 1
    return PUSHED


@inlined
def _finish(memory: ProofMemory, code: ProofCode) -> None:
    """Complete the goal of the last frame, or begin the next round of a leader."""
    meta = memory.meta
    frame = meta[FRAMES] - 1
    goal = memory.frame_goal[frame]
    form = memory.goal_form[goal]
    group = code.form_group[form]
    proved = code.form_free[form] == 0 and memory.goal_count[goal] > 0
    if group < 0:
        memory.goal_status[goal] = COMPLETE
    elif memory.frame_used[frame] == LEADER:
        fixpoint = (
            memory.group_used[group] == 0
            or memory.group_answers[group] == memory.frame_answers[frame]
        )
        if not proved and not fixpoint:
            memory.group_round[group] += 1
            memory.group_used[group] = 0
            memory.goal_round[goal] = memory.group_round[group]
            memory.frame_answers[frame] = memory.group_answers[group]
            memory.frame_clause[frame] = code.form_first[form] - 1
            memory.frame_at[frame] = -1
            return
        # A fixpoint completes all tables. Otherwise others may be incomplete: they are dropped.
        member = memory.group_head[group]
        while member >= 0:
            if memory.goal_status[member] == ACTIVE:
                memory.goal_status[member] = COMPLETE if fixpoint or member == goal else NEW
            member = memory.goal_link[member]
        memory.group_head[group] = -1
    elif memory.group_used[group] == 0 or proved:
        # It has read no incomplete goal.
        memory.goal_status[goal] = COMPLETE
        memory.group_used[group] = memory.frame_used[frame]
    else:
        memory.group_used[group] = 1
    meta[TOP] = memory.frame_base[frame]
    meta[FRAMES] -= 1


@inlined
def _report(memory: ProofMemory, code: ProofCode, goal: int, free: int) -> bool:
    """Add the answer in `key` unless the goal has it; return whether it is new."""
    h = hash_row(mix(free, goal), memory.key, 0, free)
    mask = len(memory.answer_slots) - 1
    slot = h & mask
    while True:
        answer = memory.answer_slots[slot] - 1
        if answer < 0:
            break
        if (
            memory.answer_goal[answer] == goal
            and memory.answer_stamp[answer] == memory.goal_stamp[goal]
        ):
            first = memory.answer_first[answer]
            if is_same_row(memory.values, first, memory.key, 0, free):
                return False
        slot = (slot + 1) & mask
    answer = memory.meta[ANSWERS]
    for i in range(free):
        memory.values[memory.meta[VALUES] + i] = memory.key[i]
    add_answer(memory, code, goal, free)
    memory.answer_slot[answer] = slot
    memory.answer_slots[slot] = answer + 1
    return True


@compiled
def _write(memory: ProofMemory, code: ProofCode, root: int, goal: int) -> bool:
    """Write the answers to a goal that was asked for; return False if there is no room."""
    end = memory.root_end[root - 1] if root > 0 else 0
    if goal >= 0 and memory.goal_count[goal] > 0:
        free = code.form_free[memory.goal_form[goal]]
        size = memory.goal_count[goal] * max(free, 1)
        if end + size > len(memory.out):
            memory.meta[NEEDED] = end + size
            return False
        if free == 0:
            memory.out[end] = 0
            end += 1
        else:
            answer = memory.goal_head[goal]
            while answer >= 0:
                for i in range(free):
                    memory.out[end + i] = memory.values[memory.answer_first[answer] + i]
                end += free
                answer = memory.answer_next[answer]
    memory.root_end[root] = end
    return True


@compiled
def _forget(memory: ProofMemory) -> None:
    """Forget the answers that depend on what has changed, while no goal is under evaluation."""
    meta = memory.meta
    clear_answer_table(memory)
    if meta[CHANGED] == OF_STATE:
        meta[ANSWERS] = meta[STATIC_ANSWERS]
        meta[VALUES] = meta[STATIC_VALUES]
        meta[CLEARED] = meta[ANSWERS]
        memory.epochs[OF_STATE] += 1
    memory.epochs[OF_MOVE] += 1
    meta[CHANGED] = STATIC


@compiled
def run(memory: ProofMemory, code: ProofCode, pause: int) -> int:
    """Evaluate the goals that are asked for, and write their answers to `out`.

    The answer of a goal without free arguments is 0.

    Returns PAUSED after `pause` instructions. After NEED_MEMORY there must be more memory, after
    NEED_FORM the form in `meta` must be compiled. After TOO_MANY_WORDS `meta` has the name of the
    function.
    """
    meta, words, slots = memory.meta, code.code, memory.slots
    if meta[CHANGED] != STATIC:
        _forget(memory)
    for _ in range(pause):
        frame = meta[FRAMES] - 1
        at, base, kind, fail, form = 0, 0, LOOP, 0, -1
        is_finished = False
        if frame < 0:
            if meta[ROOT] >= meta[ROOTS]:
                return ProofStatus.OK
            form = memory.root_form[meta[ROOT]]
            memory.key[0] = memory.root_key[meta[ROOT]]
        else:
            at, base = memory.frame_at[frame], memory.frame_base[frame]
            if at < 0:
                clause = memory.frame_clause[frame] + 1
                is_finished = clause >= code.form_end[memory.goal_form[memory.frame_goal[frame]]]
                if not is_finished:
                    memory.frame_clause[frame] = clause
                    at = code.clause_at[clause]
                    memory.frame_at[frame] = at
            if at >= 0:
                kind, fail = words[at], words[at + 1]
        if is_finished:
            pass
        elif frame >= 0 and kind == NEXT:
            # NEXT fail cursor target count
            answer = slots[base + words[at + 2]]
            if answer < 0:
                memory.frame_at[frame] = fail
                continue
            slots[base + words[at + 2]] = memory.answer_next[answer]
            first, target = memory.answer_first[answer], base + words[at + 3]
            for i in range(words[at + 4]):
                slots[target + i] = memory.values[first + i]
            memory.frame_at[frame] = at + 5
        elif frame < 0 or kind <= UNLESS:
            # LOOP fail form cursor key..., IF fail form - key..., UNLESS fail form - key...
            if frame >= 0:
                form = words[at + 2]
                for i in range(code.form_bound[form]):
                    memory.key[i] = _value(words[at + 4 + i], slots, base)
            goal = resolve(memory, code, form)
            if goal == PUSHED:
                continue
            if goal == FULL:
                return ProofStatus.NEED_MEMORY
            if goal == NOT_COMPILED:
                return ProofStatus.NEED_FORM
            after = at + 4 + code.form_bound[form]
            if frame < 0:
                if not _write(memory, code, meta[ROOT], goal):
                    return ProofStatus.NEED_MEMORY
                meta[ROOT] += 1
            elif kind == LOOP:
                slots[base + words[at + 3]] = memory.goal_head[goal] if goal >= 0 else -1
                memory.frame_at[frame] = after
            else:
                holds = goal >= 0 and memory.goal_count[goal] > 0
                memory.frame_at[frame] = after if holds == (kind == IF) else fail
        elif kind <= DIFFER:
            # EQUAL fail operand operand, DIFFER fail operand operand
            same = _value(words[at + 2], slots, base) == _value(words[at + 3], slots, base)
            memory.frame_at[frame] = at + 4 if same == (kind == EQUAL) else fail
        elif kind == UNPACK:
            # UNPACK fail operand name count target
            terms = memory.terms
            term = _value(words[at + 2], slots, base)
            first, count = terms.first[term], words[at + 4]
            if terms.size[term] == count + 1 and terms.parts[first] == words[at + 3]:
                for i in range(count):
                    slots[base + words[at + 5] + i] = terms.parts[first + 1 + i]
                memory.frame_at[frame] = at + 6
            else:
                memory.frame_at[frame] = fail
        elif kind == BUILD:
            # BUILD fail target count operands...
            count = words[at + 3]
            for i in range(count):
                memory.key[i] = _value(words[at + 4 + i], slots, base)
            term = intern_term(memory.terms, memory.key, 0, count)
            if term == -1:
                meta[NEEDED] = 1
                return ProofStatus.NEED_MEMORY
            if term < 0:
                meta[SUBJECT] = memory.key[0]
                return ProofStatus.TOO_MANY_WORDS
            slots[base + words[at + 2]] = term
            memory.frame_at[frame] = at + 4 + count
        else:
            # REPORT fail count operands...
            count = words[at + 2]
            if not has_room(memory, 1):
                return ProofStatus.NEED_MEMORY
            if 2 * (meta[ANSWERS] - meta[CLEARED]) >= len(memory.answer_slots):
                meta[NEEDED] = 1
                return ProofStatus.NEED_MEMORY
            goal = memory.frame_goal[frame]
            for i in range(count):
                memory.key[i] = _value(words[at + 3 + i], slots, base)
            is_new = memory.goal_count[goal] == 0
            if count == 0:
                memory.goal_count[goal] = 1
                is_finished = True  # one proof is enough
            else:
                is_new = _report(memory, code, goal, count)
                memory.frame_at[frame] = fail
            group = code.form_group[memory.goal_form[goal]]
            if is_new and group >= 0:
                memory.group_answers[group] += 1
        if is_finished:
            _finish(memory, code)
    return ProofStatus.PAUSED
