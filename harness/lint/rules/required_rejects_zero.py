"""Finds +k8s:required on a bool, or on a number for which zero is allowed.

Source: semantics.md#S25.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import default_of, is_zero_unset, path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import governing_uses, group_by_target, tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        if element.member is None or not is_zero_unset(view, element.type):
            continue
        kind = view.types.kind(element.type)
        found = group_by_target(governing_uses(view, element)).get((), ())
        for use in (use for use in found if use.name == "required" and use.is_own):
            if kind == "bool":
                message = f"+k8s:required makes true the only value of {path_of(element)}"
                yield advise(use, message, "use a pointer, or +k8s:optional")
            least = (one for one in found if one.is_limit("value", upper=False))
            zero = next((one for one in least if one.number is not None and one.number <= 0), None)
            if kind == "integer" and zero and zero.can_apply_with(use) and default_of(element) is None:
                message = f"{zero.describe()} allows 0, but +k8s:required rejects it: 0 counts as unset"
                yield advise(use, message, "use a pointer, +k8s:optional, or +k8s:minimum=1")


RULE = LintRule(
    code="required-rejects-zero",
    severity="warning",
    summary="+k8s:required on a bool, or on a number for which zero is allowed.",
    why="on a field that is no pointer, unset and zero are the same, so the rule rejects false and 0",
    good=field_of("+k8s:required", "*bool"),
    bad=field_of("+k8s:required", "bool"),
    find=find,
)
