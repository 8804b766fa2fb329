"""Finds list keys that do not identify an item, because they are optional or neither strings nor integers.

Source: semantics.md#3.7, #5.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of, target_type
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import find_uses, governing_uses, tagged_elements, validation_tags
from harness.lint.view import PackageView
from harness.tags.grammar import tag_lines


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = governing_uses(view, element)
        for use in (use for use in found if use.is_own and use.name == "listMapKey"):
            ref = target_type(view, element.type, (*use.target, "eachVal"))
            struct = view.types.struct(ref) if ref else None
            key = view.types.member(struct, use.text) if struct else None
            if key is None or struct is None:
                continue
            where = f"{struct.name}.{key.json_name}"
            kind = view.types.kind(key.type)
            tags = {
                one.name for one in find_uses(validation_tags(key.comments)) if not one.target and not one.conditions
            }
            default = any(line.name == "default" for line in tag_lines(key.comments))
            others = {one.text for one in found if one.name == "listMapKey" and one.target == use.target} - {use.text}
            if kind not in ("string", "integer"):
                yield advise(use, f"the key {where} of {path_of(element)} is a {kind}", "use a string or an integer")
            elif view.types.is_pointer(key.type) and not tags & {"required"} and not others:
                message = f"the key {where} of {path_of(element)} can be nil: all items without it are the same one"
                yield advise(use, message, f"make {where} required, or no pointer")
            elif "optional" in tags and not tags & {"required"} and not default and not others:
                message = (
                    f"the key {where} of {path_of(element)} may be left out: all items without it are the same one"
                )
                yield advise(use, message, f"put +k8s:required on {where}, or give it a +default")


_LIST = """type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	F []S `json:"f"`
}

type S struct {
	// +k8s:@
	Name string `json:"name"`
}
"""

RULE = LintRule(
    code="key-not-required",
    severity="warning",
    summary="The key of a list is not required, or neither a string nor an integer.",
    why="the key identifies items: those without a key collide, and do not correlate on an update",
    good=_LIST.replace("@", "required"),
    bad=_LIST.replace("@", "optional"),
    find=find,
)
