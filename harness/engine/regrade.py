"""Looks for a more severe occurrence of a reduced difference, by putting its value into seed objects.

The severity of a difference is that of its worst occurrence. Other errors of an object hide that a verdict changes, and
a reduction cannot always remove them. Where the error alone would be more severe than it is on the reduced case, its
value is put into the seed objects of the same request, and every answer is graded. Then the other errors are repaired,
round by round, because a member that one needs may be in no seed. An update that a server refuses before it validates
is asked again with other errors in place of the refused change.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Operation
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES
from harness.compare.mismatch import Signature
from harness.compare.severity import grade_alone, severity_of
from harness.engine.ledger import Sighting
from harness.engine.points import Points
from harness.engine.units import RequestKind
from harness.fuzzers.pairs import Pair, unchanged
from harness.fuzzers.replant import replants, with_other_errors
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import SeenValues, resolve_path
from harness.jsonpath import look, write
from harness.objectmodel import stored

Repairs: TypeAlias = Callable[[Sighting], Iterator[Pair]]
"""Yields pairs in which an error beside the difference may be repaired."""


class Regraded(NamedTuple):
    """A more severe occurrence, or None; `note` says what was tried where the error alone would be more severe."""

    sighting: Sighting | None = None
    note: str = ""


def find(case: Case, answer: Answer, signature: Signature, comparator: Comparator) -> Sighting | None:
    """Return the most severe mismatch with a signature on a case, as a sighting; None when there is none."""
    mismatches = comparator.compare(case, answer)
    same = [Sighting(case, answer, one, None) for one in mismatches if one.signature == signature]
    return min(same, key=lambda one: _rank(one, comparator), default=None)


def rank_of(case: Case, answer: Answer, signature: Signature, comparator: Comparator) -> int:
    """Return the rank of the severity of a difference on a case, beyond the last one where it does not show."""
    found = find(case, answer, signature, comparator)
    return len(SEVERITIES) if found is None else _rank(found, comparator)


def _rank(sighting: Sighting, comparator: Comparator) -> int:
    return SEVERITIES.index(severity_of(sighting.case, sighting.answer, sighting.mismatch, comparator))


def regrade(
    sightings: Sequence[Sighting], seeds: Sequence[Pair], shape: Shape, comparator: Comparator, find_repairs: Repairs
) -> Generator[list[Case], list[Answer], Regraded]:
    """Put the value of a difference into seeds, and grade it there; then repair the errors beside it.

    The first sighting is the reduced one, which the severities are compared with; the others have more values to try.
    """
    case, answer, mismatch, _ = sightings[0]
    rank, alone = _rank(sightings[0], comparator), grade_alone(case, answer, mismatch, comparator)
    if SEVERITIES.index(alone) >= rank:
        return Regraded()
    would = f"alone, this error would be of severity {alone}"
    worst, beside = yield from _with_errors_beside(sightings[0], shape, comparator)
    if worst is not None:
        return Regraded(worst)
    candidates = _candidates(sightings, seeds, shape)
    pairs = list(islice(candidates, tuning.REPLANTED))
    shown, _ = (yield from _ask(sightings[0], pairs, comparator)) if pairs else ([], [])
    worst = min(shown, key=lambda one: _rank(one, comparator), default=None)
    if worst is not None and _rank(worst, comparator) < rank:
        return Regraded(worst)
    tried = "not tried, because its value could not be put into another object"
    if pairs:
        of = "of the first" if next(candidates, None) is not None else "of"
        tried = f"{of} {len(pairs)} other objects that got its value, {len(shown)} show it, none more severely"
    worst, repaired = yield from _with_repairs(sightings[0], shown, comparator, find_repairs)
    return Regraded(worst) if worst is not None else Regraded(note=f"{would}; {tried}{repaired}{beside}")


def _with_repairs(
    sighting: Sighting, others: Sequence[Sighting], comparator: Comparator, find_repairs: Repairs
) -> Generator[list[Case], list[Answer], tuple[Sighting | None, str]]:
    """Repair the errors beside a difference, in its object and in the other one that has the fewest.

    A repair often brings up another error: a name that is not empty has to be one of a list. So what still shows the
    difference, with errors that were not there before, is repaired further. Returns: the worst occurrence if it is
    more severe, and what was tried in vain.
    """
    rank, seen, tried, still = _rank(sighting, comparator), SeenValues(), 0, 0
    candidates = [sighting, *sorted(others, key=lambda one: len(_errors_beside(one, comparator)))[:1]]
    known = {_errors_beside(one, comparator) for one in candidates}
    for one in (sighting, *others):
        seen.is_new((one.case.object, one.case.old))
    for _ in range(tuning.REPAIR_ROUNDS):
        fresh = (islice(filter(seen.is_new, find_repairs(one)), tuning.REPAIRED_BESIDE) for one in candidates)
        pairs = [pair for some in fresh for pair in some]
        if not pairs:
            break
        shown, _ = yield from _ask(sighting, pairs, comparator)
        tried, still = tried + len(pairs), still + len(shown)
        worst = min(shown, key=lambda one: _rank(one, comparator), default=None)
        if worst is not None and _rank(worst, comparator) < rank:
            return worst, ""
        candidates = []
        for one in sorted(shown, key=lambda one: len(_errors_beside(one, comparator))):
            errors = _errors_beside(one, comparator)
            if errors not in known and len(candidates) < tuning.REPAIRED_FURTHER:
                known.add(errors)
                candidates.append(one)
    return None, f"; of {tried} repairs of errors beside it, {still} show it, none more severely" if tried else ""


def _errors_beside(sighting: Sighting, comparator: Comparator) -> frozenset[tuple[str, str, str]]:
    """Return type, path and detail of the errors of an object that are not those of its difference."""
    _, answer, mismatch, _ = sighting
    errors = (*answer.handwritten, *answer.declarative)
    return frozenset((one.type, one.field, one.detail) for one in errors if not comparator.concerns(mismatch, one))


def _with_errors_beside(
    sighting: Sighting, shape: Shape, comparator: Comparator
) -> Generator[list[Case], list[Answer], tuple[Sighting | None, str]]:
    """Ask an update that a server refuses without that change, and with other errors in its place.

    A check that is not reached because of an error in the uid is not reached because of one in the labels either, and
    that one a request can have. Returns: the worst occurrence that a request shows, and what was tried in vain.
    """
    case, answer, mismatch, _ = sighting
    if not answer.unreachable or case.old is None:
        return None, ""
    concerned, own = comparator.concerns, resolve_path(mismatch.path, shape)[0]
    errors = [one.field for one in (*answer.handwritten, *answer.declarative) if not concerned(mismatch, one)]
    paths = (resolve_path(field, shape)[0] for field in dict.fromkeys(errors))
    changed = [path for path in paths if path and look(case.object, path) != look(case.old, path)]
    wrong = [path for path in changed if path != own[: len(path)] and own != path[: len(own)]]
    if not wrong:
        return None, ""
    pairs = list(with_other_errors((case.object, case.old), wrong, shape))
    shown, answers = yield from _ask(sighting, pairs, comparator)
    reachable = [one for one in shown if not one.answer.unreachable]
    worst = min(reachable, key=lambda one: _rank(one, comparator), default=None)
    refused = sum(not one.unreachable and bool(one.handwritten) for one in answers)
    return worst, f"; of {refused} other errors in place of that on {write(wrong[0])}, 0 show it to a request"


def _ask(
    sighting: Sighting, pairs: Sequence[Pair], comparator: Comparator
) -> Generator[list[Case], list[Answer], tuple[list[Sighting], list[Answer]]]:
    """Ask a case with other objects. Returns: the sightings of its difference, and all answers."""
    cases = [msgspec.structs.replace(sighting.case, id=0, object=new, old=old) for new, old in pairs]
    answers = yield cases
    signature = sighting.mismatch.signature
    found = [find(case, answer, signature, comparator) for case, answer in zip(cases, answers, strict=True)]
    return [one for one in found if one is not None], answers


def seed_pairs(points: Points, request: RequestKind) -> list[Pair]:
    """Return the seed objects as pairs of a request; for an update also the one that changes many fields."""
    if request.operation is Operation.CREATE:
        return [(seed.obj, None) for seed in points.seeds]
    pairs: list[Pair] = [unchanged(stored(seed.obj), (None, {})) for seed in points.seeds]
    changed = points.pairs.get(request.key)
    return pairs if changed is None else [*pairs, (changed[0].obj, changed[1])]


def _candidates(sightings: Sequence[Sighting], seeds: Sequence[Pair], shape: Shape) -> Iterator[Pair]:
    """Yield the seeds with the value of each sighting, none twice, and none that stays as it is."""
    seen = SeenValues()
    found = [(one.case.object, one.case.old) for one in sightings]
    for pair in (*found, *seeds):
        seen.is_new(pair)
    for pair, one in zip(found, sightings, strict=True):
        path, _ = resolve_path(one.mismatch.path, shape)
        yield from filter(seen.is_new, replants(pair, path, one.mismatch.type, seeds, shape))
