"""What is new is looked at closer, reduced and explained: the questions that follow from what was met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from harness import tuning
from harness.case import Answer, Case, Json, Operation
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.severity import severity_of
from harness.engine.answercache import AnswerCache
from harness.engine.explain import DOUBTED, REPETITIONS, count_others, mark_unstable, repeat
from harness.engine.ledger import Ledger, Lists, Sighting, SignatureRecord
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import Search, UnitPlan, key_of
from harness.engine.points import Points
from harness.engine.units import Lane, LaneKey
from harness.fuzzers.bases import accepted
from harness.fuzzers.pairs import Pair, unchanged
from harness.fuzzers.places import place_of
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.transplant import transplants
from harness.jsonpath import canonical_path, struct_of
from harness.objectmodel import stored


class ShrinkPhase:
    """The reductions and explanations of one unit.

    `grounds` has, by lane, the smallest accepted pair; None where there is none. `asked` counts cases, `explained`
    the findings that took them, `begun` those that are on their way. `seconds` is what the search has `spent` on them.
    No clock is asked how small a finding gets or what its cause is: what there is no time for is not settled at all.
    """

    def __init__(
        self,
        plan: UnitPlan,
        ledger: Ledger,
        points: Points,
        numbered: Callable[[Case], Case],
        spent: Callable[[], float],
        on_found: Callable[[PackedFinding], None],
    ) -> None:
        self.plan, self.ledger, self.points = plan, ledger, points
        self.grounds: dict[LaneKey, Pair | None] = {}
        self.asked = self.explained = self.begun = 0
        self.seconds = 0.0
        self._numbered, self._spent, self._on_found = numbered, spent, on_found
        self._alike: dict[tuple[LaneKey, str], Pair] = {}

    def run(self) -> Search:
        """Reduce and explain every new signature; when time is short, first what most people would notice."""
        is_sorted = False
        answered = AnswerCache()
        while self.ledger.pending:
            if not is_sorted and self.plan.is_late():
                self.ledger.sort()
                is_sorted = True
            most = self.plan.abreast() if is_sorted else tuning.ABREAST
            some, self.ledger.pending[:] = self.ledger.pending[:most], self.ledger.pending[most:]
            # What was met again, and worse, while its turn was near was settled with that.
            some = [entry for entry in some if entry.shown is not None]
            self.begun = len(some)  # each one less when it is explained
            for entry in some:
                yield from self._drive(answered.through(self._find_ground(entry.lane)))
            yield from self._drive(answered.through(abreast([self._explain(entry) for entry in some])))
            self.begun = 0
            yield from self._drive(abreast([self._doubt(seen) for seen in self._findings_to_doubt()]))

    def reducer(self, lane: Lane, met: Sighting) -> Reducer:
        """Return the reduction of what was met to the smallest case that shows the same signature."""
        comparator = self.plan.comparators[lane.info.key]
        signature = met.mismatch.signature
        worst = SEVERITIES.index(severity_of(met.case, met.answer, met.mismatch, comparator))
        heard: dict[Lists, frozenset[str] | None] = {}

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            if answer.failure is not None or answer.served or answer.versions:
                return judged(case, answer)
            lists = answer.handwritten, answer.declarative
            if lists not in heard:  # most questions of a reduction have an answer that another one had
                heard[lists] = judged(case, answer)
            return heard[lists]

        def judged(case: Case, answer: Answer) -> frozenset[str] | None:
            # Where the error itself is gone there is nothing to compare.
            found = comparator.signatures(case, answer) if comparator.may_show(signature, answer) else ()
            if signature not in found or self._is_milder(worst, case, answer, met):
                return None
            others = {"".join(other) for other in found if other != signature}
            errors = {
                f"{e.type} {canonical_path(e.field)} {e.origin}" for e in (*answer.handwritten, *answer.declarative)
            }
            return frozenset(others | errors)

        def mend(case: Case, answer: Answer) -> Iterator[tuple[Json, Json]]:
            errors = (*answer.handwritten, *answer.declarative)
            others = [e for e in errors if not comparator.concerns(met.mismatch, e)]
            return self.plan.explainer.repairs(case, others)

        base = met.base if lane.operation is Operation.CREATE or met.base is None else stored(met.base)
        ground = self.grounds.get(lane.key)
        pair = met.case.object, met.case.old
        place, _ = place_of(met.mismatch.path, self.plan.shape)
        known = [one for one in (ground, self._alike.get(_likeness(lane, met))) if one is not None]
        if not known and base is not None:  # nothing is accepted yet
            known = [unchanged(base, pair)]
        first = tuple(transplants(pair, place, base, known))
        return Reducer(
            _plain(met),
            verdict,
            base,
            mend=mend,
            first=first,
            ground=ground,
            seat=place,
        )

    def _explain(self, entry: SignatureRecord) -> Search:
        met, comparator = entry.shown, self.plan.comparators[entry.lane.info.key]
        assert met is not None  # it has not been settled
        explainer, served, times = self.plan.explainer, self.plan.abilities.served, self.repetitions
        if self.plan.is_over() and met.answer.failure is not None and met.answer.failure.stage == "worker":
            # Each question may cost a worker, or seconds of silence. What the cause is, is certain.
            self._keep_finding(entry, met, explainer.leave_unexplained(*met[:3], comparator), times)
            return
        reducer = self.reducer(entry.lane, met)
        case = yield from reducer.run()
        answer = reducer.answer
        if answer is None:
            return
        if reducer.is_gone and answer.failure is None:
            finding = explainer.explain_unstable(_plain(met), met.answer, met.mismatch, comparator, is_gone=True)
        else:
            finding = yield from explainer.explain(case, answer, met.mismatch, comparator, served, times)
        if not reducer.is_gone:
            self._alike[_likeness(entry.lane, met)] = case.object, case.old
        self._keep_finding(entry, met, finding, times)

    def _keep_finding(self, entry: SignatureRecord, met: Sighting, finding: Finding, times: int) -> None:
        """Keep what a difference came to."""
        self.ledger.is_flaky = self.ledger.is_flaky or finding.cause == "unstable"
        self.explained += 1
        self.begun -= 1
        if entry.shown is met:  # nothing worse was met meanwhile
            entry.shown = None
        packed = PackedFinding.of(msgspec.structs.replace(finding, phase=entry.phase))
        is_new, entry.finding, entry.repeated = entry.finding is None, packed, times
        self.points.keep(finding.case.object)
        if is_new:
            self._on_found(packed)

    @property
    def repetitions(self) -> int:
        """How often a reduced case is asked again before its cause is told."""
        return DOUBTED if self.ledger.is_flaky else REPETITIONS

    def _findings_to_doubt(self) -> list[SignatureRecord]:
        """Return what was explained before it was known that one case of this unit may get two answers."""
        times = self.repetitions
        return [seen for seen in self.ledger.seen.values() if seen.finding is not None and seen.repeated < times]

    def _doubt(self, seen: SignatureRecord) -> Search:
        """Ask the case of a finding again, and take back its cause if there is another answer."""
        seen.repeated = times = self.repetitions
        assert seen.finding is not None  # only what is explained is doubted
        finding = seen.finding.unpack()
        if finding.cause != "unstable":
            said = yield repeat(finding.case, times)
            if count_others(finding.answer, said):
                seen.finding = PackedFinding.of(mark_unstable(finding))

    def _is_milder(self, worst: int, case: Case, answer: Answer, met: Sighting) -> bool:
        """Whether a case shows a difference to fewer people than the one that it was met on."""
        comparator, kind = self.plan.comparators[key_of(met.case)], met.mismatch.kind
        if worst == len(SEVERITIES) - 1 or kind in ("panic", "self", "composition"):
            return False
        same = (one for one in comparator.compare(case, answer) if one.signature == met.mismatch.signature)
        return all(SEVERITIES.index(severity_of(case, answer, one, comparator)) > worst for one in same)

    def _find_ground(self, lane: Lane) -> Search:
        """Reduce the smallest accepted object, once for each lane: what every reduction would have to keep."""
        key = lane.key
        if key in self.grounds or not self.points.bases:
            return
        obj = self._plainest()
        new, old = (obj, None) if lane.operation is Operation.CREATE else (stored(obj), stored(obj))
        case = lane.info.case(lane.operation, new, old, mode=self.plan.mode)

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            return frozenset() if accepted(answer) else None

        reducer = Reducer(case, verdict)
        found = yield from reducer.run()
        self.grounds[key] = None if reducer.is_gone else (found.object, found.old)

    def _drive(self, steps: Search) -> Search:
        """Drive a search whose questions are not drawn but follow from a finding."""
        answers: list[Answer] | None = None
        while (cases := _next(steps, answers)) is not None:
            before = self._spent()
            numbered = [self._numbered(case) for case in cases]
            self.asked += len(numbered)
            answers = yield numbered
            self.seconds += self._spent() - before
            self.ledger.follow(numbered, answers, self._plainest())

    def _plainest(self) -> Json:
        """Return the plainest accepted object that is known; None when there is none."""
        create = next((pair for known, pair in self.grounds.items() if known[1] is Operation.CREATE), None)
        if create is not None:
            return create[0]
        return self.points.bases[-1].obj if self.points.bases else None


def abreast(searches: Sequence[Search]) -> Search:
    """Drive searches side by side, the questions of all of them in one batch."""
    running = [(one, asked) for one in searches if (asked := _next(one, None)) is not None]
    while running:
        answers = yield [case for _, asked in running for case in asked]
        rest = iter(answers)
        told = [(one, list(islice(rest, len(asked)))) for one, asked in running]
        running = [(one, asked) for one, said in told if (asked := _next(one, said)) is not None]


def _next(search: Search, answers: list[Answer] | None) -> list[Case] | None:
    """Go on to the next questions. Returns: None when there are none any more."""
    try:
        return next(search) if answers is None else search.send(answers)
    except StopIteration:
        return None


def _likeness(lane: Lane, met: Sighting) -> tuple[LaneKey, str]:
    """Name what differences have in common that often reduce to the same object around them."""
    return lane.key, struct_of(canonical_path(met.mismatch.path))


def _plain(met: Sighting) -> Case:
    """Return the case with only what its mismatch needs: other versions are asked where versions differ."""
    kind, case = met.mismatch.kind, met.case
    return msgspec.structs.replace(
        case,
        id=0,
        versions=case.versions and kind == "version",
        served=case.served and kind == "composition",
        repeat=case.repeat and kind == "self",
    )
