"""Finds the smallest accepted object of a resource, and fuller ones for rules about fields that it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from harness.case import Answer, Case, Json, Operation
from harness.export.asker import Asker
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.growth import Growth
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.repair import Repair, first_candidates, is_accepted
from harness.fuzzers.shape import Shape
from harness.objectmodel import FIRST_REVISION, METADATA, REVISION, named_object, stored, with_metadata
from harness.targets.target import drive

MAX_REPAIR_CASES, MAX_SHRINK_CASES, MAX_GROWTH_CASES = 1500, 400, 1500


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """The object that a search starts from. `new` is accepted by create, `old` by an update without changes.

    `is_accepted` is false when no accepted object was found; then `remaining` has the errors of the best candidate.
    """

    new: Json
    old: Json
    is_accepted: bool
    remaining: tuple[str, ...] = ()


def root_of(asker: Asker) -> Json:
    """Return an object with only a name."""
    return named_object(asker.info)


def find_starting_point(asker: Asker, shape: Shape) -> StartingPoint:
    """Find the smallest object that both validators accept.

    In mode `given` it is the object that the server validates: with defaults, and without the metadata that only
    storage adds.
    """
    harvest = Harvest(literals=asker.subject.literals(asker.info))
    repair = Repair(shape, partial(asker.batch, mode="served"), harvest, limit=MAX_REPAIR_CASES)
    repaired = drive(repair.run(first_candidates(shape, root_of(asker))), asker.ask)
    if not repaired.accepted:
        return StartingPoint(repaired.obj, stored(repaired.obj), False, repaired.remaining)
    found = _as_validated(asker, repaired.obj)
    if found is None:
        return StartingPoint(
            repaired.obj, stored(repaired.obj), False, ("the target does not report the validated object",)
        )
    small = _smallest(asker, found)
    return StartingPoint(small, _stored(asker, small), True)


def fuller(asker: Asker, shape: Shape, ground: StartingPoint) -> tuple[Json, ...]:
    """Return accepted objects with more fields, the fullest first."""
    harvest = Harvest(literals=asker.subject.literals(asker.info))
    growth = Growth(shape, partial(asker.batch, mode=asker.mode), harvest, MAX_GROWTH_CASES, ground.new)
    return tuple(base.obj for base in drive(growth.run(), asker.ask) if base.obj != ground.new)


def _as_validated(asker: Asker, obj: Json) -> Json | None:
    """Return an object as it is validated in the mode of the asker, None when that is not accepted."""
    if asker.mode == "served":
        return obj
    door, operation = asker.creates()
    [given] = asker.given(door, operation, [(obj, None if operation is Operation.CREATE else obj)], "served")
    if door.version not in given:
        return None
    made = given[door.version][0]
    answered = asker.pairs(door, operation, [(made, None if operation is Operation.CREATE else made)])
    return made if answered and is_accepted(answered[0][1]) else None


def _smallest(asker: Asker, obj: Json) -> Json:
    door, operation = asker.creates()

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset() if is_accepted(answer) else None

    case = asker.case(door, operation, obj, None if operation is Operation.CREATE else obj)
    return drive(Reducer(case, verdict, limit=MAX_SHRINK_CASES).run(), asker.ask).object


def _stored(asker: Asker, obj: Json) -> Json:
    """Return a stored form of an object that an update accepts, with as little added metadata as possible."""
    door = next((one for one in asker.doors.values() if Operation.UPDATE in one.operations), None)
    full = stored(obj)
    if door is None or full is obj:
        return obj
    versioned = with_metadata(obj, {**obj[METADATA], REVISION: FIRST_REVISION})
    for pair, answer in asker.pairs(door, Operation.UPDATE, [(obj, obj), (versioned, versioned)]):
        if is_accepted(answer):
            return pair[0]
    return full
