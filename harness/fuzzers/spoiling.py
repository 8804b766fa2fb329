"""Values that a rule may refuse, by the type and origin of its error; and values that differ from one that is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from harness.case import Json
from harness.field.facts import RuleLimit
from harness.fuzzers.aims import Aim
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import many, sized
from harness.fuzzers.values import LIMITS, beyond, filled, fits, plausible, pool
from harness.jsonpath import ABSENT
from harness.tags.registry import ALL_SPECS, rule_facts

CLEARED: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "int": 0, "float": 0, "bool": False, "bytes": "",
}  # fmt: skip
"""What is empty, by shape."""

_SIZES = (0, 1, 3, 8, 16, 17, 32, 63, 64, 100, 128, 253, 256, 512, 1024, 2048)
# The first one breaks every format at once, and is short.
_WRONG_FORMS = (
    " a/%B", "a b", "A_B.", "-a", "", "a/b/c", "name", "/a", "a.b", "é", "kubernetes.io/a", "..", "a" * 254, "a//b",
)  # fmt: skip
_MOST_MEMBERS = 80


def spoilt(aim: Aim, shape: Shape, value: Json, member: FieldShape | None) -> Iterator[Json]:
    """Yield values for the place of an aim, the most telling first."""
    held = value if value is not ABSENT else None
    limit = rule_facts().limit_of(aim.type, aim.origin)
    if limit is not None and limit.measure == "value":
        yield from _beside_number(aim, limit, shape, member)
    elif limit is not None:
        yield from _beside_limit(aim, limit, shape, held, member)
    elif aim.type == "FieldValueDuplicate":
        yield from _repeated(shape, held)
    elif aim.type == "FieldValueRequired":
        yield ABSENT
        yield CLEARED.get(shape.kind)
        yield None
    elif aim.type == "FieldValueNotSupported":
        yield from ("nothing", "", *beyond(shape)[:6])
    elif aim.type == "FieldValueForbidden":
        yield from (filled(shape), plausible(shape), *pool(shape)[:6])
    elif shape.kind == "struct":
        yield from _members(shape, held)
    elif shape.kind == "list" and _is_of_union(aim):
        yield from _item_choices(shape, held)
    elif shape.kind == "string":
        yield from _WRONG_FORMS
    elif shape.kind == "map":
        first = next(iter(held.values()), ABSENT) if isinstance(held, dict) else ABSENT
        entry = plausible(shape.elem) if first is ABSENT else first
        yield from ({form: entry} for form in _WRONG_FORMS)
    yield from beyond(shape)
    yield from pool(shape)
    yield CLEARED.get(shape.kind)


def _is_of_union(aim: Aim) -> bool:
    return aim.tag in ALL_SPECS and ALL_SPECS[aim.tag].coverage == "one"


def limits_of(aim: Aim, member: FieldShape | None) -> list[int]:
    """Return the limit that an aim names, else the numbers that stand at the field, else common sizes."""
    if aim.limit is not None:
        return [aim.limit]
    return [hint for hint in (member.hints if member else ()) if isinstance(hint, int)] or list(_SIZES)


def _beside_limit(aim: Aim, counted: RuleLimit, shape: Shape, held: Json, member: FieldShape | None) -> Iterator[Json]:
    for limit in limits_of(aim, member):
        if 0 <= limit + counted.beyond:
            yield from sized(shape, held, limit + counted.beyond, in_bytes=counted.measure == "bytes")


def _beside_number(aim: Aim, counted: RuleLimit, shape: Shape, member: FieldShape | None) -> Iterator[Json]:
    step = counted.beyond
    low, high = LIMITS.get(shape.bits, LIMITS[64])
    near = [limit + step for limit in limits_of(aim, member)]
    yield from (value for value in (*near, -1 if step < 0 else high, 0, low, high) if fits(value, shape))
    yield from ("-1", "0", "-1m", "1000000000Gi") if shape.kind == "quantity" else ()


def _repeated(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield lists with an item twice, and twice in what may be its key only."""
    items = held if isinstance(held, list) and held else []
    if items:
        yield [*items, items[0]]
    for one in (filled(shape.elem), plausible(shape.elem), *pool(shape.elem)[:2]):
        yield [one, one]
    for one in items[:1]:
        yield from ([*items, other] for other in islice(changed(shape.elem, one, None), 12))


