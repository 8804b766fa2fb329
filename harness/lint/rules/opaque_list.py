"""Finds +k8s:opaqueType where it has no effect: on an unnamed list or map, or on the items of a named one.

Source: semantics.md#S19.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import S, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        declared = view.types.declared(element.type)
        for use in uses_on(view, element) if element.member is not None else ():
            if use.name != "opaqueType":
                continue
            if not use.target and declared.kind in ("list", "map"):
                message = f"+k8s:opaqueType does nothing on {path_of(element)}, a {declared.kind} without a name"
                yield advise(use, message, "+k8s:eachVal=+k8s:opaqueType leaves out the rules of its items")
            elif use.target == ("eachVal",) and declared.kind == "named":
                message = f"+k8s:eachVal=+k8s:opaqueType does nothing on {path_of(element)}, whose list type has a name"
                yield advise(
                    use.outer, message, f"put it on {declared.name.rpartition('.')[2]}, or use +k8s:opaqueType here"
                )


RULE = LintRule(
    code="opaque-list",
    severity="error",
    summary="+k8s:opaqueType where it has no effect.",
    why=(
        "on a list or map without a name the items are what has rules, and for a list type with a name its "
        "own declaration decides"
    ),
    good=field_of("+k8s:optional\n+k8s:eachVal=+k8s:opaqueType", "[]S", S),
    bad=field_of("+k8s:optional\n+k8s:opaqueType", "[]S", S),
    find=find,
)
