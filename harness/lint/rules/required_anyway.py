"""Finds +k8s:dependentRequired for a field that is required in any case.

Source: semantics.md#5.11.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, group_by_target, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for use in (use for use in uses_on(view, element) if use.name == "dependentRequired" and use.tag.arg()):
            wanted = use.tag.arg()
            siblings = view.fields(element.declaration.name)
            other = next((e for e in siblings if e.member and wanted and e.member.json_name == wanted.text), None)
            for one in group_by_target(uses_on(view, other)).get((), ()) if other else ():
                if one.name == "required" and one.applies_whenever(use) and STRENGTH[one.level] >= STRENGTH[use.level]:
                    # An object stored without the field can still be updated, because the missing field is ratcheted.
                    message = f"{tag_text(use.tag)} requires a field"
                    message += f" that {tag_text(one.outer)} requires of new objects anyway"
                    yield advise(use, message, "remove it, unless old objects without the field may be stored")


_DEPENDENT = """type T struct {
	// +k8s:optional
	// +k8s:dependentRequired(b)
	A *string `json:"a"`
	// +k8s:@
	B *string `json:"b"`
}
"""

RULE = LintRule(
    code="required-anyway",
    severity="note",
    summary="+k8s:dependentRequired names a field that is required anyway.",
    why="it can only fire in an update of an object that was stored without the field; another may be intended",
    good=_DEPENDENT.replace("@", "optional"),
    bad=_DEPENDENT.replace("@", "required"),
    find=find,
)
