"""Which types get a section of their own: those that hold themselves, and those that stand in many places.

Everything else is written out in full where it is used. The number of places is bounded, so the document is too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from harness.apidocs.document import Key
from harness.compiler.plan import Inner, Plan, Root, TypePlan
from harness.gotypes.model import TypeRef
from harness.objectmodel import is_type_meta
from harness.tags.types import Types

MANY_KINDS = 3
"""A type that so many kinds use is documented once."""
MANY_PLACES = 4
"""So is one that stands in so many places of one kind."""
FEW_RULES = 2
"""Unless it has so few rules that a link is more to read than they are."""


class Sharing:
    """Decides for all versions of an API together, so that a type is linked in each of them or in none."""

    def __init__(self, plans: Iterable[tuple[str, Plan]], key: Callable[[str], Key], types: Types) -> None:
        self._key, self._types = key, types
        self._kinds: dict[Key, set[Key]] = {}
        self._many: set[Key] = set()
        self.kinds: set[Key] = set()
        for group, plan in plans:
            self._read(group, plan)
        self._shared = self._many | {name for name, kinds in self._kinds.items() if len(kinds) >= MANY_KINDS}

    def is_linked(self, key: Key) -> bool:
        """Whether a type is linked where it is used: it is shared, or a kind of its own."""
        return key in self._shared or key in self.kinds

    def _read(self, group: str, plan: Plan) -> None:
        types = plan.types
        edges = {name: inner_types(one) for name, one in types.items()}
        below = {name: _reachable(name, edges) for name in types}
        recursive = {name for name in types if name in below[name]}
        self._many |= {self._key(name) for name in recursive}
        weights = {name: sum(_rules(types[one]) for one in below[name] | {name}) for name in types}
        for root in kinds_of(plan, self._types):
            if root.type not in types:
                continue
            self.kinds.add(Key(group, root.name))
            for name in below[root.type]:
                if types[name].struct is not None and weights[name] > FEW_RULES:
                    self._kinds.setdefault(self._key(name), set()).add(Key(group, root.name))
            for name, places in _places(root.type, edges, recursive).items():
                if (places >= MANY_PLACES and weights[name] > FEW_RULES) or places > 100:
                    self._many.add(self._key(name))


def kinds_of(plan: Plan, types: Types) -> list[Root]:
    """Return the roots that objects are: those with TypeMeta, and others only where no such root leads to them."""
    roots = list(plan.roots.values())
    kinds = [root for root in roots if _has_type_meta(types, root.type)]
    if not kinds:
        return roots
    edges = {name: inner_types(one) for name, one in plan.types.items()}
    below = {name for root in roots if root.type in edges for name in _reachable(root.type, edges)}
    return kinds + [root for root in roots if root not in kinds and root.type in edges and root.type not in below]


def _has_type_meta(types: Types, name: str) -> bool:
    struct = types.struct(TypeRef("named", name))
    return struct is not None and any(is_type_meta(one.name) for one in struct.fields)


def inner_types(plan: TypePlan) -> tuple[str, ...]:
    """Return the types whose rules run below a type, once for each place."""
    inners: list[Inner] = [plan.inner, *(one.inner for one in plan.fields)]
    return tuple(name for inner in inners for name in (inner.callee, inner.elem, inner.key) if name)


def _reachable(start: str, edges: Mapping[str, tuple[str, ...]]) -> set[str]:
    found: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name not in found and name in edges:
            found.add(name)
            waiting += edges[name]
    return found


def _rules(plan: TypePlan) -> int:
    groups = [plan.cohorts, *(one.cohorts for one in plan.fields)]
    return sum(len(cohort.stopping) + len(cohort.rest) for cohorts in groups for cohort in cohorts)


def _places(root: str, edges: Mapping[str, tuple[str, ...]], recursive: set[str]) -> dict[str, int]:
    """Count at how many paths each type stands below a root; what holds itself is not looked into."""
    users: dict[str, list[str]] = {}
    for name in {root} | _reachable(root, edges):
        for inner in () if name in recursive and name != root else edges[name]:
            users.setdefault(inner, []).append(name)

    @cache
    def count(name: str) -> int:
        if name == root:
            return 1
        return sum(count(user) for user in users.get(name, ()) if user not in recursive or user == root)

    return {name: count(name) for name in users if name != root and name not in recursive}
