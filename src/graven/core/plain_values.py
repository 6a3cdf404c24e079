"""Results as plain values: `to_dict()` for programs, `to_json()` for files and other programs."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any


class PlainValues(ABC):
    """A result that can be written as JSON."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result as lists, dictionaries, texts and numbers."""

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as JSON text: one line, or indented by so many spaces."""
        return json.dumps(self.to_dict(), indent=indent)
