"""Pairs of old and new for an aim: objects with an invalid value, or a value at the limit, at the path of a rule.

A pair starts from a seed object; missing parents of the path are created. Which values may be invalid follows from the
type of the error, its origin, limits, hints and the shape. The likeliest values come first; later pairs vary the seed
object. No pair is excluded, and none is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import TypeVar

from harness.case import Json
from harness.fuzzers.aims import Aim
from harness.fuzzers.celvalues import cel_updates, cel_values
from harness.fuzzers.invalidvalues import changed_values, invalid_values, structs_with_other_siblings
from harness.fuzzers.pairs import Pair
from harness.fuzzers.patternpaths import MakeValue, follow, put_at_pattern
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import values_at_limit
from harness.fuzzers.values import full_value, small_value, sparse_value
from harness.jsonpath import ABSENT, ITEMS, pattern_of
from harness.objectmodel import stored

RULE, BESIDE = "rule", "beside"
"""Arguments of an aim: the text of a CEL rule; by path, the value that must stand there, None where nothing may."""
T = TypeVar("T")
MakeValues = Callable[[Shape, Json, FieldShape | None], Iterator[Json]]
"""Yields values for a path, by its shape, its present value and its member."""

_MAKERS: tuple[MakeValue, ...] = (sparse_value, full_value, small_value)
_MAX_SEEDS = 4
"""At most this many seed objects are tried for an aim: those that have most of its path."""
_MAX_CHANGES = 24
"""At most this many changes of the value at the path are tried in updates."""
_CREATES_PER_ROUND, _UPDATES_PER_ROUND, _UNCHANGED_PER_ROUND = (3, 6, 12, 40), (4, 8, 40), (4, 8, 40)
_CEL_PER_ROUND = (6, 30, 200)
"""How many pairs of each seed object and maker are yielded in the first round, in the second, and so on."""


def aimed_pairs(aim: Aim, shape: Shape, seeds: Sequence[Json]) -> Iterator[Pair]:
    """Yield (new, old) that may reach the goal of an aim, the likeliest first; old is None for a create."""
    parts = parts_of(aim)
    seeds = [_with_beside(aim, shape, seed) for seed in seeds]
    nearest = sorted(seeds, key=lambda seed: -_present_parts(seed, parts))[:_MAX_SEEDS]
    rule = aim.argument.get(RULE)
    if isinstance(rule, str) and aim.wants == "reject":
        yield from _for_cel(aim, rule, shape, parts, nearest)
    elif aim.wants == "accept" and aim.update:
        yield from _updates_beside_path(shape, parts, nearest)
    elif aim.wants == "accept":
        yield from _creates(shape, parts, nearest, lambda *context: values_at_limit(aim, *context))
    elif aim.update:
        yield from _updates_of_path(shape, parts, nearest)
    else:
        yield from _creates(shape, parts, nearest, lambda *context: invalid_values(aim, *context))


def _for_cel(aim: Aim, rule: str, shape: Shape, parts: Sequence[str], seeds: Sequence[Json]) -> Iterator[Pair]:
    """Yield pairs for a CEL rule; one that may compare with an old value gets updates, and creates if it needs none."""
    if aim.argument.get("changes"):
        updates = [cel_updates(rule, shape, stored(seed), parts) for seed in seeds]
        yield from _in_rounds([*updates, _updates_of_path(shape, parts, seeds)], _UPDATES_PER_ROUND)
    if not aim.update:
        creates = [
            _with_values(shape, seed, parts, lambda below, held, _: cel_values(rule, below, held), sparse_value)
            for seed in seeds
        ]
        yield from ((obj, None) for obj in _in_rounds(creates, _CEL_PER_ROUND))


def _with_beside(aim: Aim, shape: Shape, seed: Json) -> Json:
    """Return an object with what must stand beside the path of an aim, such as the type of a union."""
    for path, value in aim.argument.get(BESIDE, {}).items():
        seed = put_at_pattern(shape, seed, pattern_of(path), ABSENT if value is None else value)
    return seed


def parts_of(aim: Aim) -> tuple[str, ...]:
    """Split the path of an aim. For a duplicate item, which is an error of the item, return the path of its list."""
    if isinstance(at := aim.argument.get("at"), list):  # a CEL rule may report at a field of what it is about
        return tuple(at)
    parts = pattern_of(aim.path)
    return parts[:-1] if aim.type == "FieldValueDuplicate" and parts[-1:] == (ITEMS,) else parts


def _present_parts(obj: Json, parts: Sequence[str]) -> int:
    """Count the parts of a path that an object has; one more when it has all of them."""
    for number, part in enumerate(parts):
        if isinstance(obj, dict):
            obj = next(iter(obj.values()), ABSENT) if part == ITEMS else obj.get(part, ABSENT)
        elif isinstance(obj, list) and obj:
            obj = obj[0]
        else:
            return number
        if obj is ABSENT:
            return number
    return len(parts) + 1


def _creates(shape: Shape, parts: Sequence[str], seeds: Sequence[Json], make_values: MakeValues) -> Iterator[Pair]:
    # The first values with all makers and seeds, then the next values: all values of one seed may fail for one reason.
    at_path = [_with_values(shape, seed, parts, make_values, maker) for maker, seed in product(_MAKERS, seeds)]
    with_siblings = [
        _with_other_siblings(shape, seed, parts, make_values, maker) for maker, seed in product(_MAKERS[:2], seeds)
    ]
    yield from ((obj, None) for obj in _in_rounds([*at_path, *with_siblings], _CREATES_PER_ROUND))


def _with_other_siblings(
    shape: Shape, seed: Json, parts: Sequence[str], make_values: MakeValues, make: MakeValue
) -> Iterator[Json]:
    """Yield objects with the first value at the path and with other siblings."""
    if not parts or parts[-1] == ITEMS:
        return
    value, value_shape, member = follow(shape, seed, parts, make)
    parent, parent_shape, _ = follow(shape, seed, parts[:-1], make)
    for new_value in islice(make_values(value_shape, value, member), 1):
        for struct in structs_with_other_siblings(parent_shape, parent, parts[-1], new_value):
            yield put_at_pattern(shape, seed, parts[:-1], struct, make)


def _with_values(
    shape: Shape, seed: Json, parts: Sequence[str], make_values: MakeValues, make: MakeValue
) -> Iterator[Json]:
    """Yield copies of an object with each of the values at the path."""
    value, value_shape, member = follow(shape, seed, parts, make)
    for new_value in make_values(value_shape, value, member):
        yield put_at_pattern(shape, seed, parts, new_value, make)


def _updates_of_path(shape: Shape, parts: Sequence[str], seeds: Sequence[Json]) -> Iterator[Pair]:
    """Return updates that change, remove or add the value at the path."""
    updates = [_change_path(shape, stored(seed), parts, maker) for maker, seed in product(_MAKERS, seeds)]
    return _in_rounds(updates, _UPDATES_PER_ROUND)


def _updates_beside_path(shape: Shape, parts: Sequence[str], seeds: Sequence[Json]) -> Iterator[Pair]:
    """Return updates that keep the value at the path and change a sibling."""
    return _in_rounds([_change_siblings(shape, stored(seed), parts) for seed in seeds], _UNCHANGED_PER_ROUND)


def _in_rounds(iterators: Sequence[Iterator[T]], sizes: Sequence[int]) -> Iterator[T]:
    """Yield from the iterators in rounds: as many of each as the first size, then as many as the next one."""
    for size in sizes:
        for iterator in iterators:
            yield from islice(iterator, size)


def _change_siblings(shape: Shape, seed: Json, parts: Sequence[str]) -> Iterator[Pair]:
    """Yield updates in which one sibling of the path is changed or added."""
    value, value_shape, _ = follow(shape, seed, parts, sparse_value)
    old = put_at_pattern(shape, seed, parts, value if value is not ABSENT else sparse_value(value_shape))
    parent, parent_shape, _ = follow(shape, old, parts[:-1], sparse_value)
    if parent_shape.kind != "struct" or not isinstance(parent, dict):
        return
    # Maps first, because they accept nearly every change: labels and annotations, beside metadata that is immutable.
    for member in sorted(parent_shape.fields, key=lambda one: one.shape.kind != "map"):
        if member.name == parts[-1]:
            continue
        sibling = parent.get(member.name)
        if sibling is None:
            changed = sparse_value(member.shape)
        else:
            changed = next(changed_values(member.shape, sibling, member), sibling)
        yield put_at_pattern(shape, seed, parts[:-1], {**parent, member.name: changed}), old


def _change_path(shape: Shape, seed: Json, parts: Sequence[str], make: MakeValue) -> Iterator[Pair]:
    value, value_shape, member = follow(shape, seed, parts, make)
    old_value = value if value is not ABSENT else make(value_shape)
    old = put_at_pattern(shape, seed, parts, old_value, make)
    without = put_at_pattern(shape, seed, parts, ABSENT, make)
    changes = list(islice(changed_values(value_shape, old_value, member), _MAX_CHANGES))
    for changed in changes[:2]:
        yield put_at_pattern(shape, seed, parts, changed, make), old
    yield without, old
    yield old, without
    for changed in changes[2:]:
        new = put_at_pattern(shape, seed, parts, changed, make)
        yield new, old
        yield old, new
