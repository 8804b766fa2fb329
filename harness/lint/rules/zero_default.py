"""Finds optional fields whose default is the zero value, which another rule rejects.

Source: semantics.md#S26.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import default_of, is_zero_default
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, governing_uses, group_by_target, tagged_elements
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        default = default_of(element)
        if element.member is None or default is None or not is_zero_default(view, element, default):
            continue
        found = group_by_target(governing_uses(view, element)).get((), ())
        lost = [use for use in found if use.name == "optional" and use.is_own]
        for use in (use for use in found if lost and _rejects_zero(view, element, use)):
            message = f"+k8s:optional does nothing beside +default={default}, so {use.describe()} rejects the default"
            yield advise(lost[0], message, "remove the default, or allow it")


def _rejects_zero(view: PackageView, element: Element, use: Use) -> bool:
    number = use.number
    if use.is_limit("value", "length", upper=False):
        return number is not None and number > 0
    if use.name == "format":
        return use.text not in ("k8s-label-value", "k8s-path-segment-name")
    if use.name == "enum":
        return "" not in [const.value for const in view.types.consts_of(element.type.name)]
    return use.is_limit("value", upper=True) and number is not None and number < 0


RULE = LintRule(
    code="zero-default",
    severity="warning",
    summary="An optional field whose default is the zero value, which another rule rejects.",
    why="with a default equal to the zero value +k8s:optional is only documentation and does not short-circuit",
    good=field_of("+default=0\n+k8s:optional\n+k8s:minimum=0", "int32"),
    bad=field_of("+default=0\n+k8s:optional\n+k8s:minimum=3", "int32"),
    find=find,
)
