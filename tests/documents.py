"""The code blocks of the documentation, and what is done with each.

Every fenced block names its language. `python` blocks are programs, `sh` blocks commands; others
are only shown. A comment on the line before a block says how it is run where that is not as it
stands:

    <!-- run with: --games 500 => --games 2; stdin quit -->    texts replaced; what is typed
    <!-- not run: it needs Slurm -->                            and why

so that nothing is left out without anybody seeing it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parents[1]
PAGES = [HERE / "README.md", HERE / "CONTRIBUTING.md", *sorted((HERE / "docs").rglob("*.md"))]
RUN, NOT_RUN, STDIN = "run with:", "not run:", "stdin "
SHOWN = {"text", "json", "toml", "yaml", "kif", "lisp", "html", "xml", "math"}

_BLOCK = re.compile(
    r"^(?:<!-- (?P<rule>[^\n]*?) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    number: int
    kind: str
    text: str
    rule: str

    @property
    def name(self) -> str:
        return f"{self.page}-{self.number}"

    @property
    def left_out(self) -> str | None:
        """Why it is not run, or None if it is."""
        return self.rule.removeprefix(NOT_RUN).strip() if self.rule.startswith(NOT_RUN) else None

    @property
    def _changes(self) -> list[str]:
        if not self.rule.startswith(RUN):
            return []
        return [change.strip() for change in self.rule.removeprefix(RUN).split(";")]

    @property
    def stdin(self) -> str:
        """What is typed, line after line."""
        lines = [each.removeprefix(STDIN) for each in self._changes if each.startswith(STDIN)]
        return "".join(line + "\n" for line in lines)

    @property
    def program(self) -> str:
        """The text with the rule's replacements, each of which must have something to replace."""
        text = self.text
        for change in self._changes:
            if change.startswith(STDIN):
                continue
            old, arrow, new = (part.strip() for part in change.partition("=>"))
            assert arrow, f"{self.name}: {change!r} is no replacement"
            assert old in text, f"{self.name}: there is no {old!r} to replace"
            text = re.sub(re.escape(old) + r"(?![\w.])", new.replace("\\", "\\\\"), text)
        return text

    @property
    def commands(self) -> list[list[str]]:
        """The commands of a `sh` block as words, without comments."""
        whole = self.program.replace("\\\n", " ")
        return [words for line in whole.splitlines() if (words := shlex.split(line, comments=True))]


def blocks() -> list[Block]:
    """All blocks of all pages."""
    found = []
    for page in PAGES:
        for number, match in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8"))):
            found.append(
                Block(
                    str(page.relative_to(HERE)),
                    number,
                    match["kind"],
                    match["text"],
                    (match["rule"] or "").strip(),
                )
            )
    return found