def _members(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield structs with no member, each discriminator, every member, each one alone, and pairs of them."""
    members = shape.fields[:_MOST_MEMBERS]
    present = held if isinstance(held, dict) else {}
    yield {}
    yield {**{member.name: filled(member.shape) for member in members}, **present}
    yield from discriminated(shape, present)
    for member in members:
        if member.name in present:
            yield {name: value for name, value in present.items() if name != member.name}
        else:
            yield {**present, member.name: filled(member.shape)}
    for member in members:
        yield {member.name: filled(member.shape)}


def discriminated(shape: Shape, present: dict[str, Json]) -> Iterator[Json]:
    """Yield a struct with each of its members that choose between constants set to each of these."""
    for member in shape.fields:
        if member.shape.choices or member.shape.kind == "bool":
            yield from (
                {**present, member.name: choice}
                for choice in (*member.shape.choices[:16], *((True, False) if member.shape.kind == "bool" else ()))
                if present.get(member.name, ABSENT) != choice
            )


def _item_choices(shape: Shape, held: Json) -> Iterator[Json]:
    """Yield lists whose items name each constant: none of them, all of them, two of them."""
    one = held[0] if isinstance(held, list) and held else filled(shape.elem)
    yield []
    named = list(discriminated(shape.elem, one if isinstance(one, dict) else {}))
    yield named
    yield from ([*named[:number], *named[number + 2 :]] for number in range(len(named)))
    for member in shape.elem.fields:
        words = [hint for hint in member.hints if isinstance(hint, str)]
        if isinstance(one, dict) and words:
            yield [{**one, member.name: word} for word in words]


def beside(shape: Shape, held: Json, name: str, last: Json) -> Iterator[Json]:
    """Yield structs with this member, its siblings present or absent and its discriminators at each constant."""
    present = {**(held if isinstance(held, dict) else {}), name: last}
    if last is ABSENT:
        del present[name]
    siblings = [member for member in shape.fields[:_MOST_MEMBERS] if member.name != name]
    yield {**{member.name: filled(member.shape) for member in siblings}, **present}
    yield from discriminated(shape, present)
    for member in siblings:
        if member.name in present:
            yield {key: value for key, value in present.items() if key != member.name}
        else:
            yield {**present, member.name: filled(member.shape)}


def changed(shape: Shape, held: Json, member: FieldShape | None, depth: int = 3) -> Iterator[Json]:
    """Yield values that differ from one that is there: another scalar, more or fewer entries, a change within."""
    if shape.kind == "struct" and isinstance(held, dict):
        for below in shape.fields[:_MOST_MEMBERS]:
            if below.name in held:
                if depth:
                    for other in islice(changed(below.shape, held[below.name], below, depth - 1), 1):
                        yield {**held, below.name: other}
                yield {name: value for name, value in held.items() if name != below.name}
            else:
                yield {**held, below.name: filled(below.shape)}
    elif shape.kind == "list" and isinstance(held, list):
        yield many(held, shape, len(held) + 1)
        if held:
            yield held[1:]
            yield from ([other, *held[1:]] for other in islice(changed(shape.elem, held[0], None, depth - 1), 12))
    elif shape.kind == "map" and isinstance(held, dict):
        yield {**held, "other": next(iter(held.values()), plausible(shape.elem))}
        for name, value in held.items():
            yield {key: kept for key, kept in held.items() if key != name}
            yield from ({**held, name: other} for other in islice(changed(shape.elem, value, None, depth - 1), 4))
            break
    else:
        words = member.hints if member else ()
        others = (*shape.choices, *(word for word in words if fits(word, shape)), *pool(shape))
        yield from (other for other in {repr(one): one for one in others}.values() if other != held)
        if isinstance(held, str) and shape.kind == "string":
            yield held + "b"
