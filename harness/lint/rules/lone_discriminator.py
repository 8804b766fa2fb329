"""Finds discriminators of unions and modes that no other field refers to.

Source: semantics.md#5.9, #5.10.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import struct_elements
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, uses_on
from harness.lint.view import PackageView
from harness.tags.grammar import Tag


def find(view: PackageView) -> Iterator[Advice]:
    for fields in struct_elements(view).values():
        found = [use for element in fields for use in uses_on(view, element)]
        for use in found:
            wanted = {"unionDiscriminator": "unionMember", "modeDiscriminator": "ifMode"}.get(use.name)
            if wanted and not use.target and _group(use.tag) not in _groups(found, wanted):
                name = _group(use.tag)
                message = f"+k8s:{use.name} does nothing: no field has +k8s:{wanted}" + (f" for {name}" if name else "")
                yield advise(use, message, f"add +k8s:{wanted} to the fields that depend on it, or remove it")


def _group(tag: Tag) -> str:
    found = tag.arg("union") or tag.arg("modality")
    return found.text if found else ""


def _groups(found: list[Use], name: str) -> set[str]:
    if name == "ifMode":
        return {_group(tag) for use in found for tag in use.wrappers if tag.name == "k8s:ifMode"}
    return {_group(use.tag) for use in found if use.name == name}


_UNION = """type T struct {
	// +k8s:unionDiscriminator
	// +k8s:required
	D string `json:"d"`
	// +k8s:optional
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B *string `json:"b"`
}
"""

RULE = LintRule(
    code="lone-discriminator",
    severity="warning",
    summary="A discriminator on which no field depends.",
    why="a discriminator checks nothing by itself",
    good=_UNION,
    bad=_UNION.replace("\t// +k8s:unionMember\n", ""),
    find=find,
)
