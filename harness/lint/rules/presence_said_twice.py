"""Finds lower limits of 1 that are never evaluated, because an empty value is short-circuited.

Source: semantics.md#3.3, #3.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.elements import default_of, is_zero_unset, target_type
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import governing_uses, group_by_target, tag_text, tagged_elements
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        if element.member is None:
            continue
        found = group_by_target(governing_uses(view, element)).get((), ())
        ref = target_type(view, element.type, ())
        if ref is None or not is_zero_unset(view, ref) or default_of(element) is not None:
            continue
        stops = [use for use in found if use.name in ("optional", "required")]
        for use in (use for use in found if use.is_own and use.is_limit("length", "count", upper=False)):
            stop = next((one for one in stops if one.applies_whenever(use)), None)
            if stop and use.number == 1:
                message = f"{tag_text(use.tag)} never fires: {stop.describe()} ends the field first when it is empty"
                yield advise(
                    use,
                    message,
                    "remove it, or use a pointer if empty and unset differ",
                    propose_deletion(view, use.tag),
                )


RULE = LintRule(
    code="presence-said-twice",
    severity="note",
    summary="A lower limit of 1 on a field whose empty value short-circuits it.",
    why=(
        "an empty string, list or map counts as unset: +k8s:optional passes it, +k8s:required rejects it, "
        "and no other rule sees it"
    ),
    good=field_of("+k8s:optional\n+k8s:minLength=1", "*string"),
    bad=field_of("+k8s:optional\n+k8s:minLength=1", "string"),
    find=find,
    fixes=True,
)
