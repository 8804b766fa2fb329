"""Finds +k8s:optional on a field that is required.

Source: semantics.md#3.3, #3.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import group_by_target, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = group_by_target(uses_on(view, element)).get((), ())
        for use in (use for use in found if use.name == "optional"):
            stop = next((one for one in found if one.name == "required" and one.applies_whenever(use)), None)
            if stop is not None:
                message = (
                    f"+k8s:optional has no effect beside {tag_text(stop.outer)}: all short-circuits of a field run"
                )
                yield advise(use, message, "keep the intended one")


RULE = LintRule(
    code="optional-beside-required",
    severity="warning",
    summary="+k8s:optional on a field that is required.",
    why="all short-circuits of a field run, so an empty field is rejected in spite of +k8s:optional",
    good=field_of("+k8s:ifEnabled(A)=+k8s:optional\n+k8s:ifDisabled(A)=+k8s:required", "string"),
    bad=field_of("+k8s:optional\n+k8s:required", "string"),
    find=find,
)
