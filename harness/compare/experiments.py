"""Questions that differ from the reduced case in one thing each, and what their answers prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Operation
from harness.compare import remedies
from harness.compare.comparator import PANIC, Comparator
from harness.compare.mismatch import Mismatch
from harness.compare.objects import MISSING, Steps, steps, value_at, without
from harness.compare.obvious import CauseFound, rule_of, short_circuit
from harness.field import FieldError


class Trial(NamedTuple):
    """One question of the batch: the case, and what it proves when its answer passes."""

    case: Case
    proves: Callable[[Answer], CauseFound | None]


def served_mode(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    if case.mode != "given" or mismatch.kind in ("composition", "self"):
        return

    asked = msgspec.structs.replace(case, mode="served")

    def proves(said: Answer) -> CauseFound | None:
        if _remains_in(asked, said, mismatch, comparator):
            return None
        detail = "gone when the object is defaulted and prepared as the server does"
        return CauseFound("unreachable", detail, "nothing to do unless validators are called directly")

    yield Trial(asked, proves)


def experiments(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    """Yield the questions in the order in which their answers count."""
    if mismatch.kind not in ("unmatched", "extra", "served"):
        return
    yield from _without_old(case, mismatch, comparator)
    yield from _without_others(case, answer, mismatch, comparator)
    yield from _with_options(case, mismatch, comparator)
    yield from _through_versions(case, mismatch, comparator)


def _remains_in(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    return any(m.signature == mismatch.signature for m in comparator.compare(case, answer))


def _agrees(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether both sides report the error now, and the mismatch is gone."""
    handwritten = any(comparator.concerns(mismatch, error) for error in answer.handwritten)
    declarative = any(comparator.concerns(mismatch, error) for error in answer.declarative)
    return handwritten and declarative and not _remains_in(case, answer, mismatch, comparator)


def _without_old(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    if case.operation is not Operation.UPDATE:
        return
    cases: list[Case] = []
    if Operation.CREATE in comparator.info.operations:
        cases.append(msgspec.structs.replace(case, operation=Operation.CREATE, old=None))
    before = _without_first(case.old, steps(mismatch.path))
    if before != case.old:
        cases.append(msgspec.structs.replace(case, old=before))
        if case.mode == "served":  # preparation may bring back from the old object what was taken from it
            cases.append(msgspec.structs.replace(case, old=before, mode="given"))
    side = "declarative" if mismatch.side == "handwritten" else "handwritten"
    for asked in cases:
        yield Trial(asked, _ratcheting(asked, mismatch, comparator, side))


def _ratcheting(
    asked: Case, mismatch: Mismatch, comparator: Comparator, side: str
) -> Callable[[Answer], CauseFound | None]:
    def proves(said: Answer) -> CauseFound | None:
        if not _agrees(asked, said, mismatch, comparator):
            return None
        how = "as a create" if asked.operation is Operation.CREATE else "against an old object without the value"
        detail = f"the {side} side forgives what the update left as it was: {how} both sides agree"
        fix = (
            "let the handwritten check skip what did not change, or write an exception: forgiving is wanted"
            if side == "declarative"
            else "let the handwritten check look at unchanged values too, or let the rule forgive them"
        )
        return CauseFound("ratcheting", detail, fix)

    return proves


def _without_first(value: object, path: Steps) -> object:
    """Remove what stands at a path, or the nearest thing above it that is there."""
    while path and value_at(value, path) is MISSING:
        path = path[:-1]
    return without(value, path) if path else value


def _without_others(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    """Repair what else is wrong: a validator that returned early goes on, a rule that was stopped runs."""
    early = mismatch.side == "declarative"
    side = answer.handwritten if early else answer.declarative
    others = [e for e in side if not comparator.concerns(mismatch, e) and not e.detail.startswith(PANIC)]
    place = steps(mismatch.path)
    ways = [(error, way) for error in others for way in _repairs(case, error, place)]
    sets = [ways] if len(ways) > 1 else []
    for some in (*sets, *([one] for one in ways[:6])):
        new, old = case.object, case.old
        # From the end, so that removing an item does not move those that are still to be removed.
        for way in sorted({way for _, way in some}, key=_by_index, reverse=True):
            new, old = without(new, way), without(old, way)
        asked = msgspec.structs.replace(case, object=new, old=old)
        yield Trial(asked, _unmasked(asked, [error for error, _ in some], mismatch, comparator, early=early))


def _by_index(way: Steps) -> tuple[tuple[int, str], ...]:
    return tuple((int(step) if step.isdecimal() else -1, step) for step in way)


def _repairs(case: Case, error: FieldError, place: Steps) -> Iterator[Steps]:
    """Yield what may be removed to repair an error, without touching what the mismatch is about."""
    way = steps(error.field)
    while way and value_at(case.object, way) is MISSING:
        way = way[:-1]  # something is missing: without its parent nothing is
    if way and way != place[: len(way)]:
        yield way


def _unmasked(
    asked: Case, removed: Sequence[FieldError], mismatch: Mismatch, comparator: Comparator, *, early: bool
) -> Callable[[Answer], CauseFound | None]:
    def proves(said: Answer) -> CauseFound | None:
        if not _agrees(asked, said, mismatch, comparator):
            return None
        if not early:
            return short_circuit(removed[0])
        detail = f"the handwritten validator returned early because of {removed[0].text}; without it both sides agree"
        return CauseFound("masked", detail, "let the handwritten validator go on after this error")

    return proves


def _with_options(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    present = {**comparator.info.options, **case.options}
    for name, value in sorted(present.items()):
        asked = msgspec.structs.replace(case, options={**case.options, name: not value})
        yield Trial(asked, _gated(asked, name, value, mismatch, comparator))


def _gated(
    asked: Case, name: str, value: bool, mismatch: Mismatch, comparator: Comparator
) -> Callable[[Answer], CauseFound | None]:
    def proves(said: Answer) -> CauseFound | None:
        if _remains_in(asked, said, mismatch, comparator):
            return None
        detail = f"both sides agree with the option {name} {'off' if value else 'on'}"
        return CauseFound(
            "gate", detail, f"let check and rule at {remedies.place(mismatch)} ask the same option, {name}"
        )

    return proves


def _through_versions(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Trial]:
    # Only a missing rule is looked for in other versions: that another version lacks a rule too explains nothing.
    if not comparator.info.versions or mismatch.side != "handwritten":
        return
    asked = msgspec.structs.replace(case, versions=True)

    def proves(said: Answer) -> CauseFound | None:
        for version, errors in said.versions.items():
            if version != case.version and any(comparator.concerns(mismatch, error) for error in errors):
                fix = f"declare the rule in {case.version} as in {version}: {rule_of(mismatch)}"
                return CauseFound("version", f"{version} reports it, {case.version} does not", fix)
        return None

    yield Trial(asked, proves)
