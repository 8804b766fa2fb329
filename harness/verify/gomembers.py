"""Members of Go types by their names in Go and in JSON, through pointers, names of other types and embedded structs."""

from __future__ import annotations

from functools import lru_cache

from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.objectmodel import METADATA

Found = tuple[str, Field, tuple[str, ...]]
"""A struct, one of its fields, and the embedded ones that lead to it."""


class Members:
    """The members of the types of a universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    def native(self, ref: TypeRef) -> TypeRef:
        """Return what a type is, behind pointers and names of other types."""
        return self._universe.resolve(pointed(self._universe.resolve(pointed(ref))))

    def named(self, ref: TypeRef) -> str:
        """Return the name of the struct that a type is; empty for others."""
        native = self.native(ref)
        return native.name if native.kind == "named" else ""

    def by_go_name(self, type_name: str, name: str, depth: int = 0) -> Found | None:
        """Find a member by its name in Go, in embedded structs too."""
        declared = self._universe.find(type_name) if type_name else None
        if not isinstance(declared, Struct) or depth > 8:
            return None
        for one in declared.fields:
            if one.name == name:
                return type_name, one, ()
        for one in declared.fields:
            found = self.by_go_name(self.named(one.type), name, depth + 1) if one.embedded else None
            if found is not None:
                return found[0], found[1], (one.name, *found[2])
        return None

    def by_json(self, ref: TypeRef, name: str) -> Found | None:
        """Find a member by its JSON name; internal types have none, so the letter's case of Go names is forgiven."""
        return _by_json(self._universe, self.named(ref), name, 0)


@lru_cache(maxsize=1 << 14)
def _by_json(universe: Universe, type_name: str, name: str, depth: int) -> Found | None:
    declared = universe.find(type_name) if type_name else None
    if not isinstance(declared, Struct) or depth > 8:
        return None
    wanted = "objectmeta" if name == METADATA else name.lower()
    for one in declared.fields:
        if (one.json_name == name and not one.inline) or (one.name.lower() == wanted and one.json_name == one.name):
            return type_name, one, ()
    for one in declared.fields:
        found = _by_json(universe, pointed(one.type).name, name, depth + 1) if one.embedded else None
        if found is not None:
            return found[0], found[1], (one.name, *found[2])
    return None


def pointed(ref: TypeRef) -> TypeRef:
    """Return what a pointer points to; other types as they are."""
    while ref.kind == "pointer" and ref.elem is not None:
        ref = ref.elem
    return ref
