"""The same kind in several versions of a group: a rule that one has and another lacks, or has at another level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.gotypes.model import Struct
from harness.lint.advice.common import STRENGTH, Advice, Use, advice, at, governing, path_of, shown, struct_elements
from harness.lint.view import Element, PackageView

_Key = tuple[tuple[str, ...], frozenset[tuple[str, str | bool]], str, str]
_STAGE = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


@dataclass(frozen=True, slots=True)
class _Twin:
    """A field of this version and the field of the same name and kind in another."""

    here: Element
    there: Element
    other: PackageView


def _order(version: str) -> tuple[int, ...]:
    """Sort versions by maturity: v1alpha1, v1beta1, v1, v2."""
    found = _STAGE.fullmatch(version)
    if not found:
        return (0,)
    return ("alpha", "beta", None).index(found[2]), int(found[1]), int(found[3] or 0)


def _twins(view: PackageView) -> tuple[_Twin, ...]:
    found: tuple[_Twin, ...] | None = view.memo.get(("twins", 0))
    if found is None:
        found = view.memo["twins", 0] = tuple(_walk(view))
    return found


def _walk(view: PackageView) -> Iterator[_Twin]:
    """Walk every kind that another version has too, type by type; a pair of types is entered once."""
    mine = struct_elements(view)
    for other in view.siblings.values():
        theirs = struct_elements(other)
        waiting = [(name, name) for name in sorted(view.roots & other.roots)]
        seen = {("", "")}
        while waiting:
            pair = waiting.pop()
            if pair in seen:
                continue
            seen.add(pair)
            named = {_json(element): element for element in theirs.get(pair[1], ())}
            for element in mine.get(pair[0], ()):
                twin = named.get(_json(element))
                if twin is not None and _alike(view, element, other, twin):
                    yield _Twin(element, twin, other)
                    waiting.append((_struct_name(view, element), _struct_name(other, twin)))


def _json(element: Element) -> str:
    member = element.member
    return (member.json_name or member.name) if member and member.exported else ""


def _alike(view: PackageView, here: Element, other: PackageView, there: Element) -> bool:
    mine, theirs = view.types.native(here.type), other.types.native(there.type)
    return view.types.kind(here.type) == other.types.kind(there.type) and mine.kind == theirs.kind


def _struct_name(view: PackageView, element: Element) -> str:
    ref = view.types.value(element.type)
    while ref.kind in ("list", "map") and ref.elem is not None:
        ref = view.types.value(ref.elem)
    struct = view.types.struct(ref)
    return struct.name if isinstance(struct, Struct) and struct.package == view.path else ""


def _rules(view: PackageView, element: Element) -> dict[_Key, Use]:
    """The tags that govern a field, each at its highest level, by all that tells them apart but level and limit."""
    found: dict[_Key, Use] | None = view.memo.get(("rules by key", id(element)))
    if found is not None:
        return found
    found = view.memo["rules by key", id(element)] = {}
    for use in governing(view, element):
        arguments = ", ".join(f"{arg.name}: {arg.value.text}" for arg in use.tag.args)
        text = "" if use.number is not None else use.text
        key = use.target, use.conditions, f"{use.name}({arguments})", text
        if key not in found or STRENGTH[use.level] > STRENGTH[found[key].level]:
            found[key] = use
    return found


def _missing(view: PackageView) -> Iterator[Advice]:
    lacking: dict[tuple[int, _Key], tuple[Element, Use, list[str]]] = {}
    for twin in _twins(view):
        here, there = _rules(view, twin.here), _rules(twin.other, twin.there)
        for key in (key for key in there if key not in here):
            entry = lacking.setdefault((id(twin.here), key), (twin.here, there[key], []))
            entry[2].append(twin.other.version)
    for element, use, versions in lacking.values():
        listed = " and ".join(sorted(set(versions), key=lambda version: (_order(version), version)))
        message = f"{path_of(element)} has no {shown(use.top)}, which it has in {listed}"
        yield at(element, message, f"add it, or take it out of {listed}")


def _levels(view: PackageView) -> Iterator[Advice]:
    """Said in the version where the level is lower."""
    for twin in _twins(view):
        here, there = _rules(view, twin.here), _rules(twin.other, twin.there)
        for key in (key for key in here if key in there):
            mine, theirs = here[key], there[key]
            if STRENGTH[mine.level] < STRENGTH[theirs.level]:
                message = f"{shown(mine.tag)} on {path_of(twin.here)} is {mine.level} here"
                message += f" and {theirs.level or 'standard'} in {twin.other.version}"
                yield at(mine.top if mine.own else twin.here, message, f"give it the same level: {shown(theirs.top)}")


def _limits(view: PackageView) -> Iterator[Advice]:
    """Said in the version that is less mature."""
    for twin in _twins(view):
        if _order(view.version) >= _order(twin.other.version):
            continue
        here, there = _rules(view, twin.here), _rules(twin.other, twin.there)
        for key in (key for key in here if key in there):
            mine, theirs = here[key], there[key]
            if mine.number != theirs.number:
                message = f"{shown(mine.tag)} on {path_of(twin.here)}, but {shown(theirs.tag)} in {twin.other.version}"
                yield at(mine if mine.own else twin.here, message, f"use one limit: {shown(theirs.tag)}")


_TWO = """type T struct {
	// +k8s:required
	// @
	A string `json:"a"`
}

package v2

type T struct {
	// +k8s:required
	// +k8s:beta=+k8s:maxLength=9
	A string `json:"a"`
}
"""

RULES = (
    advice(
        "missing-in-version",
        "warning",
        _missing,
        summary="A field lacks a rule that it has in another version of the kind.",
        why="versions are converted into each other: what one accepts, another would reject",
        good=_TWO.replace("@", "+k8s:beta=+k8s:maxLength=9"),
        bad=_TWO.replace("@", "The name."),
    ),
    advice(
        "level-differs-by-version",
        "warning",
        _levels,
        summary="A rule has a lower level than in another version of the kind.",
        why="the same object is rejected or accepted depending on the version that a client happens to use",
        good=_TWO.replace("@", "+k8s:beta=+k8s:maxLength=9"),
        bad=_TWO.replace("@", "+k8s:alpha=+k8s:maxLength=9"),
    ),
    advice(
        "limit-differs-by-version",
        "warning",
        _limits,
        summary="A limit is another number than in another version of the kind.",
        why="an object that one version accepts cannot be written again through the other",
        good=_TWO.replace("@", "+k8s:beta=+k8s:maxLength=9"),
        bad=_TWO.replace("@", "+k8s:beta=+k8s:maxLength=8"),
    ),
)
