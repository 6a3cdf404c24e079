"""Explain why a user-defined rule function cannot be compiled: the line, and the reason.

Numba's messages contain both: the innermost location in the user's files, and a first sentence. The
most common of these sentences are translated here into terms of Python.
"""

from __future__ import annotations

import dis
import linecache
import os
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numba

from graven.core.errors import listed

NUMBA_FOLDER = str(Path(numba.__file__).parent)
PACKAGE_FOLDER = str(Path(__file__).resolve().parents[1])
MAX_REASON = 300  # characters of a message of Numba's that has no translation

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_LOCATIONS = re.compile(
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)'
    r"|(?:at|from) (?P<file_2>(?:/|<|\w:\\)[^\n]*?) \((?P<line_2>\d+)\)"
)
# A NamedTuple as Numba writes its type, and as `struct_memory.StoredTuple` does.
_RECORD = re.compile(r"Stored(?P<stored>[A-Z]\w*?)[0-9a-f]{8}\b|(?P<name>[A-Z]\w*)\(")
PARAMETERS = "FormulaParameters"  # the class of what a tree policy receives as `p`
MAX_FIELDS = 12
_UNSUPPORTED_OPCODES = {
    "IMPORT_NAME": "`import` inside a function: import at the top of the file",
    "LOAD_BUILD_CLASS": "a class inside a function",
    "SETUP_WITH": "`with`",
    "BEFORE_WITH": "`with`",
}
_TYPE_NAMES = (
    (r"Literal\[str\]|unicode_type", "a string"),
    (r"Literal\[bool\]|boolean|bool$|Literal\[.*bool", "a bool"),
    (r"Literal\[int\]|u?int\d+", "an integer"),
    (r"float\d+", "a float"),
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


def explain(
    function: Callable[..., Any], expected: int, error: BaseException, values: Iterable[Any] = ()
) -> str:
    """Return a sentence that explains Numba's error for a function.

    `expected` is the number of arguments that the contract passes to the function; `values` are
    what its code was compiled with, such as the classes of records.
    """
    text = _COLOURS.sub("", str(error))
    code = function.__code__
    if unknown_field := _unknown_field(text, values):
        reason, name = unknown_field, ""
    else:
        reason, name = _reason(text, expected)
    location = _location_of_name(function, name) if name else _location(text)
    file, line = location or (code.co_filename, code.co_firstlineno)
    source = linecache.getline(file, line).strip()
    quoted = f", `{source}`" if source else ""
    return (
        f"the function {function.__name__!r} ({file}, line {line}{quoted}) cannot be compiled: "
        f"{reason}{'' if reason.endswith('?') else '.'}"
    )


def _location(text: str) -> tuple[str, int] | None:
    """Return file and line of the innermost location outside Numba and this package."""
    for match in _LOCATIONS.finditer(text):
        name = match["file"] or match["file_2"]
        file = os.path.abspath(name)
        line = int(match["line"] or match["line_2"])
        if file.startswith((NUMBA_FOLDER, PACKAGE_FOLDER)) or "<graven" in file or line < 1:
            continue
        return (file if os.path.exists(file) else name), line
    return None


def _location_of_name(function: Callable[..., Any], name: str) -> tuple[str, int] | None:
    """Return file and line where a function, or one that it calls, first uses a name."""
    seen: set[CodeType] = set()
    pending: list[Any] = [function]
    while pending:
        function = python_function(pending.pop())
        if not isinstance(function, FunctionType) or function.__code__ in seen:
            continue
        code = function.__code__
        seen.add(code)
        for instruction in dis.get_instructions(function):
            if instruction.argval == name and "GLOBAL" in instruction.opname:
                line = instruction.positions.lineno if instruction.positions else None
                return code.co_filename, line or code.co_firstlineno
        pending += [function.__globals__.get(global_name) for global_name in code.co_names]
    return None


def _unknown_field(text: str, values: Iterable[Any]) -> str:
    """Return the reason if the code reads a field that a record does not have, else ""."""
    match = re.search(r"Unknown attribute '(.+?)' of type ([^\n]+)", text)
    if not match or not (record := _RECORD.match(match[2])):
        return ""
    # Numba has records of the same names.
    others = [each for each in tuple.__subclasses__() if not each.__module__.startswith("numba")]
    known = [*values, *others]
    class_name = record["stored"] or record["name"]
    named = (each for each in known if getattr(each, "__name__", "") == class_name)
    fields: tuple[str, ...] = next((f for each in named if (f := _fields(each)) is not None), ())
    is_parameter = class_name == PARAMETERS
    near = get_close_matches(match[1], fields, n=1)
    if near:
        hint = f"; did you mean `{near[0]}`?"
    elif is_parameter:
        hint = f"; the policy declares {listed(fields) or 'none'}"
    else:
        hint = f"; its fields are {listed(fields, MAX_FIELDS)}" if fields else ""
    noun = "parameter" if is_parameter else "field"
    return f"`{_record_name(class_name)}` has no {noun} `{match[1]}`{hint}"


def _fields(record: Any) -> tuple[str, ...] | None:
    return getattr(record, "_fields", None)


def _record_name(class_name: str) -> str:
    """Return the name of the argument that has a record: `edge` for Edge."""
    return "p" if class_name == PARAMETERS else class_name.lower()


def _reason(text: str, expected: int) -> tuple[str, str]:
    """Return the reason, and the name that it is about, if any."""
    if match := re.search(r"NameError: name '(.+?)' is not defined", text):
        return f"the name `{match[1]}` is not defined", match[1]
    if match := re.search(
        r"Untyped global name '(.+?)':\s+Cannot determine Numba type of <class '(.+?)'>", text
    ):
        return (
            f"`{match[1]}` is a {match[2].rpartition('.')[2]}, and compiled rules take from "
            "outside only numbers, tuples of numbers, NumPy arrays and functions",
            match[1],
        )
    if match := re.search(
        r"The use of a reflected (list|set)\b.*?, assigned to variable '(.+?)' in globals", text
    ):
        return (
            f"`{match[2]}` is a {match[1]}, and compiled rules take from outside only numbers, "
            "tuples of numbers, NumPy arrays and functions: make it a tuple or an array",
            match[2],
        )
    if match := re.search(r"Cannot unify (.+?) and (.+?) for '(.+?)(?:\.\d+)?'", text):
        first, second = type_name(match[1]), type_name(match[2])
        # Numba gives the value of a conditional expression a name that begins with a dollar sign.
        name = "a value" if match[3].startswith("$") else f"`{match[3]}`"
        return f"{name} is {first} in one branch and {second} in another: use one type", ""
    if match := re.search(r"unsupported opcode \((\w+)\)", text):
        return f"compiled rules cannot have {_UNSUPPORTED_OPCODES.get(match[1], match[1])}", ""
    if match := re.search(r"The '(with|try|async)\b.*?' construct is not supported", text):
        return f"compiled rules cannot have `{match[1]}`", ""
    if match := re.search(r"Cannot bind 'args=.*? to signature '\((.*?)\)' due to", text):
        takes = match[1] or "no argument"
        if _location(text) is None:
            return f"it takes {takes}, and the contract calls it with {expected} arguments", ""
        return f"a function that takes {takes} is called with different arguments", ""
    if "generator(func=" in text:
        return "compiled rules cannot have `yield`", ""
    if match := re.search(r"Unknown attribute '(.+?)' of type ([^\n]+)", text):
        return f"{type_name(match[2])} has no `{match[1]}` in compiled rules", ""
    if match := re.search(
        r"No implementation of function Function\(.+?\) found for signature:\s+>>> (\w+)\((.*)\)\n",
        text,
    ):
        operator, types = _OPERATORS.get(match[1], match[1]), _argument_types(match[2])
        return f"`{operator}` does not work with {' and '.join(types)} in compiled rules", ""
    if match := re.search(r"No conversion from (.+?) to (.+?) for", text):
        return f"{type_name(match[1])} is used where {type_name(match[2])} is needed", ""
    lines = [line.strip() for line in text.splitlines()]
    useful = [line for line in lines if line and not line.startswith("Failed in nopython mode")]
    first = useful[0] if useful else "no reason is known"
    return f"{first[:MAX_REASON].removesuffix('.')} (message of Numba)", ""


def python_function(value: Any) -> Any:
    """Return the Python function inside a compiled one."""
    return getattr(value, "py_func", value)


def type_name(text: str) -> str:
    """Return the name of a Numba type in terms of Python."""
    for pattern, words in _TYPE_NAMES:
        if re.match(pattern, text.strip()):
            return words
    if record := _RECORD.match(text.strip()):
        return f"`{_record_name(record['stored'] or record['name'])}`"
    return text.strip()


def _argument_types(text: str) -> list[str]:
    """Return the names of the types in an argument list, split at its outermost commas."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [type_name(argument) for argument in [*parts, part] if argument.strip()]
