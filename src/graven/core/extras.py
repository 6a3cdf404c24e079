"""Optional dependencies: the extras of pyproject.toml, and the error if one is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from graven.core.errors import UsageError


class Extra(NamedTuple):
    """An extra: what it is needed for, and the packages that must be importable."""

    purpose: str
    packages: tuple[str, ...]


EXTRAS = {
    "web": Extra("the web page and the GGP player", ("starlette", "uvicorn", "websockets")),
    "plots": Extra("plots", ("matplotlib",)),
    "cluster": Extra("games on a Dask cluster", ("distributed",)),
    "tune": Extra("tuning", ("optuna",)),
    "openspiel": Extra("OpenSpiel's games and bots", ("pyspiel",)),
    "parquet": Extra("Parquet files", ("pyarrow",)),
}


def require(extra: str) -> Any:
    """Return the first package of an extra; raise UsageError if one cannot be imported.

    The message has the command that installs the extra.
    """
    purpose, packages = EXTRAS[extra]
    modules = []
    for package in packages:
        try:
            modules.append(import_module(package))
        except ImportError as error:
            raise UsageError(
                f"the package {package!r}, needed for {purpose}, cannot be imported: "
                f"pip install 'graven[{extra}]'"
            ) from error
    return modules[0]


def is_installed(extra: str) -> bool:
    """Return whether all packages of an extra can be imported."""
    try:
        require(extra)
    except UsageError:
        return False
    return True
