"""Pages that explain the words of reports and messages, one category after the other.

Causes have their pages in their records (`harness.compare.causes`); the others are package data, one file per category
and one section per code.

`references` writes them as Markdown, for `docs/reference`: what `harness explain` says, in one place to search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill

from harness.compare import causes
from harness.compare.cause import Cause

_SINGULAR = {"severities": "severity", "mismatches": "mismatch", "causes": "cause", "diagnostics": "diagnostic"}
CATEGORIES: tuple[str, ...] = tuple(_SINGULAR)
"""In reading order; each has a file in `pages` with at least its title."""

_PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True, slots=True)
class Page:
    """One explanation. `summary` is its first sentence."""

    code: str
    category: str
    text: str

    @property
    def sort(self) -> str:
        """What a code of the category is: one severity, one mismatch."""
        return _SINGULAR[self.category]

    @property
    def summary(self) -> str:
        """The first paragraph on one line, up to its first full stop."""
        first = " ".join(self.text.split("\n\n", 1)[0].split())
        head, stop, _ = first.partition(". ")
        return head + "." if stop else first


@cache
def all_pages() -> dict[str, tuple[Page, ...]]:
    """Return every page by category."""
    return {category: _read(category) for category in CATEGORIES}


def pages_of(code: str) -> list[Page]:
    """Return what is said of a code; a word such as `version` may be both a cause and a kind of mismatch."""
    return [page for pages in all_pages().values() for page in pages if page.code == code]


def introduction(category: str) -> str:
    """Return the title of a category and what is said before its first code."""
    return _text(category).split("\n## ", 1)[0].strip()


def _text(category: str) -> str:
    return (_PAGES / f"{category}.md").read_text(encoding="utf-8")


def _read(category: str) -> tuple[Page, ...]:
    if category == "causes":
        return tuple(Page(cause.code, category, _page_of(cause)) for cause in causes.CAUSES)
    sections = _text(category).split("\n## ")[1:]
    pages = []
    for section in sections:
        code, _, body = section.partition("\n")
        pages.append(Page(code.strip(), category, body.strip()))
    return tuple(pages)


def _page_of(cause: Cause) -> str:
    """Return the page of a cause: its text, the experiment that tells it from others, and an example."""
    parts = [cause.page.strip()]
    parts += [fill(f"Experiment: {cause.experiment}.", 120)] if cause.experiment else []
    parts += [f"Example: {cause.example.strip()}"] if cause.example else []
    return "\n\n".join(parts)


_NOTE = (
    "Generated from `{source}`: do not edit. `harness explain CODE` prints one entry, "
    "`harness docs --words` writes this page anew."
)


def references() -> dict[str, str]:
    """Return every page of words by the name of its file."""
    return {f"{category}.md": _page(category) for category in CATEGORIES}


def _page(category: str) -> str:
    title, _, words = introduction(category).partition("\n")
    pages = all_pages()[category]
    rows = [f"| [`{page.code}`](#{page.code}) | {page.summary} |" for page in pages]
    note = _NOTE.format(source="harness/compare/causes" if category == "causes" else "harness/explain/pages")
    parts = [title, note, words.strip(), "\n".join(("| word | says |", "|---|---|", *rows))]
    parts += [f"## {page.code}\n\n{page.text}" for page in pages]
    return "\n\n".join(part for part in parts if part) + "\n"
