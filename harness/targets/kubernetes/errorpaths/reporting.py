"""The calls that report errors at each field of a kind, and which of them a run reached.

An error may be made in a helper of many fields, or of a library that has no counters. So a call is told by the
innermost line with a counter, and counts as reached for a field if it was reached, and with it all calls on a way from
the strategy to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from harness.targets.kubernetes.errorpaths.follow import UNKNOWN, CallPlace, FollowedError, FollowedKind

WasReached: TypeAlias = Callable[[CallPlace], bool | None]
"""Whether a run reached a call; None if it has no counter."""
_ROOT = 0


class CallAtField(NamedTuple):
    """A call that reports errors at a field: their types, and whether it was reached for this field.

    `missed` are the calls that were not reached: itself, or those on ways to it. Where one way was reached and another
    was not, it is reached, and has missed ones.
    """

    site: CallPlace
    types: tuple[str, ...]
    reached: bool
    missed: tuple[CallPlace, ...]


class CallsAtField(NamedTuple):
    """The calls that report errors at a path. `uncounted` are those in code without counters."""

    path: str
    calls: tuple[CallAtField, ...]
    uncounted: int


class _Call(NamedTuple):
    node: int
    site: int


@dataclass(frozen=True)
class KindCalls:
    """The calls of one kind, and what a run reached of them."""

    kind: FollowedKind
    was_reached: WasReached

    def fields(self) -> Iterator[CallsAtField]:
        """Yield the fields at which the kind reports errors, in order of path. Errors without a path are left out."""
        by_path: dict[str, list[FollowedError]] = {}
        for one in self.kind.errors or ():
            if not one.vague:
                by_path.setdefault(one.path, []).append(one)
        for path in sorted(by_path):
            yield self._of(path, by_path[path])

    def marked(self, path: str, type_: str, origin: str) -> CallsAtField:
        """Return the calls that report an error at a path that is marked as covered, of a type and an origin."""
        return self._of(path, [one for one in self._marked(path, type_, origin) if not one.vague])

    def not_followed(self, path: str, type_: str, origin: str) -> list[tuple[CallPlace, str]]:
        """Return the calls that may report such an error, and of which it is not known, each with the reason."""
        found = {one.site: one.why for one in self.kind.open or () if one.may_report(path)}
        vague = (one.site for one in self._marked(path, type_, origin) if one.vague)
        found.update(dict.fromkeys(vague, "its path is not known"))
        return [(self.kind.site(site), why) for site, why in sorted(found.items())]

    def _marked(self, path: str, type_: str, origin: str) -> Iterator[FollowedError]:
        for one in self.kind.errors or ():
            if one.covered and one.is_at(path, type_) and one.origin in (origin, UNKNOWN):
                yield one

    def _of(self, path: str, errors: list[FollowedError]) -> CallsAtField:
        types: dict[int, set[str]] = {}
        calls: dict[int, set[int]] = {}
        uncounted: set[int] = set()
        for one in errors:
            own = self._counted(_Call(one.node, one.site))
            if not own:
                uncounted.add(one.site)
            for node, site in own:
                types.setdefault(site, set()).add(one.type)
                calls.setdefault(site, set()).add(node)
        found = [self._call(site, nodes, types[site]) for site, nodes in calls.items()]
        return CallsAtField(path, tuple(sorted(found)), len(uncounted))

    def _call(self, site: int, nodes: set[int], types: set[str]) -> CallAtField:
        place = self.kind.site(site)
        names = tuple(sorted(types))
        if not self._states[site]:
            return CallAtField(place, names, False, (place,))
        missed = {one for node in nodes for one in self._missed_above(node)}
        reached = any(node in self._reached for node in nodes)
        return CallAtField(place, names, reached, tuple(sorted(map(self.kind.site, missed))))

    @cached_property
    def _states(self) -> tuple[bool | None, ...]:
        return tuple(self.was_reached(self.kind.site(number)) for number in range(len(self.kind.sites or ())))

    @cached_property
    def _callers(self) -> Mapping[int, list[_Call]]:
        found: dict[int, list[_Call]] = {}
        for node, site, caller in self.kind.calls or ():
            found.setdefault(node, []).append(_Call(caller, site))
        return found

    @cached_property
    def _reached(self) -> frozenset[int]:
        """The functions that are reached from the strategies through calls that were reached, or have no counter."""
        called: dict[int, list[tuple[int, int]]] = {}
        for node, site, caller in self.kind.calls or ():
            called.setdefault(caller, []).append((node, site))
        found, todo = {_ROOT}, [_ROOT]
        while todo:
            for node, site in called.get(todo.pop(), ()):
                if node not in found and self._states[site] is not False:
                    found.add(node)
                    todo.append(node)
        return frozenset(found)

    def _counted(self, call: _Call) -> set[_Call]:
        """Return the innermost calls with counters from a call upwards, itself if it has one."""
        found, seen, todo = set[_Call](), {call}, [call]
        while todo:
            one = todo.pop()
            if self._states[one.site] is not None:
                found.add(one)
                continue
            for above in self._callers.get(one.node, ()):
                if above not in seen:
                    seen.add(above)
                    todo.append(above)
        return found

    def _missed_above(self, node: int) -> set[int]:
        """Return the sites that were not reached, of the calls on all ways from the strategies to a function."""
        found, seen, todo = set[int](), {node}, [node]
        while todo:
            for above in self._callers.get(todo.pop(), ()):
                if self._states[above.site] is False:
                    found.add(above.site)
                if above.node not in seen:
                    seen.add(above.node)
                    todo.append(above.node)
        return found
