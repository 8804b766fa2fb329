"""Limits that contradict each other, and limits that nothing ever reaches. Source: semantics.md#5.2, #5.5, #3.6."""

from __future__ import annotations

from collections.abc import Iterator

from harness.field.facts import measured
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
)
from harness.lint.view import Element, PackageView
from harness.tags.families.format import LENGTHS
from harness.tags.families.limits import range_of


def _groups(view: PackageView) -> Iterator[tuple[Element, tuple[str, ...], list[Use]]]:
    """What limits each value, from the element and from its type; at least one tag is the element's own."""
    for element in tagged(view):
        if element.tags:
            for target, found in by_target(governing(view, element)).items():
                if any(use.own for use in found):
                    yield element, target, found


def _bounds(use: Use) -> tuple[str, int | None, int | None]:
    """What a tag limits (`length`, `count`, `value`), from where, and up to where."""
    if use.boundary is not None and use.number is not None:
        return use.boundary.bounds(use.number)
    if use.name == "format":
        return "length", *LENGTHS.get(use.text, (None, None))
    return "", None, None


def _contradictions(view: PackageView) -> Iterator[Advice]:
    for element, target, found in _groups(view):
        ref = type_at(view, element.type, target)
        sized = ref is not None and is_value(view, ref) and view.types.kind(ref) in ("string", "list", "map")
        for low in found:
            what, least, _ = _bounds(low)
            if low.name == "required" and sized:
                what, least = "count" if view.types.kind(ref or element.type) != "string" else "length", 1
            for high in found:
                other, _, most = _bounds(high)
                crossed = other == what and least is not None and most is not None and least > most
                if crossed and low.can_meet(high):
                    yield from _contradiction(element, low, high)


def _contradiction(element: Element, low: Use, high: Use) -> Iterator[Advice]:
    later = max((use for use in (low, high) if use.own), key=lambda use: use.tag.position, default=None)
    if later is not None:
        other = high if later is low else low
        message = f"{later.said()} and {other.said()} leave no value of {path_of(element)} that passes both"
        yield at(later, message, "raise the upper limit or lower the other one")


def _never_reached(view: PackageView) -> Iterator[Advice]:
    for element, target, found in _groups(view):
        for use in (use for use in found if use.own):
            reason = _outside_type(view, element, target, use) or _covered(use, found)
            if reason:
                edit = delete(view, use.tag)
                yield at(
                    use, f"{shown(use.tag)} never rejects anything: {reason}", "remove it, or correct the number", edit
                )


def _outside_type(view: PackageView, element: Element, target: tuple[str, ...], use: Use) -> str:
    number, ref, boundary = use.number, type_at(view, element.type, target), use.boundary
    if number is None or ref is None or boundary is None:
        return ""
    if boundary.is_size and not boundary.upper and number <= 0:
        return "nothing has less than nothing"
    native = view.types.value(ref)
    if boundary.is_size or native.kind != "builtin" or view.types.kind(native) != "integer":
        return ""
    low, high = range_of(native.name)
    if boundary.upper:
        return f"no {native.name} is greater than {high}" if number >= high else ""
    return f"no {native.name} is less than {low}" if number <= low else ""


def _covered(use: Use, found: list[Use]) -> str:
    """Whether another tag rejects all that this one does, whenever this one applies and at least as firmly."""
    for other in found:
        firm = other.whenever(use) and STRENGTH[other.level] >= STRENGTH[use.level]
        if other is not use and firm and _stronger(other, use):
            twin = _stronger(use, other) and use.whenever(other) and use.level == other.level
            if not twin or not other.own or other.tag.position < use.tag.position:
                return f"{other.said()} already rejects all that it does"
    return ""


def _stronger(other: Use, use: Use) -> bool:
    """Whether whatever `use` rejects is rejected by `other` too."""
    if use.name == "format":
        return False
    if (told := _same_side(other, use)) is not None:
        return told
    what, least, most = _bounds(use)
    kind, lowest, highest = _bounds(other)
    if what != kind or not what:
        return False
    if least is not None:
        return lowest is not None and lowest >= least
    return most is not None and highest is not None and highest <= most


def _same_side(other: Use, use: Use) -> bool | None:
    """Compare two limits of one side: those of one unit, and bytes with characters; None when they are neither."""
    mine, its, number, limit = use.boundary, other.boundary, use.number, other.number
    if mine is None or its is None or mine.upper != its.upper or number is None or limit is None:
        return None
    if mine.measure == its.measure:
        return limit <= number if mine.upper else limit >= number
    if (mine.measure, its.measure) != ("bytes", "characters"):
        return None
    return 4 * limit <= number if mine.upper else limit >= number


