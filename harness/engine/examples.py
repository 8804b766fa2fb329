"""Objects of the user's own: asked about before anything is drawn, told about when they are rejected, started from.

An object is created, and updated without a change; a pair is an update. What both sides accept is a base from the first
second on; what one of them refuses is repaired like any other seed object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.engine.plan import LaneState, Search, UnitPlan
from harness.engine.units import Lane, LaneKey
from harness.events import ExampleReport
from harness.fuzzers.bases import accepted
from harness.fuzzers.census import path_of
from harness.jsonpath import differences
from harness.objectmodel import STATUS, in_namespace, stored
from harness.subject.examples import Example

if TYPE_CHECKING:
    from harness.engine.asker import UnitAsker, Wanted

MOST_TOLD = 20
"""Refused examples of one type that are told about at once; the report has all."""
NOT_ASKED = "the run ended before it was asked"


class GivenExamples:
    """What one unit's search was given, and what became of it. `reports` has every example, in order."""

    def __init__(self, plan: UnitPlan) -> None:
        self.plan = plan
        self.reports: list[ExampleReport] = []
        self._accepted: dict[LaneKey, list[Json]] = {}
        self._rejected: dict[LaneKey, list[Json]] = {}

    def accepted(self, lane: Lane) -> list[Json]:
        """Return the objects that both sides accept through a lane."""
        return self._accepted.get(lane.key, [])

    def rejected(self, lane: Lane) -> list[Json]:
        """Return the objects that somebody refuses there although their author expects them to be accepted."""
        return self._rejected.get(lane.key, [])

    def offer(self, search: UnitAsker) -> Search:
        """Ask about every example through every lane that takes it."""
        wanted: list[Wanted] = []
        whose: list[Example] = []
        for example in self.plan.examples:
            for lane in self._lanes(search):
                if example.is_of(lane.info) and (found := self._question(lane, example)) is not None:
                    wanted.append((lane, *found, example.object))
                    whose.append(example)
        if not wanted:
            return
        answers = yield from search.ask(wanted, settle=False)
        given = [*answers, *[None] * (len(wanted) - len(answers))]
        for (lane, new, old, obj), example, answer in zip(wanted, whose, given, strict=True):
            if answer is not None and not (accepted(answer) and example.is_rejected):
                self.learn(search, lane, (complete(obj, lane.info), new, old), answer, example.is_rejected)
            if _is_told(lane, example):
                self.reports.append(_report(lane, example, answer))
        self._tell()

    def replay(self, search: UnitAsker, cases: list[tuple[Lane, Case]]) -> Search:
        """Ask about kept cases, and start from those that both sides accept."""
        wanted = [(lane, case.object, case.old, None) for lane, case in cases]
        answers = yield from search.ask(wanted, settle=False)
        for (lane, case), answer in zip(cases, answers, strict=False):
            if accepted(answer):
                self.learn(search, lane, (case.object, case.object, case.old), answer, True)
        yield from search.settle()

    def learn(
        self, search: UnitAsker, lane: Lane, asked: tuple[Json, Json, Json], answer: Answer, is_plain: bool
    ) -> None:
        """Take an object for one to start from, or to repair; an update that changes something for a pair too."""
        obj, new, old = asked
        if not accepted(answer):
            if not is_plain:
                self._rejected.setdefault(lane.key, []).append(obj)
            return
        known = self._accepted.setdefault(lane.key, [])
        if obj not in known:
            known.append(obj)
        state = search.ledger.states.get(lane.key)
        if state is not None:
            state.has_seed = True
            if old is not None and new != old:
                self._take_pair(search, state, new, old)

    def _take_pair(self, search: UnitAsker, state: LaneState, new: Json, old: Json) -> None:
        paths = (path_of(place, self.plan.shape) for place in differences(new, old))
        every = dict.fromkeys((*state.changed_paths, *paths))
        state.changed_paths = tuple(path for path in every if path != "metadata.generation")
        search.points.add_pair(state.lane, new, old)

    def _lanes(self, search: UnitAsker) -> list[Lane]:
        """Return the lanes of the search, and the one that creates: bases are found there, wanted or not."""
        lanes = {state.lane.key: state.lane for state in search.ledger.states.values()}
        if self.plan.unit.main is not None:
            finder = Lane(self.plan.unit.main, Operation.CREATE)
            lanes = {finder.key: finder, **lanes}
        return list(lanes.values())

    def _question(self, lane: Lane, example: Example) -> tuple[Json, Json] | None:
        """Return new and old to ask about through a lane, None when there is no use in it.

        An update without a change is ratcheted: what is expected to be rejected is created, where that can be.
        """
        new = complete(example.object, lane.info)
        if lane.operation is Operation.CREATE:
            return (new, None) if example.old is None else None
        if example.old is None:
            return None if example.is_rejected and self.plan.unit.main is not None else (stored(new), stored(new))
        return stored(new), stored(complete(example.old, lane.info))

    def _tell(self) -> None:
        odd = [report for report in self.reports if not report.is_as_expected]
        for report in odd[:MOST_TOLD]:
            self.plan.note("\n".join(describe(report)))
        if len(odd) > MOST_TOLD:
            self.plan.note(f"{len(odd) - MOST_TOLD} more examples are not as expected: see the report")


def describe(report: ExampleReport) -> Iterator[str]:
    """Say what is odd about an example, and what each side says of it."""
    what = f"example {report.source}: {report.kind.name} {report.operation}"
    if report.is_accepted:
        yield f"{what}: both sides accept it, and its name says that it is rejected"
        return
    yield f"{what}: rejected"
    if report.failure:
        yield f"  {report.failure}"
    for side, errors in (("handwritten", report.handwritten), ("declarative", report.declarative)):
        yield from (f"  {side}: {error}" for error in errors)


def complete(obj: Json, info: KindInfo) -> Json:
    """Give an object the namespace that a request would."""
    return in_namespace(obj) if info.namespaced else obj


def _is_told(lane: Lane, example: Example) -> bool:
    """Whether an example is about this lane: a subresource is asked about what it writes, where it writes that."""
    subresource = lane.info.subresource
    if not subresource:
        return True
    both = example.object, example.old or {}
    return subresource == STATUS and example.old is not None and both[0].get(STATUS) != both[1].get(STATUS)


def _report(lane: Lane, example: Example, answer: Answer | None) -> ExampleReport:
    expected = "rejected" if example.is_rejected else "accepted"
    if answer is None:
        return ExampleReport(example.source, lane.info, str(lane.operation), expected, failure=NOT_ASKED)
    failure = f"{answer.failure.stage}: {answer.failure.message}" if answer.failure is not None else ""
    ours, theirs = (tuple(error.text for error in errors) for errors in (answer.handwritten, answer.declarative))
    return ExampleReport(example.source, lane.info, str(lane.operation), expected, ours, theirs, failure)
