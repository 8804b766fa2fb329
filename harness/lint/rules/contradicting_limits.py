"""Finds two limits of one value, or a limit and +k8s:required, that no value satisfies together.

Source: semantics.md#5.2, #5.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import is_zero_unset, path_of, target_type
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, limited_values
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element, target, found in limited_values(view):
        ref = target_type(view, element.type, target)
        can_be_empty = (
            ref is not None and is_zero_unset(view, ref) and view.types.kind(ref) in ("string", "list", "map")
        )
        for low in found:
            dimension, least, _ = low.bounds
            if low.name == "required" and can_be_empty:
                dimension, least = "count" if view.types.kind(ref or element.type) != "string" else "length", 1
            for high in found:
                other, _, most = high.bounds
                is_contradiction = other == dimension and least is not None and most is not None and least > most
                if is_contradiction and low.can_apply_with(high):
                    yield from _advise_on_pair(element, low, high)


def _advise_on_pair(element: Element, low: Use, high: Use) -> Iterator[Advice]:
    subject = max((use for use in (low, high) if use.is_own), key=lambda use: use.tag.position, default=None)
    if subject is not None:
        other = high if subject is low else low
        message = f"{subject.describe()} and {other.describe()} leave no value of {path_of(element)} that passes both"
        yield advise(subject, message, "raise the upper limit or lower the other one")


RULE = LintRule(
    code="contradicting-limits",
    severity="error",
    summary="Two limits of one value leave nothing that passes both.",
    why="every object that sets the field is rejected, by the one rule or by the other",
    good=field_of("+k8s:optional\n+k8s:minLength=1\n+k8s:maxLength=63", "string"),
    bad=field_of("+k8s:optional\n+k8s:minLength=64\n+k8s:maxLength=63", "string"),
    find=find,
)
