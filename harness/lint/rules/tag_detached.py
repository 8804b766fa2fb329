"""Finds tags in a comment that a blank line separates from its element.

Source: semantics.md#1.1, #S31.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_joining
from harness.lint.elements import path_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, validation_tags
from harness.lint.view import PackageView
from harness.tags.registry import SPECS


def find(view: PackageView) -> Iterator[Advice]:
    for element in view.elements:
        edit = propose_joining(view, element)
        for tag in validation_tags(element.second_comments) if edit else ():
            if tag.name in SPECS:
                message = f"{tag_text(tag)} is cut off from {path_of(element)} by a blank line, so it is ignored"
                yield advise(tag, message, "remove the blank line", edit)


RULE = LintRule(
    code="tag-detached",
    severity="error",
    summary="A tag in a comment that a blank line separates from its element.",
    why="only the block directly above counts; the next one is read for subresources and roots alone",
    good='type T struct {\n\t// +k8s:required\n\t// The name.\n\tA string `json:"a"`\n}\n',
    bad='type T struct {\n\t// +k8s:required\n\n\t// The name.\n\tA string `json:"a"`\n}\n',
    find=find,
    fixes=True,
)
