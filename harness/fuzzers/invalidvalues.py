"""Values that a rule may reject, by the type and origin of its error, and values that differ from a present one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from harness.case import Json
from harness.field.facts import RuleLimit
from harness.fuzzers.aims import Aim
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import list_of_size, values_of_size
from harness.fuzzers.values import LIMITS, boundary_values, common_values, fits, small_value, sparse_value
from harness.jsonpath import ABSENT
from harness.tags.registry import ALL_SPECS, rule_facts

CLEARED: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "int": 0, "float": 0, "bool": False, "bytes": "",
}  # fmt: skip
"""The empty value of each kind of shape."""

_SIZES = (0, 1, 3, 8, 16, 17, 32, 63, 64, 100, 128, 253, 256, 512, 1024, 2048)
# The first one is short and breaks every format.
_WRONG_FORMS = (
    " a/%B", "a b", "A_B.", "-a", "", "a/b/c", "name", "/a", "a.b", "é", "kubernetes.io/a", "..", "a" * 254, "a//b",
)  # fmt: skip
_MAX_MEMBERS = 80
"""At most this many members of a struct are changed, the first ones."""


def invalid_values(aim: Aim, shape: Shape, value: Json, member: FieldShape | None) -> Iterator[Json]:
    """Yield values for the path of an aim, the likeliest to be rejected first."""
    held = value if value is not ABSENT else None
    limit = rule_facts().limit_of(aim.type, aim.origin) or aim.counts
    if limit is not None and limit.measure == "value":
        yield from _numbers_around_limit(aim, limit, shape, member)
    elif limit is not None:
        yield from _sizes_around_limit(aim, limit, shape, held, member)
    elif aim.type == "FieldValueDuplicate":
        yield from _lists_with_duplicate(shape, held)
    elif aim.type == "FieldValueRequired":
        yield ABSENT
        yield CLEARED.get(shape.kind)
        yield None
    elif aim.type == "FieldValueNotSupported":
        yield from ("nothing", "", *boundary_values(shape)[:6])
    elif aim.type == "FieldValueForbidden":
        yield from (sparse_value(shape), small_value(shape), *common_values(shape)[:6])
    elif "pattern" in aim.argument or aim.type == "FieldValueTypeInvalid":
        yield from _WRONG_FORMS
    elif shape.kind == "struct":
        yield from _member_sets(shape, held)
    elif shape.kind == "list" and _is_of_union(aim):
        yield from _lists_of_choices(shape, held)
    elif shape.kind == "string":
        yield from _WRONG_FORMS
    elif shape.kind == "map":
        first = next(iter(held.values()), ABSENT) if isinstance(held, dict) else ABSENT
        entry = small_value(shape.elem) if first is ABSENT else first
        yield from ({form: entry} for form in _WRONG_FORMS)
    yield from boundary_values(shape)
    yield from common_values(shape)
    yield CLEARED.get(shape.kind)


def _is_of_union(aim: Aim) -> bool:
    return aim.tag in ALL_SPECS and ALL_SPECS[aim.tag].accepted_when == "one"


def limits_of(aim: Aim, member: FieldShape | None) -> list[int]:
    """Return the limit of an aim, else the numbers in the tags and comments of the field, else common sizes."""
    if aim.limit is not None:
        return [aim.limit]
    return [hint for hint in (member.hints if member else ()) if isinstance(hint, int)] or list(_SIZES)


def _sizes_around_limit(
    aim: Aim, counted: RuleLimit, shape: Shape, held: Json, member: FieldShape | None
) -> Iterator[Json]:
    for limit in limits_of(aim, member):
        if 0 <= limit + counted.beyond:
            yield from values_of_size(shape, held, limit + counted.beyond, in_bytes=counted.measure == "bytes")


def _numbers_around_limit(aim: Aim, counted: RuleLimit, shape: Shape, member: FieldShape | None) -> Iterator[Json]:
    step = counted.beyond
    low, high = LIMITS.get(shape.bits, LIMITS[64])
    near = [limit + step for limit in limits_of(aim, member)]
    yield from (value for value in (*near, -1 if step < 0 else high, 0, low, high) if fits(value, shape))
    yield from ("-1", "0", "-1m", "1000000000Gi") if shape.kind == "quantity" else ()


def _lists_with_duplicate(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield lists with an equal item twice, and with two items that may have the same key."""
    items = held if isinstance(held, list) and held else []
    if items:
        yield [*items, items[0]]
    for one in (sparse_value(shape.elem), small_value(shape.elem), *common_values(shape.elem)[:2]):
        yield [one, one]
    for one in items[:1]:
        yield from ([*items, other] for other in islice(changed_values(shape.elem, one, None), 12))


