"""Put the differing value of a case into other seed objects, where it may be the only error.

A reduction keeps what the object demands in which a difference was found, and often that is rejected whatever the value
is. A seed object that has everything around the path needs the value alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from harness.case import Json
from harness.field import ErrorType
from harness.fuzzers.othervalues import other_values
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import ANY, Shape
from harness.fuzzers.shapepaths import shape_at
from harness.jsonpath import ABSENT, JsonPath, look, put, remove, write
from harness.objectmodel import is_in_metadata

FOLDING = ("\u212a", "\u0130", "\u017f")
"""Letters that become ASCII ones when their case is changed: K and i in lower case, S in upper case.

They take two or three bytes, so a format that ignores case may accept a text that is too long in bytes alone.
"""
WIDE = ("é", "€", "😀")
"""Characters of two, three and four bytes."""
MAX_TEXT_SEEDS = 2
"""At most this many seeds get a text in other letters."""
MIN_NAMES = 2
"""An item names another by at least so many members; one name stands in many lists."""
MAX_DEPTH = 4
"""Lists are looked for so many members deep: one more doubles the lists of a pod and finds none that items name."""
VALUES_BESIDE = 4
"""So many values are tried for each member beside a change that a server refuses."""
_OF_TEXTS = frozenset({ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.INVALID})


def replants(found: Pair, path: JsonPath, type: str, seeds: Sequence[Pair], shape: Shape = ANY) -> Iterator[Pair]:
    """Yield seeds with the value at the path of an error of this type, the likeliest ones first.

    1. The pair itself, with what an item around the value may name elsewhere in the object.
    2. The value alone; the value in other letters, where it is a text; for a duplicate, an item of the seed repeated.
    3. Each value that contains it, the smallest first.
    """
    if not path:
        return
    yield from _with_named(found, path, shape)
    nearest = sorted(seeds, key=lambda seed: _count_existing(seed[0], path), reverse=True)
    for number, seed in enumerate(nearest):
        target = _fit(path, seed[0])
        if type == ErrorType.DUPLICATE:
            yield from _repeat_item(found, path, seed, target)
        yield _put_into(seed, target, look(found[0], path), look(found[1], path))
        for text in in_other_letters(look(found[0], path)) if type in _OF_TEXTS and number < MAX_TEXT_SEEDS else ():
            is_kept = look(found[1], path) == look(found[0], path)
            yield _put_into(seed, target, text, text if is_kept else look(found[1], path))
    for depth in range(len(path) - 1, 0, -1):
        for seed in nearest:
            part = path[:depth]
            yield _put_into(seed, _fit(part, seed[0]), look(found[0], part), look(found[1], part))


def with_other_errors(found: Pair, wrong: Sequence[JsonPath], shape: Shape) -> Iterator[Pair]:
    """Yield an update without what it changes at some paths, and with other values beside each of them.

    A server answers some changes before it validates, such as one of the uid. Where an error on one hides another
    error, one beside it may do so too. Of each member one value is yielded, then of each a second one.
    """
    new, old = found
    for path in wrong:
        before = look(old, path)
        new = remove(new, path) if before is ABSENT else put(new, path, before)
    yield new, old
    for parent in dict.fromkeys(path[:-1] for path in wrong):
        members = [(*parent, field.name) for field in shape_at(shape, parent).fields]
        others = [other_values(new, write(path), shape, str) for path in members if path not in wrong]
        for edits in zip_longest(*(islice(one, VALUES_BESIDE) for one in others)):
            yield from ((edit.apply(new), old) for edit in edits if edit is not None)


def in_other_letters(value: Json) -> Iterator[str]:
    """Yield a text with as many characters, of letters that fold and of letters that take several bytes.

    They replace the characters that are not ASCII; in a text without any, the one in the middle.
    """
    if not isinstance(value, str) or not value:
        return
    middle = len(value) // 2
    for letter in (*FOLDING, *WIDE):
        if value.isascii():
            yield value[:middle] + letter + value[middle + 1 :]
        else:
            yield "".join(char if char.isascii() else letter for char in value)


def _repeat_item(found: Pair, path: JsonPath, seed: Pair, target: JsonPath) -> Iterator[Pair]:
    """Yield the seed with its own first item once more: another object's item has the key of no item here."""
    items = look(seed[0], target[:-1])
    if isinstance(path[-1], int) and isinstance(items, list) and items:
        repeated = [*items, items[0]]
        is_kept = look(found[1], path) == look(found[0], path)
        yield _put_into(seed, target[:-1], repeated, repeated if is_kept else items)


def _with_named(found: Pair, path: JsonPath, shape: Shape) -> Iterator[Pair]:
    """Yield the pair with a list whose items have members of an item around the value, with the same values.

    An item often names another by several members, and is rejected where there is none: a device of a status must be
    one of its allocation, with the same driver, pool and name. The list is the same in the old object, because an
    update may change what stands at the value and not what it names.
    """
    for depth in (number for number, part in enumerate(path) if isinstance(part, int)):
        items, own = look(found[0], path[:depth]), shape_at(shape, path[:depth]).elem
        for named, item_shape in _lists_of_structs(shape) if isinstance(items, list) else ():
            if item_shape.type == own.type or look(found[0], named) not in (ABSENT, None, []):
                continue
            parts = [_named_by(item, item_shape) for item in items]
            others = [part for number, part in enumerate(parts) if part and part not in parts[:number]]
            if others:
                yield _put_into(found, named, others, others)


def _named_by(item: Json, shape: Shape) -> dict[str, Json]:
    """Return the scalar members of an item that a struct has too; none if there are too few to name one."""
    members = item if isinstance(item, dict) else {}
    same = {name: value for name, value in members.items() if isinstance(value, str | int) and name in shape.by_name}
    return same if len(same) >= MIN_NAMES else {}


def _lists_of_structs(shape: Shape, at: JsonPath = ()) -> Iterator[tuple[JsonPath, Shape]]:
    """Yield the lists of structs of a type that are in no other list, with the type of their items."""
    if shape.kind == "list" and shape.elem.kind == "struct":
        yield at, shape.elem
    elif shape.kind == "struct" and len(at) < MAX_DEPTH and not is_in_metadata(at):
        for field in shape.fields:
            yield from _lists_of_structs(field.shape, (*at, field.name))


def _put_into(seed: Pair, path: JsonPath, new: Json, old: Json) -> Pair:
    return put(seed[0], path, new), None if seed[1] is None else put(seed[1], path, old)


def _fit(path: JsonPath, obj: Json) -> JsonPath:
    """Return the path with the first item of each list of an object that has fewer items."""
    fitted: JsonPath = ()
    for part in path:
        items = look(obj, fitted)
        is_beyond = isinstance(part, int) and isinstance(items, list) and part >= len(items)
        fitted = (*fitted, 0 if is_beyond else part)
    return fitted


def _count_existing(obj: Json, path: JsonPath) -> int:
    """Count how many of the values that contain a path an object has."""
    fitted = _fit(path, obj)
    return sum(look(obj, fitted[:depth]) is not ABSENT for depth in range(1, len(path)))
