"""Values that the tags of a field suggest: limits and values just beyond, boundary values of formats, excluded values.

Reads only `TagSpec.probes_of` and `TagSpec.leads` of a rule. Suggestions are added to the values that a search tries
and restrict nothing; a tag that cannot be parsed suggests nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from harness.case import Json
from harness.gotypes.model import Comments
from harness.tags.grammar import Scalar, Tag, TagSyntaxError, parse
from harness.tags.registry import ALL_SPECS
from harness.tags.spec import NestedTarget

Part: TypeAlias = Literal["own", "items", "keys"]

_LARGEST = 5000
_PARTS: Mapping[NestedTarget, Part] = {"items": "items", "keys": "keys"}


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Values for a field itself, for its items or values, and for its keys. Numbers may be sizes."""

    own: tuple[Json, ...] = ()
    items: tuple[Json, ...] = ()
    keys: tuple[Json, ...] = ()


NONE = Suggestions()


def suggestions_of(comments: Comments) -> Suggestions:
    """Collect the suggestions of the tags in the comments of a field, in source order."""
    found: dict[Part, list[Json]] = {"own": [], "items": [], "keys": []}
    for line in comments:
        text = line.text.strip()
        if text.startswith("+k8s:"):
            for part, value in _of_line(text):
                if value not in found[part]:
                    found[part].append(value)
    return Suggestions(*map(tuple, found.values())) if any(found.values()) else NONE


def _of_line(text: str) -> Iterator[tuple[Part, Json]]:
    try:
        tag = parse(text)
    except TagSyntaxError:
        return
    part: Part = "own"
    while (inner := tag.payload) is not None:
        step: NestedTarget = ALL_SPECS[tag.name].nested_target if tag.name in ALL_SPECS else ""
        if step in ("member", "item") or (step and part != "own"):
            return
        part = _PARTS.get(step, part)
        tag = inner
    yield from ((part, value) for value in _probes(tag))


def _probes(tag: Tag) -> tuple[Json, ...]:
    spec, scalar = ALL_SPECS.get(tag.name), tag.scalar
    is_size = spec is None or spec.boundary is None or spec.boundary.is_size
    largest = _LARGEST if is_size else 1 << 63
    if spec is None or not _is_fit(scalar, spec.payload.kind if spec.payload else "", largest):
        return ()
    return tuple(spec.probes_of(scalar.value if scalar else None))


def _is_fit(scalar: Scalar | None, kind: str, largest: int) -> bool:
    """Whether a payload has the type that the tag requires, and is small enough for values of that size."""
    if scalar is None:
        return not kind
    if kind == "int":
        return isinstance(scalar.value, int) and not isinstance(scalar.value, bool) and scalar.value <= largest
    return kind in ("string", "any")
