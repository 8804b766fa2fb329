"""Finds alpha rules that short-circuit rules of a higher level: their errors are hidden, and the other rules skipped.

Source: semantics.md#3.3, #S2.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, governing_uses, tag_text, tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = governing_uses(view, element)
        for stop in found:
            hides = stop.short_circuits and stop.name != "optional" and stop.level == "alpha"
            if not hides or stop.target or not stop.is_own or stop.is_in_mode:
                continue
            lost = [use for use in found if use.can_be_skipped and STRENGTH[use.level] > 0 and use.can_apply_with(stop)]
            if lost:
                message = f"the error of {tag_text(stop.tag)} is hidden, and {lost[0].describe()} does not run after it"
                yield advise(
                    stop.outer,
                    message,
                    f"give {tag_text(lost[0].tag)} the same level, or raise the level of {tag_text(stop.tag)}",
                )


RULE = LintRule(
    code="hidden-stop",
    severity="warning",
    summary="An alpha rule that short-circuits rules of a higher level.",
    why=(
        "levels do not affect control flow: the alpha error is hidden, and the rules after it do not run, "
        "so the object is accepted"
    ),
    good=field_of("+k8s:optional\n+k8s:alpha=+k8s:maxItems=3\n+k8s:alpha=+k8s:eachVal=+k8s:minLength=1", "[]string"),
    bad=field_of("+k8s:optional\n+k8s:alpha=+k8s:maxItems=3\n+k8s:eachVal=+k8s:minLength=1", "[]string"),
    find=find,
)
