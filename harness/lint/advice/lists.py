"""Keys of lists that tell their items apart. Source: semantics.md#3.7, #5.6."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from harness.lint.advice.common import Advice, advice, at, governing, path_of, tagged, tags_of, type_at, uses_of
from harness.lint.view import PackageView
from harness.tags.grammar import tag_lines


def _keys(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        found = governing(view, element)
        for use in (use for use in found if use.own and use.name == "listMapKey"):
            ref = type_at(view, element.type, (*use.target, "eachVal"))
            struct = view.types.struct(ref) if ref else None
            key = view.types.member(struct, use.text) if struct else None
            if key is None or struct is None:
                continue
            where = f"{struct.name}.{key.json_name}"
            kind = view.types.kind(key.type)
            tags = {one.name for one in uses_of(tags_of(key.comments)) if not one.target and not one.conditions}
            default = any(line.name == "default" for line in tag_lines(key.comments))
            others = {one.text for one in found if one.name == "listMapKey" and one.target == use.target} - {use.text}
            if kind not in ("string", "integer"):
                yield at(use, f"the key {where} of {path_of(element)} is a {kind}", "use a string or an integer")
            elif view.types.is_pointer(key.type) and not tags & {"required"} and not others:
                message = f"the key {where} of {path_of(element)} can be nil: all items without it are the same one"
                yield at(use, message, f"make {where} required, or no pointer")
            elif "optional" in tags and not tags & {"required"} and not default and not others:
                message = (
                    f"the key {where} of {path_of(element)} may be left out: all items without it are the same one"
                )
                yield at(use, message, f"put +k8s:required on {where}, or give it a +default")


def _never_selected(view: PackageView) -> Iterator[Advice]:
    """Items whose key is nearly, and not exactly, a constant of the key's type."""
    for element in tagged(view):
        for tag, _ in element.tagged("k8s:item"):
            ref = type_at(view, element.type, ("eachVal",)) if view.types.value(element.type).elem else None
            struct = view.types.struct(ref) if ref else None
            for arg in tag.args if struct else ():
                key = view.types.member(struct, arg.name) if struct else None
                known = [c.value for c in view.types.consts_of(view.types.declared(key.type).name)] if key else []
                words = [value for value in known if isinstance(value, str)]
                meant = get_close_matches(arg.value.text, words, n=1, cutoff=0.8)
                if meant and arg.value.text not in words:
                    message = f'no constant of {key.type if key else ""} is "{arg.value.text}"'
                    yield at(tag, message, f'did you mean {arg.name}: "{meant[0]}"?')


_ITEM = """type Kind string

const (
	Ready Kind = "Ready"
)

type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=kind
	// +k8s:item(kind: "@")=+k8s:immutable
	F []S `json:"f"`
}

type S struct {
	// +k8s:required
	Kind Kind `json:"kind"`
}
"""
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

RULES = (
    advice(
        "key-not-required",
        "warning",
        _keys,
        summary="The key of a list is not required, or neither a string nor an integer.",
        why="the key identifies items: those without a key collide, and do not correlate on an update",
        good=_LIST.replace("@", "required"),
        bad=_LIST.replace("@", "optional"),
    ),
    advice(
        "item-near-miss",
        "warning",
        _never_selected,
        summary="+k8s:item selects by a value that is nearly a constant of the key's type.",
        why="the rule applies to an item that never occurs",
        good=_ITEM.replace("@", "Ready"),
        bad=_ITEM.replace("@", "Raedy"),
    ),
)
