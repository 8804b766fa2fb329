"""Finds the same rule at two levels on one element.

Source: semantics.md#3.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, tagged_elements, uses_on, without_levels
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        seen: dict[str, Use] = {}
        for use in uses_on(view, element):
            first = seen.setdefault(str(without_levels(use.outer)), use)
            if first.level != use.level:
                message = f"{without_levels(use.outer)} is here at two levels, {_level(first)} and {_level(use)}"
                yield advise(
                    use.outer, message, "keep the intended level; both rules run, and an error is reported twice"
                )


def _level(use: Use) -> str:
    return use.level or "standard"


RULE = LintRule(
    code="tag-at-two-levels",
    severity="warning",
    summary="The same rule at two levels on one element.",
    why="levels do not replace each other: both rules run",
    good=field_of("+k8s:beta=+k8s:required", "string"),
    bad=field_of("+k8s:required\n+k8s:beta=+k8s:required", "string"),
    find=find,
)
