"""Small seed objects: the plain object from which a full object was grown, with one part of the full object.

Growth ends with a full object. Editing that is expensive: a case of it costs ten times as much as a case with only the
edited part, and its other errors are hard to tell from those of the edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from harness.case import Json
from harness.fuzzers.repair import SeedObject
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

_MAX_JOINED_SIZE = 64
"""All parts up to this size are put into one seed object. Units: bytes of JSON."""
_ENCODE = msgspec.json.Encoder().encode


def encoded_size(obj: Json) -> int:
    """Return the size of an object, which is what a case of it costs to send and to read. Units: bytes of JSON."""
    return len(_ENCODE(obj))


def seeds_of_parts(full: Json, plain: Json) -> list[SeedObject]:
    """Return the plain object with each part that the full object adds; all small parts are in one seed object.

    Without those that are more than half as large as the full object. Whether they are accepted is not known.
    """
    found, joined = [], plain
    for path in differences(full, plain):
        value = look(full, path)
        if value is ABSENT:
            continue
        if encoded_size(value) <= _MAX_JOINED_SIZE:
            joined = put(joined, path, value)
        else:
            found.append(SeedObject(put(plain, path, value), _resulting_path(plain, path)))
    if joined is not plain:
        found.append(SeedObject(joined))
    most = encoded_size(full) // 2
    return [seed for seed in found if encoded_size(seed.obj) <= most]


def smaller_seeds(seed: SeedObject, plain: Json) -> Iterator[SeedObject]:
    """Yield smaller seed objects for a focus: the plain object with the value of the focus, of its parent, and so on.

    Without those that are more than half as large as the seed.
    """
    most = encoded_size(seed.obj) // 2
    for depth in range(len(seed.focus), 0, -1):
        path, rest = seed.focus[:depth], seed.focus[depth:]
        value = look(seed.obj, path)
        if value is ABSENT or value == look(plain, path):
            continue
        obj = put(plain, path, value)
        if encoded_size(obj) > most:
            return
        yield SeedObject(obj, (*_resulting_path(plain, path), *rest))


def smallest_first(seeds: Sequence[SeedObject]) -> list[SeedObject]:
    """Sort seeds by what a case of them costs, the cheapest first."""
    return sorted(seeds, key=lambda seed: encoded_size(seed.obj))


def _resulting_path(plain: Json, path: JsonPath) -> JsonPath:
    """Return the path that a value gets when it is put at a path: an index past the end of a list appends."""
    found: list[str | int] = []
    value = plain
    for part in path:
        length = len(value) if isinstance(value, list) else 0
        found.append(min(part, length) if isinstance(part, int) else part)
        value = look(value, (found[-1],))
    return tuple(found)
