"""Registration of methods as GTP commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

Reply = str | Iterator[str]
Handler = Callable[..., Reply]
MethodT = TypeVar("MethodT", bound=Handler)

_MARK = "_gtp_command"


class CommandMark(NamedTuple):
    """The command that a method implements."""

    name: str
    go_only: bool


def gtp_command(name: str, go_only: bool = False) -> Callable[[MethodT], MethodT]:
    """Mark a method as the implementation of a command."""

    def mark(method: MethodT) -> MethodT:
        setattr(method, _MARK, CommandMark(name, go_only))
        return method

    return mark


def handlers_of(group: object, is_go: bool) -> dict[str, Handler]:
    """Return the commands of a group by name; those for Go only if the game is Go."""
    handlers: dict[str, Handler] = {}
    for attribute, value in vars(type(group)).items():
        mark: CommandMark | None = getattr(value, _MARK, None)
        if mark is not None and (is_go or not mark.go_only):
            handlers[mark.name] = getattr(group, attribute)
    return handlers
