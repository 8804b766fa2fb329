"""What a search is pointed at for a change, and how hard it tried each touched place: an observer that counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.engine.focus import Focus, ObjectKind, object_kind
from harness.engine.units import Unit
from harness.events import Result
from harness.jsonpath import ABSENT, canonical_path, find, is_within, pattern_of
from harness.reporting.verification import Effort
from harness.subject import Subject
from harness.verify.change import Change

NAME = "effort"
"""The name of the observer's outcomes in a result."""

Place = tuple[ObjectKind, str]


def focus_of(change: Change, until_saturated: bool = False) -> Focus:
    """Point at the touched paths of every kind; a kind that is touched as a whole has no places to lean to."""
    paths: dict[ObjectKind, tuple[str, ...]] = {}
    for kind in change.kinds:
        name = (kind.name.group, kind.name.version, kind.name.kind)
        paths[name] = () if kind.whole else tuple(path for path in kind.paths if path)
    return Focus(paths, until_saturated)


def patterns_of(focus: Focus, kinds: Iterable[KindInfo]) -> list[str]:
    """Name the resources and subresources that take objects of the touched kinds, as `--kind` does."""
    found = []
    for info in kinds:
        if object_kind(info) in focus.paths:
            resource = info.resource + (f"/{info.subresource}" if info.subresource else "")
            found.append(f"{info.group or 'core'}/{info.version}/{resource}")
    return list(dict.fromkeys(found))


class PathEffort(msgspec.Struct, frozen=True):
    """How hard each watched path of one kind of object was tried."""

    kind: ObjectKind
    paths: dict[str, Effort]


@dataclass(frozen=True, slots=True)
class EffortObserverFactory:
    """Counts, for every touched path, the cases that say something of it."""

    paths: Mapping[ObjectKind, tuple[str, ...]]

    def observer(self, subject: Subject, unit: Unit) -> Efforts:
        """Return the observer of one unit."""
        kind = object_kind(unit.lanes[0].info)
        return Efforts(kind, self.paths.get(kind, ()))


class Efforts:
    """The counts of one unit."""

    def __init__(self, kind: ObjectKind, paths: Sequence[str]) -> None:
        self._kind = kind
        self._counts = {path: dict.fromkeys(Effort.__struct_fields__, 0) for path in paths}
        self._parts = {path: pattern_of(path) for path in paths}

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Count a batch."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is None:
                self._count(case, answer)

    def aims(self) -> tuple[()]:
        """Ask for nothing."""
        return ()

    def outcome(self) -> PathEffort:
        """Return the counts so far."""
        return PathEffort(self._kind, {path: Effort(**counts) for path, counts in self._counts.items()})

    def _count(self, case: Case, answer: Answer) -> None:
        accepted = not answer.handwritten and not answer.declarative
        for path, counts in self._counts.items():
            parts = self._parts[path]
            new = set_values(case.object, parts)
            old = new if case.old is None else set_values(case.old, parts)
            said = [] if accepted else [_says(answer.handwritten, path), _says(answer.declarative, path)]
            if not new and not old and not any(said):
                continue
            counts["cases"] += 1
            counts["accepted"] += accepted
            if said:
                counts["handwritten"] += said[0]
                counts["declarative"] += said[1]
            if case.operation is Operation.CREATE:
                counts["creates"] += 1
            else:
                counts["updates"] += 1
                counts["changed"] += new != old
                counts["kept"] += new == old and case.object != case.old


def _says(errors: Iterable[object], path: str) -> bool:
    return any(is_within(canonical_path(getattr(error, "field", "")), path) for error in errors)


def set_values(obj: Json, parts: Sequence[str]) -> list[Json]:
    """Return what an object has at a canonical path: what is null is not there."""
    return [value for _, value in find(obj, parts) if value is not ABSENT and value is not None]


def efforts(results: Iterable[Result], compared: Iterable[Result] = ()) -> dict[Place, Effort]:
    """Add up what the searches of the head, and those of base against head, tried at every place."""
    total: dict[Place, Effort] = {}
    for result in results:
        for kind, path, effort in _told(result):
            total[kind, path] = _sum(total.get((kind, path), Effort()), effort)
    for result in compared:
        for kind, path, effort in _told(result):
            before = total.get((kind, path), Effort())
            total[kind, path] = msgspec.structs.replace(before, compared=before.compared + effort.cases)
    return total


def _told(result: Result) -> Iterator[tuple[ObjectKind, str, Effort]]:
    for tried in result.observed.get(NAME, ()):
        for path, effort in tried.paths.items():
            yield tried.kind, path, effort


def _sum(one: Effort, other: Effort) -> Effort:
    return Effort(*(getattr(one, name) + getattr(other, name) for name in Effort.__struct_fields__))


def total_of(efforts_by_place: Mapping[Place, Effort], places: Iterable[Place]) -> Effort:
    """Add up the efforts of some places, each once."""
    total = Effort()
    for place in dict.fromkeys(places):
        total = _sum(total, efforts_by_place.get(place, Effort()))
    return total
