"""Finds strings whose only limit is a format that does not limit the length.

Source: semantics.md#5.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import governing_uses, group_by_target, tag_text, tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for found in group_by_target(governing_uses(view, element)).values():
            for use in found:
                limited = any(other.is_limit("length", upper=True) for other in found)
                if use.is_own and use.name == "format" and use.text == "k8s-path-segment-name" and not limited:
                    message = f"{tag_text(use.tag)} sets no limit of length on {path_of(element)}"
                    yield advise(use, message, "add +k8s:maxLength=253, the limit for names of objects")


RULE = LintRule(
    code="format-without-length",
    severity="note",
    summary="A format that sets no limit of length, on a string without one.",
    why="a path segment may be as long as a request; handwritten validation usually limits names",
    good=field_of("+k8s:required\n+k8s:format=k8s-path-segment-name\n+k8s:maxLength=253", "string"),
    bad=field_of("+k8s:required\n+k8s:format=k8s-path-segment-name", "string"),
    find=find,
)
