"""Rejects types whose values are infinite or too large, before other code follows them recursively.

A type that contains itself by value has infinite size, and Go rejects it. In a chain of types that each contain the
next one twice, the size of a value doubles with each type. Therefore types whose values have too many fields are
rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.diagnostics import Diagnostic
from harness.gotypes.model import Struct, Typedef, TypeRef
from harness.tags.types import SPECIAL, Types

MAX_FIELDS = 100_000
"""At most this many fields in a value, with those of nested structs. A value of a Kubernetes type has some hundred."""


def size_errors(types: Types, roots: Iterable[TypeRef]) -> list[Diagnostic]:
    """Return diagnostics about the value sizes of all types that are reachable from the roots."""
    sizes = _Sizes(types)
    waiting, seen = [*roots][::-1], set[str]()
    while waiting:
        ref = waiting.pop()
        waiting += [inner for inner in (ref.elem, ref.key) if inner is not None]
        if ref.kind == "named" and ref.name not in SPECIAL and ref.name not in seen:
            seen.add(ref.name)
            sizes.count_fields(ref.name)
            waiting += _member_types(types.find(ref.name))
    return sizes.found


def _member_types(declaration: Struct | Typedef | None) -> Iterator[TypeRef]:
    if isinstance(declaration, Typedef):
        yield declaration.underlying
    elif declaration is not None:
        yield from (member.type for member in declaration.fields if member.exported)


class _Sizes:
    """Counts the fields in a value of each type, each type once."""

    def __init__(self, types: Types) -> None:
        self.found: list[Diagnostic] = []
        self._types = types
        self._known: dict[str, int] = {}
        self._open: list[str] = []

    def count_fields(self, name: str) -> int:
        """Return the number of fields in a value, limited to one more than is allowed."""
        if name in self._known or name in SPECIAL:
            return self._known.get(name, 0)
        declaration = self._types.find(name)
        if declaration is None:
            return 0
        if name in self._open:
            self._report_recursion(self._open[self._open.index(name) :], declaration)
            return 0
        self._open.append(name)
        parts = [self._size_of(ref) for ref in _member_types(declaration)]
        self._open.pop()
        total = sum(parts) + len(parts)
        if total > MAX_FIELDS and all(part <= MAX_FIELDS for part in parts):
            message = f"a value of {declaration.name} has more than {MAX_FIELDS:,} fields, counting those inside"
            why = "each level of its types contains the next one more than once"
            self.found.append(
                Diagnostic(
                    declaration.position, "type-size", message, why, "contain inner types by pointer, or once",
                    width=len(declaration.name),
                )
            )  # fmt: skip
        self._known[name] = min(total, MAX_FIELDS + 1)
        return self._known[name]

    def _size_of(self, ref: TypeRef) -> int:
        while ref.kind == "array" and ref.elem is not None:
            ref = ref.elem
        return self.count_fields(ref.name) if ref.kind == "named" else 0

    def _report_recursion(self, circle: list[str], declaration: Struct | Typedef) -> None:
        if not any(isinstance(self._types.find(name), Struct) for name in circle):
            return  # `type A B; type B A` has no underlying type, which is another error
        names = ", which contains ".join(name.rpartition(".")[2] for name in (*circle[1:], circle[0]))
        message = f"{declaration.name} contains {names}: its values would be infinitely large"
        why = "Go rejects types that contain themselves by value"
        fix = "use a pointer or a list"
        self.found.append(
            Diagnostic(declaration.position, "type-recursive", message, why, fix, width=len(declaration.name))
        )
