"""Asks one resource of an open subject, with all its subresources, in one mode and in every version.

Before that: which resource of a target is meant, and in which version its objects are written down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Mode, Operation
from harness.diagnostics import UsageError, near_miss
from harness.engine.units import matches
from harness.fuzzers.bases import Asking, Repair
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath
from harness.subject import Subject
from harness.targets.target import drive

BATCH = 100
_MENDING = 250


class Asker:
    """The questions about one resource. `info` is its main door in the version whose form objects have."""

    def __init__(self, subject: Subject, info: KindInfo, mode: Mode) -> None:
        self.subject, self.info, self.mode = subject, info, mode
        self.asked = 0
        every = subject.target.info.kinds
        same = [one for one in every if (one.group, one.resource, one.kind) == (info.group, info.resource, info.kind)]
        self.doors = {one.subresource: one for one in same if one.version == info.version and one.type == info.type}
        self._others = [one for one in same if one.version != info.version]

    def versions(self, door: KindInfo) -> tuple[KindInfo, ...]:
        """Return the same door in every version, the one of `info` first."""
        return (door, *(one for one in self._others if one.subresource == door.subresource))

    def case(self, door: KindInfo, operation: Operation, new: Json, old: Json = None, mode: Mode | None = None) -> Case:
        """Make a question."""
        return door.case(operation, new, old, mode=mode or self.mode)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer cases in order."""
        self.asked += len(cases)
        answers: list[Answer] = []
        for start in range(0, len(cases), BATCH):
            chunk = cases[start : start + BATCH]
            answers += self.subject.target.ask(
                [msgspec.structs.replace(case, id=number) for number, case in enumerate(chunk)]
            )
        return answers

    def pairs(self, door: KindInfo, operation: Operation, pairs: Iterable[Pair]) -> list[tuple[Pair, Answer]]:
        """Answer pairs of new and old; those that cannot be decoded are left out."""
        listed = list(pairs)
        answers = self.ask([self.case(door, operation, new, old) for new, old in listed])
        return [(pair, answer) for pair, answer in zip(listed, answers, strict=True) if answer.failure is None]

    def creates(self) -> tuple[KindInfo, Operation]:
        """Return the door through which objects are found: creation, where anything creates them."""
        door = next((one for one in self.doors.values() if Operation.CREATE in one.operations), None)
        return (door, Operation.CREATE) if door is not None else (self.info, Operation.UPDATE)

    def batch(self, objects: list[Json], mode: Mode) -> Asking:
        """Ask about new objects, as the search for accepted ones wants it."""
        door, operation = self.creates()
        create = operation is Operation.CREATE
        return (yield [self.case(door, operation, obj, None if create else obj, mode) for obj in objects])

    def mended(self, door: KindInfo, operation: Operation, pair: Pair, shape: Shape, keeps: JsonPath) -> Pair | None:
        """Mend all that is wrong with a new object but for a place, None when that does not succeed."""
        new, old = pair

        def ask(objects: list[Json]) -> Asking:
            # An update that left everything as it is takes its mended object for the old one.
            return (yield [self.case(door, operation, obj, obj if old == new else old) for obj in objects])

        harvest = Harvest(literals=self.subject.literals(self.info))
        repair = Repair(shape, ask, harvest, limit=_MENDING, keeps=keeps, patience=60)
        found = drive(repair.run([new]), self.ask)
        return (found.obj, found.obj if old == new else old) if found.accepted else None

    def given(self, door: KindInfo, operation: Operation, pairs: Sequence[Pair], mode: Mode) -> list[dict[str, Pair]]:
        """Return what was validated of pairs, by version: after defaults, preparation and conversion.

        A version that the server does not ask is left out.
        """
        wide = [
            msgspec.structs.replace(self.case(door, operation, new, old, mode), validated=True, versions=True)
            for new, old in pairs
        ]
        return [
            {version: (one.object, one.old) for version, one in answer.validated.items()} for answer in self.ask(wide)
        ]


_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


def stability(info: KindInfo) -> tuple[bool, int, int, int]:
    """Order versions as Kubernetes does, those that are served over others: stable ones over betas over alphas."""
    found = _VERSION.fullmatch(info.version)
    if found is None:
        return info.served, -1, 0, 0
    return info.served, {None: 2, "beta": 1, "alpha": 0}[found[2]], int(found[1]), int(found[3] or 0)


def choose(subject: Subject, pattern: str) -> tuple[KindInfo, ...]:
    """Return the resource that a pattern means, in every version, the most stable first.

    Raises: UsageError when it means none or several.
    """
    every = [info for info in subject.target.info.kinds if not info.subresource]
    fitting = [info for info in every if matches(info, [pattern])]
    if not fitting:
        names = sorted({name for info in every for name in (info.resource, info.kind)})
        hint = near_miss(pattern, names) or "`harness kinds` lists them"
        raise UsageError(f"{subject.name} serves no {pattern}\n  fix: {hint}")
    found = {(info.group, info.resource) for info in fitting}
    if len(found) > 1:
        named = ", ".join(f"{group or 'core'}/{resource}" for group, resource in sorted(found))
        raise UsageError(f"--kind {pattern} means several: {named}\n  fix: name one; a file of tests is about one kind")
    return tuple(sorted(fitting, key=stability, reverse=True))


def most_stable(infos: Iterable[KindInfo]) -> KindInfo:
    """Return the most stable version."""
    return max(infos, key=stability)
