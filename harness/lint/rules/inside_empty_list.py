"""Finds rules for the items of a list or map that must be empty.

Source: semantics.md#3.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import governing_uses, tag_text, tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = governing_uses(view, element)
        for stop in (use for use in found if use.is_limit("count", upper=True) and use.number == 0):
            for use in found:
                inner = use.target[: len(stop.target)] == stop.target and len(use.target) > len(stop.target)
                if use.is_own and inner and not use.is_in_mode and stop.applies_whenever(use):
                    yield advise(
                        use,
                        f"{tag_text(use.tag)} never runs: {stop.describe()} allows no item",
                        "remove it, or raise the limit",
                    )


RULE = LintRule(
    code="inside-empty-list",
    severity="error",
    summary="A rule for the items of a list or map that may have none.",
    why="the items of a list that is too long are not validated, so the rule never runs",
    good=field_of("+k8s:optional\n+k8s:maxItems=1\n+k8s:eachVal=+k8s:maxLength=9", "[]string"),
    bad=field_of("+k8s:optional\n+k8s:maxItems=0\n+k8s:eachVal=+k8s:maxLength=9", "[]string"),
    find=find,
)
