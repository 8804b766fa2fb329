"""Finds tags after other text in a line, unless the text only refers to the tag or quotes it.

Source: semantics.md#1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from harness.lint.elements import is_tag, lines_with_plus
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.view import PackageView
from harness.tags.grammar import name_of
from harness.tags.registry import SPECS

_WORDS = frozenset(("a", "an", "and", "as", "by", "has", "have", "is", "like", "no", "not", "of", "or", "per", "see",
                      "tag", "tags", "than", "the", "to", "use", "uses", "via", "when", "where", "with",
                      "without"))  # fmt: skip


def find(view: PackageView) -> Iterator[Advice]:
    for line in lines_with_plus(view):
        before, found, rest = line.text.partition("+k8s:")
        tag = found + rest.rstrip()
        if not before.strip() or name_of(tag) not in SPECS or not is_tag(tag):
            continue
        example = before.startswith(("\t", "    ", "+")) or "//" in before
        if not example and before[-1] in " \t*-" and not _is_prose(before):
            position = replace(line.position, column=line.position.column + len(before))
            message = f"{tag} follows other text, so it is not a tag"
            yield Advice(position, len(name_of(tag)) + 1, message, "give it a line of its own")


def _is_prose(before: str) -> bool:
    """Whether the text before a tag only refers to the tag: `marked with +k8s:required`."""
    words = before.split()
    ends = before.rstrip()[-1:] in tuple(".:;,!*-")
    return words[-1].lower() in _WORDS or not (ends or len(words) <= 3)


RULE = LintRule(
    code="tag-in-text",
    severity="note",
    summary="A tag at the end of a line of text.",
    why="a line is a tag only if it starts with +",
    good=field_of("The name.\n+k8s:required", "string"),
    bad=field_of("The name. +k8s:required", "string"),
    find=find,
)
