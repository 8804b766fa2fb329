"""What types hold by value, before anything else asks what they are made of.

A type that holds itself has values without end, and Go refuses it. Types that hold others twice at every level have
an end that nobody reaches: what they hold is counted, and too much of it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.diagnostics import Diagnostic
from harness.gotypes.model import Struct, Typedef, TypeRef
from harness.tags.types import SPECIAL, Types

MOST_FIELDS = 100_000
"""More than all types of Kubernetes declare together; a single value of theirs has some hundreds."""


def troubles(types: Types, roots: Iterable[TypeRef]) -> list[Diagnostic]:
    """Return what is wrong with the sizes of values in all that the roots lead to."""
    sizes = _Sizes(types)
    waiting, seen = [*roots][::-1], set[str]()
    while waiting:
        ref = waiting.pop()
        waiting += [inner for inner in (ref.elem, ref.key) if inner is not None]
        if ref.kind == "named" and ref.name not in SPECIAL and ref.name not in seen:
            seen.add(ref.name)
            sizes.of(ref.name)
            waiting += _members(types.find(ref.name))
    return sizes.found


def _members(declaration: Struct | Typedef | None) -> Iterator[TypeRef]:
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

    def of(self, name: str) -> int:
        """The fields in a value, at most one more than are allowed."""
        if name in self._known or name in SPECIAL:
            return self._known.get(name, 0)
        declaration = self._types.find(name)
        if declaration is None:
            return 0
        if name in self._open:
            self._complain_of_itself(self._open[self._open.index(name) :], declaration)
            return 0
        self._open.append(name)
        parts = [self._held(ref) for ref in _members(declaration)]
        self._open.pop()
        total = sum(parts) + len(parts)
        if total > MOST_FIELDS and all(part <= MOST_FIELDS for part in parts):
            message = f"a value of {declaration.name} has more than {MOST_FIELDS:,} fields, counting those inside"
            why = "the types in it hold each other more than once, level by level"
            self.found.append(
                Diagnostic(
                    declaration.position, "type-size", message, why, "hold inner types by pointer, or once",
                    width=len(declaration.name),
                )
            )  # fmt: skip
        self._known[name] = min(total, MOST_FIELDS + 1)
        return self._known[name]

    def _held(self, ref: TypeRef) -> int:
        while ref.kind == "array" and ref.elem is not None:
            ref = ref.elem
        return self.of(ref.name) if ref.kind == "named" else 0

    def _complain_of_itself(self, circle: list[str], declaration: Struct | Typedef) -> None:
        if not any(isinstance(self._types.find(name), Struct) for name in circle):
            return  # `type A B; type B A` has no kind, which is said elsewhere
        names = ", which holds ".join(name.rpartition(".")[2] for name in (*circle[1:], circle[0]))
        message = f"{declaration.name} holds {names}: a value would have no end"
        why = "Go refuses types that hold themselves by value"
        fix = "hold it by pointer, or in a list"
        self.found.append(
            Diagnostic(declaration.position, "type-recursive", message, why, fix, width=len(declaration.name))
        )
