"""The shrink phase: reduces and explains every new difference of a unit by asking smaller cases (delta debugging).

1. Tell again what an earlier run explained, where its case gets the same answer.
2. Reduce the smallest accepted object of each request: the floor, which no reduction has to go below.
3. Reduce each new difference towards that floor, as long as its signature and its severity stay.
4. Put its value into seed objects where it may be more severe, and reduce again what is.
5. Explain the reduced case, and keep the finding.
6. Ask the cases of findings again once the unit is known to be flaky.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice

import msgspec

from harness import tuning
from harness.case import Answer, Case, Json, Operation
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.comparator import Comparator, has_more_lists
from harness.compare.finding import SEVERITIES, Finding, fingerprint
from harness.compare.mismatch import TURNED
from harness.compare.severity import severity_of
from harness.engine.answercache import AnswerCache
from harness.engine.explain import REPETITIONS, REPETITIONS_WHEN_FLAKY, count_different, mark_unstable, repeat
from harness.engine.ledger import Ledger, Lists, Sighting, SignatureRecord
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import Search, UnitPlan, is_as_drawn, key_of
from harness.engine.points import Points
from harness.engine.regrade import find, rank_of, regrade, seed_pairs
from harness.engine.retelling import case_to_retell, retell
from harness.engine.steadying import times_set, with_times
from harness.engine.units import RequestKey, RequestKind
from harness.field import FieldError
from harness.fuzzers.pairs import Pair, unchanged
from harness.fuzzers.reduce import KEPT, Reducer
from harness.fuzzers.repair import is_accepted
from harness.fuzzers.shapepaths import resolve_path
from harness.fuzzers.transplant import transplants
from harness.jsonpath import JsonPath, canonical_path, struct_of
from harness.objectmodel import stored


class ShrinkPhase:
    """The reductions and explanations of one unit.

    `floors` has the smallest accepted pair by request, None where there is none. `asked` counts cases, `explained` the
    finished findings, `begun` those in progress. `seconds` is the time that they took, by the clock `spent`.
    A finding that is begun is also finished: its size and cause must not depend on the time that is left.
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
        plan.explainer.reported, plan.explainer.accepted = ledger.has_reported, self._accepted
        self.floors: dict[RequestKey, Pair | None] = {}
        self.asked = self.explained = self.begun = 0
        self.seconds = 0.0
        self._numbered, self._spent, self._on_found = numbered, spent, on_found
        self._last_reduced: dict[tuple[RequestKey, str], Pair] = {}

    def run(self) -> Search:
        """Reduce and explain every new signature; after the time limit the most severe come first."""
        is_sorted = False
        cache = AnswerCache()
        while self.ledger.pending:
            if not is_sorted and self.plan.is_late():
                self.ledger.sort_pending()
                is_sorted = True
            size = self.plan.settle_batch_size() if is_sorted else tuning.EXPLAINED_AT_ONCE
            batch, self.ledger.pending[:] = self.ledger.pending[:size], self.ledger.pending[size:]
            # An entry may be pending twice, if it was seen again with a higher severity; once it is settled, skip it.
            batch = [entry for entry in batch if entry.sighting is not None]
            self.begun = len(batch)  # none of them is pending any more
            yield from self._drive(cache.drive(self._retell(batch)))
            batch = [entry for entry in batch if entry.sighting is not None]
            self.begun = len(batch)  # `_keep_finding` counts it down
            for entry in batch:
                yield from self._drive(cache.drive(self._find_floor(entry.request)))
            yield from self._drive(cache.drive(run_in_lockstep([self._explain(entry) for entry in batch])))
            self.begun = 0
            yield from self._drive(run_in_lockstep([self._recheck(seen) for seen in self._findings_to_recheck()]))

    def reducer(self, request: RequestKind, sighting: Sighting) -> Reducer:
        """Return the reducer that looks for the smallest case with the same signature."""
        comparator = self.plan.comparators[request.info.key]
        signature = sighting.mismatch.signature
        worst = SEVERITIES.index(severity_of(sighting.case, sighting.answer, sighting.mismatch, comparator))
        known_verdicts: dict[Lists, frozenset[str] | None] = {}

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            more = has_more_lists(answer) or answer.versions or answer.compiled is not None or answer.parent
            if answer.failure is not None or more or answer.unreachable:
                return evaluate(case, answer)
            lists = answer.handwritten, answer.declarative
            if lists not in known_verdicts:  # most cases of a reduction get lists that another case got too
                known_verdicts[lists] = evaluate(case, answer)
            return known_verdicts[lists]

        def evaluate(case: Case, answer: Answer) -> frozenset[str] | None:
            # Without the error itself the lists need not be compared.
            signatures = comparator.signatures(case, answer) if comparator.may_show(signature, answer) else ()
            if signature not in signatures or self._is_milder(worst, case, answer, sighting):
                return None
            others = {"".join(other) for other in signatures if other != signature}
            errors = {f"{e.type} {canonical_path(e.field)} {e.origin}" for e in _all_errors(answer)}
            return frozenset(others | errors)

        def find_repairs(case: Case, answer: Answer) -> Iterator[Pair]:
            return self._repairs(sighting._replace(case=case, answer=answer), comparator)

        base = (
            sighting.base if request.operation is Operation.CREATE or sighting.base is None else stored(sighting.base)
        )
        floor = self.floors.get(request.key)
        pair = sighting.case.object, sighting.case.old
        path, _ = resolve_path(sighting.mismatch.path, self.plan.shape)
        known = [one for one in (floor, self._last_reduced.get(_struct_key(request, sighting))) if one is not None]
        if not known and base is not None:  # no object is accepted yet
            known = [unchanged(base, pair)]
        first = tuple(transplants(pair, path, base, known))
        return Reducer(
            _without_extras(sighting),
            verdict,
            base,
            find_repairs=find_repairs,
            small_pairs=first,
            floor=floor if sighting.answer.failure is None else None,  # what a crash needs may be less than is accepted
            path=path,
            protected=self._protected,
            shape=self.plan.shape,
        )

    def _repairs(self, sighting: Sighting, comparator: Comparator) -> Iterator[Pair]:
        """Yield pairs in which errors beside a difference are repaired."""
        case, answer, mismatch, _ = sighting
        others = [one for one in _all_errors(answer) if not comparator.concerns(mismatch, one)]
        return self.plan.explainer.repairs(case, others, comparator)

    @property
    def _protected(self) -> frozenset[JsonPath]:
        return frozenset() if self.plan.shape.is_plain else KEPT

    def _retell(self, batch: Sequence[SignatureRecord]) -> Search:
        """Ask the reduced cases of findings that an earlier run explained, and keep what gets the same answer."""
        served = self.plan.abilities.served
        explained = [(entry, self._explained_before(entry)) for entry in batch]
        known = [(entry, one) for entry, one in explained if one is not None and is_as_drawn(self.plan, one.case)]
        answers = (yield [case_to_retell(one, served) for _, one in known]) if known else []
        for (entry, one), answer in zip(known, answers, strict=True):
            comparator = self.plan.comparators[entry.request.info.key]
            finding = retell(one, answer, comparator, self.plan.subject)
            rank = len(SEVERITIES) if finding is None else SEVERITIES.index(finding.severity)
            if finding is not None and entry.sighting is not None and rank <= entry.worst:
                self._last_reduced[_struct_key(entry.request, entry.sighting)] = finding.case.object, finding.case.old
                self._store(entry, rank, finding, self.repetitions)

    def _explained_before(self, entry: SignatureRecord) -> Finding | None:
        """Return what an earlier run found out about a difference, on a case as this run asks them."""
        assert entry.sighting is not None  # only settled entries have none
        found = self.plan.explained.get(fingerprint(self.plan.subject, entry.sighting.case, entry.sighting.mismatch))
        return None if found is None else found.unpack()

    def _explain(self, entry: SignatureRecord) -> Search:
        sighting, comparator = entry.sighting, self.plan.comparators[entry.request.info.key]
        assert sighting is not None  # only settled entries have none
        explainer, served, repetitions = self.plan.explainer, self.plan.abilities.served, self.repetitions
        if self.plan.is_over() and sighting.answer.failure is not None and sighting.answer.failure.stage == "worker":
            # Each case may crash or hang a worker, and the cause is certain without an experiment.
            finding = explainer.leave_unexplained(*sighting[:3], comparator)
            self._keep_finding(entry, entry.worst, finding, repetitions)
            return
        while True:  # ends, because each round starts from a more severe occurrence
            reducer = self.reducer(entry.request, sighting)
            case = yield from reducer.run()
            answer = reducer.answer
            if answer is None:
                return
            if reducer.is_gone:
                break
            reduced = find(case, answer, sighting.mismatch.signature, comparator)
            assert reduced is not None  # a reduction keeps the difference
            seeds = seed_pairs(self.points, entry.request)
            found = reduced, sighting
            regraded = yield from regrade(
                found, seeds, self.plan.shape, comparator, lambda one: self._repairs(one, comparator)
            )
            if regraded.sighting is None:
                break
            sighting = regraded.sighting
        rank = rank_of(sighting.case, sighting.answer, sighting.mismatch.signature, comparator)
        if reducer.is_gone and (answer.failure is None or answer.failure.stage == "self"):
            plain = _without_extras(sighting)
            timed = with_times(plain, self.plan.shape)
            start = sighting if timed is None else sighting._replace(case=timed, base=None)
            times = frozenset() if timed is None else times_set(plain, timed, self.plan.shape)
            steady = yield from self._reduce_steadied(entry.request, start, times)
            if steady is None:
                known = sighting.answer, sighting.mismatch, comparator
                finding = explainer.explain_unstable(plain, *known, is_gone=True)
            else:
                finding = yield from explainer.explain(*steady[:3], comparator, served, repetitions)
        else:
            finding = yield from explainer.explain(case, answer, sighting.mismatch, comparator, served, repetitions)
            times = times_set(case, finding.case, self.plan.shape)
            start = sighting._replace(case=finding.case, answer=finding.answer, base=None)
            steady = yield from self._reduce_steadied(entry.request, start, times)
            if steady is not None:
                finding = yield from explainer.explain(*steady[:3], comparator, served, repetitions)
        if not reducer.is_gone:
            self._last_reduced[_struct_key(entry.request, sighting)] = case.object, case.old
            rank = min(rank, rank_of(case, answer, sighting.mismatch.signature, comparator))
            if finding.cause != UNREACHABLE.code:  # else no request reaches any occurrence
                note = "; ".join(filter(None, (finding.severity_note, regraded.note)))
                finding = msgspec.structs.replace(finding, severity_note=note)
        self._keep_finding(entry, rank, finding, repetitions)

    def _reduce_steadied(
        self, request: RequestKind, sighting: Sighting, times: frozenset[JsonPath]
    ) -> Generator[list[Case], list[Answer], Sighting | None]:
        """Reduce a case again whose times were set, and stay: before that its answers depended on the clock.

        Returns: the smaller case; None where no times were set, the difference does not show, or nothing is smaller.
        """
        if not times:
            return None
        reducer = self.reducer(request, sighting)
        reducer.protected |= times
        reducer.small_pairs = ()  # they are without the times
        smaller = yield from reducer.run()
        is_smaller = (smaller.object, smaller.old) != (sighting.case.object, sighting.case.old)
        if reducer.is_gone or reducer.answer is None or not is_smaller:
            return None
        signature = sighting.mismatch.signature
        return find(smaller, reducer.answer, signature, self.plan.comparators[request.info.key])

    def _keep_finding(self, entry: SignatureRecord, rank: int, finding: Finding, times: int) -> None:
        """Count a difference as explained, and store its finding."""
        self.ledger.is_flaky = self.ledger.is_flaky or finding.cause == "unstable"
        self.explained += 1
        self.begun -= 1
        self._store(entry, rank, finding, times)

    def _store(self, entry: SignatureRecord, rank: int, finding: Finding, times: int) -> None:
        """Store the finding of a difference, with the rank of its severity, and report it if it is new."""
        if rank <= entry.worst:  # else it was seen with a higher severity meanwhile, and is pending again
            entry.worst, entry.sighting = rank, None
        packed = PackedFinding.of(msgspec.structs.replace(finding, phase=entry.phase))
        is_new, entry.finding, entry.repeated = entry.finding is None, packed, times
        self.points.keep(finding.case.object)
        if is_new:
            self._on_found(packed)

    @property
    def repetitions(self) -> int:
        """How often a reduced case is asked again before its cause is reported."""
        return REPETITIONS_WHEN_FLAKY if self.ledger.is_flaky else REPETITIONS

    def _findings_to_recheck(self) -> list[SignatureRecord]:
        """Return the findings that were explained before the unit was known to be flaky."""
        times = self.repetitions
        return [seen for seen in self.ledger.seen.values() if seen.finding is not None and seen.repeated < times]

    def _recheck(self, seen: SignatureRecord) -> Search:
        """Ask the case of a finding again, and mark it unstable if an answer differs."""
        seen.repeated = times = self.repetitions
        assert seen.finding is not None  # only explained findings are checked again
        finding = seen.finding.unpack()
        if finding.cause != "unstable":
            answers = yield repeat(finding.case, times)
            if count_different(finding.answer, answers):
                seen.finding = PackedFinding.of(mark_unstable(finding))

    def _is_milder(self, worst: int, case: Case, answer: Answer, sighting: Sighting) -> bool:
        """Whether a difference is less severe on this case than on the one where it was first seen."""
        if worst == len(SEVERITIES) - 1:
            return False
        if sighting.mismatch.kind in ("panic", "self", "composition"):
            return bool(answer.unreachable)
        comparator = self.plan.comparators[key_of(sighting.case)]
        return rank_of(case, answer, sighting.mismatch.signature, comparator) > worst

    def _find_floor(self, request: RequestKind) -> Search:
        """Reduce the smallest accepted object, once for each request: reductions need not go below it."""
        key = request.key
        if key in self.floors or not self.points.seeds:
            return
        obj = self._plainest_object()
        new, old = (obj, None) if request.operation is Operation.CREATE else (stored(obj), stored(obj))
        case = request.info.case(request.operation, new, old, mode=self.plan.mode)

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            return frozenset() if is_accepted(answer) else None

        reducer = Reducer(case, verdict, protected=self._protected, shape=self.plan.shape)
        found = yield from reducer.run()
        self.floors[key] = None if reducer.is_gone else (found.object, found.old)

    def _drive(self, steps: Search) -> Search:
        """Drive a search, and number, count and record its cases, which are not drawn but follow from a finding."""
        answers: list[Answer] | None = None
        while (cases := _next(steps, answers)) is not None:
            before = self._spent()
            numbered = [self._numbered(case) for case in cases]
            self.asked += len(numbered)
            answers = yield numbered
            self.seconds += self._spent() - before
            self.ledger.follow(numbered, answers, self._plainest_object())

    def _accepted(self, case: Case) -> list[Json]:
        """Return the smallest accepted object that is known, and the largest seed."""
        plainest = self._plainest_object()
        return [obj for obj in (plainest, *(seed.obj for seed in self.points.seeds[:1])) if obj is not None]

    def _plainest_object(self) -> Json:
        """Return the smallest accepted object that is known; None when there is none."""
        create = next((pair for known, pair in self.floors.items() if known[1] is Operation.CREATE), None)
        if create is not None:
            return create[0]
        return self.points.seeds[-1].obj if self.points.seeds else None


