"""From an error to changes that may silence it. Knows messages, shapes and values; knows no kind and no rule.

Every fix is one edit. The order is by likelihood: what the message says, what the type says, what
stands elsewhere in the object, what programs commonly accept, and in the end removal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from harness.case import Json
from harness.field import ErrorType, FieldError
from harness.fuzzers.feedback import Harvest, names_of, numbers_of, paths_of, patterns_of, words_of
from harness.fuzzers.patterns import matching
from harness.fuzzers.places import member_at, place_of, places, shape_at
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import alternatives, filled, fits, plausible, pool
from harness.jsonpath import ABSENT, Edit, JsonPath, later_first, look

MOST_ERRORS = 200
"""Errors of one answer that are repaired: a validator may report thousands, at places that no object has."""
_INNER = 6
"""Structs within a wrong value that are searched for a member which the message names."""
_NEAREST, _FARTHEST = 3, 30
"""Patterns and values of sources that are tried: those that stand near a name, and those that stand anywhere."""
_FEW = 6
"""So many patterns are tried at once, whatever they are called."""
_TEXTS = ("string", "int-or-string")
_EMPTY: dict[str, Json] = {"struct": {}, "map": {}, "list": [], "string": "", "bytes": ""}
_PREFIX = re.compile(r"prefix:? [\"'`]?([^\s\"'`]+)")
_DECODED = re.compile(r"(?:field|field name) \"?(?:\w+\.)?([\w.\[\]]+)\"?")


def fixes(error: FieldError, obj: Json, shape: Shape, harvest: Harvest) -> Iterator[Edit]:
    """Yield distinct changes that may silence an error, the likeliest first."""
    at, below = place_of(error.field, shape)
    seen: set[str] = set()
    for edit in _candidates(error, obj, shape, at, below, harvest):
        place, value = edit
        key = repr((place, value))
        # Without its root nothing is left of an object: what an error without a path wants is somewhere inside.
        if key not in seen and look(obj, place) != value and (place or value is not ABSENT):
            seen.add(key)
            yield edit


def undecodable(message: str, shape: Shape) -> Iterator[Edit]:
    """Yield the removal of the places that a decoder's message names."""
    for path in _DECODED.findall(message):
        place, _ = place_of(path, shape)
        if place:
            yield Edit(place, ABSENT)


def _candidates(
    error: FieldError, obj: Json, root: Shape, at: JsonPath, shape: Shape, harvest: Harvest
) -> Iterator[Edit]:
    value = look(obj, at)
    absent = value is ABSENT or value is None
    if error.type == ErrorType.FORBIDDEN:
        yield Edit(at, ABSENT)
        yield from _named_siblings(error.detail, obj, root, at)
    elif error.type == ErrorType.DUPLICATE:
        yield from _distinct(value, at, shape)
    elif error.type in (ErrorType.TOO_MANY, ErrorType.TOO_LONG):
        yield from _shorter(error.detail, value, at)
    elif error.type in (ErrorType.TOO_FEW, ErrorType.TOO_SHORT):
        yield from _longer(error.detail, value, at, shape)
    elif error.type in (ErrorType.REQUIRED, ErrorType.INVALID):
        if "empty" in error.detail and shape.kind in _EMPTY:
            yield Edit(at, _EMPTY[shape.kind])
        for prefix in _PREFIX.findall(error.detail):
            yield Edit(at, prefix + "a")
        yield from _as_elsewhere(error.detail, obj, root, at, shape)
        yield from _named_members(error.detail, obj, root, at)
        if absent:
            yield from _added(error.detail, at, root, shape, harvest)
    yield from _replaced(error, obj, root, at, shape, value, harvest)
    yield from _named_siblings(error.detail, obj, root, at)
    yield from _members(obj, at, shape, value)
    if not absent:
        yield Edit(at, ABSENT)
    yield from _around(obj, root, at)


def _as_elsewhere(detail: str, obj: Json, root: Shape, at: JsonPath, shape: Shape) -> Iterator[Edit]:
    """Yield what stands at the paths that a message names: two fields that must be equal. Then the other way round."""
    value = look(obj, at)
    for path in paths_of(detail):
        place, other = place_of(path, root)
        if place == at or other.kind != shape.kind:
            continue
        yield Edit(at, look(obj, place))
        if value is not ABSENT and value is not None:
            yield Edit(place, value)


def _added(detail: str, at: JsonPath, root: Shape, shape: Shape, harvest: Harvest) -> Iterator[Edit]:
    member = member_at(root, at)
    yield from _exemplary(at, harvest)
    for word in (*_said(detail), *numbers_of(detail), *_known_near(at, shape, harvest)):
        if fits(word, shape):
            yield Edit(at, word)
    if member is not None:
        for value in alternatives(member):
            yield Edit(at, value)
    elif at:
        for beside in shape_at(root, at[:-1]).fields:
            if beside.shape.kind == "map":  # `resources[storage]` means a key of one of its maps
                yield Edit((*at[:-1], beside.name, at[-1]), filled(beside.shape.elem))
        yield Edit(at, filled(shape))


