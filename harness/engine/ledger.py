"""What one unit's search knows so far: counts, signatures, and the cases that show them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.finding import SEVERITIES, Finding, Severity
from harness.compare.mismatch import Mismatch, canonical_path
from harness.compare.severity import severity_of
from harness.engine.explain import unexplained
from harness.engine.plan import LaneState, Plan, key_of
from harness.engine.units import Lane
from harness.fuzzers.feedback import Harvest

MOST_CURIOUS = 200


@dataclass(slots=True)
class Seen:
    """A signature that was met, the case that shows it best so far, and how often.

    `errors` is the least number of errors that it was met with.
    """

    lane: Lane
    case: Case
    answer: Answer
    mismatch: Mismatch
    base: Json
    errors: int
    occurrences: int = 1
    finding: Finding | None = None


class Ledger:
    """The books of one search. `keep` is told of every object that showed something new."""

    def __init__(self, plan: Plan, harvest: Harvest, keep: Callable[[Json], None]) -> None:
        self.plan, self.harvest, self._keep = plan, harvest, keep
        self.states = {(lane.info.key, lane.operation): LaneState(lane) for lane in plan.unit.lanes}
        self.seen: dict[tuple[Any, ...], Seen] = {}
        self.pending: list[Seen] = []
        self.curious: list[tuple[Case, Json]] = []
        self.compared = 0
        self.composition_checked = 0
        self.composition_differences = 0
        self.compare_seconds = 0.0
        self.discoveries = 0
        self.unstable = 0
        self._met: set[tuple[Any, ...]] = set()

    def findings(self) -> list[Finding]:
        """Return what was found, in the order of discovery; what could not be reduced any more as it was met."""
        return [
            msgspec.structs.replace(seen.finding or self._unexplained(seen), occurrences=seen.occurrences)
            for seen in self.seen.values()
        ]

    def _unexplained(self, seen: Seen) -> Finding:
        comparator = self.plan.comparators[seen.lane.info.key]
        return unexplained(seen.case, seen.answer, seen.mismatch, comparator, self.plan.subject)

    def examine(self, cases: list[Case], answers: list[Answer], bases: Sequence[Json]) -> None:
        """Compare a batch and remember every new signature."""
        started = time.perf_counter()
        self._show(cases, answers)
        for case, answer, base in zip(cases, answers, bases, strict=True):
            state = self.states.get((key_of(case), case.operation))
            if state is not None:
                state.cases += 1
            if answer.failure is not None:
                if state is not None:
                    state.failures += 1
                if not answer.failure.panic and answer.failure.stage != "self":
                    continue
            else:
                self.compared += 1
            if answer.served:
                self.composition_checked += 1
            elif not answer.handwritten and not answer.declarative and answer.failure is None and not answer.versions:
                if state is not None:
                    state.accepted += 1
                continue
            self._compare(case, answer, base, state)
        self.compare_seconds += time.perf_counter() - started

    def _compare(self, case: Case, answer: Answer, base: Json, state: LaneState | None) -> None:
        comparator = self.plan.comparators.get(key_of(case))
        if comparator is None or state is None:
            return
        for mismatch in comparator.compare(case, answer):
            if mismatch.kind == "composition":
                self.composition_differences += 1
            key = (state.lane.info.key, state.lane.operation, *mismatch.signature)
            known = self.seen.get(key)
            if known is not None:
                known.occurrences += 1
                self._reconsider(known, case, answer, mismatch, base)
                continue
            self.discoveries += 1
            errors = len(answer.handwritten) + len(answer.declarative)
            self.seen[key] = entry = Seen(state.lane, case, answer, mismatch, base, errors)
            self.pending.append(entry)
            self._keep(case.object)
        self._note_errors(case, answer, base)

    def _reconsider(self, known: Seen, case: Case, answer: Answer, mismatch: Mismatch, base: Json) -> None:
        """Take a case with fewer other errors for a known signature, when somebody would notice more on it.

        An error beside it hides what is served: only a case that is otherwise fine shows that a verdict changes.
        """
        errors = len(answer.handwritten) + len(answer.declarative)
        if errors >= known.errors:
            return
        known.errors = errors
        comparator = self.plan.comparators[known.lane.info.key]
        before = known.finding.severity if known.finding else self._severity(known)
        if SEVERITIES.index(severity_of(case, answer, mismatch, comparator)) >= SEVERITIES.index(before):
            return
        known.case, known.answer, known.mismatch, known.base = case, answer, mismatch, base
        if not any(one is known for one in self.pending):
            self.pending.append(known)

    def _severity(self, seen: Seen) -> Severity:
        return severity_of(seen.case, seen.answer, seen.mismatch, self.plan.comparators[seen.lane.info.key])

    def _note_errors(self, case: Case, answer: Answer, base: Json) -> None:
        """Learn from messages, and look closer at cases that show an error never met before."""
        fresh = False
        for error in (*answer.handwritten, *answer.declarative):
            key = (
                case.subresource,
                case.operation,
                error.type,
                error.origin,
                canonical_path(error.field),
                error.covered,
            )
            if key not in self._met:
                self._met.add(key)
                fresh = True
                self.harvest.learn((error,))
        if fresh and len(self.curious) < MOST_CURIOUS and not (case.served or case.versions or case.repeat):
            self.discoveries += 1
            self._keep(case.object)
            self.curious.append((case, base))

    def count(self, cases: list[Case], answers: list[Answer]) -> None:
        """Count cases that were not drawn but follow from a finding."""
        self._show(cases, answers)
        for case, answer in zip(cases, answers, strict=True):
            self.compared += answer.failure is None
            state = self.states.get((key_of(case), case.operation))
            if state is not None:
                state.cases += 1
                state.failures += answer.failure is not None

    def _show(self, cases: list[Case], answers: list[Answer]) -> None:
        for observer in self.plan.observers.values():
            observer.examine(cases, answers, self.plan.age())
