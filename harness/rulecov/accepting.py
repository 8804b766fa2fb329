"""What an accepted object shows of rules: values at their limits, members of unions, fields that did not change.

Rules that still wait hang in a tree of steps. An object is gone through along that tree, and along what an update
changed: what is unchanged was not looked at by any validator. The tree shrinks until nothing is left to see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from harness.case import Json
from harness.field.facts import measured
from harness.jsonpath import ITEMS
from harness.rulecov.inventory import KnownRule

Test: TypeAlias = Callable[[Json, Json], bool]
"""(the value, what it was before an update; `CREATED` on a create) to whether the rule was seen to accept."""


class _Created:
    """The old value where there is none because the object is created."""

    def __repr__(self) -> str:
        return "CREATED"


CREATED: Final = _Created()


def is_at(known: KnownRule, value: Json, distance: int = 0) -> bool:
    """Whether a value is exactly at the limit of a rule, or `distance` beyond it."""
    if known.limit is None:
        return False
    wanted = known.limit + distance * known.beyond
    if known.on_keys:
        return isinstance(value, dict) and any(measured(known.measure, key) == wanted for key in value)
    return measured(known.measure, value) == wanted


def test_of(known: KnownRule) -> tuple[tuple[Any, ...], Test]:
    """Return where an object must be looked at for a rule, and what must be seen there."""
    steps, told = known.steps, known.argument
    match known.judge:
        case "limit":
            return steps, lambda new, old: is_at(known, new)
        case "two":
            return steps, lambda new, old: isinstance(new, list | dict) and len(new) >= 2
        case "one":
            return steps, lambda new, old: _count_set(new, told.get("members", ())) == 1
        case "trigger-set" | "trigger-alone":
            trigger, dependent, wanted = told["trigger"], told["dependent"], known.judge == "trigger-set"
            return steps, lambda new, old: _is_set(new, trigger) and _is_set(new, dependent) is wanted
        case "there":
            return steps, lambda new, old: new not in _EMPTY
    if not steps:
        return steps, lambda new, old: old is not CREATED
    above, last = steps[:-1], steps[-1]
    match known.judge:
        case "absent":
            return above, lambda new, old: isinstance(new, dict) and not _is_set(new, last)
        case "unchanged":
            return above, lambda new, old: any(
                value not in _EMPTY and value == was for value, was in _pairs(new, old, last)
            )
        case _:
            return above, lambda new, old: any(
                value not in _EMPTY and was not in _EMPTY for value, was in _pairs(new, old, last)
            )


_EMPTY: tuple[Json, ...] = (None, "", [], {})


def _is_set(value: Json, name: Any) -> bool:
    return isinstance(value, dict) and value.get(name) not in _EMPTY


def _count_set(value: Json, members: Iterable[Json]) -> int:
    """Count the members of a union that are set: fields of a struct, or items of a list by their keys."""
    return sum(_has_item(value, member) if isinstance(member, dict) else _is_set(value, member) for member in members)


def _has_item(value: Json, keys: Mapping[str, Json]) -> bool:
    return isinstance(value, list) and any(_is_meant(item, keys) for item in value)


def _is_meant(item: Json, keys: Mapping[str, Json]) -> bool:
    return isinstance(item, dict) and all(item.get(name) == wanted for name, wanted in keys.items())


def _pairs(new: Json, old: Json, last: Any) -> list[tuple[Json, Json]]:
    """Return the values at a last step with what they were."""
    if isinstance(last, str) and last != ITEMS:
        return [(new.get(last), old.get(last))] if isinstance(new, dict) and isinstance(old, dict) else []
    if isinstance(new, dict) and isinstance(old, dict):
        return [(value, old[name]) for name, value in new.items() if name in old]
    if isinstance(new, list) and isinstance(old, list):
        items = [item for item in new if isinstance(last, str) or _is_meant(item, last)]
        return [(item, was) for item in items for was in old if item == was]
    return []


class Waiting:
    """A node of the tree: the rules that wait for a value here, and the nodes below."""

    __slots__ = ("each", "members", "picked", "tests")

    def __init__(self) -> None:
        self.tests: list[tuple[int, Test]] = []
        self.members: dict[str, Waiting] = {}
        self.each: Waiting | None = None
        self.picked: list[tuple[Mapping[str, Json], Waiting]] = []

    def add(self, number: int, known: KnownRule) -> None:
        """Let a rule wait; `number` is told when it was seen."""
        steps, test = test_of(known)
        node = self
        for step in steps:
            node = node._below(step)
        node.tests.append((number, test))

    def _below(self, step: Any) -> Waiting:
        if step == ITEMS:
            self.each = self.each or Waiting()
            return self.each
        if isinstance(step, str):
            return self.members.setdefault(step, Waiting())
        found = next((node for keys, node in self.picked if keys == step), None)
        if found is None:
            found = Waiting()
            self.picked.append((step, found))
        return found

    def __bool__(self) -> bool:
        return bool(self.tests or self.members or self.each is not None or self.picked)

    def look(self, new: Json, old: Json, seen: list[int]) -> None:
        """Add to `seen` the rules that an accepted value shows, and stop waiting for them."""
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
            # What an item was, only its keys could tell. The one at the same place shares most with it.
            was = CREATED if old is CREATED else known[index] if index < len(known) else None
            if self.each is not None:
                self.each.look(item, was, seen)
            for keys, node in self.picked:
                if _is_meant(item, keys):
                    node.look(item, was, seen)
        self._prune()

    def _prune(self) -> None:
        if self.each is not None and not self.each:
            self.each = None
        if self.picked:
            self.picked = [one for one in self.picked if one[1]]
