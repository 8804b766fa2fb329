"""Walks an object to the values that rules check: each with its old value, once for all rules of a type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.case import Json
from harness.jsonpath import ABSENT, ITEMS
from harness.rulecov.accepting import CREATED


class ValueTree:
    """A node of the tree of steps: the numbers of the rules that check the value here, and the nodes below."""

    __slots__ = ("each", "members", "numbers", "picked")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.members: dict[str, ValueTree] = {}
        self.each: ValueTree | None = None
        self.picked: list[tuple[Mapping[str, Json], ValueTree]] = []

    def add(self, number: int, steps: Sequence[Any]) -> None:
        """Add a rule that checks the value behind these steps."""
        node = self
        for step in steps:
            node = node._below(step)
        node.numbers.append(number)

    def _below(self, step: Any) -> ValueTree:
        if step == ITEMS:
            self.each = self.each or ValueTree()
            return self.each
        if isinstance(step, str):
            return self.members.setdefault(step, ValueTree())
        found = next((node for keys, node in self.picked if keys == step), None)
        if found is None:
            found = ValueTree()
            self.picked.append((step, found))
        return found

    def values(self, new: Json, old: Json) -> Iterator[tuple[int, Json, Json]]:
        """Yield (number, value, old value); `ABSENT` where only what holds the member exists, `CREATED` on creates."""
        for number in self.numbers:
            yield number, new, old
        if new.__class__ is dict:
            for name, node in self.members.items():
                yield from node.values(new.get(name, ABSENT), _member(old, name))
            if self.each is not None:
                for name, value in new.items():
                    yield from self.each.values(value, _member(old, name))
        elif new.__class__ is list:
            for index, item in enumerate(new):
                was = _item(old, index, item)
                if self.each is not None:
                    yield from self.each.values(item, was)
                for keys, node in self.picked:
                    if item.__class__ is dict and all(item.get(name) == wanted for name, wanted in keys.items()):
                        yield from node.values(item, was)


def _member(old: Json, name: str) -> Json:
    return old if old is CREATED else old.get(name, ABSENT) if old.__class__ is dict else ABSENT


def _item(old: Json, index: int, item: Json) -> Json:
    """Return the old item: an equal one wherever it stood, or else the one at the same index."""
    if old is CREATED:
        return old
    if old.__class__ is not list:
        return ABSENT
    return item if item in old else old[index] if index < len(old) else ABSENT
