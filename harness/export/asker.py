"""Asks an open subject about one resource, with its subresources, in one mode and in every version.

Also finds the resource that a pattern names, and the version in which its objects are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Mode, Operation
from harness.diagnostics import UsageError, near_miss
from harness.engine.units import matches
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.pairs import Pair
from harness.fuzzers.repair import CaseGenerator, Repair
from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath
from harness.subject import Subject
from harness.targets.target import drive

BATCH = 100
MAX_REPAIR_CASES = 250
REPAIR_PATIENCE = 60
"""Cases that a repair may spend, and after how many without progress it ends."""


class Asker:
    """Asks about one resource. `info` is the resource, in the version in which the objects are written.

    `doors` are the resource and its subresources by name, empty for the resource itself.
    """

    def __init__(self, subject: Subject, info: KindInfo, mode: Mode) -> None:
        self.subject, self.info, self.mode = subject, info, mode
        self.asked = 0
        every = subject.target.info.kinds
        same = [one for one in every if (one.group, one.resource, one.kind) == (info.group, info.resource, info.kind)]
        self.doors = {one.subresource: one for one in same if one.version == info.version and one.type == info.type}
        self._others = [one for one in same if one.version != info.version]

    def versions(self, door: KindInfo) -> tuple[KindInfo, ...]:
        """Return a resource or subresource in every version, that of `info` first."""
        return (door, *(one for one in self._others if one.subresource == door.subresource))

    def case(self, door: KindInfo, operation: Operation, new: Json, old: Json = None, mode: Mode | None = None) -> Case:
        """Make a case."""
        return door.case(operation, new, old, mode=mode or self.mode)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Ask cases, and return their answers in order."""
        self.asked += len(cases)
        answers: list[Answer] = []
        for start in range(0, len(cases), BATCH):
            chunk = cases[start : start + BATCH]
            answers += self.subject.target.ask(
                [msgspec.structs.replace(case, id=number) for number, case in enumerate(chunk)]
            )
        return answers

    def pairs(self, door: KindInfo, operation: Operation, pairs: Iterable[Pair]) -> list[tuple[Pair, Answer]]:
        """Ask pairs of new and old objects. Returns: the pairs with their answers, without those that failed."""
        listed = list(pairs)
        answers = self.ask([self.case(door, operation, new, old) for new, old in listed])
        return [(pair, answer) for pair, answer in zip(listed, answers, strict=True) if answer.failure is None]

    def creates(self) -> tuple[KindInfo, Operation]:
        """Return the resource or subresource that creates objects; where none does, the update of the resource."""
        door = next((one for one in self.doors.values() if Operation.CREATE in one.operations), None)
        return (door, Operation.CREATE) if door is not None else (self.info, Operation.UPDATE)

    def batch(self, objects: list[Json], mode: Mode) -> CaseGenerator:
        """Ask about new objects; the form of a question that `Repair` and `Growth` take."""
        door, operation = self.creates()
        create = operation is Operation.CREATE
        return (yield [self.case(door, operation, obj, None if create else obj, mode) for obj in objects])

    def repair(self, door: KindInfo, operation: Operation, pair: Pair, shape: Shape, keeps: JsonPath) -> Pair | None:
        """Repair every error of a new object without changing the value at `keeps`. Returns: None when that fails."""
        new, old = pair

        def ask(objects: list[Json]) -> CaseGenerator:
            # An update without changes stays one: the repaired object is the old object too.
            return (yield [self.case(door, operation, obj, obj if old == new else old) for obj in objects])

        harvest = Harvest(literals=self.subject.literals(self.info))
        repair = Repair(shape, ask, harvest, limit=MAX_REPAIR_CASES, required_path=keeps, patience=REPAIR_PATIENCE)
        found = drive(repair.run([new]), self.ask)
        return (found.obj, found.obj if old == new else old) if found.accepted else None

    def given(self, door: KindInfo, operation: Operation, pairs: Sequence[Pair], mode: Mode) -> list[dict[str, Pair]]:
        """Return the objects that were validated for each pair, by version: defaulted, prepared and converted.

        Versions that the server does not validate are left out.
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
    """Return a sort key for versions: served before unserved, then v2, v1, v1beta1, v1alpha1 as in Kubernetes."""
    found = _VERSION.fullmatch(info.version)
    if found is None:
        return info.served, -1, 0, 0
    return info.served, {None: 2, "beta": 1, "alpha": 0}[found[2]], int(found[1]), int(found[3] or 0)


def find_resource(subject: Subject, pattern: str) -> tuple[KindInfo, ...]:
    """Return the resource that matches a pattern, in every version, the most stable first.

    Raises: UsageError when none or several match.
    """
    every = [info for info in subject.target.info.kinds if not info.subresource]
    matching = [info for info in every if matches(info, [pattern])]
    if not matching:
        names = sorted({name for info in every for name in (info.resource, info.kind)})
        hint = near_miss(pattern, names) or "`harness kinds` lists them"
        raise UsageError(f"{subject.name} serves no {pattern}\n  fix: {hint}")
    found = {(info.group, info.resource) for info in matching}
    if len(found) > 1:
        named = ", ".join(f"{group or 'core'}/{resource}" for group, resource in sorted(found))
        raise UsageError(
            f"--kind {pattern} matches several kinds: {named}\n  fix: name one, because a test file has one kind"
        )
    return tuple(sorted(matching, key=stability, reverse=True))


def most_stable(infos: Iterable[KindInfo]) -> KindInfo:
    """Return the most stable version."""
    return max(infos, key=stability)
