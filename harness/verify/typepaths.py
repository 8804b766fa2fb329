"""Finds the paths at which kinds contain a Go type, with `[*]` for items and values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.jsonpath import ITEMS, join
from harness.verify.change import FieldPath, KindName

_MAX_DEPTH = 40
"""At most this many steps from a root: deeper than any API, and a limit for recursive types."""


class TypePaths:
    """The types of a universe, with an edge from each to the types of its fields. `roots` are the types of kinds."""

    def __init__(self, universe: Universe, roots: Mapping[KindName, str]) -> None:
        self._universe = universe
        self._roots = roots
        self._edges: dict[str, tuple[tuple[str, str], ...]] = {}

    def paths(self, wanted: Collection[str]) -> dict[str, tuple[FieldPath, ...]]:
        """Return the paths of each type in all kinds. The root of a kind has the empty path."""
        found: dict[str, dict[FieldPath, None]] = {name: {} for name in wanted}
        ancestors = self._find_ancestors(wanted)
        for kind, root in self._roots.items():
            if root in ancestors:
                for name, path in self._walk(root, ancestors, "", (), 0):
                    if name in found:
                        found[name][FieldPath(kind, path)] = None
        return {name: tuple(sorted(places)) for name, places in found.items()}

    def types(self, root: str) -> set[str]:
        """Return a root and every type that it contains."""
        found, waiting = {root}, [root]
        while waiting:
            new = {below for _, below in self._find_edges(waiting.pop())} - found
            found |= new
            waiting += new
        return found

    def walk(self, root: str) -> Iterator[tuple[str, str]]:
        """Yield a root and every type that it contains, each with its path; each path once."""
        return self._walk(root, None, "", (), 0)

    def _walk(
        self, name: str, ancestors: Collection[str] | None, path: str, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, str]]:
        yield name, path
        if depth > _MAX_DEPTH:
            return
        for step, below in self._find_edges(name):
            if below not in inside and below != name and (ancestors is None or below in ancestors):
                yield from self._walk(below, ancestors, join(path, step), (*inside, name), depth + 1)

    def _find_ancestors(self, wanted: Collection[str]) -> set[str]:
        """Return some types and every type that contains one of them."""
        above: dict[str, set[str]] = {}
        waiting, seen = list(self._roots.values()), set(self._roots.values())
        while waiting:
            name = waiting.pop()
            for _, below in self._find_edges(name):
                above.setdefault(below, set()).add(name)
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
        ancestors, waiting = set(wanted), list(wanted)
        while waiting:
            for name in above.get(waiting.pop(), ()):
                if name not in ancestors:
                    ancestors.add(name)
                    waiting.append(name)
        return ancestors

    def _find_edges(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the path to each type that a type contains, and that type."""
        if name not in self._edges:
            declared = self._universe.find(name)
            if declared is None:
                self._edges[name] = ()
            elif isinstance(declared, Struct):
                self._edges[name] = tuple(_field_edges(declared.fields))
            else:
                self._edges[name] = tuple(_type_edges(declared.underlying, ""))
        return self._edges[name]


def step_of(field: Field) -> str:
    """Return the path from a struct to the value of a field; empty for an inlined field."""
    return "" if field.inline else field.json_name


def resolve_native(universe: Universe, ref: TypeRef) -> TypeRef:
    """Resolve names, except those of structs, and pointers."""
    ref = universe.resolve(ref)
    while ref.kind == "pointer" and ref.elem is not None:
        ref = universe.resolve(ref.elem)
    return ref


def _field_edges(fields: tuple[Field, ...]) -> Iterator[tuple[str, str]]:
    for field in fields:
        if not field.json_ignored and field.exported:
            yield from _type_edges(field.type, step_of(field))


def _type_edges(ref: TypeRef, step: str) -> Iterator[tuple[str, str]]:
    if ref.kind == "named":
        yield step, ref.name
    elif ref.kind == "struct":
        for inner in ref.fields:
            if not inner.json_ignored and inner.exported:
                yield from _type_edges(inner.type, join(step, step_of(inner)))
    elif ref.kind == "pointer" and ref.elem is not None:
        yield from _type_edges(ref.elem, step)
    elif ref.elem is not None:
        yield from _type_edges(ref.elem, join(step, ITEMS))
        if ref.key is not None and ref.key.kind == "named":
            yield step, ref.key.name
