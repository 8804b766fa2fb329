"""Finds tags on fields that are not encoded (`json:"-"`).

Source: semantics.md#2.3, #S21.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        if element.member is not None and element.member.json_ignored and element.member.exported:
            for use in uses_on(view, element):
                message = (
                    f'{tag_text(use.outer)} on {element.name}, which is json:"-": a client can neither set nor see it'
                )
                yield advise(use.outer, message, "remove the tag, or give the field a JSON name")


RULE = LintRule(
    code="tag-on-hidden-field",
    severity="warning",
    summary='A tag on a field that is json:"-".',
    why="such a field is validated at its parent's path, so the error names something that no client wrote",
    good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n\tB string `json:"-"`\n}\n',
    bad='type T struct {\n\t// +k8s:required\n\tA string `json:"-"`\n}\n',
    find=find,
)
