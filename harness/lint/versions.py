"""Compares the versions of a group: finds the fields that two versions share, and the rules of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.gotypes.model import Struct
from harness.lint.elements import struct_elements
from harness.lint.uses import STRENGTH, Use, governing_uses
from harness.lint.view import Element, PackageView

RuleKey = tuple[tuple[str, ...], frozenset[tuple[str, str | bool]], str, str]
_STAGE = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


@dataclass(frozen=True, slots=True)
class VersionedField:
    """A field of this version, and its counterpart: the field of the same name, in the same kind, in another version.

    `other` is the package of the other version.
    """

    element: Element
    counterpart: Element
    other: PackageView


def version_order(version: str) -> tuple[int, ...]:
    """Return a key that sorts versions by maturity: v1alpha1, v1beta1, v1, v2."""
    found = _STAGE.fullmatch(version)
    if not found:
        return (0,)
    return ("alpha", "beta", None).index(found[2]), int(found[1]), int(found[3] or 0)


def versioned_fields(view: PackageView) -> tuple[VersionedField, ...]:
    """Return the fields of this package that another version has too."""
    found: tuple[VersionedField, ...] | None = view.memo.get(("versioned fields", 0))
    if found is None:
        found = view.memo["versioned fields", 0] = tuple(_find_versioned(view))
    return found


def _find_versioned(view: PackageView) -> Iterator[VersionedField]:
    """Walk the types of every kind that another version has too, each pair of types once."""
    own = struct_elements(view)
    for other in view.siblings.values():
        others = struct_elements(other)
        waiting = [(name, name) for name in sorted(view.roots & other.roots)]
        seen = {("", "")}
        while waiting:
            pair = waiting.pop()
            if pair in seen:
                continue
            seen.add(pair)
            by_name = {_json_name(element): element for element in others.get(pair[1], ())}
            for element in own.get(pair[0], ()):
                counterpart = by_name.get(_json_name(element))
                if counterpart is not None and _have_same_kind(view, element, other, counterpart):
                    yield VersionedField(element, counterpart, other)
                    waiting.append((_struct_name(view, element), _struct_name(other, counterpart)))


def _json_name(element: Element) -> str:
    member = element.member
    return (member.json_name or member.name) if member and member.exported else ""


def _have_same_kind(view: PackageView, element: Element, other: PackageView, counterpart: Element) -> bool:
    mine, theirs = view.types.native(element.type), other.types.native(counterpart.type)
    return view.types.kind(element.type) == other.types.kind(counterpart.type) and mine.kind == theirs.kind


def _struct_name(view: PackageView, element: Element) -> str:
    ref = view.types.value(element.type)
    while ref.kind in ("list", "map") and ref.elem is not None:
        ref = view.types.value(ref.elem)
    struct = view.types.struct(ref)
    return struct.name if isinstance(struct, Struct) and struct.package == view.path else ""


def rules_by_key(view: PackageView, element: Element) -> dict[RuleKey, Use]:
    """Return the tags that apply to a field, by target, conditions, name with arguments, and value.

    The number of a limit and the level are not part of the key, so that versions can be compared by them. Of a tag at
    several levels, the highest is returned.
    """
    found: dict[RuleKey, Use] | None = view.memo.get(("rules by key", id(element)))
    if found is not None:
        return found
    found = view.memo["rules by key", id(element)] = {}
    for use in governing_uses(view, element):
        arguments = ", ".join(f"{arg.name}: {arg.value.text}" for arg in use.tag.args)
        text = "" if use.number is not None else use.text
        key = use.target, use.conditions, f"{use.name}({arguments})", text
        if key not in found or STRENGTH[use.level] > STRENGTH[found[key].level]:
            found[key] = use
    return found
