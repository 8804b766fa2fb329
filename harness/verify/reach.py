"""Where kinds have a type: every path from a kind's root to it, `[*]` for items and values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.jsonpath import ITEMS, join
from harness.verify.change import FieldPath, KindName

_DEEPEST = 40
"""Steps from a root: deeper than any API, and an end for types that hold themselves."""


class KindReach:
    """The types of a universe as seen from its kinds. `roots` are the qualified types of kinds."""

    def __init__(self, universe: Universe, roots: Mapping[KindName, str]) -> None:
        self._universe = universe
        self._roots = roots
        self._edges: dict[str, tuple[tuple[str, str], ...]] = {}

    def paths(self, wanted: Collection[str]) -> dict[str, tuple[FieldPath, ...]]:
        """Return for each of these types where kinds have it. The root of a kind has the empty path."""
        found: dict[str, dict[FieldPath, None]] = {name: {} for name in wanted}
        leading = self._leading(wanted)
        for kind, root in self._roots.items():
            if root in leading:
                for name, path in self._walk(root, leading, "", (), 0):
                    if name in found:
                        found[name][FieldPath(kind, path)] = None
        return {name: tuple(sorted(places)) for name, places in found.items()}

    def below(self, root: str) -> Iterator[tuple[str, str]]:
        """Yield every type below a root with its path, the root first; each path once."""
        return self._walk(root, None, "", (), 0)

    def _walk(
        self, name: str, leading: Collection[str] | None, path: str, inside: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, str]]:
        yield name, path
        if depth > _DEEPEST:
            return
        for step, below in self._steps(name):
            if below not in inside and below != name and (leading is None or below in leading):
                yield from self._walk(below, leading, join(path, step), (*inside, name), depth + 1)

    def _leading(self, wanted: Collection[str]) -> set[str]:
        """Return the types from which one of these can be reached, these included."""
        above: dict[str, set[str]] = {}
        waiting, seen = list(self._roots.values()), set(self._roots.values())
        while waiting:
            name = waiting.pop()
            for _, below in self._steps(name):
                above.setdefault(below, set()).add(name)
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
        leading, waiting = set(wanted), list(wanted)
        while waiting:
            for name in above.get(waiting.pop(), ()):
                if name not in leading:
                    leading.add(name)
                    waiting.append(name)
        return leading

    def _steps(self, name: str) -> tuple[tuple[str, str], ...]:
        """The types that a type holds, and the way to each."""
        if name not in self._edges:
            declared = self._universe.find(name)
            if declared is None:
                self._edges[name] = ()
            elif isinstance(declared, Struct):
                self._edges[name] = tuple(_of_fields(declared.fields))
            else:
                self._edges[name] = tuple(_of_ref(declared.underlying, ""))
        return self._edges[name]


def step_of(field: Field) -> str:
    """Return the way from a struct to the value of a field: nothing where it is inlined."""
    return "" if field.inline else field.json_name


def native(universe: Universe, ref: TypeRef) -> TypeRef:
    """Remove pointers and names of what is no struct."""
    ref = universe.resolve(ref)
    while ref.kind == "pointer" and ref.elem is not None:
        ref = universe.resolve(ref.elem)
    return ref


def _of_fields(fields: tuple[Field, ...]) -> Iterator[tuple[str, str]]:
    for field in fields:
        if not field.json_ignored and field.exported:
            yield from _of_ref(field.type, step_of(field))


def _of_ref(ref: TypeRef, step: str) -> Iterator[tuple[str, str]]:
    if ref.kind == "named":
        yield step, ref.name
    elif ref.kind == "struct":
        for inner in ref.fields:
            if not inner.json_ignored and inner.exported:
                yield from _of_ref(inner.type, join(step, step_of(inner)))
    elif ref.kind == "pointer" and ref.elem is not None:
        yield from _of_ref(ref.elem, step)
    elif ref.elem is not None:
        yield from _of_ref(ref.elem, join(step, ITEMS))
        if ref.key is not None and ref.key.kind == "named":
            yield step, ref.key.name
