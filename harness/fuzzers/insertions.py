"""Insert paths into an accepted object: one small repair for each path, all side by side.

The repairs share their batches, so that a hundred paths wait for as many answers as one. A repair may change any other
part of the object.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from harness.case import Answer, Case, Json
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.lockstep import Steps, run_in_lockstep, yield_objects
from harness.fuzzers.repair import Ask, Repair, RepairResult
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import member_at, shape_at
from harness.fuzzers.values import alternatives, common_values, sparse_value
from harness.jsonpath import JsonPath, look, put

MAX_FIRST_CASES, MAX_SECOND_CASES, MAX_QUICK_CASES = 30, 36, 12
"""At most this many cases for one path: with likely values of the path, with other constants in the structs around it,
and by `repair_quickly`."""
_SHARED_CASES = 600
"""Few paths share this many cases, when that is more than `MAX_FIRST_CASES` for each."""
_MAX_CASES = 64
"""At most this many cases for one of few paths."""
PATIENCE = 24
"""A path is given up after this many rejections with an error in common."""
_MAX_CHOICES, _MAX_MODE_OBJECTS = 12, 32
"""At most this many constants of one member are tried, and at most this many objects in other modes."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A path to insert into an accepted object. `options` are the values to try first, when any are known."""

    path: JsonPath
    shape: Shape
    obj: Json
    options: Sequence[Json] = ()

    def first_objects(self) -> list[Json]:
        """Return objects with likely values at the path: with all siblings, and with the required siblings only."""
        values = list(self.options) or list(islice(self._values(), 4))
        found = [put(self.obj, self.path, value) for value in values]
        parent_path, parent = self.path[:-1], look(self.obj, self.path[:-1])
        shape = shape_at(self.shape, parent_path)
        if shape.kind == "struct" and isinstance(parent, dict) and values:
            for kept in (
                [member.name for member in shape.fields if not member.pointer],
                [member.name for member in shape.fields if not member.pointer and not member.omitempty],
            ):
                siblings = {name: parent[name] for name in kept if name in parent}
                found.insert(1, put(self.obj, parent_path, {**siblings, self.path[-1]: values[0]}))
        return found

    def _values(self) -> Iterator[Json]:
        member = member_at(self.shape, self.path)
        if member is not None:
            yield from alternatives(member)
        else:
            elem = shape_at(self.shape, self.path[:-1]).elem
            yield sparse_value(elem)
            yield from common_values(elem)

    def objects_in_other_modes(self) -> list[Json]:
        """Return objects with the path and another constant in a struct around it, such as another `type`."""
        found = []
        value: Json = next(iter(self.options or tuple(islice(self._values(), 1))), {})
        for depth in range(len(self.path) - 1, max(-1, len(self.path) - 4), -1):
            parent_path = self.path[:depth]
            for path, choices in _choices_near(shape_at(self.shape, parent_path)):
                current = look(self.obj, parent_path + path)
                for choice in choices[:_MAX_CHOICES]:
                    if choice != current and self.path[: depth + 1] != parent_path + path[:1]:
                        found.append(put(put(self.obj, parent_path + path, choice), self.path, value))
        return found[:_MAX_MODE_OBJECTS]


def _choices_near(shape: Shape) -> Iterator[tuple[JsonPath, tuple[str | int, ...]]]:
    """Yield the members of a struct that have constants, with these; also the only member of an inner struct."""
    for member in shape.fields if shape.kind == "struct" else ():
        if member.shape.choices:
            yield (member.name,), member.shape.choices
        elif member.shape.kind == "struct" and len(member.shape.fields) == 1 and member.shape.fields[0].shape.choices:
            yield (member.name, member.shape.fields[0].name), member.shape.fields[0].shape.choices


def repair_insertions(
    insertions: list[Insertion], ask: Ask, harvest: Harvest, cases_left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[RepairResult]]:
    """Repair all insertions, as long as there are `cases_left`. Returns one result for each."""
    first = max(MAX_FIRST_CASES, min(_MAX_CASES, _SHARED_CASES // max(1, len(insertions))))
    results = yield from _repair_in_lockstep(
        insertions, [insertion.first_objects() for insertion in insertions], first, ask, harvest, cases_left
    )
    again = [index for index, found in enumerate(results) if not found.accepted]
    objects = {index: insertions[index].objects_in_other_modes() for index in again}
    again = [index for index in again if objects[index]]
    more = yield from _repair_in_lockstep(
        [insertions[index] for index in again],
        [objects[index] for index in again],
        MAX_SECOND_CASES,
        ask,
        harvest,
        cases_left,
    )
    for index, found in zip(again, more, strict=True):
        if found.accepted:
            results[index] = found
    return results


def repair_quickly(
    insertions: list[Insertion], ask: Ask, harvest: Harvest, cases_left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[RepairResult]]:
    """Repair all insertions with few cases each. Returns one result for each."""
    objects = [insertion.first_objects() for insertion in insertions]
    return (yield from _repair_in_lockstep(insertions, objects, MAX_QUICK_CASES, ask, harvest, cases_left))


def _repair_in_lockstep(
    insertions: list[Insertion],
    first_objects: list[list[Json]],
    limit: int,
    ask: Ask,
    harvest: Harvest,
    cases_left: Callable[[], int],
) -> Generator[list[Case], list[Answer], list[RepairResult]]:
    def repair(insertion: Insertion, first: list[Json]) -> Steps[RepairResult]:
        plain = cast("Ask", yield_objects)  # steps in lockstep yield objects, not cases
        # Small batches: three in four successes come with the first two objects, and a batch costs next to nothing.
        repairing = Repair(
            insertion.shape,
            plain,
            harvest,
            limit,
            candidates_per_batch=1,
            options_per_candidate=5,
            first_batch=2,
            required_path=insertion.path,
            patience=PATIENCE,
        )
        return cast("Steps[RepairResult]", repairing.run(first))

    return (
        yield from run_in_lockstep(
            [repair(*pair) for pair in zip(insertions, first_objects, strict=True)], ask, cases_left
        )
    )


def second_items(item: Json, shape: Shape) -> Iterator[Json]:
    """Yield second items for a list that has this one: renamed, with another constant, the smallest, the same again."""
    if not isinstance(item, dict) or shape.kind != "struct":
        yield from (value for value in common_values(shape)[:8] if value != item)
        if isinstance(item, str):
            yield item + "b"
        return
    texts = [
        member.name
        for member in shape.fields
        if isinstance(item.get(member.name), str) and not member.shape.choices and member.shape.kind == "string"
    ]
    renamed = {name: item[name] + "b" for name in texts}
    numbers = {
        member.name: item[member.name] + 1
        for member in shape.fields
        if member.shape.kind == "int" and isinstance(item.get(member.name), int) and item[member.name] > 0
    }
    small = sparse_value(shape)
    if texts:
        first = {texts[0]: renamed[texts[0]]}
        yield {**item, **first}
        if isinstance(small, dict):
            yield {**small, **{name: item[name] for name in texts if name in small}, **first}
    if len(texts) > 1 or numbers:
        yield {**item, **renamed, **numbers}
    for member in shape.fields:
        if member.shape.choices and member.name in item:
            yield from ({**item, member.name: one} for one in member.shape.choices[:6] if one != item[member.name])
    yield small
    yield item
