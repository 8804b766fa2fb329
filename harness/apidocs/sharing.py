"""Decides which types get a section of their own: recursive types, and types that are used at many paths.

Every other type is written out at each of its paths. Because the number of these paths is limited, so is the size of
the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from harness.apidocs.document import Key
from harness.compiler.plan import Inner, Plan, Root, TypePlan
from harness.gotypes.model import TypeRef
from harness.objectmodel import is_type_meta
from harness.tags.types import Types

MIN_SHARED_KINDS = 3
"""A type that at least this many kinds use is documented once and linked."""
MIN_SHARED_PATHS = 4
"""So is a type that is used at this many paths of one kind."""
MAX_INLINE_RULES = 2
"""A type with at most this many rules is never linked for these reasons: the link would be longer than the rules."""
_MAX_PATHS = 100
"""A type at more paths of one kind than this is linked however few rules it has, to limit the document's size."""


class Sharing:
    """Decides once for all versions of an API, so that a type is linked in each of them or in none."""

    def __init__(self, plans: Iterable[tuple[str, Plan]], key: Callable[[str], Key], types: Types) -> None:
        self._key, self._types = key, types
        self._kinds_using: dict[Key, set[Key]] = {}
        self._linked: set[Key] = set()
        self.kinds: set[Key] = set()
        for group, plan in plans:
            self._read(group, plan)
        self._shared = self._linked | {
            name for name, kinds in self._kinds_using.items() if len(kinds) >= MIN_SHARED_KINDS
        }

    def is_linked(self, key: Key) -> bool:
        """Whether a type is linked where it is used, because it is shared or a kind."""
        return key in self._shared or key in self.kinds

    def _read(self, group: str, plan: Plan) -> None:
        types = plan.types
        edges = {name: inner_types(one) for name, one in types.items()}
        reachable = {name: _reachable(name, edges) for name in types}
        recursive = {name for name in types if name in reachable[name]}
        self._linked |= {self._key(name) for name in recursive}
        rule_counts = {name: sum(_count_rules(types[one]) for one in reachable[name] | {name}) for name in types}
        for root in kinds_of(plan, self._types):
            if root.type not in types:
                continue
            self.kinds.add(Key(group, root.name))
            for name in reachable[root.type]:
                if types[name].struct is not None and rule_counts[name] > MAX_INLINE_RULES:
                    self._kinds_using.setdefault(self._key(name), set()).add(Key(group, root.name))
            for name, paths in _count_paths(root.type, edges, recursive).items():
                if (paths >= MIN_SHARED_PATHS and rule_counts[name] > MAX_INLINE_RULES) or paths > _MAX_PATHS:
                    self._linked.add(self._key(name))


def kinds_of(plan: Plan, types: Types) -> list[Root]:
    """Return the roots that are kinds: those with TypeMeta, and others only if no root with TypeMeta reaches them."""
    roots = list(plan.roots.values())
    kinds = [root for root in roots if _has_type_meta(types, root.type)]
    if not kinds:
        return roots
    edges = {name: inner_types(one) for name, one in plan.types.items()}
    reachable = {name for root in roots if root.type in edges for name in _reachable(root.type, edges)}
    return kinds + [root for root in roots if root not in kinds and root.type in edges and root.type not in reachable]


def _has_type_meta(types: Types, name: str) -> bool:
    struct = types.struct(TypeRef("named", name))
    return struct is not None and any(is_type_meta(one.name) for one in struct.fields)


def inner_types(plan: TypePlan) -> tuple[str, ...]:
    """Return the types of the children of a type that have rules, once per child."""
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


def _count_rules(plan: TypePlan) -> int:
    groups = [plan.cohorts, *(one.cohorts for one in plan.fields)]
    return sum(len(cohort.stopping) + len(cohort.rest) for cohorts in groups for cohort in cohorts)


def _count_paths(root: str, edges: Mapping[str, tuple[str, ...]], recursive: set[str]) -> dict[str, int]:
    """Count the paths of each type below a root; the children of recursive types are not counted."""
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
