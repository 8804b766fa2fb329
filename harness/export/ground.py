"""The smallest accepted object of a resource, and fuller ones to start from where it lacks what a rule looks at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from harness.case import Answer, Case, Json, Operation
from harness.export.asker import Asker
from harness.fuzzers.bases import Repair, accepted, starts
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.shape import Shape
from harness.objectmodel import FIRST_REVISION, METADATA, REVISION, named_object, stored, with_metadata
from harness.targets.target import drive

_REPAIRS, _REDUCTIONS, _GROWTH = 1500, 400, 1500


@dataclass(frozen=True, slots=True)
class Ground:
    """What a search starts from. `new` is accepted on create, `old` as an update that changes nothing.

    `is_accepted` is false when none was found; then `remaining` has the errors of the best there is.
    """

    new: Json
    old: Json
    is_accepted: bool
    remaining: tuple[str, ...] = ()


def root_of(asker: Asker) -> Json:
    """Return an object with a name and nothing else."""
    return named_object(asker.info)


def find_ground(asker: Asker, shape: Shape) -> Ground:
    """Find the smallest object that both sides accept.

    In mode `given` it is what the server makes of an accepted request: with defaults, without what only storage adds.
    """
    harvest = Harvest(literals=asker.subject.literals(asker.info))
    repair = Repair(shape, partial(asker.batch, mode="served"), harvest, limit=_REPAIRS)
    repaired = drive(repair.run(starts(shape, root_of(asker))), asker.ask)
    if not repaired.accepted:
        return Ground(repaired.obj, stored(repaired.obj), False, repaired.remaining)
    found = _as_validated(asker, repaired.obj)
    if found is None:
        return Ground(repaired.obj, stored(repaired.obj), False, ("what the server validates of it is not told",))
    small = _smallest(asker, found)
    return Ground(small, _old(asker, small), True)


def fuller(asker: Asker, shape: Shape, ground: Ground) -> tuple[Json, ...]:
    """Return accepted objects with more in them, the fullest first."""
    harvest = Harvest(literals=asker.subject.literals(asker.info))
    growth = Growth(shape, partial(asker.batch, mode=asker.mode), harvest, _GROWTH, ground.new)
    return tuple(base.obj for base in drive(growth.run(), asker.ask) if base.obj != ground.new)


def _as_validated(asker: Asker, obj: Json) -> Json | None:
    """Return an object as the mode wants it, None when that is not accepted."""
    if asker.mode == "served":
        return obj
    door, operation = asker.creates()
    [given] = asker.given(door, operation, [(obj, None if operation is Operation.CREATE else obj)], "served")
    if door.version not in given:
        return None
    made = given[door.version][0]
    answered = asker.pairs(door, operation, [(made, None if operation is Operation.CREATE else made)])
    return made if answered and accepted(answered[0][1]) else None


def _smallest(asker: Asker, obj: Json) -> Json:
    door, operation = asker.creates()

    def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
        return frozenset() if accepted(answer) else None

    case = asker.case(door, operation, obj, None if operation is Operation.CREATE else obj)
    return drive(Reducer(case, verdict, limit=_REDUCTIONS).run(), asker.ask).object


def _old(asker: Asker, obj: Json) -> Json:
    """Return the form in which an object may be updated: as little as possible of what storage adds."""
    door = next((one for one in asker.doors.values() if Operation.UPDATE in one.operations), None)
    full = stored(obj)
    if door is None or full is obj:
        return obj
    versioned = with_metadata(obj, {**obj[METADATA], REVISION: FIRST_REVISION})
    for pair, answer in asker.pairs(door, Operation.UPDATE, [(obj, obj), (versioned, versioned)]):
        if accepted(answer):
            return pair[0]
    return full
