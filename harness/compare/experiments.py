"""Questions that differ from the reduced case in one thing each, and what their answers prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Operation
from harness.compare import remedies
from harness.compare.comparator import Comparator, agrees, remains_in
from harness.compare.mismatch import Mismatch
from harness.compare.obvious import CauseFound, rule_of
from harness.jsonpath import ABSENT, JsonPath, look, path_of, remove
from harness.objectmodel import is_in_metadata


class Experiment(NamedTuple):
    """One question of the batch: the case, and what it proves when its answer passes."""

    case: Case
    proves: Callable[[Answer], CauseFound | None]


def served_mode(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Experiment]:
    if case.mode != "given" or mismatch.kind in ("composition", "self"):
        return

    asked = msgspec.structs.replace(case, mode="served")

    def proves(said: Answer) -> CauseFound | None:
        if remains_in(asked, said, mismatch, comparator):
            return None
        detail = "gone when the object is defaulted and prepared as the server does"
        return CauseFound("unreachable", detail, "nothing to do unless validators are called directly")

    yield Experiment(asked, proves)


def experiments(case: Case, mismatch: Mismatch, comparator: Comparator, silent: str) -> Iterator[Experiment]:
    """Yield the questions in the order in which their answers count. `silent` is the side that reports less."""
    if mismatch.kind not in ("unmatched", "extra", "served"):
        return
    yield from _without_old(case, mismatch, comparator, silent)
    yield from _with_options(case, mismatch, comparator)
    yield from _through_versions(case, mismatch, comparator)


def silent_side(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> str:
    """Name the side that reports the error of a mismatch less often."""
    if mismatch.side != "both":
        return "declarative" if mismatch.side == "handwritten" else "handwritten"
    both = answer.handwritten, answer.declarative
    handwritten, declarative = (sum(comparator.concerns(mismatch, error) for error in errors) for errors in both)
    return "declarative" if declarative < handwritten else "handwritten"


def as_create(case: Case, comparator: Comparator) -> Case | None:
    """Return the create of the new object of an update, None for a create, and where nothing can be created."""
    if case.operation is not Operation.UPDATE:
        return None
    if Operation.CREATE in comparator.info.operations:
        return msgspec.structs.replace(case, operation=Operation.CREATE, old=None)
    if case.subresource:  # objects are created through the main resource; where that is another kind, it fails
        return msgspec.structs.replace(case, operation=Operation.CREATE, old=None, subresource="")
    return None


def _without_old(case: Case, mismatch: Mismatch, comparator: Comparator, silent: str) -> Iterator[Experiment]:
    if case.operation is not Operation.UPDATE:
        return
    created = as_create(case, comparator)
    cases = [created] if created is not None else []
    before = _without_first(case.old, path_of(mismatch.path))
    if before != case.old:
        cases.append(msgspec.structs.replace(case, old=before))
        if case.mode == "served":  # preparation may bring back from the old object what was taken from it
            cases.append(msgspec.structs.replace(case, old=before, mode="given"))
    if case.mode == "served" and _brings_back(case, path_of(mismatch.path)):
        main = case.subresource if Operation.CREATE in comparator.info.operations else ""
        cases.append(
            msgspec.structs.replace(
                case, operation=Operation.CREATE, object=case.old, old=None, subresource=main, mode="given"
            )
        )
    for asked in cases:
        yield Experiment(asked, _ratcheting(asked, mismatch, comparator, silent))


def _ratcheting(
    asked: Case, mismatch: Mismatch, comparator: Comparator, side: str
) -> Callable[[Answer], CauseFound | None]:
    def proves(said: Answer) -> CauseFound | None:
        if not agrees(asked, said, mismatch, comparator):
            return None
        how = "as a create" if asked.operation is Operation.CREATE else "against an old object without the value"
        detail = f"{comparator.name_of(side)} ratchets what the update did not change: {how} both"
        if comparator.ends is not None:
            fix = f"mend stored objects before they are updated by {comparator.name_of(mismatch.side)}"
            return CauseFound("ratcheting", f"{detail} agree", fix)
        detail += " sides agree"
        fix = "let the handwritten check look at unchanged values too, or let the rule ratchet"
        if side == "declarative":
            fix = "let the handwritten check skip what did not change, or write an exception: ratcheting is wanted"
        elif not mismatch.ratcheting:  # by hand anything in the old object may decide, in rules the same value
            detail = f"the handwritten side does not report it on this update: {how} both sides agree"
            fix = "let the handwritten check look at what changed, whatever the old object was"
        return CauseFound("ratcheting", detail, fix)

    return proves


def _brings_back(case: Case, path: JsonPath) -> bool:
    """Whether preparation may bring back what stood at a path: metadata, or what a request leaves out."""
    for end in range(2, len(path) + 1):
        before, now = look(case.old, path[:end]), look(case.object, path[:end])
        if before is not ABSENT and (now is ABSENT or (is_in_metadata(path) and now != before)):
            return True
    return False


def _without_first(value: object, path: JsonPath) -> object:
    """Remove what stands at a path, or the nearest thing above it that is there."""
    while path and look(value, path) is ABSENT:
        path = path[:-1]
    return remove(value, path) if path else value


def _with_options(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Experiment]:
    present = {**comparator.info.options, **case.options}
    for name, value in sorted(present.items()):
        asked = msgspec.structs.replace(case, options={**case.options, name: not value})
        yield Experiment(asked, _gated(asked, name, value, mismatch, comparator))


def _gated(
    asked: Case, name: str, value: bool, mismatch: Mismatch, comparator: Comparator
) -> Callable[[Answer], CauseFound | None]:
    def proves(said: Answer) -> CauseFound | None:
        if remains_in(asked, said, mismatch, comparator):
            return None
        turned = f"with the option {name} {'off' if value else 'on'}"
        if comparator.ends is not None:
            return CauseFound("gate", f"both agree {turned}", f"look how each of the two sets {name}")
        detail = f"both sides agree {turned}"
        return CauseFound(
            "gate", detail, f"let check and rule at {remedies.place(mismatch)} ask the same option, {name}"
        )

    return proves


def _through_versions(case: Case, mismatch: Mismatch, comparator: Comparator) -> Iterator[Experiment]:
    # Only a missing rule is looked for in other versions: that another version lacks a rule too explains nothing.
    if not comparator.info.versions or mismatch.side != "handwritten":
        return
    asked = msgspec.structs.replace(case, versions=True)

    def proves(said: Answer) -> CauseFound | None:
        for version, errors in said.versions.items():
            if version != case.version and any(comparator.concerns(mismatch, error) for error in errors):
                fix = f"declare the rule in {case.version} as in {version}: {rule_of(mismatch, comparator)}"
                return CauseFound("version", f"{version} reports it, {case.version} does not", fix)
        return None

    yield Experiment(asked, proves)
