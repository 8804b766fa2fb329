"""Finds the value for which a validator rejects an object, where it does not say: it returns False, or a bare message.

Values of the object are replaced one by one by others of their shape, until the validator accepts. The place is a
function of the object alone, so that an answer is the same whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from harness.case import Json
from harness.field import FieldError
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import walk_paths
from harness.fuzzers.values import common_values, sparse_value
from harness.jsonpath import ABSENT, JsonPath, put, remove, write
from harness.pyschemas import CheckObject

_MOST_PATHS = 60
"""At most this many values of an object are replaced."""
_MOST_VALUES = 6
"""At most this many other values are tried at a path, besides none."""


def place_errors(errors: Sequence[FieldError], ask: CheckObject, obj: Json, shape: Shape) -> Sequence[FieldError]:
    """Return the errors with the path of a value whose replacement makes the validator accept, if one has no path."""
    if any(error.field for error in errors):
        return errors
    path = _find_path(ask, obj, shape)
    return errors if path is None else [msgspec.structs.replace(error, field=write(path)) for error in errors]


def _find_path(ask: CheckObject, obj: Json, shape: Shape) -> JsonPath | None:
    # The innermost first: with another line, or none, a bad quantity is gone too.
    for path, below, value in sorted(islice(walk_paths(obj, shape), _MOST_PATHS), key=lambda one: -len(one[0])):
        if any(_accepts(ask, other) for other in _without(obj, path, below, value)):
            return path
    for path, member in islice(_absent(obj, shape), _MOST_PATHS):
        if _accepts(ask, put(obj, path, sparse_value(member))):
            return path
    return None


def _without(obj: Json, path: JsonPath, shape: Shape, value: Json) -> Iterator[Json]:
    """Yield the object with other values at a path, and without one."""
    if not isinstance(value, dict | list) or not value:
        known = (*shape.choices, *shape.own_probes[:2], *common_values(shape)[:_MOST_VALUES]) if shape.kind else ()
        yield from (put(obj, path, other) for other in islice(known, 2 * _MOST_VALUES) if other != value)
    yield remove(obj, path)


def _absent(obj: Json, shape: Shape) -> Iterator[tuple[JsonPath, Shape]]:
    """Yield the absent members of the structs of an object."""
    for path, below, value in ((), shape, obj), *walk_paths(obj, shape):
        if below.kind == "struct" and isinstance(value, dict):
            yield from (((*path, one.name), one.shape) for one in below.fields if value.get(one.name, ABSENT) is ABSENT)


def _accepts(ask: CheckObject, obj: Json) -> bool:
    try:
        return not ask(obj)
    except Exception:  # what crashes here is found when this object is drawn
        return False
