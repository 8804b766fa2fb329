"""A YAML list as text that can be changed: a head, and one block for each entry with the comments right above it.

A YAML writer would move those comments to the entry before, and lose them with it. Here every byte that is not meant
stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import yaml

_EMPTY = re.compile(r"(?:\[\s*\]|null|~)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A text in pieces: what stands before the first block, the blocks, and how far they are indented."""

    head: str
    blocks: tuple[str, ...] = ()
    indent: str = ""


def cut_blocks(text: str) -> Cut | None:
    """Cut a list above each entry and its comments; None for one whose entries have no lines of their own.

    Raises: yaml.YAMLError for what is no YAML.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        return Cut(_EMPTY.sub("", text))
    lines = text.splitlines(keepends=True)
    starts = [node.start_mark.line for node in root.value]
    if root.flow_style or starts != sorted(set(starts)) or not all(begins(lines[start]) for start in starts):
        return None
    cuts = [_above(lines, start, starts[i - 1] if i else _head_of(lines, start)) for i, start in enumerate(starts)]
    pieces = ["".join(lines[a:b]) for a, b in zip(cuts, [*cuts[1:], len(lines)], strict=True)]
    return Cut("".join(lines[: cuts[0]]), tuple(pieces), " " * root.start_mark.column)


def joined(head: str, blocks: Sequence[str]) -> str:
    """Put a text together again; without blocks it is an empty list."""
    if not blocks:
        return head + "[]\n"
    head = head.rstrip("\n")
    return (f"{head}\n\n" if head else "") + "".join(blocks)


def begins(line: str) -> bool:
    """Whether a line begins an entry of a list."""
    return line.lstrip().startswith("- ")


def _head_of(lines: list[str], first: int) -> int:
    """Find the last line of the head: what stands before a blank line, or all of it when there is none."""
    blank = [number for number in range(first) if not lines[number].strip()]
    return blank[-1] if blank else first - 1


def _above(lines: list[str], start: int, least: int) -> int:
    """Find where the comments right above an entry begin."""
    while start - 1 > least and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start
