"""Finds the same tag twice on one element."""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        seen: dict[str, Use] = {}
        for use in uses_on(view, element):
            first = seen.setdefault(str(use.outer), use)
            if first is not use:
                message = f"{tag_text(use.outer)} is here twice; the first is in line {first.outer.position.line}"
                yield advise(use.outer, message, "remove this line", propose_deletion(view, use.outer))


RULE = LintRule(
    code="tag-repeated",
    severity="warning",
    summary="The same tag twice on one element.",
    why="the rule runs twice, and a user gets the same error twice",
    good=field_of("+k8s:required", "string"),
    bad=field_of("+k8s:required\n+k8s:required", "string"),
    find=find,
    fixes=True,
)
