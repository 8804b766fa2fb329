"""Finds +k8s:immutable on a field of list items: a new item has no old value, so its field is rejected.

Source: semantics.md#S4.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Struct
from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, governing_uses, group_by_target, uses_on
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    item_of: dict[str, Element] = {}
    for element in view.elements:
        declared = view.types.declared(element.type)
        struct = (
            view.types.struct(declared.elem) if element.member and declared.kind == "list" and declared.elem else None
        )
        if struct is not None and _accepts_new_items(view, element):
            item_of.setdefault(struct.qualified, element)
    for element in view.elements:
        owner = element.declaration
        holder = item_of.get(owner.qualified) if element.member and isinstance(owner, Struct) else None
        for use in group_by_target(uses_on(view, element)).get((), ()) if holder else ():
            if use.name == "immutable" and holder is not None:
                message = f"+k8s:immutable on {path_of(element)} rejects every item that an update adds"
                message += f" to {path_of(holder)}"
                yield advise(use, message, "use +k8s:update=NoModify (and NoSet, NoUnset), or forbid new items as well")


def _accepts_new_items(view: PackageView, element: Element) -> bool:
    """Whether an update may add items: the items have keys, and no rule of the list forbids new ones."""
    found = governing_uses(view, element)
    has_keys = any(use.name in ("listType", "unique") and use.text == "map" and not use.target for use in found)
    return has_keys and not any(_forbids_new_items(use) for use in found)


def _forbids_new_items(use: Use) -> bool:
    whole = not use.target and (use.name == "immutable" or use.text == "NoAddItem")
    return whole or (use.target == ("eachVal",) and use.name == "immutable")


_ITEMS = """type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name@
	F []S `json:"f"`
}

// +k8s:validation-gen=false
type S struct {
	// +k8s:required
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:immutable
	Size *int32 `json:"size"`
}
"""

RULE = LintRule(
    code="immutable-in-items",
    severity="note",
    summary="+k8s:immutable on a member of items that an update may add.",
    why="a new item has no old value, so the rule rejects the field, set or unset",
    good=_ITEMS.replace("@", "\n\t// +k8s:update=NoAddItem"),
    bad=_ITEMS.replace("@", ""),
    find=find,
)
