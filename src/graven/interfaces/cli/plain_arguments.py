"""Read numbers and texts of the command line without Pydantic.

Typer (from 0.26 on) validates every argument with Pydantic, whose import takes a tenth of the
start-up time of a search, and whose messages do not show the value. Numbers and texts are read here
instead; whole numbers may be written 1e4, as in specs.
"""

from __future__ import annotations

import math
import re
from typing import Any, get_args, get_origin

import typer

WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)


class PlainArgument:
    """Reads one argument in place of Typer's reader.

    `kind` is str, bool, int or float, or a pair of numbers. `low` and `high` are the limits of a
    number, None where there is none.
    """

    def __init__(self, kind: Any, low: float | None = None, high: float | None = None) -> None:
        self.kind = kind
        self.low, self.high = low, high

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of an argument; leave what is not a number or a text to Typer."""
        if value is None or type(value) is self.kind:
            return value
        texts = value if isinstance(value, tuple | list) else (value,)
        kinds = get_args(self.kind) or (self.kind,)
        readable = len(texts) == len(kinds) and all(isinstance(text, str) for text in texts)
        if not readable or not {*kinds} <= {int, float}:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        try:
            numbers = tuple(map(self._number, texts, kinds))
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None
        return numbers if get_args(self.kind) else numbers[0]

    def _number(self, text: str, kind: type) -> float:
        """Return a number; raise a ValueError that says what is allowed."""
        if not (WHOLE if kind is int else DECIMAL).fullmatch(text):
            number = _whole(text) if kind is int else _decimal(text)
        else:
            number = kind(text)
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if not low <= number <= high:
            span = f"at least {low}" if high == math.inf else f"from {low} to {high}"
            raise ValueError(f"{text} is out of range: it must be {span}.")
        return number


def _whole(text: str) -> int:
    """Read a whole number, which may be written 1e4."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number.is_integer():
        raise ValueError(f"{text!r} is not a whole number, such as 1000 or 1e3.")
    return int(number)


def _decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number, such as 2, 0.5 or 1e-3.") from None


def read_plain_values(command: Any, ctx: Any) -> None:
    """Let a command of Typer read plain arguments by themselves; leave other versions alone."""
    for param in command.get_params(ctx):
        descriptor = getattr(param, "type_descriptor", None)
        if descriptor is None or getattr(param, "_runtime_param", "") is not None:
            continue
        kind = _plain_kind(descriptor.annotation)
        info = descriptor.parameter_info
        special = descriptor.is_choice or descriptor.is_path or descriptor.is_file
        if kind is None or special or info.parser or param.multiple:
            continue
        if param.nargs == len(get_args(kind) or (kind,)):
            limits = getattr(info, "min", None), getattr(info, "max", None)
            param._runtime_param = PlainArgument(kind, *limits)


def _plain_kind(annotation: Any) -> Any:
    """Return str, int, float, bool or a tuple of numbers if the annotation is that, or optional."""
    if get_origin(annotation) is tuple:
        return annotation if {*get_args(annotation)} <= {int, float} else None
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    if len(kinds) != 1:
        return None
    if get_origin(kinds[0]) is tuple:
        return _plain_kind(kinds[0])
    return kinds[0] if kinds[0] in (str, int, float, bool) else None
