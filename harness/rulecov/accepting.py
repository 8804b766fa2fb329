"""Finds the rules that an accepted object covers: values at their limits, union members, unchanged fields.

Rules that are not covered yet are in a tree of path steps. An object is walked along that tree, and only where an
update changed it, because ratcheting skips unchanged values. Covered rules are removed from the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from harness.case import Json
from harness.field.facts import measured
from harness.jsonpath import ITEMS
from harness.rulecov.inventory import KnownRule

Test: TypeAlias = Callable[[Json, Json], bool]
"""(value, old value; `CREATED` on a create) to whether this shows the rule accepting."""


class _Created:
    """The old value of a create, where there is none."""

    def __repr__(self) -> str:
        return "CREATED"


CREATED: Final = _Created()


def is_at(known: KnownRule, value: Json, distance: int = 0) -> bool:
    """Whether the size of a value equals the limit of a rule, or exceeds it by exactly `distance`."""
    if known.limit is None:
        return False
    wanted = known.limit + distance * known.beyond
    if known.on_keys:
        return isinstance(value, dict) and any(measured(known.measure, key) == wanted for key in value)
    return measured(known.measure, value) == wanted


def test_of(known: KnownRule) -> tuple[tuple[Any, ...], Test]:
    """Return the steps to the value that a rule checks, and the test of that value."""
    steps, argument = known.steps, known.argument
    match known.judge:
        case "limit":
            return steps, lambda new, old: is_at(known, new)
        case "two":
            return steps, lambda new, old: isinstance(new, list | dict) and len(new) >= 2
        case "one":
            return steps, lambda new, old: _count_set(new, argument.get("members", ())) == 1
        case "trigger-set" | "trigger-alone":
            trigger, dependent, wanted = argument["trigger"], argument["dependent"], known.judge == "trigger-set"
            return steps, lambda new, old: _is_set(new, trigger) and _is_set(new, dependent) is wanted
        case "there":
            return steps, lambda new, old: new not in _EMPTY
    if not steps:
        return steps, lambda new, old: old is not CREATED
    parent_steps, last = steps[:-1], steps[-1]
    match known.judge:
        case "absent":
            return parent_steps, lambda new, old: isinstance(new, dict) and not _is_set(new, last)
        case "unchanged":
            return parent_steps, lambda new, old: any(
                value not in _EMPTY and value == was for value, was in _pairs(new, old, last)
            )
        case _:
            return parent_steps, lambda new, old: any(
                value not in _EMPTY and was not in _EMPTY for value, was in _pairs(new, old, last)
            )


_EMPTY: tuple[Json, ...] = (None, "", [], {})


def _is_set(value: Json, name: Any) -> bool:
    return isinstance(value, dict) and value.get(name) not in _EMPTY


def _count_set(value: Json, members: Iterable[Json]) -> int:
    """Return how many members of a union are set: fields of a struct, or items of a list by their keys."""
    return sum(_has_item(value, member) if isinstance(member, dict) else _is_set(value, member) for member in members)


def _has_item(value: Json, keys: Mapping[str, Json]) -> bool:
    return isinstance(value, list) and any(_has_keys(item, keys) for item in value)


def _has_keys(item: Json, keys: Mapping[str, Json]) -> bool:
    return isinstance(item, dict) and all(item.get(name) == wanted for name, wanted in keys.items())


def _pairs(new: Json, old: Json, last: Any) -> list[tuple[Json, Json]]:
    """Return the pairs of new and old values at the last step."""
    if isinstance(last, str) and last != ITEMS:
        return [(new.get(last), old.get(last))] if isinstance(new, dict) and isinstance(old, dict) else []
    if isinstance(new, dict) and isinstance(old, dict):
        return [(value, old[name]) for name, value in new.items() if name in old]
    if isinstance(new, list) and isinstance(old, list):
        items = [item for item in new if isinstance(last, str) or _has_keys(item, last)]
        return [(item, was) for item in items for was in old if item == was]
    return []


class UncoveredRules:
    """A node of the tree: the uncovered rules for the value at its path, and the child nodes."""

    __slots__ = ("each", "members", "picked", "tests")

    def __init__(self) -> None:
        self.tests: list[tuple[int, Test]] = []
        self.members: dict[str, UncoveredRules] = {}
        self.each: UncoveredRules | None = None
        self.picked: list[tuple[Mapping[str, Json], UncoveredRules]] = []

    def add(self, number: int, known: KnownRule) -> None:
        """Add a rule; `number` identifies it in the result of `look`."""
        steps, test = test_of(known)
        node = self
        for step in steps:
            node = node._child(step)
        node.tests.append((number, test))

    def _child(self, step: Any) -> UncoveredRules:
        if step == ITEMS:
            self.each = self.each or UncoveredRules()
            return self.each
        if isinstance(step, str):
            return self.members.setdefault(step, UncoveredRules())
        found = next((node for keys, node in self.picked if keys == step), None)
        if found is None:
            found = UncoveredRules()
            self.picked.append((step, found))
        return found

    def __bool__(self) -> bool:
        return bool(self.tests or self.members or self.each is not None or self.picked)

    def look(self, new: Json, old: Json, seen: list[int]) -> None:
        """Append the rules that an accepted value covers to `seen`, and remove them from the tree."""
        if self.tests:
            found = [number for number, test in self.tests if test(new, old)]
            if found:
                seen += found
                self.tests = [one for one in self.tests if one[0] not in found]
        if new.__class__ is dict:
            if self.members:
                self._look_at_members(new, old, seen)
            if self.each is not None:
                self._look_at_values(new, old, seen)
        elif new.__class__ is list and (self.each is not None or self.picked):
            self._look_at_items(new, old, seen)

    def _look_at_members(self, new: dict[str, Json], old: Json, seen: list[int]) -> None:
        before = len(seen)
        created = old is CREATED
        known = old if old.__class__ is dict else {}
        for name, node in self.members.items():
            value = new.get(name)
            if value is not None:
                was = CREATED if created else known.get(name)
                if value is not was and (created or value != was):
                    node.look(value, was, seen)
        if len(seen) > before:
            self.members = {name: node for name, node in self.members.items() if node}

    def _look_at_values(self, new: dict[str, Json], old: Json, seen: list[int]) -> None:
        assert self.each is not None
        known = old if old.__class__ is dict else {}
        for name, value in new.items():
            was = CREATED if old is CREATED else known.get(name)
            if value is not was and value != was:
                self.each.look(value, was, seen)
        self._prune()

    def _look_at_items(self, new: list[Json], old: Json, seen: list[int]) -> None:
        known = old if old.__class__ is list else ()
        for index, item in enumerate(new):
            if item in known:
                continue
            # Without its keys the old item is unknown; take the one at the same index, which is most similar.
            was = CREATED if old is CREATED else known[index] if index < len(known) else None
            if self.each is not None:
                self.each.look(item, was, seen)
            for keys, node in self.picked:
                if _has_keys(item, keys):
                    node.look(item, was, seen)
        self._prune()

    def _prune(self) -> None:
        if self.each is not None and not self.each:
            self.each = None
        if self.picked:
            self.picked = [one for one in self.picked if one[1]]
