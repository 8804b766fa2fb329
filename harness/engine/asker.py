"""What every part of a unit's search does: asks, takes note of the answers, explains what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.engine.examples import GivenExamples
from harness.engine.ledger import Ledger
from harness.engine.packedfinding import PackedFinding
from harness.engine.pathcoverage import PathCoverage
from harness.engine.plan import Search, UnitPlan
from harness.engine.points import Points
from harness.engine.shrinkphase import ShrinkPhase
from harness.engine.units import Lane
from harness.fuzzers.feedback import Harvest

BATCH = 100
NO_OPTIONS: Mapping[str, bool] = MappingProxyType({})
Wanted: TypeAlias = tuple[Lane, Json, Json, Json]
"""Lane, new, old, and the object that both were made from."""


class UnitAsker:
    """What one unit's search knows so far, and how it asks. Questions are generators: see `Search`.

    `borrows` says that it has come to where it needs what other searches lend.
    """

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None]) -> None:
        self.plan = plan
        self.random = plan.unit.random(plan.seed)
        self.harvest = Harvest(literals=plan.literals, examples=plan.explainer.examples)
        self.points = Points(self.random, plan.shape, self.harvest, plan.near)
        self.path_coverage = PathCoverage(plan.shape)
        self.given = GivenExamples(plan)
        self.ledger = Ledger(plan, self.harvest, self.points.keep)
        self.asked = 0
        self.borrows = False
        self.seconds = 0.0
        """The time that its questions took, here and in a worker, as the schedule charges it."""
        self.shrink_phase = ShrinkPhase(plan, self.ledger, self.points, self.numbered, lambda: self.seconds, on_found)

    def forget(self) -> None:
        """Let go of all that it knows, once it has ended and nobody asks it any more."""
        vars(self).clear()  # what it is made of knows it, so that nothing would go by itself

    def waits(self) -> bool:
        """Whether it can go on only when another search has something to lend."""
        return self.borrows and not all(stock.is_ready for stock in self.plan.stocks)

    def is_spent(self) -> bool:
        return self.plan.is_late() or (self.plan.cases is not None and self.asked >= self.plan.cases)

    def left(self) -> int:
        return 1 << 30 if self.plan.cases is None else max(0, self.plan.cases - self.asked)

    # Asking

    def _case(self, lane: Lane, new: Json, old: Json, options: dict[str, bool]) -> Case:
        able = self.plan.abilities
        self.asked = number = self.asked + 1
        return lane.info.case(
            lane.operation,
            new,
            old,
            id=self._id(),
            mode=self.plan.mode,
            options=options,
            # Deterministic samples: primes, so that they do not fall on the same cases.
            served=able.served and number % 97 == 1,
            versions=able.versions and number % 31 == 2,
            repeat=able.repeat and number % 199 == 3,
        )

    def _id(self) -> int:
        return (self.plan.unit.index + 1) * 16_777_216 + self.asked % 16_777_216

    def numbered(self, case: Case) -> Case:
        """Count a case, and give it its number."""
        self.asked += 1
        return msgspec.structs.replace(case, id=self._id())

    def show(self, wanted: Sequence[Wanted], options: dict[str, bool]) -> Search:
        """Ask about (lane, new, old, base) as they stand, with these options, for observers: nothing is compared."""
        wanted = wanted[: 0 if self.plan.is_late() else self.left()]
        for start in range(0, len(wanted), BATCH * 2):
            cases = [
                msgspec.structs.replace(
                    self._case(lane, new, old, options),
                    mode="given",
                    served=False,
                    versions=False,
                    repeat=False,
                )
                for lane, new, old, _ in wanted[start : start + BATCH * 2]
            ]
            answers = yield cases
            self.ledger.follow(cases, answers, wanted[start][3])

    def ask(
        self,
        wanted: Sequence[Wanted],
        settle: bool = True,
        validated: bool = False,
        versions: bool = False,
        options: Mapping[str, bool] = NO_OPTIONS,
    ) -> Search:
        """Ask about (lane, new, old, base), at most what is left of the share, and take note of the answers.

        With `validated` the answers without errors say what the declarative side was given, with `versions` what it
        says of the other versions, where the target can. With `options` both sides are asked under these, which only a
        target that has the ability `switches` can. What is new is explained at once, unless `settle` says not to; only
        then are the answers returned, since explaining takes long, and hundreds of searches hold what they asked there.
        """
        questions = self._ask_batches(wanted, validated, versions, options, keep=not settle)
        del wanted
        answers = yield from questions
        if settle:
            yield from self.settle()
        return answers

    def _ask_batches(
        self,
        wanted: Sequence[Wanted],
        validated: bool,
        versions: bool,
        options: Mapping[str, bool],
        keep: bool,
    ) -> Search:
        rest = wanted[: 0 if self.plan.is_late() else self.left()]
        del wanted
        answers: list[Answer] = []
        while rest:
            # Hundreds of searches stand here: what was asked is let go.
            chunk, rest = rest[: BATCH * 2], rest[BATCH * 2 :]
            cases = self.cases_of(chunk, options)
            bases = [base for _, _, _, base in chunk]
            del chunk
            if validated and self.plan.abilities.validated:
                cases = [msgspec.structs.replace(case, validated=True, brief=True) for case in cases]
            if versions and self.plan.abilities.versions:
                cases = [msgspec.structs.replace(case, versions=True) for case in cases]
            got = yield cases
            self.ledger.examine(cases, got, bases)
            if keep:
                answers += got
            del got
            if self.plan.is_late():  # thousands may be wanted, of a kind whose cases take milliseconds
                break
        return answers

    def cases_of(self, wanted: Sequence[Wanted], options: Mapping[str, bool] = NO_OPTIONS) -> list[Case]:
        """Make cases of what is wanted, which count as asked from now on."""
        return [self._case(lane, new, old, dict(options)) for lane, new, old, _ in wanted]

    def reveal(self, lane: Lane, new: Json, old: Json) -> Search:
        """Ask what the validators are given of a case, whatever they say of it. Returns: none when time is over."""
        if self.is_spent():
            return []
        case = msgspec.structs.replace(self._case(lane, new, old, {}), validated=True)
        answers = yield [case]
        self.ledger.examine([case], answers, [new])
        return answers

    # Explaining

    def settle(self) -> Search:
        """Look closer at what is new, reduce and explain every new signature."""
        yield from self._look_closer()
        while self.ledger.suspects or self.ledger.pending:
            yield from self._retry_suspects()
            yield from self.shrink_phase.run()

    def _retry_suspects(self) -> Search:
        """Ask again what failed as no request is asked, now as one is."""
        suspects, self.ledger.suspects = self.ledger.suspects, []
        if suspects:
            cases = [self.numbered(one.case) for one in suspects]
            answers = yield cases
            self.ledger.examine(cases, answers, [one.base for one in suspects])

    def _look_closer(self) -> Search:
        """Ask again about cases with new errors: composed lists, other versions, and twice."""
        able = self.plan.abilities
        if not self.ledger.new_error_cases or self.plan.is_over():
            return
        new_error_cases, self.ledger.new_error_cases = self.ledger.new_error_cases[: self.left()], []
        # A list of errors that no rule covers is served as it is, which the samples look at.
        cases = [
            self.numbered(
                msgspec.structs.replace(
                    one.case, served=able.served and one.composed, versions=able.versions, repeat=able.repeat
                )
            )
            for one in new_error_cases
        ]
        if cases:
            answers = yield cases
            self.ledger.examine(cases, answers, [one.base for one in new_error_cases])
