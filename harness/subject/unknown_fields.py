"""Finds fields of an object that its type does not declare, as strict field validation of an API server does.

Decoding drops such fields before validation, so that for a misspelt name both validators would agree. Objects of
unknown types are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.case import Json
from harness.diagnostics import near_miss
from harness.fuzzers.shape import Shape
from harness.objectmodel import OPTIONAL_METADATA, TYPE_META

_TYPE_META = frozenset(TYPE_META)


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field path as an API server writes it, `spec.containers[0].imge`, and the name that was probably meant."""

    path: str
    guess: str = ""

    def __str__(self) -> str:
        return f'unknown field "{self.path}"' + (f" ({self.guess})" if self.guess else "")


def unknown_fields(shape: Shape, value: Json) -> list[UnknownField]:
    """Return every field of an object that its type does not declare, in the order of the object."""
    return list(_find(shape, value, ""))


def _find(shape: Shape, value: Json, path: str) -> Iterator[UnknownField]:
    if shape.kind == "struct" and isinstance(value, dict):
        yield from _find_in_struct(shape, value, path)
    elif shape.kind == "map" and isinstance(value, dict):
        for key, below in value.items():
            yield from _find(shape.elem, below, f"{path}.{key}")
    elif shape.kind == "list" and isinstance(value, list):
        for index, below in enumerate(value):
            yield from _find(shape.elem, below, f"{path}[{index}]")


def _find_in_struct(shape: Shape, value: dict[str, Json], path: str) -> Iterator[UnknownField]:
    if not shape.fields:  # the source of a struct without members may be unavailable
        return
    allowed = _TYPE_META if shape.type_meta else OPTIONAL_METADATA if shape.is_object_meta else frozenset[str]()
    for name, below in value.items():
        at = f"{path}.{name}" if path else name
        member = shape.by_name.get(name)
        if member is not None:
            yield from _find(member.shape, below, at)
        elif name not in allowed:
            yield UnknownField(at, near_miss(name, sorted({*shape.by_name, *allowed})))
