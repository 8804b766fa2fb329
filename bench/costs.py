"""Which kinds of a release have slow validators of their own? Measured by the worker itself, while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.case import Answer, Case
from harness.engine import run
from harness.engine.units import Unit
from harness.events import Budget
from harness.fuzzers.aims import Aim
from harness.subject import Note, Subject, SubjectSpec, open_subject
from harness.targets.kubernetes.target import KubernetesTarget

FAST = 0.2e-3
"""Units: seconds a case. Validators that take longer than this are called slow."""

Cost = tuple[int, int]
"""Cases, and nanoseconds that their validators took."""


@dataclass(slots=True)
class _Watch:
    """Adds up what the validators of one unit cost, by the name of the kind."""

    names: dict[tuple[str, str, str, str], str]
    costs: dict[str, Cost] = field(default_factory=dict)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        for case, answer in zip(cases, answers, strict=True):
            name = self.names.get((case.group, case.version, case.resource, case.subresource))
            if name is not None and answer.nanoseconds:
                count, spent = self.costs.get(name, (0, 0))
                own = sum(answer.nanoseconds.get(stage, 0) for stage in ("handwritten", "declarative"))
                self.costs[name] = count + 1, spent + own

    def aims(self) -> Sequence[Aim]:
        return ()

    def outcome(self) -> dict[str, Cost]:
        return dict(self.costs)


@dataclass(frozen=True, slots=True)
class Costs:
    """The onlooker that makes watches."""

    def observer(self, subject: Subject, unit: Unit) -> _Watch:
        """Watch one unit."""
        return _Watch({lane.info.key: lane.info.name for lane in unit.lanes})


def open_measured(spec: SubjectSpec, note: Note) -> Subject:
    """Open a release whose worker says how long each stage took."""
    subject = open_subject(spec, note)
    subject.target.close()
    subject.target = KubernetesTarget(spec.location, gates=spec.gates, measure=True, note=note)
    return subject


def fast_kinds(spec: SubjectSpec, seconds: float, seed: int, jobs: int) -> tuple[list[str], list[str]]:
    """Run for some seconds, and part the kinds that were asked: those with fast validators, and the slow ones.

    Raises: HarnessError when the release cannot be opened.
    """
    result = run(
        spec, seed=seed, budget=Budget(max_time=seconds), jobs=jobs, onlookers={"costs": Costs()}, opener=open_measured
    )
    every: dict[str, Cost] = {}
    for of_unit in result.observed["costs"]:
        every.update(of_unit)
    fast = [name for name, (count, spent) in every.items() if spent <= count * FAST * 1e9]
    return fast, [name for name in every if name not in fast]