def _neq(view: PackageView) -> Iterator[Advice]:
    for element, target, found in _groups(view):
        for use in (use for use in found if use.own and use.name == "neq" and use.tag.scalar):
            reason = _value_impossible(view, element, target, use, found)
            if reason:
                yield at(use, f"{shown(use.tag)} never rejects anything: {reason}", "remove it, or correct the value",
                         delete(view, use.tag))  # fmt: skip


def _value_impossible(view: PackageView, element: Element, target: tuple[str, ...], use: Use, found: list[Use]) -> str:
    ref = type_at(view, element.type, target)
    if ref is None or use.tag.scalar is None:
        return ""
    value = use.tag.scalar.value
    stopped = [one for one in found if one.name in ("optional", "required") and one.whenever(use)]
    if stopped and default_of(element) is None and is_value(view, ref) and value in ("", 0, False):
        return f"{stopped[0].said()} ends the field before an empty value gets here"
    for other in found:
        if other.name == "enum" and other.whenever(use):
            name = ref.elem.name if ref.kind == "pointer" and ref.elem else ref.name
            known = [const.value for const in view.types.consts_of(name)]
            if known and value not in known:
                return f"{value!r} is none of the enum's values, so it is rejected anyway"
        what, least, most = _bounds(other)
        outside = (
            what == "value"
            and isinstance(value, int)
            and ((least is not None and value < least) or (most is not None and value > most))
        )
        if outside and other.whenever(use):
            return f"{other.said()} rejects {value} anyway"
    return ""


def _default_refused(view: PackageView) -> Iterator[Advice]:
    for element in view.elements:
        text = default_of(element)
        if element.member is None or text is None:
            continue
        value: int | str | None = None
        if text.lstrip("-").isdigit():
            value = int(text)
        elif len(text) >= 2 and text[0] == text[-1] == '"' and "\\" not in text:
            value = text[1:-1]
        for use in by_target(governing(view, element)).get((), ()):
            if value is not None and _refuses(view, element, use, value):
                place = use if use.own else element
                yield at(place, f"{use.said()} rejects +default={text}", "change the limit or the default")


def _refuses(view: PackageView, element: Element, use: Use, value: int | str) -> bool:
    if use.conditions:
        return False
    if use.name == "enum" and isinstance(value, str):
        ref = element.type.elem if element.type.kind == "pointer" and element.type.elem else element.type
        known = [const.value for const in view.types.consts_of(ref.name)]
        return bool(known) and value not in known
    what, least, most = _bounds(use)
    size = value if what == "value" and isinstance(value, int) else None
    if what == "length" and isinstance(value, str) and use.boundary is not None:
        size = measured(use.boundary.measure, value)
    return size is not None and ((least is not None and size < least) or (most is not None and size > most))


RULES = (
    advice(
        "contradicting-limits",
        "error",
        _contradictions,
        summary="Two limits of one value leave nothing that passes both.",
        why="every object that sets the field is rejected, by the one rule or by the other",
        good=field_of("+k8s:optional\n+k8s:minLength=1\n+k8s:maxLength=63", "string"),
        bad=field_of("+k8s:optional\n+k8s:minLength=64\n+k8s:maxLength=63", "string"),
    ),
    advice(
        "limit-never-reached",
        "warning",
        _never_reached,
        summary="A limit that the type, a format or another limit makes unreachable.",
        why="a rule that cannot fire reads like a promise, and hides that a real limit may be missing",
        good=field_of("+k8s:optional\n+k8s:minimum=1", "*int32"),
        bad=field_of("+k8s:optional\n+k8s:minimum=-2147483648", "*int32"),
        fixes=True,
    ),
    advice(
        "value-never-met",
        "warning",
        _neq,
        summary="+k8s:neq names a value that another rule rejects or that never gets that far.",
        why="a rule that cannot fire reads like a promise; perhaps another value was meant",
        good=field_of('+k8s:required\n+k8s:neq="default"', "string"),
        bad=field_of('+k8s:required\n+k8s:neq=""', "string"),
        fixes=True,
    ),
    advice(
        "default-rejected",
        "error",
        _default_refused,
        summary="The field's own rules reject its default.",
        why="an object that leaves the field out gets the default, and is then rejected for it",
        good=field_of("+k8s:optional\n+default=5\n+k8s:maximum=9", "*int32"),
        bad=field_of("+k8s:optional\n+default=10\n+k8s:maximum=9", "*int32"),
    ),
)
