"""Rules that a neighbour always stops before they run, and rules that hide others.

Source: semantics.md#3.3, #3.6, #S2, #S25-#S27.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice.common import (
    STRENGTH,
    Advice,
    Use,
    advice,
    at,
    by_target,
    default_of,
    delete,
    field_of,
    governing,
    is_value,
    path_of,
    shown,
    tagged,
    type_at,
    uses,
)
from harness.lint.view import Element, PackageView
from harness.tags.spec import Trait


def _waits(use: Use) -> bool:
    """Whether a use runs only when no stopping rule of its element failed."""
    if use.in_mode or use.stops or use.has(Trait.OF_STRUCT):
        return False
    return use.checks


def _after_forbidden(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        found = uses(view, element)
        for stop in (use for use in found if use.name == "forbidden" and not use.target and not use.in_mode):
            for use in found:
                if use.name == "required" and not use.target and use.can_meet(stop) and not use.in_mode:
                    yield at(
                        use, f"{shown(use.tag)} and +k8s:forbidden leave no {path_of(element)} that passes", "keep one"
                    )
                elif _waits(use) and stop.whenever(use):
                    message = f"{shown(use.tag)} never runs: +k8s:forbidden ends the field first, set or unset"
                    yield at(use, message, "remove it, or put the two under opposite options")


def _inside_empty(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        found = governing(view, element)
        for stop in (use for use in found if use.is_limit("count", upper=True) and use.number == 0):
            for use in found:
                inner = use.target[: len(stop.target)] == stop.target and len(use.target) > len(stop.target)
                if use.own and inner and not use.in_mode and stop.whenever(use):
                    yield at(
                        use,
                        f"{shown(use.tag)} never runs: {stop.said()} allows no item",
                        "remove it, or raise the limit",
                    )


def _demands_presence(view: PackageView) -> Iterator[Advice]:
    """Limits of 1 where an empty value never gets to them."""
    for element in tagged(view):
        if element.member is None:
            continue
        found = by_target(governing(view, element)).get((), ())
        ref = type_at(view, element.type, ())
        if ref is None or not is_value(view, ref) or default_of(element) is not None:
            continue
        stops = [use for use in found if use.name in ("optional", "required")]
        for use in (use for use in found if use.own and use.is_limit("length", "count", upper=False)):
            stop = next((one for one in stops if one.whenever(use)), None)
            if stop and use.number == 1:
                message = f"{shown(use.tag)} never fires: {stop.said()} ends the field first when it is empty"
                yield at(use, message, "remove it, or use a pointer if empty and unset differ", delete(view, use.tag))


def _hidden_stops(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S2: an error that nobody is shown keeps others from being found."""
    for element in tagged(view):
        found = governing(view, element)
        for stop in found:
            hides = stop.stops and stop.name != "optional" and stop.level == "alpha"
            if not hides or stop.target or not stop.own or stop.in_mode:
                continue
            lost = [use for use in found if _waits(use) and STRENGTH[use.level] > 0 and use.can_meet(stop)]
            if lost:
                message = f"the error of {shown(stop.tag)} is hidden, and {lost[0].said()} does not run after it"
                yield at(
                    stop.top,
                    message,
                    f"give {shown(lost[0].tag)} the same level, or raise the level of {shown(stop.tag)}",
                )


