"""Slim bases: one part of a full object by itself, in the plain object that all of it grew from.

A full object is where growth ends, and a bad place to edit: a case of it costs ten times as much as one that holds
nothing but the part that is edited, and what else is wrong with it is hard to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from harness.case import Json
from harness.fuzzers.bases import Base
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

_SMALL = 64
"""Parts up to this size go together into one object. Units: bytes of JSON."""
_ENCODE = msgspec.json.Encoder().encode


def weight(obj: Json) -> int:
    """Return how much a case of this object costs to send and to read. Units: bytes of JSON."""
    return len(_ENCODE(obj))


def parts(full: Json, plain: Json) -> list[Base]:
    """Return the parts that a full object adds to the plain one: the small ones together, each other one alone.

    Nothing that is more than half as large. Whether they are accepted without the rest has to be asked.
    """
    found, together = [], plain
    for place in differences(full, plain):
        value = look(full, place)
        if value is ABSENT:
            continue
        if weight(value) <= _SMALL:
            together = put(together, place, value)
        else:
            found.append(Base(put(plain, place, value), _seat(plain, place)))
    if together is not plain:
        found.append(Base(together))
    most = weight(full) // 2
    return [base for base in found if weight(base.obj) <= most]


def slimmer(base: Base, plain: Json) -> Iterator[Base]:
    """Yield what may do instead of a base: the plain object with its focus, with what is around that, and so on.

    Nothing that is more than half as large.
    """
    most = weight(base.obj) // 2
    for depth in range(len(base.focus), 0, -1):
        at, below = base.focus[:depth], base.focus[depth:]
        value = look(base.obj, at)
        if value is ABSENT or value == look(plain, at):
            continue
        obj = put(plain, at, value)
        if weight(obj) > most:
            return
        yield Base(obj, (*_seat(plain, at), *below))


def smallest_first(bases: Sequence[Base]) -> list[Base]:
    """Sort bases by what a case of them costs."""
    return sorted(bases, key=lambda base: weight(base.obj))


def _seat(plain: Json, place: JsonPath) -> JsonPath:
    """Return where a part stands once it was put at this place: an index past the end of a list appends."""
    found: list[str | int] = []
    value = plain
    for part in place:
        length = len(value) if isinstance(value, list) else 0
        found.append(min(part, length) if isinstance(part, int) else part)
        value = look(value, (found[-1],))
    return tuple(found)