def _replaced(
    error: FieldError, obj: Json, root: Shape, at: JsonPath, shape: Shape, value: Json, harvest: Harvest
) -> Iterator[Edit]:
    """Other values for a place that has a wrong one: from examples, the message, elsewhere in the object, pools."""
    if at:
        yield from _exemplary(at, harvest)
    if not at or shape.kind in ("struct", "list"):
        yield from _donated(obj, root, at, shape)
        return
    for word in _said(error.detail):
        if fits(word, shape):
            yield Edit(at, word)
    if shape.kind in ("int", "int-or-string", "float"):
        for number in numbers_of(error.detail):
            yield from (Edit(at, near) for near in (number, number + 1, number - 1) if fits(near, shape))
    for choice in shape.choices:
        yield Edit(at, choice)
    for known in _known_near(at, shape, harvest):
        if fits(known, shape):
            yield Edit(at, known)
    yield from _donated(obj, root, at, shape)
    member = member_at(root, at)
    if member is not None:
        yield from (Edit(at, hint) for hint in member.hints if fits(hint, shape))
    if shape.kind == "map":
        yield Edit(at, {})
        yield from _keys(error.detail, at, shape, value)
    if shape.kind == "string" and isinstance(value, str) and len(value) > 1:
        yield Edit(at, value.lower())
    for other in pool(shape):
        yield Edit(at, other)
    for word in (*_known_anywhere(shape, harvest), *tuple(harvest.words)[-20:]):
        if fits(word, shape):
            yield Edit(at, word)


def _exemplary(at: JsonPath, harvest: Harvest) -> Iterator[Edit]:
    """Yield what stands there in objects of the user's own."""
    for example in harvest.examples[:_FARTHEST]:
        value = look(example, at)
        if value is not ABSENT and value is not None:
            yield Edit(at, value)


def _said(detail: str) -> Iterator[str]:
    """Yield what a message names: values, and strings of the expressions that it wants matched."""
    yield from words_of(detail)
    for pattern in patterns_of(detail)[:_NEAREST]:
        yield from matching(pattern)[:1]


def _known_near(at: JsonPath, shape: Shape, harvest: Harvest) -> Iterator[Json]:
    """Yield what the sources know where they speak of a place: strings of its patterns, words and numbers."""
    names = tuple(part for part in at if isinstance(part, str))[-1:]
    own = shape.type.rpartition(".")[2] if "." in shape.type else ""
    names = (*names, own) if own else names
    if shape.kind in _TEXTS:
        near, every = harvest.literals.patterns_near(names)[:_NEAREST], harvest.literals.expressions
        for pattern in dict.fromkeys((*near, *(every if len(every) <= _FEW else ()))):
            yield from matching(pattern)[:1]
    yield from islice((one for one in harvest.literals.near(names) if fits(one, shape)), _NEAREST)


def _known_anywhere(shape: Shape, harvest: Harvest) -> Iterator[Json]:
    """Yield what the sources know elsewhere: what the check of a place is called is up to its author."""
    if shape.kind not in _TEXTS:
        return
    yield from (text for pattern in harvest.literals.expressions[:_FARTHEST] for text in matching(pattern)[:2])
    yield from harvest.literals.words[:_FARTHEST]


