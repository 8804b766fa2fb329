"""Splits a YAML list into text blocks, so that entries can be edited without changing the rest of the file.

Each block is an entry with the comments directly above it. A YAML writer would lose comments, or attach them to the
previous entry; here all other bytes stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

_EMPTY = re.compile(r"(?:\[\s*\]|null|~)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class BlockList:
    """A split text: the head before the first block, the blocks, and their indentation."""

    head: str
    blocks: tuple[str, ...] = ()
    indent: str = ""


def compose(text: str) -> yaml.Node | None:
    """Return the nodes of a document, which know their lines; None if it is empty. Raises: yaml.YAMLError.

    libyaml reads them ten times as fast. What it refuses is read again, because the words of PyYAML say more.
    """
    try:
        return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.SafeLoader)


def cut_blocks(text: str) -> BlockList | None:
    """Split a list above the comments of each entry; None when entries share a line.

    Raises: yaml.YAMLError for invalid YAML.
    """
    root = compose(text)
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        return BlockList(_EMPTY.sub("", text))
    lines = text.splitlines(keepends=True)
    starts = [node.start_mark.line for node in root.value]
    if root.flow_style or starts != sorted(set(starts)) or not all(begins_entry(lines[start]) for start in starts):
        return None
    cuts = [
        _first_comment(lines, start, starts[i - 1] if i else _last_head_line(lines, start))
        for i, start in enumerate(starts)
    ]
    pieces = ["".join(lines[a:b]) for a, b in zip(cuts, [*cuts[1:], len(lines)], strict=True)]
    return BlockList("".join(lines[: cuts[0]]), tuple(pieces), " " * root.start_mark.column)


def join_blocks(head: str, blocks: Sequence[str]) -> str:
    """Join a head and blocks; without blocks the text is an empty list."""
    if not blocks:
        return head + "[]\n"
    head = head.rstrip("\n")
    return (f"{head}\n\n" if head else "") + "".join(blocks)


def begins_entry(line: str) -> bool:
    """Whether a line is the first of a list entry."""
    return line.lstrip().startswith("- ")


def _last_head_line(lines: list[str], first: int) -> int:
    """Return the last line of the head: the last blank line before the first entry, or the line before that entry."""
    blank = [number for number in range(first) if not lines[number].strip()]
    return blank[-1] if blank else first - 1


def _first_comment(lines: list[str], start: int, head: int) -> int:
    """Return the first line of the comments directly above an entry."""
    while start - 1 > head and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start
