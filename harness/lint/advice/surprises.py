"""Combinations that are accepted and work otherwise than they read. Source: semantics.md#S5, #S6, #S10-#S13, #S20."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from harness.gotypes.model import Struct
from harness.lint.advice.common import (
    Advice,
    Use,
    advice,
    at,
    field_of,
    path_of,
    reached_from,
    shown,
    struct_elements,
    tagged,
    tags_of,
    type_at,
    uses,
    uses_of,
)
from harness.lint.view import PackageView

_GUARDS = ("required", "optional", "forbidden")
_UNIONS = ("unionMember", "zeroOrOneOfMember")


def _silenced_list(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S6: 3.9's stops, taken over from the member, lose their cohort under +k8s:eachVal."""
    for element in tagged(view) if view.release.inherits_stops else ():
        for use in uses(view, element):
            if len(use.target) != 2 or use.target[0] != "eachVal" or not use.target[1].startswith("subfield("):
                continue
            struct_type = type_at(view, element.type, ("eachVal",))
            struct = view.types.struct(struct_type) if struct_type else None
            member = view.types.member(struct, use.target[1][11:-1]) if struct else None
            stops = [one for one in uses_of(tags_of(member.comments)) if one.name == "optional"] if member else []
            if stops and member is not None and not any(one.target or one.in_mode for one in stops):
                message = f"{shown(use.top)} is skipped for all items once one item has no {member.json_name}"
                yield at(use.top, message, f"put {shown(use.tag)} on the member {member.json_name} itself")