def _keys(detail: str, at: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    held = next(iter(value.values()), None) if isinstance(value, dict) else None
    held = plausible(shape.elem) if held is None else held
    for key in (*words_of(detail), *(str(choice) for choice in pool(shape.key))):
        yield Edit(at, {key: held})


def _donated(obj: Json, root: Shape, at: JsonPath, shape: Shape) -> Iterator[Edit]:
    """Values of the same type that stand elsewhere: labels that a selector must match, names that are referred to."""
    if shape.kind not in ("string", "map", "struct"):
        return
    given = 0
    for place, other, value in places(obj, root):
        if other.kind == shape.kind and place != at and place[: len(at)] != at:
            same = other.type == shape.type if shape.kind == "struct" else other.elem.kind == shape.elem.kind
            if same and value and given < 12:
                given += 1
                yield Edit(at, value)


def _named_members(detail: str, obj: Json, root: Shape, at: JsonPath) -> Iterator[Edit]:
    """Members that a message names, added here, at the parent or further in: `must specify one of: "a", "b"`."""
    names = (*words_of(detail), *sorted(names_of(detail)))
    inner = [place for place, shape, _ in places(look(obj, at), shape_at(root, at), at) if shape.kind == "struct"]
    for place in (at, at[:-1], *inner[:_INNER]):
        shape = shape_at(root, place)
        for name in names:
            member = shape.by_name.get(name) if shape.kind == "struct" else None
            if member is not None and look(obj, (*place, name)) in (ABSENT, None):
                yield Edit((*place, name), filled(member.shape))
                yield Edit((*place, name), plausible(member.shape))


def _named_siblings(detail: str, obj: Json, root: Shape, at: JsonPath) -> Iterator[Edit]:
    """Members near the place that a message names: present ones removed, absent ones added."""
    names = sorted(names_of(detail))
    for depth in range(len(at) - 1, max(-1, len(at) - 4), -1):
        shape = shape_at(root, at[:depth])
        for name in names if shape.kind == "struct" else ():
            member = shape.by_name.get(name)
            if member is None:
                continue
            place = (*at[:depth], name)
            if look(obj, place) not in (ABSENT, None):
                yield Edit(place, ABSENT)
            for value in (filled(member.shape), *pool(member.shape)[:4]):
                yield Edit(place, value)


def _members(obj: Json, at: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    """Members of a wrong struct or list: absent ones added alone, present ones removed."""
    if shape.kind == "struct" and (isinstance(value, dict) or value is ABSENT or value is None):
        held = value if isinstance(value, dict) else {}
        for member in shape.fields:
            if member.name not in held:
                yield Edit((*at, member.name), filled(member.shape))
        for name in held:
            if len(held) > 1:
                yield Edit((*at, name), ABSENT)
        for member in shape.fields:
            if member.name not in held and member.shape.kind in ("struct", "list", "map", "string"):
                yield from (
                    Edit((*at, member.name), other) for _, other in zip(range(6), alternatives(member), strict=False)
                )
    elif shape.kind == "list":
        count = len(value) if isinstance(value, list) else 0
        if count == 0:
            yield Edit(at, [filled(shape.elem)])
            yield from (Edit(at, [other]) for other in pool(shape.elem)[:30])
        elif count > 1:
            yield from (Edit((*at, index), ABSENT) for index in range(count))
        yield Edit(at, [])


def _distinct(value: Json, at: JsonPath, shape: Shape) -> Iterator[Edit]:
    index = max((position for position, part in enumerate(at) if isinstance(part, int)), default=None)
    if index is not None:
        yield Edit(at[: index + 1], ABSENT)
    if isinstance(value, str):
        yield from (Edit(at, value + suffix) for suffix in ("b", "2"))


def _shorter(detail: str, value: Json, at: JsonPath) -> Iterator[Edit]:
    limits = [*numbers_of(detail), 1, 0]
    if isinstance(value, str | list):
        yield from (Edit(at, value[:limit]) for limit in limits if 0 <= limit < len(value))
    if isinstance(value, dict):
        yield from (Edit(at, dict(list(value.items())[:limit])) for limit in limits if 0 <= limit < len(value))


def _longer(detail: str, value: Json, at: JsonPath, shape: Shape) -> Iterator[Edit]:
    for wanted in (*numbers_of(detail), 1, 2):
        if shape.kind == "list" and 0 < wanted < 50:
            held = list(value) if isinstance(value, list) else []
            extra = [*pool(shape.elem)[:wanted], *[filled(shape.elem)] * wanted]
            yield Edit(at, (held + extra)[:wanted])
        if shape.kind == "string" and 0 < wanted < 5000:
            yield Edit(at, (value if isinstance(value, str) else "").ljust(wanted, "a"))


def _around(obj: Json, root: Shape, at: JsonPath) -> Iterator[Edit]:
    """Last resort: siblings and parents removed, absent siblings added."""
    for depth in range(len(at) - 1, 0, -1):
        parent, shape = at[:depth], shape_at(root, at[:depth])
        if shape.kind == "struct" and depth >= len(at) - 2:
            held = look(obj, parent)
            for member in shape.fields:
                if not isinstance(held, dict) or member.name not in held:
                    yield Edit((*parent, member.name), filled(member.shape))
        yield Edit(parent, ABSENT)


def at_once(errors: Iterable[FieldError], obj: Json, shape: Shape, harvest: Harvest) -> list[Edit]:
    """Return the likeliest fix of every error, leaving out places that lie within one another.

    Of more than `MOST_ERRORS` the first count: each fix is looked for in an object that all of them make larger.
    """
    chosen: dict[JsonPath, Edit] = {}
    around: set[JsonPath] = set()  # places within which something is chosen
    for error in islice(errors, MOST_ERRORS):
        fix = next(fixes(error, obj, shape, harvest), None)
        if fix is None or fix.path in around or any(part in chosen for part in _prefixes(fix.path)):
            continue
        chosen[fix.path] = fix
        around.update(_prefixes(fix.path))
    return later_first(chosen.values())


def _prefixes(place: JsonPath) -> Iterator[JsonPath]:
    """Yield the places that a place lies within, the root and the place itself included."""
    return (place[:depth] for depth in range(len(place) + 1))
