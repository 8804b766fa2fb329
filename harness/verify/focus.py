"""Focuses a search on the paths that a change touches, and counts the cases that tested each path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.engine.focus import Focus, ObjectKind, object_kind
from harness.engine.units import Unit
from harness.events import Result
from harness.jsonpath import ABSENT, canonical_path, find, is_within, pattern_of
from harness.report.model.verification import Effort
from harness.subject import Subject
from harness.verify.change import Change

NAME = "effort"
"""The name of the observer's outcomes in a result."""

EffortKey = tuple[ObjectKind, str]


def focus_of(change: Change, until_saturated: bool = False) -> Focus:
    """Return the focus on the touched paths of every kind; a kind that is touched as a whole has no paths to prefer."""
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
    """The effort spent on each watched path of one kind of object."""

    kind: ObjectKind
    paths: dict[str, Effort]


@dataclass(frozen=True, slots=True)
class EffortObserverFactory:
    """Creates observers that count, for every touched path, the cases that test it."""

    paths: Mapping[ObjectKind, tuple[str, ...]]

    def observer(self, subject: Subject, unit: Unit) -> Efforts:
        """Return the observer of one unit."""
        kind = object_kind(unit.requests[0].info)
        return Efforts(kind, self.paths.get(kind, ()))


class Efforts:
    """Counts the cases of one unit that test each watched path."""

    def __init__(self, kind: ObjectKind, paths: Sequence[str]) -> None:
        self._kind = kind
        self._counts = {path: dict.fromkeys(Effort.__struct_fields__, 0) for path in paths}
        self._parts = {path: pattern_of(path) for path in paths}

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Count the cases of a batch whose answer is not a failure."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is None:
                self._count(case, answer)

    def aims(self) -> tuple[()]:
        """Return no aims: counting asks no cases."""
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
            reports = (
                [] if accepted else [_has_error_at(answer.handwritten, path), _has_error_at(answer.declarative, path)]
            )
            if not new and not old and not any(reports):
                continue
            counts["cases"] += 1
            counts["accepted"] += accepted
            if reports:
                counts["handwritten"] += reports[0]
                counts["declarative"] += reports[1]
            if case.operation is Operation.CREATE:
                counts["creates"] += 1
            else:
                counts["updates"] += 1
                counts["changed"] += new != old
                counts["kept"] += new == old and case.object != case.old


def _has_error_at(errors: Iterable[object], path: str) -> bool:
    return any(is_within(canonical_path(getattr(error, "field", "")), path) for error in errors)


def set_values(obj: Json, parts: Sequence[str]) -> list[Json]:
    """Return the values of an object at a canonical path, without absent values and nulls."""
    return [value for _, value in find(obj, parts) if value is not ABSENT and value is not None]


def sum_efforts(results: Iterable[Result], compared: Iterable[Result] = ()) -> dict[EffortKey, Effort]:
    """Sum the efforts at every path, of the searches of the head and of the comparisons of base and head."""
    total: dict[EffortKey, Effort] = {}
    for result in results:
        for kind, path, effort in _read_efforts(result):
            total[kind, path] = _add(total.get((kind, path), Effort()), effort)
    for result in compared:
        for kind, path, effort in _read_efforts(result):
            before = total.get((kind, path), Effort())
            total[kind, path] = msgspec.structs.replace(before, compared=before.compared + effort.cases)
    return total


def _read_efforts(result: Result) -> Iterator[tuple[ObjectKind, str, Effort]]:
    for tried in result.observed.get(NAME, ()):
        for path, effort in tried.paths.items():
            yield tried.kind, path, effort


def _add(one: Effort, other: Effort) -> Effort:
    return Effort(*(getattr(one, name) + getattr(other, name) for name in Effort.__struct_fields__))


def total_of(efforts_by_key: Mapping[EffortKey, Effort], places: Iterable[EffortKey]) -> Effort:
    """Sum the efforts at some paths, counting each path once."""
    total = Effort()
    for place in dict.fromkeys(places):
        total = _add(total, efforts_by_key.get(place, Effort()))
    return total
