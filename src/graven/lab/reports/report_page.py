"""The frame of a report: its style sheet, tables and sections as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Light and dark are the reader's choice. Below 44rem a table is a list of cards, so that nothing
# is cut off on a phone.
CSS = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d0d7de;
  --back: #ffffff; --band: #f6f8fa; --good: #17692a; --bad: #a82315; --link: #0b4f8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #9aa4ad; --line: #3a4048;
  --back: #15181c; --band: #1e2329; --good: #5ec269; --bad: #ff8576; --link: #6cb0f0; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 Georgia, 'Times New Roman', serif; color: var(--ink);
  background: var(--back); margin: 2rem auto; max-width: 78rem; padding: 0 1rem;
  overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
nav ul { columns: 2 20rem; padding-left: 1.2rem; }
nav ul ul { columns: auto; }
nav li { break-inside: avoid; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.86rem; width: 100%; }
th, td { padding: 0.25rem 0.7rem 0.25rem 0; text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--soft); }
tbody tr:nth-child(even) { background: var(--band); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.equivalent { color: var(--good); } .differs { color: var(--bad); } .quiet { color: var(--soft); }
td code { overflow-wrap: break-word; }
code, pre { font: 0.8rem/1.45 Menlo, Consolas, monospace; }
pre { background: var(--band); padding: 0.5rem 0.8rem; white-space: pre-wrap; }
figure { margin: 1.5rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 0.86rem; color: var(--soft); }
.one-line, summary { white-space: nowrap; }
@media (max-width: 44rem) {
  body { margin: 1rem auto; }
  table, tbody, tr, td { display: block; width: auto; min-width: 0; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr { border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.6rem;
    margin: 0.6rem 0; }
  td, td.n { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0.6rem; text-align: left;
    padding: 0.12rem 0; }
  td::before { content: attr(data-label); color: var(--soft); }
}
@media print { body { max-width: none; } pre, figure, tr { break-inside: avoid; } }
"""


def page(title: str, content: Iterable[str]) -> str:
    """Return a whole HTML page that loads nothing else."""
    head = (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='color-scheme' content='light dark'>"
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body>"
    )
    return "\n".join([head, *content, "</body></html>\n"])


def heading(level: int, text: str) -> str:
    """Return a heading that contents can link to."""
    return f"<h{level} id='{anchor(text)}'>{escape(text)}</h{level}>"


def contents(entries: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return links to headings: sections, each with the headings below it."""
    items = []
    for section, below in entries:
        nested = "".join(f"<li>{_link(text)}</li>" for text in below)
        items.append(f"<li>{_link(section)}{f'<ul>{nested}</ul>' if nested else ''}</li>")
    return f"<nav aria-label='Contents'><h2>Contents</h2><ul>{''.join(items)}</ul></nav>"


def _link(text: str) -> str:
    return f"<a href='#{anchor(text)}'>{escape(text)}</a>"


def anchor(text: str) -> str:
    """Return the id of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns whose names begin with "!" contain numbers. Cells are HTML."""
    names = [column.lstrip("!") for column in columns]
    classes = [" class='n'" if column.startswith("!") else "" for column in columns]
    head = "".join(
        f"<th scope='col'{css_class}>{escape(name)}</th>"
        for css_class, name in zip(classes, names, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            # Empty cells are not shown as lines of a card.
            f"<td{css_class} data-label='{escape(name)}'><span>{cell}</span></td>"
            for css_class, name, cell in zip(classes, names, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def code(text: str) -> str:
    """Return text as code that may be broken after commas and before brackets."""
    return f"<code>{escape(text).replace(',', ',<wbr>').replace('(', '<wbr>(')}</code>"


def unbroken(text: str) -> str:
    """Return text that stays on one line."""
    return f"<span class='one-line'>{escape(text)}</span>"


def commands_html(commands: Sequence[str], shown: int = 1) -> str:
    """Return commands as one block, folded if there are more than `shown`."""
    block = f"<pre>{escape(chr(10).join(commands))}</pre>"
    if len(commands) <= shown:
        return block
    return f"<details><summary>{len(commands)} commands</summary>{block}</details>"
