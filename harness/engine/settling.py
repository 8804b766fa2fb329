"""What is new is looked at closer, reduced and explained: the questions that follow from what was met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from harness.case import Answer, Case, Json, Operation
from harness.compare.mismatch import Mismatch, canonical_path
from harness.engine.answered import Answered
from harness.engine.explain import repairs
from harness.engine.ledger import Ledger, Lists, Seen, Shown
from harness.engine.packed import Packed
from harness.engine.plan import ABREAST, Plan, Search
from harness.engine.points import Points
from harness.engine.units import Lane, LaneKey
from harness.fuzzers.bases import accepted
from harness.fuzzers.pairs import Pair, stored, unchanged
from harness.fuzzers.places import place_of
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.transplant import transplants

UNREDUCED = "reduced no further, since time was up"


class Settling:
    """The reductions and explanations of one unit.

    `grounds` has, by lane, the smallest accepted pair; None where there is none. `asked` counts cases, `explained`
    the findings that took them, `begun` those that are on their way. `seconds` is what the search has `spent` on them.
    `wondered` are the cases that explanations alone asked. `cut` are findings that were explained before they were
    reduced to the end, since time was short: where some is left after all they are taken up again.
    """

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        points: Points,
        numbered: Callable[[Case], Case],
        spent: Callable[[], float],
        on_found: Callable[[Packed], None],
    ) -> None:
        self.plan, self.ledger, self.points = plan, ledger, points
        self.grounds: dict[LaneKey, Pair | None] = {}
        self.asked = self.explained = self.begun = self.wondered = 0
        self.cut: list[Seen] = []
        self.seconds = 0.0
        self._numbered, self._spent, self._on_found = numbered, spent, on_found
        self._alike: dict[tuple[LaneKey, str], Pair] = {}

    def run(self) -> Search:
        """Reduce and explain every new signature; when time is short, first what most people would notice."""
        is_sorted = False
        answered = Answered()
        while self._taken_up():
            if not is_sorted and self.plan.is_late():
                self.ledger.sort()
                is_sorted = True
            most = self.plan.abreast() if is_sorted else ABREAST
            some, self.ledger.pending[:] = self.ledger.pending[:most], self.ledger.pending[most:]
            self.begun = len(some)  # each one less when it is explained
            for entry in some:
                yield from self._asked(answered.through(self._find_ground(entry.lane)))
            yield from self._asked(answered.through(abreast([self._explain(entry) for entry in some])))
            self.begun = 0

    def _taken_up(self) -> bool:
        """Whether anything is pending; when nothing is, what was cut short is, as long as there is time."""
        if not self.ledger.pending and self.cut and not self.plan.is_over():
            self.ledger.pending, self.cut = self.cut, []
        return bool(self.ledger.pending)

    def reducer(self, lane: Lane, met: Shown) -> Reducer:
        """Return the reduction of what was met to the smallest case that shows the same signature."""
        comparator = self.plan.comparators[lane.info.key]
        signature = met.mismatch.signature
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
            if signature not in found:
                return None
            others = {"".join(other) for other in found if other != signature}
            errors = {
                f"{e.type} {canonical_path(e.field)} {e.origin}" for e in (*answer.handwritten, *answer.declarative)
            }
            return frozenset(others | errors)

        def mend(case: Case, answer: Answer) -> Iterator[tuple[Json, Json]]:
            errors = (*answer.handwritten, *answer.declarative)
            return repairs(case, [e for e in errors if not comparator.concerns(met.mismatch, e)], self.plan.shape)

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
            is_over=self.plan.is_over,
        )

    def _explain(self, entry: Seen) -> Search:
        met, comparator = entry.shown, self.plan.comparators[entry.lane.info.key]
        assert met is not None  # it has not been settled
        reducer = self.reducer(entry.lane, met)
        case = yield from reducer.run()
        answer = reducer.answer
        if answer is None:
            return
        explainer, served = self.plan.explainer, self.plan.abilities.served
        composition: list[Mismatch] = []
        if reducer.is_gone and answer.failure is None:
            case, answer = _plain(met), met.answer
            finding = explainer.unstable(case, answer, met.mismatch, comparator)
        else:
            explained = explainer.explained(case, answer, met.mismatch, comparator, served)
            finding, composition = yield from self._wondering(explained)
            self.ledger.composition_checked += served
        if not reducer.is_gone:
            self._alike[_likeness(entry.lane, met)] = case.object, case.old
        self.explained += 1
        self.begun -= 1
        self.ledger.composition_differences += len(composition)
        entry.shown = None
        if reducer.is_cut:
            finding = msgspec.structs.replace(finding, detail=f"{finding.detail}; {UNREDUCED}")
            still = [one for one in comparator.compare(case, answer) if one.signature == met.mismatch.signature]
            entry.shown = met._replace(case=case, answer=answer, mismatch=still[0] if still else met.mismatch)
            self.cut.append(entry)
        packed = Packed.of(finding)
        is_new, entry.finding = entry.finding is None, packed
        self.points.keep(case.object)
        if is_new:
            self._on_found(packed)

    def _wondering(self, explained: Search) -> Search:
        """Drive an explanation, and count what it asks."""
        answers: list[Answer] | None = None
        try:
            while True:
                cases = next(explained) if answers is None else explained.send(answers)
                self.wondered += len(cases)
                answers = yield cases
        except StopIteration as stop:
            return stop.value

    def _find_ground(self, lane: Lane) -> Search:
        """Reduce the smallest accepted object, once for each lane: what every reduction would have to keep."""
        key = lane.key
        if key in self.grounds or not self.points.bases or self.plan.is_over():
            return
        create = next((pair for known, pair in self.grounds.items() if known[1] is Operation.CREATE), None)
        obj = create[0] if create else self.points.bases[-1].obj
        new, old = (obj, None) if lane.operation is Operation.CREATE else (stored(obj), stored(obj))
        case = lane.info.case(lane.operation, new, old, mode=self.plan.mode)

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            return frozenset() if accepted(answer) else None

        reducer = Reducer(case, verdict, is_over=self.plan.is_over)
        found = yield from reducer.run()
        self.grounds[key] = None if reducer.is_gone else (found.object, found.old)

    def _asked(self, steps: Search) -> Search:
        """Drive a search whose questions are not drawn but follow from a finding."""
        answers: list[Answer] | None = None
        while (cases := _next(steps, answers)) is not None:
            before = self._spent()
            numbered = [self._numbered(case) for case in cases]
            self.asked += len(numbered)
            answers = yield numbered
            self.seconds += self._spent() - before
            self.ledger.count(numbered, answers)


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


def _likeness(lane: Lane, met: Shown) -> tuple[LaneKey, str]:
    """Name what differences have in common that often reduce to the same object around them."""
    return lane.key, canonical_path(met.mismatch.path).rpartition(".")[0]


def _plain(met: Shown) -> Case:
    """Return the case with only what its mismatch needs: other versions are asked where versions differ."""
    kind, case = met.mismatch.kind, met.case
    return msgspec.structs.replace(
        case,
        id=0,
        versions=case.versions and kind == "version",
        served=case.served and kind == "composition",
        repeat=case.repeat and kind == "self",
    )
