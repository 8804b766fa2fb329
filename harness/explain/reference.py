"""Writes the pages of words as Markdown, for `docs/reference`: what `harness explain` says, in one place to search."""

from __future__ import annotations

from harness.explain import CATEGORIES, all_pages, introduction

_NOTE = (
    "Generated from `harness/explain/pages`: do not edit. `harness explain CODE` prints one entry, "
    "`harness docs --words` writes this page anew."
)


def references() -> dict[str, str]:
    """Return every page of words by the name of its file."""
    return {f"{category}.md": _page(category) for category in CATEGORIES}


def _page(category: str) -> str:
    title, _, words = introduction(category).partition("\n")
    pages = all_pages()[category]
    rows = [f"| [`{page.code}`](#{page.code}) | {page.summary} |" for page in pages]
    parts = [title, _NOTE, words.strip(), "\n".join(("| word | says |", "|---|---|", *rows))]
    parts += [f"## {page.code}\n\n{page.text}" for page in pages]
    return "\n\n".join(part for part in parts if part) + "\n"
