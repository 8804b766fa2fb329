"""What changed between two targets, found by experiment on the reduced case.

First what both were given after decoding, defaults and preparation, where they show it: a field that one does not know,
does not keep, or fills in with something else explains whatever follows. Then the questions of every cause
(`experiments`, `masking`, `boundary`). What nothing explains is a rule that one of the two has and the other has not.
Knows no rule.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.boundary import find_boundary
from harness.compare.comparator import Comparator, remains_in
from harness.compare.ends import AGAIN, Ends, plain
from harness.compare.experiments import experiments, silent_side
from harness.compare.finding import Cause
from harness.compare.masking import Means, Unmasking
from harness.compare.mismatch import Mismatch
from harness.compare.obvious import CauseFound
from harness.field import FieldError
from harness.jsonpath import ABSENT, JsonPath, canonical_path, differences, look, put, remove, without_subscripts, write
from harness.objectmodel import REVISION, SERVER_FILLED, is_in_metadata

_MOST_PLACES = 12
"""Places in which two objects differ that are looked at."""
_FILLED_IN = SERVER_FILLED | {REVISION}

Asked = Generator[list[Case], list[Answer], Any]


def find_move(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, ends: Ends, means: Means
) -> Generator[list[Case], list[Answer], CauseFound]:
    """Say why two targets serve different errors on this case."""
    certain = _cannot_read(answer, mismatch, comparator, ends)
    guess = counterpart(answer, mismatch, comparator, ends)
    if certain is None and guess is not None and guess.cause != "path":
        certain = guess  # both speak at one place, in other words
    if certain is not None:
        return certain
    trials = list(experiments(case, mismatch, comparator, silent_side(answer, mismatch, comparator)))
    given = [msgspec.structs.replace(case, validated=True), msgspec.structs.replace(case, validated=True, mode="given")]
    asked = [msgspec.structs.replace(one, id=n) for n, one in enumerate([*(t.case for t in trials), *given])]
    answers = yield asked
    for trial, said in zip(trials, answers, strict=False):
        found = None if said.failure is not None else trial.proves(said)
        if found is not None:
            return found
    shown = yield from _given_otherwise(case, mismatch, comparator, ends, answers[-2:])
    if shown is not None:
        return CauseFound(*shown)
    if mismatch.kind == "served":
        return CauseFound("unknown", "", "compare the two lists of the report")
    unmasking = Unmasking(mismatch, comparator, means.mend, guess.partner if guess else None)
    found = yield from unmasking.run(case, answer)
    if found is None and guess is not None and not unmasking.contradicted:
        return guess
    if found is None:
        found = yield from find_boundary(case, mismatch, comparator)
    return found or _one_alone(mismatch, ends)


def _cannot_read(answer: Answer, mismatch: Mismatch, comparator: Comparator, ends: Ends) -> CauseFound | None:
    """Explain an object that one of the two cannot read: that is told as an error without a field."""
    mine = answer.handwritten if mismatch.side == "handwritten" else answer.declarative
    error = next((one for one in mine if comparator.concerns(mismatch, one)), None)
    if error is None or error.field or not error.detail.startswith(("decode failed", "convert failed")):
        return None
    detail = f"{ends.of(mismatch.side)} cannot read what {ends.other(mismatch.side)} reads: {error.detail}"
    return CauseFound("schema", detail, f"send {ends.of(mismatch.side)} what its types allow")


def counterpart(answer: Answer, mismatch: Mismatch, comparator: Comparator, ends: Ends) -> CauseFound | None:
    """Find the error of the other target that says the same in another form: words, type, place, or how often."""
    ours, theirs = [error for error in answer.handwritten if error.covered], list(answer.declarative)
    if mismatch.side == "declarative":
        ours, theirs = theirs, ours
    error = next((one for one in ours if comparator.concerns(mismatch, one)), None)
    if mismatch.kind == "served" or error is None:
        return CauseFound("wording", mismatch.detail, _reread(ends)) if mismatch.side == "both" else None
    again = next((one for one in answer.handwritten if not one.covered and one.field == error.field), None)
    if again is not None and comparator.concerns(mismatch, again) and error.detail.endswith(AGAIN):
        return CauseFound("duplicate", f"{ends.of(mismatch.side)} reports it once more", _reread(ends))
    beside = [other for other in theirs if other.field == error.field]
    same = next((other for other in beside if other.type == error.type), None)
    if same is not None:
        before, after = (error, same) if mismatch.side == "declarative" else (same, error)
        detail = f"{ends.before} says {before.detail!r}, {ends.after} says {after.detail!r}"
        return CauseFound("wording", detail, _reread(ends), same)
    if beside:
        before, after = (error, beside[0]) if mismatch.side == "declarative" else (beside[0], error)
        detail = f"{ends.before} reports {before.text}, {ends.after} {after.text}"
        return CauseFound("type", detail, _reread(ends), beside[0])
    moved = [other for other in theirs if _is_same_elsewhere(error, other)]
    if len(moved) != 1:
        return None
    before, after = (error, moved[0]) if mismatch.side == "declarative" else (moved[0], error)
    detail = f"{ends.before} reports it at {before.field}, {ends.after} at {after.field}"
    if before.type != after.type:
        detail += f", as {after.type.removeprefix('FieldValue')} where it was {before.type.removeprefix('FieldValue')}"
    return CauseFound("path", detail, _reread(ends), plain(moved[0]))


def _is_same_elsewhere(error: FieldError, other: FieldError) -> bool:
    """Whether two errors say the same words at two places, or the places are one but for the index."""
    if (error.type, error.detail) == (other.type, other.detail) and error.detail:
        return True
    ours, theirs = (without_subscripts(one.field) for one in (error, other))
    return ours == theirs


def _reread(ends: Ends) -> str:
    return f"let programs that read these errors expect those of {ends.after}"


# What both were given


def _given_otherwise(
    case: Case, mismatch: Mismatch, comparator: Comparator, ends: Ends, answers: list[Answer]
) -> Generator[list[Case], list[Answer], tuple[Cause, str, str] | None]:
    """Look for a place in which the two were given different objects, and prove that it makes the difference."""
    served, given = ({name: one.object for name, one in said.validated.items()} for said in answers)
    if not {ends.before, ends.after} <= served.keys():
        return None
    places = islice(differing(served[ends.before], served[ends.after]), _MOST_PLACES)
    trials: list[tuple[JsonPath, Case]] = []
    for place in places:
        trials += [(place, changed) for changed in _without_difference(case, place, served, ends)]
    if not trials:
        return None
    said = yield [msgspec.structs.replace(one, id=n) for n, (_, one) in enumerate(trials)]
    for (place, changed), answer in zip(trials, said, strict=False):
        if answer.failure is None and not remains_in(changed, answer, mismatch, comparator):
            return _told(place, case, served, given, ends)
    return None


def _without_difference(case: Case, place: JsonPath, served: dict[str, Json], ends: Ends) -> Iterator[Case]:
    """Yield cases in which both should be given the same at a place: without it, or with what one of them fills in."""
    if look(case.object, place) is not ABSENT:
        new = remove(case.object, place)
        yield msgspec.structs.replace(case, object=new)
        if case.old is not None:
            yield msgspec.structs.replace(case, object=new, old=remove(case.old, place))
        return
    for end in (ends.before, ends.after):
        value = look(served[end], place)
        if value is not ABSENT and _has_room(case.object, place):
            old = put(case.old, place, value) if _has_room(case.old, place) else case.old
            yield msgspec.structs.replace(case, object=put(case.object, place, value), old=old)


def _has_room(obj: Json, place: JsonPath) -> bool:
    """Whether a value can stand at a path without anything around it being made."""
    return isinstance(look(obj, place[:-1]), dict) or look(obj, place) is not ABSENT


def _told(
    place: JsonPath, case: Case, served: dict[str, Json], given: dict[str, Json], ends: Ends
) -> tuple[Cause, str, str]:
    """Name what one of the two does with a place."""
    path = write(place)
    here = {end: look(served[end], place) for end in ends}
    lacking = [end for end in ends if here[end] is ABSENT]
    if look(case.object, place) is not ABSENT and lacking:
        [end] = lacking[:1]
        if look(given.get(end), place) is ABSENT:
            detail = f"{end} does not know the field {path}: it reads the object without it"
            return "schema", detail, f"use {path} only where every server is {ends.after}"
        detail = f"{end} drops {path} before it validates: a feature gate, or what the server writes itself"
        return "preparation", detail, f"look which feature gate {end} has for {path}"
    before, after = (_shown(here[end]) for end in ends)
    detail = f"{path} is filled in otherwise: {ends.before} has {before}, {ends.after} {after}"
    return "defaulting", detail, f"write {path} out, so that both read the same"


def _shown(value: Json) -> str:
    return "nothing" if value is ABSENT else msgspec.json.encode(value).decode()[:80]


def differing(one: Json, other: Json) -> Iterator[JsonPath]:
    """Yield the outermost places that only one of two objects has, or in which they hold another value."""
    return (
        place for place in differences(one, other) if not is_in_metadata(place) or _FILLED_IN.isdisjoint(place[1:2])
    )


def _one_alone(mismatch: Mismatch, ends: Ends) -> CauseFound:
    place = canonical_path(mismatch.path) or "the object itself"
    if mismatch.side == "handwritten":
        detail = f"{ends.before} does not report it, whatever was tried"
        return CauseFound("new-rule", detail, f"mend {place} before you move to {ends.after}")
    detail = f"{ends.after} does not report it any more, whatever was tried"
    return CauseFound("rule-removed", detail, f"rely on {ends.after} no more to reject this at {place}")
