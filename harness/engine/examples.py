"""Asks the user's example objects before any case is drawn, and notes those with an unexpected verdict.

An object is created, and updated without a change; a pair is an update. Accepted examples are seed objects from the
start; rejected ones are repaired like any other seed object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.engine.plan import RequestState, Search, UnitPlan
from harness.engine.units import RequestKey, RequestKind
from harness.events import ExampleReport
from harness.fuzzers.repair import is_accepted
from harness.fuzzers.typepaths import path_of
from harness.jsonpath import differences
from harness.objectmodel import STATUS, in_namespace, stored
from harness.subject.examples import Example

if TYPE_CHECKING:
    from harness.engine.asker import CaseSpec, UnitAsker

MAX_NOTES = 20
"""At most so many examples of one type are noted during the run; the report has all."""
NOT_ASKED = "the run ended before it was asked"


class GivenExamples:
    """The examples of one unit's search, and their verdicts. `reports` has every example, in order."""

    def __init__(self, plan: UnitPlan) -> None:
        self.plan = plan
        self.reports: list[ExampleReport] = []
        self._accepted: dict[RequestKey, list[Json]] = {}
        self._rejected: dict[RequestKey, list[Json]] = {}

    def accepted(self, request: RequestKind) -> list[Json]:
        """Return the accepted examples of a request."""
        return self._accepted.get(request.key, [])

    def rejected(self, request: RequestKind) -> list[Json]:
        """Return the rejected examples of a request that their author expects to be accepted."""
        return self._rejected.get(request.key, [])

    def offer(self, search: UnitAsker) -> Search:
        """Ask every example through every request that can take it."""
        specs: list[CaseSpec] = []
        examples: list[Example] = []
        for example in self.plan.examples:
            for request in self._requests(search):
                if example.is_of(request.info) and (pair := self._pair(request, example)) is not None:
                    specs.append((request, *pair, example.object))
                    examples.append(example)
        if not specs:
            return
        answers = yield from search.ask(specs, settle=False)
        padded = [*answers, *[None] * (len(specs) - len(answers))]
        for (request, new, old, obj), example, answer in zip(specs, examples, padded, strict=True):
            if answer is not None and not (is_accepted(answer) and example.is_rejected):
                self.learn(search, request, (complete(obj, request.info), new, old), answer, example.is_rejected)
            if _is_reported(request, example):
                self.reports.append(_report(request, example, answer))
        self._note_unexpected()

    def replay(self, search: UnitAsker, cases: list[tuple[RequestKind, Case]]) -> Search:
        """Ask kept cases, and use the accepted ones as seeds.

        Their differences are explained later, when there are accepted objects to reduce them to.
        """
        for request, case, answer in (yield from search.ask_again(cases)):
            if is_accepted(answer):
                self.learn(search, request, (case.object, case.object, case.old), answer, True)

    def learn(
        self, search: UnitAsker, request: RequestKind, asked: tuple[Json, Json, Json], answer: Answer, is_plain: bool
    ) -> None:
        """Add an object to the seeds or to those to repair; add an accepted update with a change as a pair too."""
        obj, new, old = asked
        if not is_accepted(answer):
            if not is_plain:
                self._rejected.setdefault(request.key, []).append(obj)
            return
        known = self._accepted.setdefault(request.key, [])
        if obj not in known:
            known.append(obj)
        state = search.ledger.states.get(request.key)
        if state is not None:
            state.has_seed = True
            if old is not None and new != old:
                self._add_pair(search, state, new, old)

    def _add_pair(self, search: UnitAsker, state: RequestState, new: Json, old: Json) -> None:
        paths = (path_of(path, self.plan.shape) for path in differences(new, old))
        all_paths = dict.fromkeys((*state.changed_paths, *paths))
        state.changed_paths = tuple(path for path in all_paths if path != "metadata.generation")
        search.points.add_pair(state.request, new, old)

    def _requests(self, search: UnitAsker) -> list[RequestKind]:
        """Return the requests of the search, and the create request even if not selected, because it finds seeds."""
        requests = {state.request.key: state.request for state in search.ledger.states.values()}
        if self.plan.unit.main is not None:
            finder = RequestKind(self.plan.unit.main, Operation.CREATE)
            requests = {finder.key: finder, **requests}
        return list(requests.values())

    def _pair(self, request: RequestKind, example: Example) -> tuple[Json, Json] | None:
        """Return (new, old) to ask through a request, None if that shows nothing.

        An update without a change is ratcheted, so an example that should be rejected is created, if it can be.
        """
        new = complete(example.object, request.info)
        if request.operation is Operation.CREATE:
            return (new, None) if example.old is None else None
        if example.old is None:
            return None if example.is_rejected and self.plan.unit.main is not None else (stored(new), stored(new))
        return stored(new), stored(complete(example.old, request.info))

    def _note_unexpected(self) -> None:
        unexpected = [report for report in self.reports if not report.is_as_expected]
        for report in unexpected[:MAX_NOTES]:
            self.plan.note("\n".join(describe(report)))
        if len(unexpected) > MAX_NOTES:
            self.plan.note(f"{len(unexpected) - MAX_NOTES} more examples are not as expected: see the report")


def describe(report: ExampleReport) -> Iterator[str]:
    """Yield the lines of a note: the example, its verdict, and the errors."""
    prefix = f"example {report.source}: {report.kind.name} {report.operation}"
    if report.is_accepted:
        yield f"{prefix}: both sides accept it, and its name says that it is rejected"
        return
    yield f"{prefix}: rejected"
    if report.failure:
        yield f"  {report.failure}"
    for side, errors in (("handwritten", report.handwritten), ("declarative", report.declarative)):
        yield from (f"  {side}: {error}" for error in errors)


def complete(obj: Json, info: KindInfo) -> Json:
    """Return an object with the namespace that a request would set."""
    return in_namespace(obj) if info.namespaced else obj


def _is_reported(request: RequestKind, example: Example) -> bool:
    """Whether an example belongs in the report of a request; for a status subresource, if it changes the status."""
    subresource = request.info.subresource
    if not subresource:
        return True
    new, old = example.object, example.old or {}
    return subresource == STATUS and example.old is not None and new.get(STATUS) != old.get(STATUS)


def _report(request: RequestKind, example: Example, answer: Answer | None) -> ExampleReport:
    expected = "rejected" if example.is_rejected else "accepted"
    if answer is None:
        return ExampleReport(example.source, request.info, str(request.operation), expected, failure=NOT_ASKED)
    failure = f"{answer.failure.stage}: {answer.failure.message}" if answer.failure is not None else ""
    return ExampleReport(
        example.source,
        request.info,
        str(request.operation),
        expected,
        tuple(error.text for error in answer.handwritten),
        tuple(error.text for error in answer.declarative),
        failure,
    )
