"""Values at edges, for a place: from its shape, from hints in the types, from words and numbers in messages.

Probes add to what is tried and restrict nothing. The deterministic pass goes through `probes_of`, the random phase
draws from it.
"""

from __future__ import annotations

from harness.case import Json
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.places import ABSENT
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import beyond, filled, fits, plausible, pool, suggested

_EMPTY: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "int": 0, "float": 0, "bool": False, "bytes": "",
}  # fmt: skip


def probes_of(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest) -> list[Json]:
    """Return values to put at a place that holds `value` (`ABSENT` when nothing stands there), most telling first."""
    found: list[Json] = [ABSENT] if value is not ABSENT else []
    if shape.kind in _EMPTY:
        found.append(_EMPTY[shape.kind])
    if shape.kind == "string":
        found += _strings(shape, value, member, harvest)
    elif shape.kind in ("int", "float", "int-or-string"):
        found += _numbers(shape, value, member, harvest)
    elif shape.kind == "list":
        found += _lists(shape, value)
    elif shape.kind == "map":
        found += _maps(shape, value)
    elif shape.kind == "struct":
        found += [filled(shape), None]
    else:
        found += [*pool(shape), *beyond(shape)]
    if member is not None:
        found[2:2] = suggested(member)
    return _distinct(found, value)


def _strings(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest) -> list[Json]:
    limits = [number for number in _given_numbers(member, harvest) if 0 < number <= 5000]
    words = [hint for hint in (member.hints if member else ()) if isinstance(hint, str)]
    by_length = ["a" * near for limit in limits[:4] for near in (limit, limit + 1)]
    held = value if isinstance(value, str) else "a"
    near = [held + "x", held.upper(), held + " ", held + "." + held, held[:-1]] if held else []
    edges = list(beyond(shape))
    first = [edges[0], "a b", "A", "x" * 64, "x" * 254] if edges else []
    return [*shape.choices, *first, *near, *by_length, *words[:6], *edges, *pool(shape), *tuple(harvest.words)[-12:]]


def _numbers(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest) -> list[Json]:
    near = [value - 1, value + 1] if isinstance(value, int) and not isinstance(value, bool) else []
    given = [close for number in _given_numbers(member, harvest)[:10] for close in (number, number + 1, number - 1)]
    found = [-1, 0, *near, *given, *beyond(shape), *pool(shape)]
    return [number for number in found if fits(number, shape)]


def _given_numbers(member: FieldShape | None, harvest: Harvest) -> list[int]:
    own = [hint for hint in (member.hints if member else ()) if isinstance(hint, int)]
    return [*own, *tuple(harvest.numbers)[-8:]]


def _lists(shape: Shape, value: Json) -> list[Json]:
    items = list(value) if isinstance(value, list) else []
    one = items[0] if items else filled(shape.elem)
    found: list[Json] = [[*items, one], [one] * 2, [*items, filled(shape.elem)], [one] * 17, [one] * 33, [one] * 65]
    if shape.elem.kind in ("string", "int", "int-or-string"):
        found += [[*items, other] for other in (*pool(shape.elem)[:12], *beyond(shape.elem)[:12])]
    if len(items) > 1:
        found.append(items[::-1])
    return [*found, [one] * 101, [one] * 257, None]


def _maps(shape: Shape, value: Json) -> list[Json]:
    members = dict(value) if isinstance(value, dict) else {}
    held = next(iter(members.values()), plausible(shape.elem))
    keys = ("", "a b", "A", "x" * 64, "-a", "example.com/a", "a/b/c", "x" * 254, "é", *map(str, shape.key.choices[:4]))
    found: list[Json] = [{**members, key: held} for key in keys]
    found += [{**members, "a": other} for other in (*beyond(shape.elem)[:8], *pool(shape.elem)[:8])]
    return [*found, {f"k{index}": held for index in range(65)}, None]


def _distinct(values: list[Json], present: Json) -> list[Json]:
    seen = {repr(present)}
    found = []
    for value in values:
        key = repr(value)
        if key not in seen:
            seen.add(key)
            found.append(value)
    return found