def _optional_beside_required(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        found = by_target(uses(view, element)).get((), ())
        for use in (use for use in found if use.name == "optional"):
            stop = next((one for one in found if one.name == "required" and one.whenever(use)), None)
            if stop is not None:
                message = f"+k8s:optional has no effect beside {shown(stop.top)}: all short-circuits of a field run"
                yield at(use, message, "keep the intended one")


def _update_beside_immutable(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for found in by_target(uses(view, element)).values():
            for use in (use for use in found if use.name in ("update", "monotonic")):
                stop = next((one for one in found if one.name == "immutable" and one.whenever(use)), None)
                if stop is not None and STRENGTH[stop.level] >= STRENGTH[use.level]:
                    message = f"{shown(use.tag)} rejects nothing that {shown(stop.top)} does not"
                    yield at(use, message, "remove it, or remove +k8s:immutable", delete(view, use.tag))


def _required_anyway(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for use in (use for use in uses(view, element) if use.name == "dependentRequired" and use.tag.arg()):
            wanted = use.tag.arg()
            siblings = view.fields(element.declaration.name)
            other = next((e for e in siblings if e.member and wanted and e.member.json_name == wanted.text), None)
            for one in by_target(uses(view, other)).get((), ()) if other else ():
                if one.name == "required" and one.whenever(use) and STRENGTH[one.level] >= STRENGTH[use.level]:
                    # An update ratchets that the field was missing before, and then asks whether it may be now.
                    message = f"{shown(use.tag)} requires a field that {shown(one.top)} requires of new objects anyway"
                    yield at(use, message, "remove it, unless old objects without the field may be stored")


# Defaults


def _required_default(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        default = default_of(element)
        for use in uses(view, element) if default is not None else ():
            if use.name == "required" and not use.target and not use.in_mode and not _zero(view, element, default):
                message = f"+k8s:required on {path_of(element)}, which has the default {default}: it is never missing"
                yield at(use, message, "write +k8s:optional if clients may leave it out, or remove the default")


def _zero(view: PackageView, element: Element, default: str | None) -> bool:
    return is_value(view, element.type) and default in ("0", '""', "false", "0.0")


def _default_requires(view: PackageView) -> Iterator[Advice]:
    """Where the field is no pointer, list or map, unset means the zero value (semantics.md#S27)."""
    for element in tagged(view):
        default = default_of(element)
        for use in uses(view, element) if default not in (None, "null") else ():
            if use.name != "optional" or use.target or use.in_mode or _zero(view, element, default):
                continue
            message = f"+k8s:optional with +default={default} works as +k8s:required on {path_of(element)}"
            yield at(use, message, "nothing to do if defaults are always applied before validation")


def _default_removes(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S26."""
    for element in tagged(view):
        default = default_of(element)
        if element.member is None or default is None or not _zero(view, element, default):
            continue
        found = by_target(governing(view, element)).get((), ())
        lost = [use for use in found if use.name == "optional" and use.own]
        for use in (use for use in found if lost and _rejects_zero(view, element, use)):
            message = f"+k8s:optional does nothing beside +default={default}, so {use.said()} rejects the default"
            yield at(lost[0], message, "remove the default, or allow it")


def _rejects_zero(view: PackageView, element: Element, use: Use) -> bool:
    number = use.number
    if use.is_limit("value", "length", upper=False):
        return number is not None and number > 0
    if use.name == "format":
        return use.text not in ("k8s-label-value", "k8s-path-segment-name")
    if use.name == "enum":
        return "" not in [const.value for const in view.types.consts_of(element.type.name)]
    return use.is_limit("value", upper=True) and number is not None and number < 0


def _required_zero(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S25."""
    for element in tagged(view):
        if element.member is None or not is_value(view, element.type):
            continue
        kind = view.types.kind(element.type)
        found = by_target(governing(view, element)).get((), ())
        for use in (use for use in found if use.name == "required" and use.own):
            if kind == "bool":
                message = f"+k8s:required makes true the only value of {path_of(element)}"
                yield at(use, message, "use a pointer, or +k8s:optional")
            least = (one for one in found if one.is_limit("value", upper=False))
            zero = next((one for one in least if one.number is not None and one.number <= 0), None)
            if kind == "integer" and zero and zero.can_meet(use) and default_of(element) is None:
                message = f"{zero.said()} allows 0, but +k8s:required rejects it: 0 counts as unset"
                yield at(use, message, "use a pointer, +k8s:optional, or +k8s:minimum=1")


_DEPENDENT = """type T struct {
	// +k8s:optional
	// +k8s:dependentRequired(b)
	A *string `json:"a"`
	// +k8s:@
	B *string `json:"b"`
}
"""

RULES = (
    advice(
        "after-forbidden",
        "error",
        _after_forbidden,
        summary="A rule on a field that is forbidden whenever the rule would apply.",
        why="+k8s:forbidden ends the field when it is set, and an unset field has nothing to check",
        good=field_of("+k8s:ifDisabled(A)=+k8s:forbidden\n+k8s:ifEnabled(A)=+k8s:optional\n+k8s:maxLength=9", "string"),
        bad=field_of("+k8s:forbidden\n+k8s:maxLength=9", "string"),
    ),
    advice(
        "inside-empty-list",
        "error",
        _inside_empty,
        summary="A rule for the items of a list or map that may have none.",
        why="the items of a list that is too long are not validated, so the rule never runs",
        good=field_of("+k8s:optional\n+k8s:maxItems=1\n+k8s:eachVal=+k8s:maxLength=9", "[]string"),
        bad=field_of("+k8s:optional\n+k8s:maxItems=0\n+k8s:eachVal=+k8s:maxLength=9", "[]string"),
    ),
    advice(
        "presence-said-twice",
        "note",
        _demands_presence,
        summary="A lower limit of 1 on a field whose empty value short-circuits it.",
        why="an empty string, list or map counts as unset: +k8s:optional passes it, +k8s:required rejects it, "
        "and no other rule sees it",
        good=field_of("+k8s:optional\n+k8s:minLength=1", "*string"),
        bad=field_of("+k8s:optional\n+k8s:minLength=1", "string"),
        fixes=True,
    ),
    advice(
        "optional-beside-required",
        "warning",
        _optional_beside_required,
        summary="+k8s:optional on a field that is required.",
        why="all short-circuits of a field run, so an empty field is rejected in spite of +k8s:optional",
        good=field_of("+k8s:ifEnabled(A)=+k8s:optional\n+k8s:ifDisabled(A)=+k8s:required", "string"),
        bad=field_of("+k8s:optional\n+k8s:required", "string"),
    ),
    advice(
        "update-beside-immutable",
        "warning",
        _update_beside_immutable,
        summary="An update rule on a field that may not change at all.",
        why="both run, so a user gets two errors for one change",
        good=field_of("+k8s:optional\n+k8s:update=NoSet\n+k8s:update=NoModify", "*string"),
        bad=field_of("+k8s:optional\n+k8s:immutable\n+k8s:update=NoModify", "*string"),
        fixes=True,
    ),
    advice(
        "required-anyway",
        "note",
        _required_anyway,
        summary="+k8s:dependentRequired names a field that is required anyway.",
        why="it can only fire in an update of an object that was stored without the field; another may be intended",
        good=_DEPENDENT.replace("@", "optional"),
        bad=_DEPENDENT.replace("@", "required"),
    ),
    advice(
        "hidden-stop",
        "warning",
        _hidden_stops,
        summary="An alpha rule that short-circuits rules of a higher level.",
        why="levels do not affect control flow: the alpha error is hidden, and the rules after it do not run, "
        "so the object is accepted",
        good=field_of(
            "+k8s:optional\n+k8s:alpha=+k8s:maxItems=3\n+k8s:alpha=+k8s:eachVal=+k8s:minLength=1", "[]string"
        ),
        bad=field_of("+k8s:optional\n+k8s:alpha=+k8s:maxItems=3\n+k8s:eachVal=+k8s:minLength=1", "[]string"),
    ),
    advice(
        "required-with-default",
        "warning",
        _required_default,
        summary="A required field with a default.",
        why="defaults are applied before validation, so the rule never fires; the documentation calls it mandatory",
        good=field_of("+k8s:required", "*int32"),
        bad=field_of("+default=1\n+k8s:required", "*int32"),
    ),
    advice(
        "default-makes-required",
        "note",
        _default_requires,
        summary="An optional field whose default makes it required.",
        why="upstream assumes that the default is applied, and rejects an object without the field",
        good=field_of("+k8s:optional", "*int32"),
        bad=field_of("+default=1\n+k8s:optional", "*int32"),
    ),
    advice(
        "zero-default",
        "warning",
        _default_removes,
        summary="An optional field whose default is the zero value, which another rule rejects.",
        why="with a default equal to the zero value +k8s:optional is only documentation and does not short-circuit",
        good=field_of("+default=0\n+k8s:optional\n+k8s:minimum=0", "int32"),
        bad=field_of("+default=0\n+k8s:optional\n+k8s:minimum=3", "int32"),
    ),
    advice(
        "required-rejects-zero",
        "warning",
        _required_zero,
        summary="+k8s:required on a bool, or on a number for which zero is allowed.",
        why="on a field that is no pointer, unset and zero are the same, so the rule rejects false and 0",
        good=field_of("+k8s:required", "*bool"),
        bad=field_of("+k8s:required", "bool"),
    ),
)
