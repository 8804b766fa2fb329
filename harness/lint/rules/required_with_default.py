"""Finds required fields with a default, which are never missing.

Source: semantics.md#3.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import default_of, is_zero_default, path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        default = default_of(element)
        for use in uses_on(view, element) if default is not None else ():
            if (
                use.name == "required"
                and not use.target
                and not use.is_in_mode
                and not is_zero_default(view, element, default)
            ):
                message = f"+k8s:required on {path_of(element)}, which has the default {default}: it is never missing"
                yield advise(use, message, "write +k8s:optional if clients may leave it out, or remove the default")


RULE = LintRule(
    code="required-with-default",
    severity="warning",
    summary="A required field with a default.",
    why="defaults are applied before validation, so the rule never fires; the documentation calls it mandatory",
    good=field_of("+k8s:required", "*int32"),
    bad=field_of("+default=1\n+k8s:required", "*int32"),
    find=find,
)
