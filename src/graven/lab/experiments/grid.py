"""Grids of agents: a spec in which some values are written as ranges or lists.

rave(bias=[1e-1..1e-15])                    every power of ten
grave(ref=[25,50,100],bias=[1e-4,1e-5])     every combination of the two lists
uct(c=[0.1..0.9+0.2])                       steps of 0.2
uct+mast(k=[1..64*2])                       powers of two
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from math import floor, isclose, isfinite, log10

from graven.agents import parse
from graven.agents.spec_parser import LONGEST
from graven.core.calls import Value, check_text, format_value, read_value
from graven.core.errors import UsageError

MOST_AGENTS_IN_GRID = 1000
SHORT_LIST = 8  # values in a message
_HOLE = re.compile(r"([a-z][a-z0-9_]*)\s*=\s*\[([^\[\]]*)\]", re.IGNORECASE)
_RANGE = re.compile(
    r"\s*([^.,]\S*?|\.\d\S*?)\s*\.\.\s*([^*+\s]+?(?:e\+\d+)?)\s*(?:([*+])\s*(\S+))?\s*"
)


@dataclass(frozen=True)
class AgentGrid:
    """Agents over zero or more axes: the k-th axis is parameter `names[k]` with `values[k]`."""

    text: str
    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = field(default=(), compare=False)  # ranges that leave out their end

    def agents(self) -> list[str]:
        """Return the specs of all agents; the last axis changes fastest."""
        return [self.agent(*point) for point in self.points()]

    def points(self) -> list[tuple[Value, ...]]:
        """Return the parameter values of all agents."""
        return list(product(*self.values))

    def agent(self, *point: Value) -> str:
        """Return the canonical spec of the agent with these parameter values."""
        values = iter(point)
        text = _HOLE.sub(lambda hole: f"{hole[1]}={format_value(next(values))}", self.text)
        return parse(text, files=True).text


def parse_grid(text: str) -> AgentGrid:
    """Read a grid from its text; a spec without ranges is a grid of one agent."""
    check_text("a grid", text, "rave(bias=[0.1,0.01])")
    if len(text) > LONGEST:
        raise UsageError(f"a grid has at most {LONGEST} characters, got {len(text)}.")
    holes = _HOLE.findall(text)
    if text.count("[") != len(holes) or text.count("]") != len(holes):
        raise UsageError(
            f"{text!r}: a range is written parameter=[1e-1..1e-15] or parameter=[25,50,100]."
        )
    values = tuple(_values(name, inside) for name, inside in holes)
    count = 1
    for axis in values:
        count *= len(axis)
    if count > MOST_AGENTS_IN_GRID:
        raise UsageError(f"a grid has at most {MOST_AGENTS_IN_GRID:,} agents, got {count:,}.")
    missed = [_missed_end(hole[0], hole[1], axis) for hole, axis in zip(holes, values, strict=True)]
    names = tuple(name.lower() for name, _ in holes)
    grid = AgentGrid(text, names, values, tuple(note for note in missed if note))
    grid.agents()  # raises if one of them is not a valid spec
    return grid


def _values(name: str, inside: str) -> tuple[Value, ...]:
    if ".." in inside:
        return _range(name, inside)
    values = tuple(read_value(part.strip()) for part in inside.split(",") if part.strip())
    if not values:
        raise UsageError(f"{name}: the list of values is empty.")
    if len(set(values)) < len(values):
        raise UsageError(f"{name}: a value is listed twice.")
    return values


def _range(name: str, inside: str) -> tuple[Value, ...]:
    match = _RANGE.fullmatch(inside)
    numbers = [_number(part) for part in (match[1], match[2], match[4])] if match else []
    if not match or numbers[0] is None or numbers[1] is None or (match[3] and numbers[2] is None):
        raise UsageError(
            f"{name}: [{inside}] is not a range such as [1e-1..1e-15] (powers of ten), [1..64*2] "
            "or [0.1..0.9+0.2]."
        )
    low, high = numbers[0], numbers[1]
    if match[3] == "+":
        values = _arithmetic(low, high, numbers[2] or 0.0)
    else:
        values = _geometric(low, high, (numbers[2] or 0.0) if match[3] else 10.0)
    if not values:
        raise UsageError(
            f"{name}: [{inside}] does not reach {high:g} from {low:g} in at most "
            f"{MOST_AGENTS_IN_GRID} steps; powers of ten and factors need positive numbers."
        )
    return tuple(int(value) if value == int(value) else value for value in values)


def _missed_end(name: str, inside: str, values: tuple[Value, ...]) -> str:
    """Return a sentence about a range that leaves out its end; "" for other values."""
    match = _RANGE.fullmatch(inside)
    low, high = (_number(match[1]), _number(match[2])) if match else (None, None)
    if match is None or low is None or high is None:
        return ""
    if isclose(float(values[-1]), high, abs_tol=1e-9 * abs(high - low)):
        return ""
    written = [format_value(value) for value in values]
    shown = f"has only the value {written[0]}"
    if len(written) > 1:
        shown = f"has {len(written)} values, of which {written[-1]} is the last"
    by = "powers of ten" if not match[3] else f"{match[3]} {match[4]}"
    low_text, high_text, step = (
        format_value(low),
        format_value(high),
        format_value(_step(low, high)),
    )
    remedy = f"in steps it is [{low_text}..{high_text}+{step}]"
    if len(written) < SHORT_LIST:
        remedy += f", as a list [{','.join([*written, high_text])}]"
    return f"{name}: [{inside}] goes by {by} and {shown}: {high_text} is left out; {remedy}."


def _step(low: float, high: float) -> float:
    """Return a step that leads from one end of a range to the other."""
    span = abs(high - low)
    power = 10.0 ** floor(log10(span))
    for step in (power, power / 2, power / 10):
        if step and isclose(span / step, round(span / step)):
            return float(f"{step:.12g}")
    return float(f"{span / 4:.12g}")


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _arithmetic(low: float, high: float, step: float) -> list[float]:
    if step <= 0:
        return []
    count = int(abs(high - low) / step + 1e-9)
    step = step if high >= low else -step
    if count >= MOST_AGENTS_IN_GRID:
        return []
    return [float(f"{low + number * step:.12g}") for number in range(count + 1)]


def _geometric(low: float, high: float, factor: float) -> list[float]:
    if low <= 0 or high <= 0 or factor <= 1:
        return []
    steps = (log10(high) - log10(low)) / log10(factor)
    count = int(abs(steps) + 1e-9)
    if count >= MOST_AGENTS_IN_GRID:
        return []
    values = [low * factor ** (number if steps >= 0 else -number) for number in range(count + 1)]
    # Write 0.001, not 0.0010000000000000002.
    return [high if isclose(value, high) else float(f"{value:.12g}") for value in values]
