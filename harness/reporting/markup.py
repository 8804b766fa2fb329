"""Texts that others wrote, in Markdown: shown as they are, read as nothing else."""

from __future__ import annotations

import re

from harness.reporting.text import visible

# Emphasis, code, links, cells, tags, mentions, references, mathematics; emoji and bare addresses; what begins a list or
# a heading. As an entity each is shown as what it is and read as nothing else.
_SPECIAL = re.compile(r"[&<>\\`*\[\]|~@#$^]|(?<!\w)_|_(?!\w)|:(?=//|[\w+-]+:)|(?<=www)\.|^[-+=\d]", re.IGNORECASE)


def plain(text: str) -> str:
    """Escape a text for a sentence, a cell or a tag: it is shown as it is, on one line."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", visible(text))


def fenced(name: str, language: str, text: str) -> str:
    """Put a text in a fence that it cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{name}:\n\n{fence}{language}\n{text}\n{fence}\n"
