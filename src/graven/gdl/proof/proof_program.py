"""Query forms, the arrays of `proof_kernel`, and how goals are evaluated with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.proof import goal_table
from graven.gdl.proof import proof_kernel as kernel
from graven.gdl.proof import proof_memory as layout
from graven.gdl.proof.clause_code import ClauseCode
from graven.gdl.proof.proof_memory import ProofStatus
from graven.gdl.proof.term_table import TermTable

PAUSE = 500_000
"""Instructions between two checks of the limits: some 10 ms."""
MAX_GOALS_KEPT = 300_000
"""Goals of earlier states are kept, to be evaluated again, up to this number of goals."""
MAX_STATIC_ANSWERS = 4_000_000
"""The maximum number of memoised answers that do not depend on the state."""
MAX_ANSWERS = 20_000_000
"""The maximum number of goals, and of answers, in one state."""
MAX_FRAMES = 1_000_000
"""The maximum number of goals that wait for each other."""

Row = tuple[int, ...]


class QueryForm(NamedTuple):
    """How the goals of a relation with some arguments bound are answered."""

    kind: int
    lifetime: int
    bound: tuple[int, ...]
    free: tuple[int, ...]
    group: int = -1
    """The component of a recursive relation."""
    function: tuple[int, int] | None = None
    """For facts of the state: the function's name and its number of arguments."""
    rows: Sequence[Row] = ()
    """For relations with facts only."""


