"""Finds rules that never run, because +k8s:forbidden on the same field short-circuits them.

Source: semantics.md#3.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = uses_on(view, element)
        for stop in (use for use in found if use.name == "forbidden" and not use.target and not use.is_in_mode):
            for use in found:
                if use.name == "required" and not use.target and use.can_apply_with(stop) and not use.is_in_mode:
                    yield advise(
                        use,
                        f"{tag_text(use.tag)} and +k8s:forbidden leave no {path_of(element)} that passes",
                        "keep one",
                    )
                elif use.can_be_skipped and stop.applies_whenever(use):
                    message = f"{tag_text(use.tag)} never runs: +k8s:forbidden ends the field first, set or unset"
                    yield advise(use, message, "remove it, or put the two under opposite options")


RULE = LintRule(
    code="after-forbidden",
    severity="error",
    summary="A rule on a field that is forbidden whenever the rule would apply.",
    why="+k8s:forbidden ends the field when it is set, and an unset field has nothing to check",
    good=field_of("+k8s:ifDisabled(A)=+k8s:forbidden\n+k8s:ifEnabled(A)=+k8s:optional\n+k8s:maxLength=9", "string"),
    bad=field_of("+k8s:forbidden\n+k8s:maxLength=9", "string"),
    find=find,
)
