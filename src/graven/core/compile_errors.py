"""Why a rule function cannot be compiled, for whoever wrote it: which line, and what about it.

Numba's messages are about Numba. What matters is in them: the innermost place in a file of the
person's own, and a first sentence, for the most common of which there are plain words here.
"""

from __future__ import annotations

import dis
import linecache
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba

NUMBA = str(Path(numba.__file__).parent)
OURS = str(Path(__file__).resolve().parents[1])
LONGEST = 300

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PLACES = re.compile(
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)'
    r"|(?:at|from) (?P<other>(?:/|<|\w:\\)[^\n]*?) \((?P<number>\d+)\)"
)
_OPCODES = {
    "IMPORT_NAME": "`import` inside a function: import at the top of the file",
    "LOAD_BUILD_CLASS": "a class inside a function",
    "SETUP_WITH": "`with`",
    "BEFORE_WITH": "`with`",
}
_KINDS = (
    (r"Literal\[str\]|unicode_type", "a text"),
    (r"Literal\[bool\]|boolean|bool$|Literal\[.*bool", "true or false"),
    (r"Literal\[int\]|u?int\d+", "a whole number"),
    (r"float\d+", "a number with a fraction"),
    (r"none|Literal\[None", "None"),
    (r"array\(|Array\(", "an array"),
    (r"reflected list|List\(|list\(", "a list"),
    (r"DictType|dict", "a dict"),
    (r"reflected set|set\(", "a set"),
    (r"UniTuple|Tuple|Literal\[tuple", "a tuple"),
)
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "iadd": "+=", "isub": "-=", "imul": "*=", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
    "gt": ">", "ge": ">=", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "getitem": "[...]", "setitem": "[...] =", "contains": "in", "neg": "-",
}  # fmt: skip


def explained(function: Callable[..., Any], expected: int, error: BaseException) -> str:
    """One sentence about a function, which takes `expected` arguments, that Numba has refused."""
    text = _COLOURS.sub("", str(error))
    code = function.__code__
    reason, name = _reason(text, expected)
    place = _place_of_name(function, name) if name else _place(text)
    file, line = place or (code.co_filename, code.co_firstlineno)
    source = linecache.getline(file, line).strip()
    shown = f", `{source}`" if source else ""
    return (
        f"the function {function.__name__!r} ({file}, line {line}{shown}) cannot be compiled: "
        f"{reason}."
    )


def _place(text: str) -> tuple[str, int] | None:
    """The innermost place in a file that is neither Numba's nor ours."""
    for found in _PLACES.finditer(text):
        file = os.path.abspath(found["file"] or found["other"])
        line = int(found["line"] or found["number"])
        if not file.startswith((NUMBA, OURS)) and "<graven" not in file and line > 0:
            given = found["file"] or found["other"]
            return (file if os.path.exists(file) else given), line
    return None


def _place_of_name(function: Callable[..., Any], name: str) -> tuple[str, int] | None:
    """Where a function, or one that it calls, first uses a name."""
    seen: set[CodeType] = set()
    waiting: list[Any] = [function]
    while waiting:
        each = each_function(waiting.pop())
        if not isinstance(each, FunctionType) or each.__code__ in seen:
            continue
        seen.add(each.__code__)
        for step in dis.get_instructions(each):
            if step.argval == name and "GLOBAL" in step.opname:
                line = step.positions.lineno if step.positions else None
                return each.__code__.co_filename, line or each.__code__.co_firstlineno
        waiting += [each.__globals__.get(global_name) for global_name in each.__code__.co_names]
    return None


def _reason(text: str, expected: int) -> tuple[str, str]:
    """What is wrong in plain words where we have them, and the name it is about, if any."""
    if found := re.search(r"NameError: name '(.+?)' is not defined", text):
        return f"the name `{found[1]}` is not defined", found[1]
    if found := re.search(
        r"Untyped global name '(.+?)':\s+Cannot determine Numba type of <class '(.+?)'>", text
    ):
        return (
            f"`{found[1]}` is a {found[2].rpartition('.')[2]}, and compiled rules take from "
            "outside only numbers, tuples of numbers, NumPy arrays and functions",
            found[1],
        )
    if found := re.search(
        r"The use of a reflected (list|set)\b.*?, assigned to variable '(.+?)' in globals", text
    ):
        return (
            f"`{found[2]}` is a {found[1]}, and compiled rules take from outside only numbers, "
            "tuples of numbers, NumPy arrays and functions: make it a tuple or an array",
            found[2],
        )
    if found := re.search(r"Cannot unify (.+?) and (.+?) for '(.+?)(?:\.\d+)?'", text):
        one, other = kind(found[1]), kind(found[2])
        return f"`{found[3]}` is {one} in one case and {other} in another: let it always be one", ""
    if found := re.search(r"unsupported opcode \((\w+)\)", text):
        return f"compiled rules cannot have {_OPCODES.get(found[1], found[1])}", ""
    if found := re.search(r"The '(with|try|async)\b.*?' construct is not supported", text):
        return f"compiled rules cannot have `{found[1]}`", ""
    if found := re.search(r"Cannot bind 'args=.*? to signature '\((.*?)\)' due to", text):
        takes = found[1] or "no argument"
        if _place(text) is None:
            return f"it takes {takes}, and the contract calls it with {expected} arguments", ""
        return f"a function that takes {takes} is called with other arguments", ""
    if "generator(func=" in text:
        return "compiled rules cannot have `yield`", ""
    if found := re.search(r"Unknown attribute '(.+?)' of type ([^\n]+)", text):
        return f"{kind(found[2])} has no `{found[1]}` in compiled rules", ""
    if found := re.search(
        r"No implementation of function Function\(.+?\) found for signature:\s+>>> (\w+)\((.*)\)\n",
        text,
    ):
        operator, kinds = _OPERATORS.get(found[1], found[1]), _kinds(found[2])
        return f"`{operator}` does not work with {' and '.join(kinds)} in compiled rules", ""
    if found := re.search(r"No conversion from (.+?) to (.+?) for", text):
        return f"{kind(found[1])} stands where {kind(found[2])} is needed", ""
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    first = said[0] if said else type(text).__name__
    return f"{first[:LONGEST].removesuffix('.')} (as Numba says it)", ""


def each_function(value: Any) -> Any:
    """The Python function inside a compiled one."""
    return getattr(value, "py_func", value)


def kind(text: str) -> str:
    """A Numba type in plain words."""
    for pattern, words in _KINDS:
        if re.match(pattern, text.strip()):
            return words
    return text.strip()


def _kinds(text: str) -> list[str]:
    """The types in an argument list, split at its outermost commas."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [kind(each) for each in [*parts, part] if each.strip()]