class ProofProgram:
    """The forms and clauses of a sheet, and the memory in which goals are evaluated.

    `compile_form` returns the clauses of a form when they are first needed; `check` is called now
    and then, and raises an exception to end an evaluation.
    """

    def __init__(
        self,
        terms: TermTable,
        groups: int,
        compile_form: Callable[[int], list[ClauseCode]],
        check: Callable[[], None],
    ) -> None:
        self.terms = terms
        self.forms: list[QueryForm] = []
        self._compile_form = compile_form
        self._check = check
        self._clauses: dict[int, tuple[int, int, int]] = {}  # of a form: first, end, slots
        self._code: list[int] = []
        self._clause_at: list[int] = []
        self._columns: list[int] = []
        self._column_at: list[int] = []
        self._width = 4
        self._changed = True
        self._without_rows = 0  # the first form whose rows have not been added
        self.memory = _new_memory(terms, groups)
        self.code = self._code_arrays()

    def add_form(self, form: QueryForm) -> int:
        """Add a form; return its number."""
        self._column_at.append(len(self._columns))
        self._columns += [*form.bound, *form.free]
        self._width = max(self._width, len(form.bound) + len(form.free))
        self.forms.append(form)
        self._changed = True
        return len(self.forms) - 1

    # The state.

    def set_state(self, facts: Iterable[int]) -> None:
        """Set the facts of the state."""
        numbers = np.fromiter(facts, np.int32)
        self.reserve_facts(len(numbers))
        self.memory.facts[: len(numbers)] = numbers
        meta = self.memory.meta
        meta[layout.STATE_FACTS] = len(numbers)
        meta[layout.CHANGED] = layout.OF_STATE
        self.tidy()

    def reserve_facts(self, count: int) -> None:
        """Grow the arrays to hold this many facts of a state."""
        if count > len(self.memory.facts):
            self.memory = self.memory._replace(facts=np.zeros(2 * count, np.int32))

    def tidy(self) -> bool:
        """Drop goals of earlier states if there are too many; return whether any were dropped."""
        meta = self.memory.meta
        if meta[layout.STATIC_ANSWERS] > MAX_STATIC_ANSWERS:
            self.forget()
        elif meta[layout.GOALS] > MAX_GOALS_KEPT:
            self.update()
            self.memory.goal_slots[:] = 0
            goal_table.drop_goals(self.memory, self.code)
        else:
            return False
        return True

    def set_joint(self, joint: Sequence[int]) -> None:
        """Set the joint move: role, move, role, move, ..."""
        meta = self.memory.meta
        self.memory.joint[: len(joint)] = joint
        meta[layout.JOINT] = len(joint)
        if meta[layout.CHANGED] == layout.STATIC:
            meta[layout.CHANGED] = layout.OF_MOVE

    # Evaluation.

    def ask(self, form: int, key: int = 0) -> list[int]:
        """Return the answers to a goal; `key` is the value of its bound argument, if any.

        Answers of several values come one after the other.
        """
        memory = self.memory
        memory.root_form[0], memory.root_key[0] = form, key
        memory.meta[layout.ROOT], memory.meta[layout.ROOTS] = 0, 1
        try:
            while self._run() != ProofStatus.OK:
                pass
        except BaseException:
            self.abort()
            raise
        values: list[int] = self.memory.out[: self.memory.root_end[0]].tolist()
        return values

    def _run(self) -> ProofStatus:
        """Run the kernel once, and make what it then needs."""
        self.update()
        status = ProofStatus(kernel.run(self.memory, self.code, PAUSE))
        self.resume(status)
        return status

    def resume(self, status: ProofStatus) -> None:
        """Make what a kernel needs that has not finished, or raise."""
        if status == ProofStatus.NEED_MEMORY:
            self._check()
            self._grow(int(self.memory.meta[layout.NEEDED]))
        elif status == ProofStatus.NEED_FORM:
            self._compile(int(self.memory.meta[layout.SUBJECT]))
        elif status == ProofStatus.PAUSED:
            self._check()
        elif status == ProofStatus.TOO_MANY_WORDS:
            raise self.terms.too_many_words(int(self.memory.meta[layout.SUBJECT]))
        elif status == ProofStatus.NEED_FACTS:
            self.reserve_facts(int(self.memory.meta[layout.NEEDED]))

    def abort(self) -> None:
        """Drop the goals under evaluation."""
        memory, meta = self.memory, self.memory.meta
        meta[layout.FRAMES] = meta[layout.TOP] = 0
        memory.group_head[:] = -1
        goals = memory.goal_status[: meta[layout.GOALS]]
        goals[goals == layout.ACTIVE] = layout.NEW

    def forget(self) -> None:
        """Forget all answers but facts."""
        memory, meta = self.memory, self.memory.meta
        for count in (layout.GOALS, layout.KEYS, layout.ANSWERS, layout.VALUES):
            meta[count] = 0
        meta[layout.STATIC_ANSWERS] = meta[layout.STATIC_VALUES] = meta[layout.CLEARED] = 0
        memory.goal_slots[:] = 0
        memory.answer_slots[:] = 0
        memory.form_epoch[:] = -1
        self._without_rows, self._changed = 0, True

    def _compile(self, number: int) -> None:
        """Compile the clauses of a form."""
        clauses = self._compile_form(number)
        first = len(self._clause_at)
        for clause in clauses:
            self._clause_at.append(len(self._code))
            self._code += clause.placed(len(self._code))
            self._width = max(self._width, *map(len, clause.instructions))
        slots = max((clause.slots for clause in clauses), default=0)
        slots = max(slots, len(self.forms[number].bound))
        self._clauses[number] = first, len(self._clause_at), slots
        self._changed = True

    # Arrays.

    def update(self) -> None:
        """Update the arrays after forms, clauses or terms have been added."""
        memory = self.memory
        if memory.terms is not self.terms.arrays:
            memory = self.memory = memory._replace(terms=self.terms.arrays)
        if not self._changed:
            return
        self._changed = False
        self.code = self._code_arrays()
        epochs = np.full(len(self.forms) + 1, -1, np.int64)
        epochs[: len(memory.form_epoch)] = memory.form_epoch[: len(epochs)]
        memory = memory._replace(form_epoch=epochs)
        if len(memory.key) < self._width:
            memory = memory._replace(key=np.zeros(2 * self._width, np.int32))
        self.memory = memory
        for number in range(self._without_rows, len(self.forms)):
            if self.forms[number].kind == layout.FACTS:
                self._add_rows(number)
        self._without_rows = len(self.forms)

    def _add_rows(self, number: int) -> None:
        form = self.forms[number]
        width = len(form.bound) + len(form.free)
        if not width:
            rows = np.zeros(len(form.rows[:1]), np.int32)
        else:
            rows = np.array(form.rows, np.int32).reshape(-1)
        while not goal_table.add_rows(self.memory, self.code, number, rows, width):
            self._grow(int(self.memory.meta[layout.NEEDED]))

    def _code_arrays(self) -> layout.ProofCode:
        forms = self.forms
        clauses = [self._clauses.get(number, (0, 0, 0)) for number in range(len(forms))]
        first, end, slots = zip(*clauses, strict=True) if clauses else ((), (), ())
        kinds = [
            layout.UNKNOWN if f.kind == layout.CLAUSES and i not in self._clauses else f.kind
            for i, f in enumerate(forms)
        ]
        return layout.ProofCode(
            code=_ints(self._code),
            clause_at=_ints(self._clause_at),
            columns=_ints(self._columns),
            form_kind=np.array(kinds, np.int8),
            form_life=np.array([form.lifetime for form in forms], np.int8),
            form_bound=_ints(len(form.bound) for form in forms),
            form_free=_ints(len(form.free) for form in forms),
            form_group=_ints(form.group for form in forms),
            form_slots=_ints(slots),
            form_first=_ints(
                place if form.kind == layout.CLAUSES else column
                for form, place, column in zip(forms, first, self._column_at, strict=True)
            ),
            form_end=_ints(end),
            form_name=_ints(-1 if form.function is None else form.function[0] for form in forms),
            form_size=_ints(0 if form.function is None else form.function[1] for form in forms),
        )

    def _grow(self, rows: int) -> None:
        """Grow the arrays to hold this many more goals, answers and terms."""
        memory, meta = self.memory, self.memory.meta
        width = len(memory.key)
        self.terms.reserve(rows, rows * width)
        goals, answers = int(meta[layout.GOALS]), int(meta[layout.ANSWERS])
        frames, top = int(meta[layout.FRAMES]), int(meta[layout.TOP])
        if goals > MAX_ANSWERS or answers > MAX_ANSWERS:
            raise TooLargeError(f"one state has more than {MAX_ANSWERS:,} answers.")
        if frames > MAX_FRAMES:
            raise TooLargeError(f"more than {MAX_FRAMES:,} goals depend on each other.")
        changes: dict[str, Any] = {"terms": self.terms.arrays}
        sizes = (
            ("goal_form", goals + rows, GOAL_ARRAYS),
            ("keys", int(meta[layout.KEYS]) + rows * width, ("keys",)),
            ("answer_first", answers + rows, ANSWER_ARRAYS),
            ("values", int(meta[layout.VALUES]) + rows * width, ("values",)),
            ("frame_goal", frames + 1, FRAME_ARRAYS),
            ("slots", top + int(self.code.form_slots.max(initial=0)), ("slots",)),
            ("out", rows, ("out",)),
        )
        for first, needed, names in sizes:
            if needed > len(getattr(memory, first)):
                for name in names:
                    changes[name] = _grown(getattr(memory, name), 2 * needed)
        if "goal_form" in changes:
            changes["goal_slots"] = _slots(len(changes["goal_form"]))
        if 2 * (answers - int(meta[layout.CLEARED]) + rows) >= len(memory.answer_slots):
            changes["answer_slots"] = _slots(2 * (answers + rows))
        self.memory = memory._replace(**changes)
        if "goal_slots" in changes:
            goal_table.rehash_goals(self.memory, self.code)
        if "answer_slots" in changes:
            goal_table.rehash_answers(self.memory)


