"""Finds rules on an optional field of every list item: one item without the field skips the rule for all items.

The field's own short-circuit loses its cohort under +k8s:eachVal.

Source: semantics.md#3.9, #S6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import target_type
from harness.lint.examples import S, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import find_uses, tag_text, tagged_elements, uses_on, validation_tags
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view) if view.release.inherits_short_circuits else ():
        for use in uses_on(view, element):
            if len(use.target) != 2 or use.target[0] != "eachVal" or not use.target[1].startswith("subfield("):
                continue
            struct_type = target_type(view, element.type, ("eachVal",))
            struct = view.types.struct(struct_type) if struct_type else None
            member = view.types.member(struct, use.target[1][11:-1]) if struct else None
            stops = (
                [one for one in find_uses(validation_tags(member.comments)) if one.name == "optional"] if member else []
            )
            if stops and member is not None and not any(one.target or one.is_in_mode for one in stops):
                message = f"{tag_text(use.outer)} is skipped for all items once one item has no {member.json_name}"
                yield advise(use.outer, message, f"put {tag_text(use.tag)} on the member {member.json_name} itself")


RULE = LintRule(
    code="one-item-silences-all",
    severity="error",
    summary="A rule for a member of every item, where the member is optional.",
    why=(
        "the rule inherits the member's own +k8s:optional, and under +k8s:eachVal a short-circuit ends the "
        "whole list: one item without the member, and no item is checked"
    ),
    good=field_of("+k8s:optional\n+k8s:eachVal=+k8s:subfield(n)=+k8s:maxLength=3", "[]S", S),
    bad=field_of(
        "+k8s:optional\n+k8s:eachVal=+k8s:subfield(n)=+k8s:maxLength=3", "[]S", S.replace("required", "optional")
    ),
    find=find,
)
