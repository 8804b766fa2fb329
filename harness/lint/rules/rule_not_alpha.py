"""Finds rules that a change adds to a type or field that there was before, at another level than alpha.

Source: KEP-5073, on the lifecycle of a rule; semantics.md#3.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.changes import kept_elements
from harness.lint.elements import path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, without_levels
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    since = f'(since: "1.{view.minor}")' if view.minor is not None else ""
    for kept in kept_elements(view):
        for key, use in kept.rules.items():
            if key not in kept.before and use.level != "alpha":
                message = f"{tag_text(use.tag)} is new on {path_of(kept.element)}, which there was before"
                yield advise(
                    use.outer,
                    f"{message}, and starts at level {use.level or 'standard'}",
                    f"+k8s:alpha{since}={without_levels(use.outer)}",
                )


RULE = LintRule(
    code="rule-not-alpha",
    severity="warning",
    summary="A rule that a change adds to an existing field does not start at alpha.",
    why=(
        "objects that are stored already may break it, and its handwritten check may differ: at alpha only the metrics "
        "show that"
    ),
    good=field_of("+k8s:optional\n+k8s:alpha=+k8s:maxLength=5", "*string"),
    bad=field_of("+k8s:optional\n+k8s:maxLength=5", "*string"),
    base=field_of("+k8s:optional", "*string"),
    find=find,
)
