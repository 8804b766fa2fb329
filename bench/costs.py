"""Which kinds of a release have slow validators of their own? Measured by the worker itself, while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.case import Answer, Case
from harness.engine import RunConfig, run
from harness.engine.units import Unit
from harness.events import Budget
from harness.fuzzers.aims import Aim
from harness.subject import Note, Subject, SubjectSpec, open_subject
from harness.targets.kubernetes.target import KubernetesTarget

FAST = 0.2e-3
"""Units: seconds a case. Validators that take longer than this are called slow."""

INTERRUPTED = 0.01
"""The dearest cases are left out, this part of them: a worker that waited for a processor says that it took longer."""

Resource = tuple[str, str]
"""A group and a resource: its versions and its subresources share their validators."""


@dataclass(slots=True)
class _Watch:
    """Notes what the validators of one unit cost, by the name of the kind. Units: nanoseconds, one number a case."""

    names: dict[tuple[str, str, str, str], str]
    costs: dict[str, tuple[Resource, list[int]]] = field(default_factory=dict)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        for case, answer in zip(cases, answers, strict=True):
            name = self.names.get((case.group, case.version, case.resource, case.subresource))
            if name is not None and answer.nanoseconds:
                own = sum(answer.nanoseconds.get(stage, 0) for stage in ("handwritten", "declarative"))
                self.costs.setdefault(name, ((case.group, case.resource), []))[1].append(own)

    def aims(self) -> Sequence[Aim]:
        return ()

    def outcome(self) -> dict[str, tuple[Resource, list[int]]]:
        return dict(self.costs)


@dataclass(frozen=True, slots=True)
class Costs:
    """The observer that makes watches."""

    def observer(self, subject: Subject, unit: Unit) -> _Watch:
        """Watch one unit."""
        return _Watch({request.info.key: request.info.name for request in unit.requests})


def open_measured(spec: SubjectSpec, note: Note) -> Subject:
    """Open a release whose worker says how long each stage took."""
    subject = open_subject(spec, note)
    subject.target.close()
    subject.target = KubernetesTarget(spec.location, gates=spec.gates, measure=True, note=note)
    return subject


def fast_kinds(spec: SubjectSpec, seconds: float, seed: int, jobs: int) -> tuple[list[str], list[str]]:
    """Run for some seconds, and part the kinds that were asked: those with fast validators, and the slow ones.

    Versions and subresources of a resource are fast or slow together.

    Raises: HarnessError when the release cannot be opened.
    """
    result = run(
        spec,
        RunConfig(seed=seed, budget=Budget(max_time=seconds), jobs=jobs, observers={"costs": Costs()}),
        opener=open_measured,
    )
    every: dict[str, tuple[Resource, list[int]]] = {}
    for of_unit in result.observed["costs"]:
        every.update(of_unit)
    return parted(every)


def parted(every: Mapping[str, tuple[Resource, list[int]]]) -> tuple[list[str], list[str]]:
    """Part kinds by what their validators cost: those of fast resources, and those of slow ones."""
    spent: dict[Resource, list[int]] = {}
    for resource, costs in every.values():
        spent.setdefault(resource, []).extend(costs)
    slow = {resource for resource, costs in spent.items() if _usual(costs) > FAST * 1e9}
    fast = [name for name, (resource, _) in every.items() if resource not in slow]
    return fast, [name for name in every if name not in fast]


def _usual(costs: list[int]) -> float:
    kept = sorted(costs)[: max(1, len(costs) - int(len(costs) * INTERRUPTED))]
    return sum(kept) / len(kept)
