"""The search of one unit, as one generator: it yields batches of cases, is sent answers, and tells what it found.

Corpus, bases, a deterministic pass over (base, place, probe), then random rounds weighted by discovery. A new
signature is reduced and explained on the spot. Nothing here reads a clock but through `is_late` and `is_over`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.finding import Finding
from harness.compare.mismatch import canonical_path
from harness.engine.explain import explained
from harness.engine.ledger import Ledger, Seen
from harness.engine.plan import LaneState, Plan, Search, key_of
from harness.engine.points import Points
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, Repair, accepted, starts
from harness.fuzzers.edits import Edit
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.pairs import follow_ups, stored
from harness.fuzzers.reduce import Reducer

BATCH = 100
SWEEPS = (
    (slice(0, 1), range(5)), (slice(1, None), range(5)), (slice(None), range(5, 14)), (slice(None), range(14, 60)),
)  # fmt: skip
"""The deterministic pass in parts: which bases, and which probes of every place. Random rounds stand between."""


class UnitSearch:
    """The search of one unit. `run` is the generator; the rest is what it knows so far."""

    def __init__(self, plan: Plan, on_found: Callable[[Finding], None]) -> None:
        self.plan = plan
        self.random = plan.unit.random(plan.seed)
        self.harvest = Harvest()
        self.points = Points(self.random, plan.shape, self.harvest)
        self.ledger = Ledger(plan, self.harvest, self.points.keep)
        self.asked = 0
        self.error = ""
        self._on_found = on_found

    # The whole search

    def run(self) -> Search:
        """Search until the budget is used up."""
        yield from self._replay()
        yield from self._find_bases()
        if self.points.bases:
            for which, turns in SWEEPS:
                before = self.asked
                yield from self._sweep(self.points.bases[which], turns)
                yield from self._random_rounds(self.asked + (self.asked - before) // 2)
            yield from self._random_rounds(None)
        yield from self._settle()

    def fail(self, error: Exception) -> None:
        """Remember that the search ended on an internal problem."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        self.error = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"

    def _spent(self) -> bool:
        return self.plan.is_late() or (self.plan.cases is not None and self.asked >= self.plan.cases)

    def _left(self) -> int:
        return 1 << 30 if self.plan.cases is None else max(0, self.plan.cases - self.asked)

    # Asking

    def _case(self, lane: Lane, new: Json, old: Json) -> Case:
        info, able = lane.info, self.plan.abilities
        self.asked = number = self.asked + 1
        return Case(
            id=self._id(),
            group=info.group,
            version=info.version,
            kind=info.kind,
            operation=lane.operation,
            object=new,
            old=old,
            resource=info.resource,
            subresource=info.subresource,
            mode=self.plan.mode,
            # Deterministic samples: primes, so that they do not fall on the same cases.
            served=able.served and number % 47 == 1,
            versions=able.versions and number % 31 == 2,
            repeat=able.repeat and number % 101 == 3,
        )

    def _id(self) -> int:
        return (self.plan.unit.index + 1) * 16_777_216 + self.asked % 16_777_216

    def _numbered(self, case: Case) -> Case:
        self.asked += 1
        return msgspec.structs.replace(case, id=self._id())

    def _ask(self, wanted: Sequence[tuple[Lane, Json, Json, Json]], settle: bool = True) -> Search:
        """Ask about (lane, new, old, base), at most what is left of the share, and take note of the answers."""
        wanted = wanted[: 0 if self.plan.is_late() else self._left()]
        answers: list[Answer] = []
        for start in range(0, len(wanted), BATCH * 2):
            chunk = wanted[start : start + BATCH * 2]
            cases = [self._case(lane, new, old) for lane, new, old, _ in chunk]
            got = yield cases
            self.ledger.examine(cases, got, [base for _, _, _, base in chunk])
            answers += got
        if settle:
            yield from self._settle()
        return answers

    # Explaining

    def _settle(self) -> Search:
        """Look closer at what is new, reduce and explain every new signature."""
        yield from self._look_closer()
        while self.ledger.pending:
            yield from self._explain(self.ledger.pending.pop(0))

    def _look_closer(self) -> Search:
        """Ask again about cases with new errors: composed lists, other versions, and twice."""
        able = self.plan.abilities
        if not self.ledger.curious or not (able.served or able.versions or able.repeat) or self.plan.is_over():
            return
        curious, self.ledger.curious = self.ledger.curious[: self._left()], []
        cases = [
            self._numbered(
                msgspec.structs.replace(case, served=able.served, versions=able.versions, repeat=able.repeat)
            )
            for case, _ in curious
        ]
        if cases:
            answers = yield cases
            self.ledger.examine(cases, answers, [base for _, base in curious])

    def _explain(self, entry: Seen) -> Search:
        comparator = self.plan.comparators[entry.lane.info.key]
        signature = entry.mismatch.signature

        def verdict(case: Case, answer: Answer) -> frozenset[str] | None:
            found = comparator.compare(case, answer)
            if not any(mismatch.signature == signature for mismatch in found):
                return None
            others = {"".join(mismatch.signature) for mismatch in found if mismatch.signature != signature}
            errors = {
                f"{e.type} {canonical_path(e.field)} {e.origin}" for e in (*answer.handwritten, *answer.declarative)
            }
            return frozenset(others | errors)

        base = entry.base if entry.lane.operation is Operation.CREATE or entry.base is None else stored(entry.base)
        reducer = Reducer(self._plain(entry), verdict, base, is_over=self.plan.is_over)
        case = yield from self._counted(reducer.run())
        answer = reducer.answer
        if answer is None or verdict(case, answer) is None:
            # Shown once and not again: told as it was first seen, reduced no further.
            self.ledger.unstable += 1
        if answer is None:
            return
        served = self.plan.abilities.served
        finding, composition = yield from self._counted(
            explained(case, answer, entry.mismatch, comparator, self.plan.subject, served)
        )
        self.ledger.composition_checked += served
        self.ledger.composition_differences += len(composition)
        is_new, entry.finding = entry.finding is None, finding
        self.points.keep(case.object)
        if is_new:
            self._on_found(finding)

    def _plain(self, entry: Seen) -> Case:
        """Return the case with only what its mismatch needs: other versions are asked where versions differ."""
        kind, case = entry.mismatch.kind, entry.case
        return msgspec.structs.replace(
            case,
            versions=case.versions and kind == "version",
            served=case.served and kind == "composition",
            repeat=case.repeat and kind == "self",
        )

    def _counted(self, steps: Generator[list[Case], list[Answer], Any]) -> Search:
        """Drive a generator of questions that are not drawn but follow from a finding."""
        try:
            cases = next(steps)
            while True:
                answers = yield [self._numbered(case) for case in cases]
                self.ledger.count(cases, answers)
                cases = steps.send(answers)
        except StopIteration as stop:
            return stop.value

    # Corpus and bases

    def _replay(self) -> Search:
        lanes = {(state.lane.info.key, state.lane.operation): state.lane for state in self.ledger.states.values()}
        wanted = []
        for case in self.plan.corpus:
            lane = lanes.get((key_of(case), case.operation))
            if lane is not None:
                wanted.append((lane, case.object, case.old, None))
                self.points.add(case.object)
        yield from self._ask(wanted)

    def _root(self, info: KindInfo) -> Json:
        metadata: dict[str, Json] = {"name": "a"}
        if info.namespaced:
            metadata["namespace"] = "default"
        return {"apiVersion": info.api_version, "kind": info.kind, "metadata": metadata}

    def _asker(self, lane: Lane) -> Callable[[list[Json]], Search]:
        """Return how to ask about objects through a lane; an update is one that changes nothing."""

        def ask(objects: list[Json]) -> Search:
            if lane.operation is Operation.CREATE:
                return self._ask([(lane, obj, None, obj) for obj in objects], settle=False)
            both = [stored(obj) for obj in objects]
            return self._ask([(lane, obj, obj, obj) for obj in both], settle=False)

        return ask

    def _find_bases(self) -> Search:
        """Find accepted objects, grow them, and see which lanes accept them."""
        plan, unit = self.plan, self.plan.unit
        finder = Lane(unit.main, Operation.CREATE) if unit.main is not None else unit.lanes[0]
        share = min(self._left() // 3, 1500)
        info = finder.info
        repair = Repair(plan.shape, self._asker(finder), self.harvest, limit=share)
        repaired = yield from repair.run(starts(plan.shape, self._root(info)))
        grown: list[Base] = [Base(repaired.obj)]
        if repaired.accepted and not self._spent():
            limit = min(self._left() // 4, 900)
            grown = yield from Growth(plan.shape, self._asker(finder), self.harvest, limit, repaired.obj).run()
            grown.append(Base(repaired.obj))
        self.points.found(grown)
        for state in self.ledger.states.values():
            if state.lane == finder:
                state.base, state.remaining = repaired.accepted, repaired.remaining
            else:
                yield from self._accept_in(state, grown)
        yield from self._settle()

    def _accept_in(self, state: LaneState, grown: list[Base]) -> Search:
        """See whether another lane accepts the bases; if it does not, mend them for it."""
        ask = self._asker(state.lane)
        firsts = [grown[0].obj, grown[-1].obj]
        answers = yield from ask(firsts)
        for answer in answers:
            if accepted(answer):
                state.base = True
                yield from self._grow_status(state.lane, grown[0].obj)
                return
        repair = Repair(self.plan.shape, ask, self.harvest, limit=min(self._left() // 4, 400))
        repaired = yield from repair.run(firsts)
        state.base, state.remaining = repaired.accepted, repaired.remaining
        if repaired.accepted:
            self.points.add_base(Base(repaired.obj))

    def _grow_status(self, lane: Lane, plain: Json) -> Search:
        """Fill in the status through a subresource, the only way in: what is added is new to the stored object."""
        if not lane.info.subresource or "status" not in self.plan.shape.by_name or "status" in plain or self._spent():
            return
        before = stored(plain)

        def ask(objects: list[Json]) -> Search:
            return self._ask([(lane, stored(obj), before, obj) for obj in objects], settle=False)

        limit = min(self._left() // 8, 300)
        grown = yield from Growth(self.plan.shape, ask, self.harvest, limit, plain, skip=frozenset()).run()
        known = [base.obj for base in self.points.bases]
        for base in grown:
            if base.obj.get("status") and base.obj not in known:
                self.points.add_base(Base(base.obj, ("status",)))

    # The deterministic pass

    def _sweep(self, bases: list[Base], turns: range) -> Search:
        """Put these probes at every place of every base: first probes of all places first, then second ones."""
        for base in bases:
            edits = self.points.probes(base, turns)
            while not self._spent():
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.ledger.states)))))
                if not batch:
                    break
                yield from self._sweep_batch(base.obj, batch)

    def _sweep_batch(self, base: Json, edits: list[Edit]) -> Search:
        """Ask every lane about the edits; where an update is refused, about the related pairs too."""
        wanted: list[tuple[Lane, Json, Json, Json]] = []
        before = stored(base)
        for edit in edits:
            for state in self.ledger.states.values():
                if state.lane.operation is Operation.CREATE:
                    wanted.append((state.lane, edit.apply(base), None, base))
                else:
                    wanted.append((state.lane, edit.apply(before), before, base))
        answers = yield from self._ask(wanted)
        related: list[tuple[Lane, Json, Json, Json]] = []
        for (lane, new, old, _), answer in zip(wanted, answers, strict=False):
            if old is not None and (answer.handwritten or answer.declarative):
                pairs = follow_ups(self.random, old, new, _touch)
                related += [(lane, one, other, base) for one, other in pairs]
        yield from self._ask(related)

    # The random phase

    def _random_rounds(self, until: int | None) -> Search:
        """Draw batches until so many cases were asked, or until the budget is used up."""
        while not self._spent() and (until is None or self.asked < until):
            yield from self._random_round()

    def _random_round(self) -> Search:
        """Draw one batch; points that lately showed something new are drawn more often."""
        lanes = [state.lane for state in self.ledger.states.values()]
        wanted = [self.points.draw(lanes[number % len(lanes)]) for number in range(min(BATCH, self._left()))]
        yield from self._ask(wanted)


def _touch(obj: Json) -> Json:
    """Change something that no rule minds: an annotation."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict):
        return obj
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, "touched": "a"}}}