GOAL_ARRAYS = tuple(
    name for name in layout.ProofMemory._fields if name.startswith("goal_") and name != "goal_slots"
)
ANSWER_ARRAYS = tuple(
    name
    for name in layout.ProofMemory._fields
    if name.startswith("answer_") and name != "answer_slots"
)
FRAME_ARRAYS = tuple(name for name in layout.ProofMemory._fields if name.startswith("frame_"))
BYTES = {"goal_status", "frame_used", "group_used"}
LONG = {
    "meta",
    "epochs",
    "goal_epoch",
    "goal_stamp",
    "answer_stamp",
    "frame_answers",
    "group_answers",
    "form_epoch",
}
FIRST_SIZE = 1024


def _new_memory(terms: TermTable, groups: int) -> layout.ProofMemory:
    sizes = {
        "meta": layout.META,
        "epochs": layout.LIFETIMES,
        "form_epoch": 0,
        "goal_slots": 4 * FIRST_SIZE,
        "answer_slots": 4 * FIRST_SIZE,
    }
    arrays: dict[str, Any] = {"terms": terms.arrays}
    for name in layout.ProofMemory._fields:
        if name != "terms":
            kind = np.int8 if name in BYTES else np.int64 if name in LONG else np.int32
            size = groups + 1 if name.startswith("group_") else sizes.get(name, FIRST_SIZE)
            arrays[name] = np.zeros(size, kind)
    memory = layout.ProofMemory(**arrays)
    memory.group_head[:] = -1
    return memory


def _ints(values: Iterable[int]) -> layout.Int32:
    return np.array(list(values), np.int32)


def _grown(array: np.ndarray[Any, Any], size: int) -> np.ndarray[Any, Any]:
    new = np.zeros(size, array.dtype)
    new[: len(array)] = array
    return new


def _slots(entries: int) -> layout.Int32:
    """Return a hash table for this many entries."""
    return np.zeros(1 << (2 * entries).bit_length(), np.int32)
