"""Finds optional fields whose default makes them required, because upstream assumes that it is applied.

On a field that is not a pointer, list or map, unset means the zero value.

Source: semantics.md#3.6, #S27.
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
        for use in uses_on(view, element) if default not in (None, "null") else ():
            if use.name != "optional" or use.target or use.is_in_mode or is_zero_default(view, element, default):
                continue
            message = f"+k8s:optional with +default={default} works as +k8s:required on {path_of(element)}"
            yield advise(use, message, "nothing to do if defaults are always applied before validation")


RULE = LintRule(
    code="default-makes-required",
    severity="note",
    summary="An optional field whose default makes it required.",
    why="upstream assumes that the default is applied, and rejects an object without the field",
    good=field_of("+k8s:optional", "*int32"),
    bad=field_of("+default=1\n+k8s:optional", "*int32"),
    find=find,
)
