"""Many small repairs side by side: each brings one place into the same accepted object, whatever else must change.

All of them ask in one batch, so that a hundred places cost no more turns than one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from harness.case import Answer, Case, Json
from harness.fuzzers.abreast import Steps, abreast, plainly
from harness.fuzzers.bases import Ask, Repair, Repaired
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.places import member_at, shape_at
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import alternatives, filled, pool
from harness.jsonpath import JsonPath, look, put

FIRST, SECOND, QUICK = 30, 36, 12
"""Questions for one place: with values of its own, with other modes of what stands around it, and where most is refused
for what stands elsewhere."""
SHARED = 600
"""Questions that few places may share, when that is more."""
MOST = 64
PATIENCE = 24
"""Refusals for one and the same reason, after which a place is given up."""


@dataclass(frozen=True, slots=True)
class Graft:
    """A place to bring into an accepted object. `options` are values to begin with, when they are known."""

    place: JsonPath
    shape: Shape
    obj: Json
    options: Sequence[Json] = ()

    def firsts(self) -> list[Json]:
        """Return objects with likely values at the place, beside all of its siblings and beside the needed ones."""
        values = list(self.options) or list(islice(self._values(), 4))
        found = [put(self.obj, self.place, value) for value in values]
        at, held = self.place[:-1], look(self.obj, self.place[:-1])
        shape = shape_at(self.shape, at)
        if shape.kind == "struct" and isinstance(held, dict) and values:
            for kept in (
                [member.name for member in shape.fields if not member.pointer],
                [member.name for member in shape.fields if not member.pointer and not member.omitempty],
            ):
                alone = {name: held[name] for name in kept if name in held}
                found.insert(1, put(self.obj, at, {**alone, self.place[-1]: values[0]}))
        return found

    def _values(self) -> Iterator[Json]:
        member = member_at(self.shape, self.place)
        if member is not None:
            yield from alternatives(member)
        else:
            elem = shape_at(self.shape, self.place[:-1]).elem
            yield filled(elem)
            yield from pool(elem)

    def modes(self) -> list[Json]:
        """Return objects with the place in which a word of a fixed set near it is another: `type`, say."""
        found = []
        value: Json = next(iter(self.options or tuple(islice(self._values(), 1))), {})
        for depth in range(len(self.place) - 1, max(-1, len(self.place) - 4), -1):
            at = self.place[:depth]
            shape = shape_at(self.shape, at)
            for path, choices in _modes(shape):
                there = look(self.obj, at + path)
                for choice in choices[:12]:
                    if choice != there and self.place[: depth + 1] != at + path[:1]:
                        found.append(put(put(self.obj, at + path, choice), self.place, value))
        return found[:32]


def _modes(shape: Shape) -> Iterator[tuple[JsonPath, tuple[str | int, ...]]]:
    """Yield words of fixed sets among the members of a struct, and those that stand alone in a struct among them."""
    for member in shape.fields if shape.kind == "struct" else ():
        if member.shape.choices:
            yield (member.name,), member.shape.choices
        elif member.shape.kind == "struct" and len(member.shape.fields) == 1 and member.shape.fields[0].shape.choices:
            yield (member.name, member.shape.fields[0].name), member.shape.fields[0].shape.choices


def grafted(
    grafts: list[Graft], ask: Ask, harvest: Harvest, left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[Repaired]]:
    """Repair all of them, at most as long as something is `left`. Returns one result for each."""
    first = max(FIRST, min(MOST, SHARED // max(1, len(grafts))))
    results = yield from _abreast(grafts, [graft.firsts() for graft in grafts], first, ask, harvest, left)
    again = [index for index, found in enumerate(results) if not found.accepted]
    modes = [grafts[index].modes() for index in again]
    again = [index for index, firsts in zip(again, modes, strict=True) if firsts]
    more = yield from _abreast(
        [grafts[index] for index in again], [firsts for firsts in modes if firsts], SECOND, ask, harvest, left
    )
    for index, found in zip(again, more, strict=True):
        if found.accepted:
            results[index] = found
    return results


def quickly(
    grafts: list[Graft], ask: Ask, harvest: Harvest, left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[Repaired]]:
    """Repair all of them with few questions each. Returns one result for each."""
    return (yield from _abreast(grafts, [graft.firsts() for graft in grafts], QUICK, ask, harvest, left))


def _abreast(
    grafts: list[Graft], firsts: list[list[Json]], limit: int, ask: Ask, harvest: Harvest, left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[Repaired]]:
    def repair(graft: Graft, first: list[Json]) -> Steps[Repaired]:
        plain = cast("Ask", plainly)  # a part yields objects where others yield cases
        # Small steps: three in four that succeed do so with the first two objects, and rounds cost next to nothing.
        repairing = Repair(
            graft.shape, plain, harvest, limit, width=1, slice=5, at_once=2, keeps=graft.place, patience=PATIENCE
        )
        return cast("Steps[Repaired]", repairing.run(first))

    return (yield from abreast([repair(*pair) for pair in zip(grafts, firsts, strict=True)], ask, left))


def others(item: Json, shape: Shape) -> Iterator[Json]:
    """Yield second items for a list that has this one: renamed, of another mode, the smallest, the same again."""
    if not isinstance(item, dict) or shape.kind != "struct":
        yield from (value for value in pool(shape)[:8] if value != item)
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
    small = filled(shape)
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