def _member_sets(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield structs with no member, every member, each discriminator, one member more or less, and one member alone."""
    members = shape.fields[:_MAX_MEMBERS]
    present = held if isinstance(held, dict) else {}
    yield {}
    yield {**{member.name: sparse_value(member.shape) for member in members}, **present}
    yield from structs_with_each_choice(shape, present)
    for member in members:
        if member.name in present:
            yield {name: value for name, value in present.items() if name != member.name}
        else:
            yield {**present, member.name: sparse_value(member.shape)}
    for member in members:
        yield {member.name: sparse_value(member.shape)}


def structs_with_each_choice(shape: Shape, present: dict[str, Json]) -> Iterator[Json]:
    """Yield a struct with each other constant of each member that has constants, and with each bool."""
    for member in shape.fields:
        if member.shape.choices or member.shape.kind == "bool":
            yield from (
                {**present, member.name: choice}
                for choice in (*member.shape.choices[:16], *((True, False) if member.shape.kind == "bool" else ()))
                if present.get(member.name, ABSENT) != choice
            )


def _lists_of_choices(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield lists of items with constants: no item, one for each constant, and without two of them."""
    one = held[0] if isinstance(held, list) and held else sparse_value(shape.elem)
    yield []
    named = list(structs_with_each_choice(shape.elem, one if isinstance(one, dict) else {}))
    yield named
    yield from ([*named[:number], *named[number + 2 :]] for number in range(len(named)))
    for member in shape.elem.fields:
        words = [hint for hint in member.hints if isinstance(hint, str)]
        if isinstance(one, dict) and words:
            yield [{**one, member.name: word} for word in words]


def structs_with_other_siblings(shape: Shape, held: Json, name: str, value: Json) -> Iterator[Json]:
    """Yield structs with a value of one member and other siblings: all set, each constant, one sibling more or less."""
    present = {**(held if isinstance(held, dict) else {}), name: value}
    if value is ABSENT:
        del present[name]
    siblings = [member for member in shape.fields[:_MAX_MEMBERS] if member.name != name]
    yield {**{member.name: sparse_value(member.shape) for member in siblings}, **present}
    yield from structs_with_each_choice(shape, present)
    for member in siblings:
        if member.name in present:
            yield {key: other for key, other in present.items() if key != member.name}
        else:
            yield {**present, member.name: sparse_value(member.shape)}


def changed_values(shape: Shape, held: Json, member: FieldShape | None, depth: int = 3) -> Iterator[Json]:
    """Yield values that differ from a present one: another scalar, more or fewer entries, or a change inside."""
    if shape.kind == "struct" and isinstance(held, dict):
        for child in shape.fields[:_MAX_MEMBERS]:
            if child.name in held:
                if depth:
                    for other in islice(changed_values(child.shape, held[child.name], child, depth - 1), 1):
                        yield {**held, child.name: other}
                yield {name: value for name, value in held.items() if name != child.name}
            else:
                yield {**held, child.name: sparse_value(child.shape)}
    elif shape.kind == "list" and isinstance(held, list):
        yield list_of_size(held, shape, len(held) + 1)
        if held:
            yield held[1:]
            yield from (
                [other, *held[1:]] for other in islice(changed_values(shape.elem, held[0], None, depth - 1), 12)
            )
    elif shape.kind == "map" and isinstance(held, dict):
        yield {**held, "other": next(iter(held.values()), small_value(shape.elem))}
        for name, value in held.items():
            yield {key: kept for key, kept in held.items() if key != name}
            yield from (
                {**held, name: other} for other in islice(changed_values(shape.elem, value, None, depth - 1), 4)
            )
            break
    else:
        words = member.hints if member else ()
        others = (*shape.choices, *(word for word in words if fits(word, shape)), *common_values(shape))
        yield from (other for other in {repr(one): one for one in others}.values() if other != held)
        if isinstance(held, str) and shape.kind == "string":
            yield held + "b"
