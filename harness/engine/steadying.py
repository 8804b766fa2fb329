"""Sets the times of a case that the target would set to the present, so that its answer no longer depends on the clock.

A default such as a taint's `timeAdded` is another one for each question, and may be another one for old and new. An
object that a server stored has a time there, so the case with it is the one that users meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import msgspec

from harness.case import Case, Json
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import walk_paths
from harness.jsonpath import ABSENT, Edit, JsonPath, apply_all
from harness.objectmodel import METADATA

_TIMES = {"time": "2024-01-01T00:00:00Z", "micro-time": "2024-01-01T00:00:00.000000Z"}
_MOST_EDITS = 200  # an object with more structs is not what depends on the clock alone


def with_times(case: Case, shape: Shape) -> Case | None:
    """Return a case with every time set that its structs leave out; None where they leave out none, or too many."""
    edits = [list(_absent_times(obj, shape)) for obj in (case.object, case.old)]
    if not any(edits) or sum(map(len, edits)) > _MOST_EDITS:
        return None
    new, old = (apply_all(own, obj) for own, obj in zip(edits, (case.object, case.old), strict=True))
    return msgspec.structs.replace(case, object=new, old=old)


def times_set(before: Case, after: Case, shape: Shape) -> frozenset[JsonPath]:
    """Return the paths of the times that `with_times` set, if that is what made one case of another; else none."""
    made = with_times(before, shape)
    if made is None or (made.object, made.old) != (after.object, after.old):
        return frozenset()
    return frozenset(edit.path for obj in (before.object, before.old) for edit in _absent_times(obj, shape))


def _absent_times(obj: Json, shape: Shape) -> Iterator[Edit]:
    """Yield the edits that set the times of structs that are there; those of metadata are the server's own."""
    for path, there, value in chain([((), shape, obj)], walk_paths(obj, shape)):
        if there.kind != "struct" or not isinstance(value, dict) or METADATA in path[:1]:
            continue
        for member in there.fields:
            if member.shape.kind in _TIMES and value.get(member.name, ABSENT) in (ABSENT, None):
                yield Edit((*path, member.name), _TIMES[member.shape.kind])