def run_in_lockstep(searches: Sequence[Search]) -> Search:
    """Drive several searches together, with the cases of all of them in one batch."""
    running = [(search, cases) for search in searches if (cases := _next(search, None)) is not None]
    while running:
        answers = iter((yield [case for _, cases in running for case in cases]))
        answered = [(search, list(islice(answers, len(cases)))) for search, cases in running]
        running = [(search, cases) for search, own in answered if (cases := _next(search, own)) is not None]


def _next(search: Search, answers: list[Answer] | None) -> list[Case] | None:
    """Return the next cases of a search; None when it has ended."""
    try:
        return next(search) if answers is None else search.send(answers)
    except StopIteration:
        return None


def _all_errors(answer: Answer) -> tuple[FieldError, ...]:
    """Return the errors of both sides, and those of the tags where the case asks for them."""
    return (*answer.handwritten, *answer.declarative, *(answer.compiled or ()))


def _struct_key(request: RequestKind, sighting: Sighting) -> tuple[RequestKey, str]:
    """Return the request and the struct of a difference: differences in one struct often reduce to similar objects."""
    return request.key, struct_of(canonical_path(sighting.mismatch.path))


def _without_extras(sighting: Sighting) -> Case:
    """Return the case with only the extras that its mismatch needs, such as versions where versions differ."""
    kind, case = sighting.mismatch.kind, sighting.case
    return msgspec.structs.replace(
        case,
        id=0,
        versions=case.versions and kind == "version",
        served=case.served and kind == "composition",
        repeat=kind == "self",
        compiled=case.compiled and kind == "generated",
        round_trip=kind in TURNED,
        brief=False,
    )
