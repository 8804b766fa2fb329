"""The steps of a reduction: revert a path, equalize old and new at it, remove it, or make its value plainer.

A step is a few edits, not a changed pair: listing steps is cheap, several are combined easily, and a pair is built only
for the steps that a reduction evaluates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import ANY, Shape
from harness.fuzzers.shapepaths import shape_at, size
from harness.jsonpath import ABSENT, Edit, JsonPath, apply_all, differences, later_first, look

Protected: TypeAlias = frozenset[JsonPath]
Key: TypeAlias = tuple[JsonPath, Hashable]
OtherValues: TypeAlias = Callable[[Json], Iterator[Json]]
"""Yields values that may replace one."""


MIN_LONG_TEXT = 16
"""Texts longer than this are shortened by a half, an eighth and a thirty-second at once, so that few cases find the
length that suffices; shorter ones by a half and by one character."""


class Step(NamedTuple):
    """Edits of the new and of the old object at one `path`; `how` distinguishes the steps at one path.

    `is_sure` says that the step makes the pair smaller, whatever else the pair holds. Steps that do the same at other
    paths share their `sort`, or their `how` where they have no `sort`.
    """

    path: JsonPath
    how: Hashable
    new: tuple[Edit, ...] = ()
    old: tuple[Edit, ...] = ()
    is_sure: bool = True
    sort: Hashable = None

    @property
    def key(self) -> Key:
        """The path and the `how` of a step, which identify it."""
        return self.path, self.how


def apply_steps(pair: Pair, steps: Sequence[Step]) -> Pair:
    """Return the pair after these steps; of steps that change the same path only the first is applied."""
    new, old = pair
    if len(steps) == 1:
        new_edits, old_edits = steps[0].new, steps[0].old
    else:
        new_edits, old_edits = _combine_edits(steps)
    return apply_all(new_edits, new), apply_all(old_edits, old)


def estimate_gain(pair: Pair, step: Step) -> tuple[bool, float]:
    """Estimate the gain of a step: whether old and new may differ in less, then how much smaller both become."""
    new, old = pair
    saved = sum(size(look(new, path)) - size(value) for path, value in step.new)
    saved += sum(size(look(old, path)) - size(value) for path, value in step.old)
    return old is not None and not (step.new and step.old), saved


def _combine_edits(steps: Iterable[Step]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    touched: set[JsonPath] = set()
    new: list[Edit] = []
    old: list[Edit] = []
    for step in steps:
        paths = {path for path, _ in (*step.new, *step.old)}
        if touched.isdisjoint(paths):
            touched |= paths
            new += step.new
            old += step.old
    return tuple(later_first(new)), tuple(later_first(old))


def reverts(pair: Pair, base: Json) -> Iterator[Step]:
    """Yield steps that set paths back to their values in the accepted base."""
    new, old = pair
    for path in differences(new, base) if base is not None else ():
        edit = (Edit(path, look(base, path)),)
        if old is not None:
            yield Step(path, "both", edit, edit)
        yield Step(path, "new", edit)


def equalizations(pair: Pair, protected: Protected) -> Iterator[Step]:
    """Yield steps that give old and new the same value at a path."""
    new, old = pair
    for path in differences(new, old) if old is not None else ():
        if path not in protected:
            yield Step(path, "new", (Edit(path, look(old, path)),))
            yield Step(path, "old", (), (Edit(path, look(new, path)),))


def removals(pair: Pair, floor: Pair | None, protected: Protected) -> Iterator[Step]:
    """Yield steps that remove a path, from both objects where both have it; large values first.

    Where the values differ the path is also removed from one object alone.
    """
    old = pair[1]
    for path, value, before in _reducible(pair, 0, floor, protected):
        edit = (Edit(path, ABSENT),)
        if before is not ABSENT:
            yield Step(path, "both", edit, edit)
        if before is ABSENT or before != value:
            yield Step(path, "new", edit, is_sure=_is_member(path))
    for path, value, after in _reducible(pair, 1, floor, protected) if old is not None else ():
        if after is ABSENT or after != value:
            # Where new has the path, the pair may differ in more: in every other path that both objects have below it.
            yield Step(path, "old", (), (Edit(path, ABSENT),), is_sure=after is ABSENT and _is_member(path))


def _is_member(path: JsonPath) -> bool:
    """Whether a path is a member and not a list item: removing an item from one object shifts those after it.

    Shifted items are compared with other items of the other object, so that the pair may differ in more.
    """
    return isinstance(path[-1], str)


def other_scalars(other_values: OtherValues, pair: Pair, floor: Pair | None, protected: Protected) -> Iterator[Step]:
    """Yield steps that replace scalars by smaller ones, in both objects where both have the same value."""
    new, old = pair
    paths = list(_reducible(pair, 0, floor, protected))
    for value, times in Counter(value for _, value, _ in paths if isinstance(value, str)).items():
        if times > 1 and value not in ("", "a"):  # a name and the references to it
            new_edits = tuple(_replace_everywhere(new, value, "a"))
            old_edits = tuple(_replace_everywhere(old, value, "a"))
            yield Step((), value, new_edits, old_edits, sort="a name")
    for path, value, before in paths:
        for smaller, how, number in _smaller_values(value, other_values):
            edit = (Edit(path, smaller),)
            yield Step(path, ("new", how), edit, edit if before == value else (), sort=("new", number))
    for path, value, after in _reducible(pair, 1, floor, protected) if old is not None else ():
        for smaller, how, number in _smaller_values(value, other_values) if after != value else ():
            yield Step(path, ("old", how), (), (Edit(path, smaller),), sort=("old", number))


def shorter_keys(other_values: OtherValues, pair: Pair, floor: Pair | None, shape: Shape) -> Iterator[Step]:
    """Yield steps that shorten the keys of maps; a key changes in every map of both objects that has it."""
    if shape is ANY:
        return
    paths: dict[str, dict[JsonPath, None]] = {}
    for index in (0, 1) if pair[1] is not None else (0,):
        for path, _, _ in _reducible(pair, index, floor, frozenset()):
            key = path[-1]
            if isinstance(key, str) and len(key) > 1 and shape_at(shape, path[:-1]).kind == "map":
                paths.setdefault(key, {})[path] = None
    for key, places in paths.items():
        for number, shorter in enumerate(other_values(key)):
            if 0 < len(shorter) < len(key):
                new, old = (tuple(_rename(obj, places, shorter)) for obj in pair)
                if not any(look(obj, (*path[:-1], shorter)) is not ABSENT for path in places for obj in pair):
                    yield Step((), ("key", key, shorter), new, old, sort=("key", number))


def _rename(obj: Json, paths: Iterable[JsonPath], key: str) -> Iterator[Edit]:
    """Yield edits that give the values at these paths another key."""
    for path in paths:
        value = look(obj, path)
        if value is not ABSENT:
            yield Edit(path, ABSENT)
            yield Edit((*path[:-1], key), value)


def _smaller_values(value: Json, other_values: OtherValues) -> Iterator[tuple[Json, Hashable, int]]:
    """Yield smaller values than this one, each with a `how` and with its number among the other values."""
    if value.__class__ is dict:
        return
    measure = -1.0
    for number, smaller in enumerate(other_values(value)):
        measure = size(value) if measure < 0 else measure
        if size(smaller) < measure:
            yield smaller, (len(smaller) if isinstance(smaller, list) else smaller), number


def _reducible(
    pair: Pair, index: int, floor: Pair | None, protected: Protected
) -> Iterator[tuple[JsonPath, Json, Json]]:
    """Yield the paths of new (0) or old (1) with their values in this object and in the other one, breadth first.

    Without the paths that cannot be reduced: those that are protected, and those whose values are equal in the floor.
    """
    other_index = 1 - index
    floors = (ABSENT, ABSENT) if floor is None else floor
    level: list[tuple[JsonPath, Json, Json, Json, Json]] = [
        ((), pair[index], pair[other_index], floors[index], floors[other_index])
    ]
    while level:
        next_level: list[tuple[JsonPath, Json, Json, Json, Json]] = []
        for parent_path, parent, other_parent, floor_parent, other_floor_parent in level:
            for part, value in parent.items() if parent.__class__ is dict else enumerate(parent):
                other, in_floor = _child(other_parent, part), _child(floor_parent, part)
                in_other_floor = _child(other_floor_parent, part)
                if value == in_floor and (other is in_other_floor or other == in_other_floor):
                    continue
                path = (*parent_path, part)
                if path not in protected:
                    yield path, value, other
                if value.__class__ is dict or value.__class__ is list:
                    next_level.append((path, value, other, in_floor, in_other_floor))
        level = next_level


def _child(value: Json, part: str | int) -> Json:
    if value.__class__ is dict:
        return value.get(part, ABSENT)
    if value.__class__ is list and part.__class__ is int and part < len(value):
        return value[part]
    return ABSENT


def _replace_everywhere(obj: Json, value: Json, other: Json, path: JsonPath = ()) -> Iterator[Edit]:
    """Yield edits that replace one value by another at every path that has it."""
    if isinstance(obj, dict | list):
        for part, child in obj.items() if isinstance(obj, dict) else enumerate(obj):
            yield from _replace_everywhere(child, value, other, (*path, part))
    elif obj == value and type(obj) is type(value):
        yield Edit(path, other)


def plainest_values(value: Json) -> Iterator[Json]:
    """Yield the plainest values of the type of a scalar."""
    if isinstance(value, str):
        yield from ("", "a")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (0, 1)


def simpler_values(value: Json) -> Iterator[Json]:
    """Yield values somewhat smaller than one that could not be replaced by the plainest."""
    if isinstance(value, str) and len(value) > 1:
        # One value has the same length in plain letters, for rules about the length alone.
        half, most = len(value) // 2, len(value) * 7 // 8
        plain = "a" * len(value)
        if len(value) > MIN_LONG_TEXT:
            nearly = len(value) - max(2, len(value) // 32)
            halves = plain[:half], value[:half], value[half:]
            longer = plain[:most], value[:most], plain[:nearly], value[:nearly]
            yield from dict.fromkeys((*halves, *longer, plain, value[:-1]))
        else:
            first = () if value.isalnum() else (value[1:],)  # of what has parts, one may be as long as it must be
            yield from dict.fromkeys((value[:half], value[half:], plain, value[:-1], *first))
    elif isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1):
        half = int(value / 2)
        yield from (half, int(value * 7 / 8), int(value) - (1 if value > 0 else -1))
    elif isinstance(value, list) and len(value) > 3:
        yield from (value[: len(value) // 2], value[: len(value) * 7 // 8])
    elif value is True:
        yield False
