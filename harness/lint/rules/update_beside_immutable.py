"""Finds update rules on a field that may not change at all.

Source: semantics.md#4.4, #4.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, group_by_target, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for found in group_by_target(uses_on(view, element)).values():
            for use in (use for use in found if use.name in ("update", "monotonic")):
                stop = next((one for one in found if one.name == "immutable" and one.applies_whenever(use)), None)
                if stop is not None and STRENGTH[stop.level] >= STRENGTH[use.level]:
                    message = f"{tag_text(use.tag)} rejects nothing that {tag_text(stop.outer)} does not"
                    yield advise(use, message, "remove it, or remove +k8s:immutable", propose_deletion(view, use.tag))


RULE = LintRule(
    code="update-beside-immutable",
    severity="warning",
    summary="An update rule on a field that may not change at all.",
    why="both run, so a user gets two errors for one change",
    good=field_of("+k8s:optional\n+k8s:update=NoSet\n+k8s:update=NoModify", "*string"),
    bad=field_of("+k8s:optional\n+k8s:immutable\n+k8s:update=NoModify", "*string"),
    find=find,
    fixes=True,
)
