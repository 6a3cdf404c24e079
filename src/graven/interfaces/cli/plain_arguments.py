"""Read numbers and texts of the command line without Pydantic.

Typer (from 0.26 on) validates every argument with Pydantic, whose import takes a tenth of the
start-up time of a search. Arguments that are plainly what they should be need no validation: Typer
reads only the others, and reports what is wrong with them.
"""

from __future__ import annotations

import re
from typing import Any, get_args

WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)


class PlainArgument:
    """Stands for Typer's reader of one argument until that is needed."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of an argument: at once if it is plain, else by Typer's reader."""
        if value is None or type(value) is self.kind:
            return value
        if isinstance(value, str):
            if self.kind is int and WHOLE.fullmatch(value):
                return int(value)
            if self.kind is float and DECIMAL.fullmatch(value):
                return float(value)
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def read_plain_values(command: Any, ctx: Any) -> None:
    """Let a command of Typer read plain arguments by themselves; leave other versions alone."""
    for param in command.get_params(ctx):
        descriptor = getattr(param, "type_descriptor", None)
        if descriptor is None or getattr(param, "_runtime_param", "") is not None:
            continue
        kind = _plain_kind(descriptor.annotation)
        info = descriptor.parameter_info
        special = (
            descriptor.is_choice or descriptor.is_path or descriptor.is_file or descriptor.is_ranged
        )
        if kind and not special and not info.parser and not param.multiple and param.nargs == 1:
            param._runtime_param = PlainArgument(kind)


def _plain_kind(annotation: Any) -> type | None:
    """Return str, int, float or bool if the annotation is one of them, or one of them or None."""
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    return kinds[0] if len(kinds) == 1 and kinds[0] in (str, int, float, bool) else None
