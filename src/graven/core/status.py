"""How compiled kernels end, and the one place where that becomes an exception or a second try.

A kernel returns a `Status`. NEED_* ask for larger arrays: what was under way (a simulation, a join)
has left no trace, so that it can be repeated once they have grown. The others from TOO_LONG on are
faults: a game or a user-defined policy breaks its contract, or a limit is exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from graven.core.callbacks import raise_fault
from graven.core.errors import ContractError

if TYPE_CHECKING:
    from graven.core.contract import Rules


class Status(IntEnum):
    """How a kernel ended."""

    OK = 0
    # More of a group of the tree's arrays is needed.
    NEED_NODES = 1
    NEED_EDGES = 2
    NEED_TABLES = 3
    NEED_LINKS = 4
    NEED_SIMULATIONS = 5
    NEED_TRACES = 6
    # The memory of a playout policy or of a solver must grow; returned before anything is played.
    NEED_MEMORY = 7
    # Grounding needs more atoms, more entries of its indexes, or more ground rules.
    NEED_ATOMS = 8
    NEED_ENTRIES = 9
    NEED_INSTANCES = 10
    NEED_BLOCKS = 12  # of the tree, see `search.permutations`
    NEED_LISTS = 13  # of the tree, see `search.few_edges`
    NEED_JOINTS = 15  # of the tree, see `search.joint_bounds`
    NEED_WIDE = 14  # AMAF tables whose sums are floats, see `search.amaf`
    # Nothing is missing: the caller may look at its clock.
    PAUSED = 11
    # The game breaks the contract.
    TOO_LONG = 20
    BAD_CODE = 21
    NO_MOVE = 22
    TOO_MANY = 23
    BAD_FEATURE = 24
    BAD_TURN = 25
    BAD_SCORE = 26
    BAD_PRIOR = 27
    BAD_CHANCE = 28
    # One join of grounding exceeds its limit.
    TOO_MANY_STEPS = 30

    @property
    def is_unfinished(self) -> bool:
        """Whether the kernel is to be called again, with larger arrays if it needs them."""
        return Status.OK < self < Status.TOO_LONG


SCORE_REMEDY = (
    "turn scores from -1 to 1 into (score + 1) / 2; divide points from 0 to 100, as GDL has them, "
    "by 100"
)

_CODES = frozenset(int(status) for status in Status)


def fault_text(status: Status, rules: Rules) -> str:
    """Return what a game has done wrong, for a message."""
    score_functions = "`evaluate` or `scores`" if rules.evaluate else "`scores`"
    return {
        Status.TOO_LONG: f"`turn` let a game go beyond the declared {rules.max_plies} plies",
        Status.BAD_CODE: f"`legal` or `sample` gave a move outside 0 to {rules.num_codes - 1}",
        Status.BAD_TURN: f"`turn` named a player outside 0 to {rules.players - 1}",
        Status.BAD_FEATURE: (
            "`feature` or `playout_moves_with_features` gave a code outside "
            f"0 to {rules.num_features - 1}"
        ),
        Status.NO_MOVE: "`legal` or `sample` gave no move to a player whom `turn` had named",
        Status.BAD_SCORE: (
            f"{score_functions} wrote no score from 0 (lost) to 1 (won); {SCORE_REMEDY}"
        ),
        Status.BAD_CHANCE: (
            "`chance` gave no outcomes, or probabilities that are not positive with the sum 1"
        ),
        Status.BAD_PRIOR: "`prior` returned no number from 0 to 1",
        Status.TOO_MANY: f"`legal` gave more than the declared {rules.max_moves} moves",
    }[status]


def contract_fault(status: Status, name: str, rules: Rules, suffix: str = "") -> ContractError:
    """Return the error for a fault in the rules of the game `name`; `suffix` ends the sentence."""
    text = fault_text(status, rules)
    return ContractError(f"the rules of {name} break the game contract: {text}{suffix}.")


def check_scores(name: str, scores: Sequence[float]) -> None:
    """Raise ContractError unless all scores of a finished game are from 0 to 1."""
    if not all(0.0 <= score <= 1.0 for score in scores):
        given = ", ".join(f"{score:g}" for score in scores)
        raise ContractError(
            f"the rules of {name} break the game contract: the scores of a game were {given}, "
            f"not from 0 (lost) to 1 (won); {SCORE_REMEDY}."
        )


def call_kernel(
    kernel: Callable[[], int],
    fault: Callable[[Status], Exception],
    resume: Callable[[Status], None],
) -> bool:
    """Call a kernel once; return whether it has done its work.

    If not, `resume` has made what it needs (larger arrays), and it is to be called again. Raises
    the exception of a Python callback if there was one, and what `fault` makes of a fault.
    """
    code = kernel()
    raise_fault()
    if code not in _CODES:
        raise ContractError(f"a playout policy returned {code}, which is not a Status.")
    status = Status(code)
    if status == Status.OK:
        return True
    if not status.is_unfinished:
        raise fault(status)
    resume(status)
    return False
