"""Finds tags that upstream merges into one rule although their levels or options differ.

Source: semantics.md#S13.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import struct_elements
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import MEMBERS
from harness.lint.uses import Use, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for fields in struct_elements(view).values():
        for name in MEMBERS:
            members = [
                use for element in fields for use in uses_on(view, element) if use.name == name and not use.target
            ]
            yield from _advise_on_differences(members, f"all +k8s:{name} of the struct are one rule")
    for element in tagged_elements(view):
        updates = [
            use for use in uses_on(view, element) if use.name == "update" and not use.target and not use.is_in_mode
        ]
        yield from _advise_on_differences(
            sorted(updates, key=lambda use: use.outer.name), "all +k8s:update of a field are one rule"
        )


def _advise_on_differences(group: list[Use], why: str) -> Iterator[Advice]:
    for use in group[1:]:
        first = group[0]
        if (use.level, use.conditions) != (first.level, first.conditions):
            message = f"{tag_text(use.outer)} counts as if it were written like {tag_text(first.outer)}: {why}"
            yield advise(use.outer, message, "give all of them the same level and option")


_TWO = """type T struct {
	// +k8s:optional
	// +k8s:beta=+k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// @+k8s:unionMember
	B *string `json:"b"`
}
"""

RULE = LintRule(
    code="wrappers-of-the-first",
    severity="error",
    summary="Tags that become one rule, at different levels or under different options.",
    why="upstream generates one function for them, with the level and the options of the first tag",
    good=_TWO.replace("@", "+k8s:beta="),
    bad=_TWO.replace("@", ""),
    find=find,
)
