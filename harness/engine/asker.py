"""Asks the cases of one unit's search, records the answers, and has new differences reduced and explained.

A unit is a resource with its subresources; every phase of its search asks through this class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Json, Operation
from harness.engine.examples import GivenExamples
from harness.engine.ledger import Ledger
from harness.engine.packedfinding import PackedFinding
from harness.engine.pathcoverage import PathCoverage
from harness.engine.plan import Search, UnitPlan
from harness.engine.points import Points
from harness.engine.shrinkphase import ShrinkPhase
from harness.engine.storedbases import rebase
from harness.engine.units import RequestKind
from harness.fuzzers.feedback import Harvest

BATCH = 100
NO_OPTIONS: Mapping[str, bool] = MappingProxyType({})
CaseSpec: TypeAlias = tuple[RequestKind, Json, Json, Json]
"""A case before it has a number: its request, the new object, the old one, and the base object that both were edited
from."""


class UnitAsker:
    """The state of one unit's search, and the methods that ask cases. These are generators: see `Search`.

    `needs_donors`: the search has reached the point where it splices in objects of other searches.
    """

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None]) -> None:
        self.plan = plan
        self.random = plan.unit.random(plan.seed)
        self.harvest = Harvest(literals=plan.literals, examples=plan.explainer.examples)
        self.points = Points(self.random, plan.shape, self.harvest, plan.focused)
        self.path_coverage = PathCoverage(plan.shape)
        self.given = GivenExamples(plan)
        self.ledger = Ledger(plan, self.harvest, self.points.keep)
        self.asked = self._tagged = 0
        self.needs_donors = False
        self.seconds = 0.0
        """The time that its cases took, in this process and in a worker, as the schedule charges it."""
        self.shrink_phase = ShrinkPhase(plan, self.ledger, self.points, self.numbered, lambda: self.seconds, on_found)

    def forget(self) -> None:
        """Free all state after the search has ended and its outcome was read."""
        vars(self).clear()  # its parts refer back to it, so reference counting alone would free nothing

    def waits(self) -> bool:
        """Whether the search must wait for donors: objects of other searches to splice in."""
        return self.needs_donors and not all(donor.is_ready for donor in self.plan.donors)

    def is_spent(self) -> bool:
        """Whether the time or the share of cases is used up."""
        return self.plan.is_late() or (self.plan.cases is not None and self.asked >= self.plan.cases)

    def left(self) -> int:
        """Return how many cases of the share are left; without a limit, more than any search asks."""
        return 1 << 30 if self.plan.cases is None else max(0, self.plan.cases - self.asked)

    # Asking

    def _case(self, request: RequestKind, new: Json, old: Json, options: dict[str, bool]) -> Case:
        able = self.plan.abilities
        self.asked = number = self.asked + 1
        if request.operation is Operation.UPDATE:
            new, old = rebase(self.plan.stored, number, new, old)
        return request.info.case(
            request.operation,
            new,
            old,
            id=self._id(),
            mode=self.plan.mode,
            options=options,
            # Deterministic samples; the periods are primes, so that the samples rarely coincide.
            served=able.served and number % 97 == 1,
            versions=able.versions and number % 31 == 2,
            repeat=able.repeat and number % 199 == 3,
            compiled=able.compiled and number % tuning.TAGGED_PERIOD == 4,
            round_trip=(
                able.round_trip
                and request.info.served
                and number % tuning.ROUND_TRIP_PERIOD == 5
                and not self.ledger.has_turned(new)
            ),
        )

    def _id(self) -> int:
        return (self.plan.unit.index + 1) * 16_777_216 + self.asked % 16_777_216

    def numbered(self, case: Case) -> Case:
        """Count a case and number it."""
        self.asked += 1
        return msgspec.structs.replace(case, id=self._id())

    def to_send(self, cases: list[Case]) -> list[Case]:
        """Return cases as the target gets them: the last asks for the blocks of code that all reached, if they count.

        Findings keep their cases without that, so that they are the same in every run.
        """
        if not (self.plan.counts_blocks and cases) or cases[-1].blocks:  # asked for each case already
            return cases
        return [*cases[:-1], msgspec.structs.replace(cases[-1], blocks=self.plan.unit.name)]

    def show(self, specs: Sequence[CaseSpec], options: dict[str, bool]) -> Search:
        """Ask cases in mode `given` (without defaults and preparation) for observers only: nothing is compared."""
        specs = specs[: 0 if self.plan.is_late() else self.left()]
        for start in range(0, len(specs), BATCH * 2):
            cases = [
                msgspec.structs.replace(
                    self._case(request, new, old, options),
                    mode="given",
                    served=False,
                    versions=False,
                    repeat=False,
                    round_trip=False,
                )
                for request, new, old, _ in specs[start : start + BATCH * 2]
            ]
            answers = yield cases
            self.ledger.follow(cases, answers, specs[start][3])

    def ask(
        self,
        specs: Sequence[CaseSpec],
        settle: bool = True,
        validated: bool = False,
        versions: bool = False,
        options: Mapping[str, bool] = NO_OPTIONS,
        compiled: bool = False,
    ) -> Search:
        """Ask these cases, at most as many as are left of the share, and record the answers.

        `validated` asks for the objects that the declarative validators received, where there are no errors; `versions`
        for the declarative lists of the other versions, and for what is left of accepted objects that were converted to
        them and back; `compiled` for the list of the target's own tags, of as many as the share of such cases allows.
        All are ignored by a target that cannot provide them.
        `options` apply to the handwritten and the declarative validators; this needs the ability `switches`.
        `settle` reduces and explains new differences at once. Returns: the answers only without `settle`, because
        explaining takes long and hundreds of searches would hold their answers meanwhile.
        """
        steps = self._ask_batches(specs, validated, versions, options, compiled, keep=not settle)
        del specs
        answers = yield from steps
        if settle:
            yield from self.settle()
        return answers

    def ask_again(self, found: Sequence[tuple[RequestKind, Case]]) -> Search:
        """Ask cases of an earlier run, at most as many as are left of the share, and record the answers.

        Each is asked for the lists of other versions, for what converting leaves of it, and for the list of the tags,
        if it was then: what was found in these shows nowhere else. Returns: the answered ones, each with its answer.
        """
        groups: dict[tuple[bool, bool], list[tuple[RequestKind, Case]]] = {}
        for request, case in found:
            groups.setdefault((case.versions or case.round_trip, case.compiled), []).append((request, case))
        answered: list[tuple[RequestKind, Case, Answer]] = []
        for (versions, compiled), group in groups.items():
            specs: list[CaseSpec] = [(request, case.object, case.old, None) for request, case in group]
            answers = yield from self.ask(specs, settle=False, versions=versions, compiled=compiled)
            answered += [(*pair, answer) for pair, answer in zip(group, answers, strict=False)]
        return answered

    def _ask_batches(
        self,
        specs: Sequence[CaseSpec],
        validated: bool,
        versions: bool,
        options: Mapping[str, bool],
        compiled: bool,
        keep: bool,
    ) -> Search:
        rest = specs[: 0 if self.plan.is_late() else self.left()]
        del specs
        answers: list[Answer] = []
        while rest:
            # Hundreds of searches pause in this loop, so each frees the cases that it has asked.
            chunk, rest = rest[: BATCH * 2], rest[BATCH * 2 :]
            cases = self.cases_of(chunk, options)
            seeds = [base for _, _, _, base in chunk]
            del chunk
            if validated and self.plan.abilities.validated:
                cases = [msgspec.structs.replace(case, validated=True, brief=True) for case in cases]
            if versions and self.plan.abilities.versions:
                turned = self.plan.abilities.round_trip
                cases = [msgspec.structs.replace(case, versions=True, brief=True, round_trip=turned) for case in cases]
            if compiled and self.plan.abilities.compiled:
                cases = self._with_tags(cases)
            batch_answers = yield cases
            self.ledger.examine(cases, batch_answers, seeds)
            if keep:
                answers += batch_answers
            del batch_answers
            if self.plan.is_late():  # there may be thousands of specs of a kind whose cases take milliseconds each
                break
        return answers

    def _with_tags(self, cases: list[Case]) -> list[Case]:
        """Ask for the list of the tags of the first cases, as far as the share of such cases allows."""
        room = max(0, tuning.TAGGED_FIRST + self.asked // tuning.TAGGED_PART - self._tagged)
        self._tagged += min(room, len(cases))
        return [msgspec.structs.replace(case, compiled=True) for case in cases[:room]] + cases[room:]

    def cases_of(self, specs: Sequence[CaseSpec], options: Mapping[str, bool] = NO_OPTIONS) -> list[Case]:
        """Return numbered cases, which count as asked from now on."""
        return [self._case(request, new, old, dict(options)) for request, new, old, _ in specs]

    def reveal(self, request: RequestKind, new: Json, old: Json) -> Search:
        """Ask for the objects that the validators receive for a case, whatever errors they report.

        Returns: no answer when the time or the share is used up.
        """
        if self.is_spent():
            return []
        case = msgspec.structs.replace(self._case(request, new, old, {}), validated=True)
        answers = yield [case]
        self.ledger.examine([case], answers, [new])
        return answers

    # Explaining

    def settle(self) -> Search:
        """Reduce and explain every new signature.

        1. Ask the cases with new errors again, for composed lists, other versions, the list of the tags, and twice.
        2. Ask suspect failures again as a request would be asked.
        3. Reduce and explain.
        """
        yield from self._ask_new_errors_again()
        while self.ledger.suspects or self.ledger.pending:
            yield from self._retry_suspects()
            yield from self.shrink_phase.run()

    def _retry_suspects(self) -> Search:
        """Ask again, as a request would be asked, the cases that failed under another mode or other options."""
        suspects, self.ledger.suspects = self.ledger.suspects, []
        if suspects:
            cases = [self.numbered(suspect.case) for suspect in suspects]
            answers = yield cases
            self.ledger.examine(cases, answers, [suspect.base for suspect in suspects])

    def _ask_new_errors_again(self) -> Search:
        """Ask cases with new errors again for composed lists, other versions, the list of the tags, and twice."""
        able = self.plan.abilities
        if not self.ledger.new_error_cases or self.plan.is_over():
            return
        new_error_cases, self.ledger.new_error_cases = self.ledger.new_error_cases[: self.left()], []
        # A list without errors that a rule covers is served unchanged; the samples in `_case` check that.
        cases = [
            self.numbered(
                msgspec.structs.replace(
                    one.case,
                    served=able.served and one.composed,
                    versions=able.versions,
                    repeat=able.repeat,
                    compiled=able.compiled and one.composed,
                    round_trip=able.round_trip,
                )
            )
            for one in new_error_cases
        ]
        if cases:
            answers = yield cases
            self.ledger.examine(cases, answers, [one.base for one in new_error_cases])