def _first_wrappers(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S13."""
    for fields in struct_elements(view).values():
        for name in _UNIONS:
            members = [use for element in fields for use in uses(view, element) if use.name == name and not use.target]
            yield from _differing(members, f"all +k8s:{name} of the struct are one rule")
    for element in tagged(view):
        updates = [use for use in uses(view, element) if use.name == "update" and not use.target and not use.in_mode]
        yield from _differing(sorted(updates, key=lambda use: use.top.name), "all +k8s:update of a field are one rule")


def _differing(group: list[Use], why: str) -> Iterator[Advice]:
    for use in group[1:]:
        first = group[0]
        if (use.level, use.conditions) != (first.level, first.conditions):
            message = f"{shown(use.top)} counts as if it were written like {shown(first.top)}: {why}"
            yield at(use.top, message, "give all of them the same level and option")


def _item_order(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S12."""
    for element in tagged(view):
        for name in _UNIONS:
            found = [use for use in uses(view, element) if use.name == name and use.target]
            items = [use for use in found if use.target[-1].startswith("item(")]
            for before, use in pairwise(items):
                if use.target < before.target and use.level == before.level:
                    message = f"{shown(use.top)} follows {shown(before.top)}: errors will name the wrong items"
                    yield at(use.top, message, "sort the lines by the item's key")


def _mode_order(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S10."""
    for element in tagged(view):
        ordered = sorted((use for use in uses(view, element) if use.in_mode), key=lambda use: use.top.name)
        for index, stop in enumerate(ordered):
            early = [use for use in ordered[:index] if use.checks and not use.stops]
            wrong = next((use for use in early if use.conditions == stop.conditions), None)
            if stop.name in _GUARDS and wrong is not None:
                message = f"{shown(wrong.tag)} runs before {shown(stop.tag)}, so on an unset field too"
                yield at(stop.top, message, f"write this line before {shown(wrong.top)}")


def _mode_immutable(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S11."""
    for element in tagged(view):
        for use in uses(view, element):
            if use.in_mode and use.name == "immutable" and not use.target:
                message = f"{shown(use.top)} also rejects an update that only changes the mode, not {path_of(element)}"
                yield at(use, message, "make the discriminator immutable too, or check it by hand")


def _nil_in_mode(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S5: upstream's linter takes a guard inside a mode for one."""
    for element in tagged(view):
        guards = [use for use in uses(view, element) if use.name in _GUARDS]
        struct = view.types.struct(element.type) if view.types.is_pointer(element.type) else None
        opaque = any(use.name == "opaqueType" and not use.target for use in uses(view, element))
        if struct is None or opaque or not guards or element.member is None:
            continue
        if all(use.in_mode or use.target for use in guards) and _has_rules(view, struct):
            message = f"a request without {path_of(element)} panics: only a mode checks whether it is missing"
            yield at(element, message, "add +k8s:optional")


def _lists_in_maps(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S20."""
    for element in view.elements:
        declared = view.types.declared(element.type)
        if element.member is None or declared.kind != "map" or declared.elem is None:
            continue
        inner = view.types.declared(declared.elem)
        struct = view.types.struct(inner.elem) if inner.kind == "list" and inner.elem else None
        if struct is not None and _has_rules(view, struct):
            message = f"the rules of {struct.name} never run in {path_of(element)}, a map of lists"
            yield at(element, message, "use a list with keys, or check it by hand")


def _has_rules(view: PackageView, struct: Struct) -> bool:
    """Whether a struct or what it holds is checked at all."""
    for name in reached_from(view, [struct.qualified]):
        found = view.types.find(name)
        blocks = [found.comments] if found else []
        blocks += [member.comments for member in found.fields] if isinstance(found, Struct) else []
        if any(use.checks for block in blocks for use in uses_of(tags_of(block))):
            return True
    return False


_S = 'type S struct {\n\t// +k8s:@\n\tN string `json:"n"`\n}\n\n'
_EACH = "+k8s:optional\n+k8s:eachVal=+k8s:subfield(n)=+k8s:maxLength=3"
_LIST = "+k8s:optional\n+k8s:listType=map\n+k8s:listMapKey=n\n"
_ITEM = '+k8s:item(n: "{}")=+k8s:zeroOrOneOfMember'
_TWO = """type T struct {
	// +k8s:optional
	// +k8s:beta=+k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// @+k8s:unionMember
	B *string `json:"b"`
}
"""
_MODE = """type T struct {
	// +k8s:required
	// +k8s:modeDiscriminator
	D string `json:"d"`
	// @
	F GO `json:"f"`
}
"""


def _mode(tags: str, go: str) -> str:
    return _MODE.replace("@", tags.replace("\n", "\n\t// ")).replace("GO", go)


RULES = (
    advice(
        "one-item-silences-all",
        "error",
        _silenced_list,
        summary="A rule for a member of every item, where the member is optional.",
        why="the rule inherits the member's own +k8s:optional, and under +k8s:eachVal a short-circuit ends the "
        "whole list: one item without the member, and no item is checked",
        good=field_of(
            "+k8s:optional\n+k8s:eachVal=+k8s:subfield(n)=+k8s:maxLength=3", "[]S", _S.replace("@", "required")
        ),
        bad=field_of(
            "+k8s:optional\n+k8s:eachVal=+k8s:subfield(n)=+k8s:maxLength=3", "[]S", _S.replace("@", "optional")
        ),
    ),
    advice(
        "wrappers-of-the-first",
        "error",
        _first_wrappers,
        summary="Tags that become one rule, at different levels or under different options.",
        why="upstream generates one function for them, with the level and the options of the first tag",
        good=_TWO.replace("@", "+k8s:beta="),
        bad=_TWO.replace("@", ""),
    ),
    advice(
        "item-union-order",
        "warning",
        _item_order,
        summary="Members of a union of items that are not sorted by key.",
        why="upstream sorts the tests of membership and not the names, so an error pairs them wrongly",
        good=field_of(_LIST + _ITEM.format("a") + "\n" + _ITEM.format("b"), "[]S", _S.replace("@", "required")),
        bad=field_of(_LIST + _ITEM.format("b") + "\n" + _ITEM.format("a"), "[]S", _S.replace("@", "required")),
    ),
    advice(
        "mode-order",
        "warning",
        _mode_order,
        summary="In a mode, a limit precedes the short-circuit for an unset field.",
        why="rules of a mode run in the order of their lines; elsewhere short-circuits come first",
        good=_mode('+k8s:ifMode("A")=+k8s:required\n+k8s:ifMode("A")=+k8s:minItems=2', "[]string"),
        bad=_mode('+k8s:ifMode("A")=+k8s:minItems=2\n+k8s:ifMode("A")=+k8s:required', "[]string"),
    ),
    advice(
        "immutable-in-mode",
        "note",
        _mode_immutable,
        summary="+k8s:immutable under +k8s:ifMode.",
        why="the rule never compares, and rules of a mode run whenever the discriminator or the field changed",
        good=_mode('+k8s:ifMode("A")=+k8s:optional', "*string"),
        bad=_mode('+k8s:ifMode("A")=+k8s:immutable', "*string"),
    ),
    advice(
        "nil-panics",
        "error",
        _nil_in_mode,
        summary="A pointer to a struct with rules, which only a mode guards against nil.",
        why="rules of a mode do not short-circuit others; the struct's rules dereference nil, and every request "
        "fails with an internal error",
        good=_S.replace("@", "required") + _mode('+k8s:ifMode("A")=+k8s:required\n+k8s:optional', "*S"),
        bad=_S.replace("@", "required") + _mode('+k8s:ifMode("A")=+k8s:required', "*S"),
    ),
    advice(
        "map-of-lists",
        "warning",
        _lists_in_maps,
        summary="A map of lists of something that has rules.",
        why="upstream does not iterate over the lists in a map, and reports nothing as long as the field has no tags",
        good='type T struct {\n\tF map[string]S `json:"f"`\n}\n\n' + _S.replace("@", "required"),
        bad='type T struct {\n\tF map[string][]S `json:"f"`\n}\n\n' + _S.replace("@", "required"),
    ),
)
