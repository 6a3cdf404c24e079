"""Specs with parameters to tune, and the range of each parameter.

grave(ref=?,bias=?)         the default range of each parameter
uct(c=?[0.1..0.9])          an explicit range
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Any

from graven.agents import parse, policy_info
from graven.agents.spec_parser import LONGEST
from graven.core.calls import Value, check_text, format_value
from graven.core.errors import UsageError, unknown
from graven.search.options import OPTIONS
from graven.search.policy import Parameter

# A range whose ends differ at least by this factor is sampled logarithmically.
LOG_RATIO = 30


@dataclass(frozen=True)
class ParameterRange:
    """The values to try: numbers from `low` to `high`, or one of `choices`."""

    low: float = 0.0
    high: float = 1.0
    log: bool = False
    whole: bool = False
    choices: tuple[Value, ...] = ()

    def suggest(self, trial: Any, name: str) -> Value:
        """Return the value that Optuna's trial suggests."""
        value: Value
        if self.choices:
            value = trial.suggest_categorical(name, list(self.choices))
        elif self.whole:
            value = trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        else:
            value = trial.suggest_float(name, self.low, self.high, log=self.log)
        return value

    def example(self) -> Value:
        """Return one value of the range."""
        if self.choices:
            return self.choices[0]
        return int(self.low) if self.whole else self.low


# The ranges of the papers, slightly extended. "mast k" is the parameter k of mast; a name alone is
# that parameter of any other policy.
DEFAULT_RANGES: dict[str, ParameterRange] = {
    "alpha": ParameterRange(1e-3, 10, log=True),
    "b": ParameterRange(1e-3, 1, log=True),
    "bias": ParameterRange(1e-15, 1e-1, log=True),
    "c": ParameterRange(0, 2),
    "decay": ParameterRange(0, 1),
    "epsilon": ParameterRange(0, 1),
    "expand": ParameterRange(1, 20, whole=True),
    "fpu": ParameterRange(0, 2),
    "k": ParameterRange(1, 5000, log=True),
    "mast k": ParameterRange(0.5, 512, log=True),
    "mastf k": ParameterRange(0.5, 512, log=True),
    "min": ParameterRange(1, 1000, log=True, whole=True),
    "p": ParameterRange(0, 1),
    "ref": ParameterRange(1, 1000, log=True, whole=True),
    "size": ParameterRange(1, 100, log=True, whole=True),
}

_HOLE = re.compile(
    r"([a-z][a-z0-9_]*)\s*=\s*\?\s*(?:\[\s*([^\[\].]+(?:\.\d[^\[\].]*)?)\s*\.\.\s*([^\[\]]+?)\s*\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TuneTemplate:
    """A spec with question marks. `ranges` has their ranges in order; "+k" is a playout's k."""

    text: str
    ranges: Mapping[str, ParameterRange]

    def agent(self, values: Mapping[str, Value]) -> str:
        """Return the canonical spec with these values, which are named as in `ranges`."""
        names = iter(self.ranges)
        text = _HOLE.sub(lambda hole: f"{hole[1]}={format_value(values[next(names)])}", self.text)
        return parse(text, files=True).text


def parse_template(text: str) -> TuneTemplate:
    """Read a spec with question marks."""
    check_text("a spec to tune", text, "rave(bias=?)")
    if len(text) > LONGEST:
        raise UsageError(f"a spec has at most {LONGEST} characters, got {len(text)}.")
    holes = list(_HOLE.finditer(text))
    if not holes or re.search(r"[?\[\]]", _HOLE.sub("", text)):
        raise UsageError(
            f"{text!r}: write the parameters to tune as parameter=? or parameter=?[0.1..0.9]."
        )
    tree_end = text.find("+") if "+" in text else len(text)
    ranges: dict[str, ParameterRange] = {}
    for hole in holes:
        inside_tree = hole.start() < tree_end
        policy = re.match(r"[^(+]*", text[0 if inside_tree else tree_end + 1 :])
        name = hole[1].lower()
        label = name if inside_tree else f"+{name}"
        if label in ranges:
            raise UsageError(f"{name} occurs twice in {text!r}.")
        ranges[label] = _range(policy[0] if policy else "", name, hole[2], hole[3])
    template = TuneTemplate(text, ranges)
    # Raises if the rest of the spec is not valid.
    template.agent({label: range_.example() for label, range_ in ranges.items()})
    return template


def _range(policy: str, name: str, low: str | None, high: str | None) -> ParameterRange:
    parameter = _parameter(policy, name)
    if parameter.choices:
        return ParameterRange(choices=parameter.choices)
    if isinstance(parameter.default, bool):
        return ParameterRange(choices=(False, True))
    if low is None or high is None:
        return _default_range(policy, name)
    whole = isinstance(parameter.default, int)
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = (0.0, 0.0)
    if whole and isfinite(ends[0]) and isfinite(ends[1]):
        ends = float(ceil(ends[0])), float(floor(ends[1]))
    if not (isfinite(ends[0]) and isfinite(ends[1]) and ends[0] < ends[1]):
        raise UsageError(f"{name}: {low}..{high} is not a range from a lower to a higher number.")
    log = ends[0] > 0 and ends[1] / ends[0] >= LOG_RATIO
    return ParameterRange(*ends, log=log, whole=whole)


def _default_range(policy: str, name: str) -> ParameterRange:
    ranges = DEFAULT_RANGES
    default = ranges.get(f"{policy.strip().lower()} {name}") or ranges.get(name)
    if default is None:
        raise UsageError(
            f"{name} has no default range: write one, as in {name}=?[1..100]. Parameters with a "
            f"default range: {', '.join(label for label in ranges if ' ' not in label)}."
        )
    return default


def _parameter(policy: str, name: str) -> Parameter:
    info = policy_info(policy)
    parameters = {parameter.name: parameter for parameter in info.parameters}
    if info.kind == "tree":
        parameters |= {option.name: option for option in OPTIONS}
    if name not in parameters:
        raise unknown(f"parameter of {info.name}", name, parameters)
    return parameters[name]
