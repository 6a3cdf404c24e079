"""A class name and a module name occur once in the package; no test imports another one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import graven

PACKAGE = Path(graven.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
NOT_NAMED = {"__init__", "__main__"}


def repeated(places: dict[str, list[str]]) -> str:
    """The names that occur more than once, one a line, each with its places."""
    return "\n".join(
        f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1
    )


def test_module_names_are_unique():
    places = defaultdict(list)
    for path in SOURCES:
        if path.stem not in NOT_NAMED:
            places[path.stem].append(str(path.relative_to(PACKAGE)))
    assert len(places) > 100
    assert not repeated(places), repeated(places)


def test_class_names_are_unique():
    places = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert len(places) > 100
    assert not repeated(places), repeated(places)


def test_no_test_module_imports_another():
    imports = []
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                imports += [
                    f"{path.name}: {name}"
                    for name in names
                    if name.startswith("tests.") and name.rpartition(".")[2].startswith("test_")
                ]
    assert imports == []
