"""The search of one unit, as one generator: it yields batches of cases, is sent answers, and tells what it found.

Corpus, bases, a deterministic pass over (base, place, probe), then random rounds weighted by discovery. A new
signature is reduced and explained on the spot. Nothing here reads a clock but through `is_late` and `is_over`.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Mode, Operation
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES, Finding, Severity
from harness.compare.mismatch import Mismatch, canonical_path
from harness.compare.severity import severity_of
from harness.engine.explain import explained, unexplained
from harness.engine.units import Lane, Unit
from harness.fuzzers.bases import Base, Repair, accepted, starts
from harness.fuzzers.edits import Edit, Site, random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.pairs import PATTERNS, follow_ups, stored
from harness.fuzzers.places import Place
from harness.fuzzers.reduce import Reducer
from harness.fuzzers.shape import Shape

Search: TypeAlias = Generator[list[Case], list[Answer], Any]
Signature: TypeAlias = tuple[str, ...]

BATCH = 100
KEPT_POINTS = 48
SWEEPS = (
    (slice(0, 1), range(5)), (slice(1, None), range(5)), (slice(None), range(5, 14)), (slice(None), range(14, 60)),
)  # fmt: skip
"""The deterministic pass in parts: which bases, and which probes of every place. Random rounds stand between."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What may be asked of the target besides the two lists."""

    served: bool = False
    versions: bool = False
    repeat: bool = False

    @classmethod
    def of(cls, names: Sequence[str]) -> Abilities:
        """Read the abilities a target names."""
        return cls("served" in names, "versions" in names, "repeat" in names)


@dataclass(slots=True)
class Plan:
    """What a unit's search is given. `cases` is its share, None when only time limits it."""

    unit: Unit
    seed: int
    shape: Shape
    comparators: dict[tuple[str, str, str, str], Comparator]
    abilities: Abilities
    mode: Mode
    subject: str
    cases: int | None
    corpus: Sequence[Case] = ()
    is_late: Callable[[], bool] = bool
    is_over: Callable[[], bool] = bool


@dataclass(slots=True)
class LaneState:
    """The counts of one lane. `base` is None until the search for bases has ended."""

    lane: Lane
    cases: int = 0
    accepted: int = 0
    failures: int = 0
    base: bool = False
    remaining: tuple[str, ...] = ()


@dataclass(slots=True)
class Point:
    """An object to edit, with the places where that can be done; made on first use."""

    obj: Json
    focus: Place = ()
    sites: list[Site] = field(default_factory=list)


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


class UnitSearch:
    """The search of one unit. `run` is the generator; the rest is what it knows so far."""

    def __init__(self, plan: Plan, on_found: Callable[[Finding], None]) -> None:
        self.plan = plan
        self.random = plan.unit.random(plan.seed)
        self.harvest = Harvest()
        self.states = {(lane.info.key, lane.operation): LaneState(lane) for lane in plan.unit.lanes}
        self.seen: dict[tuple[Any, ...], Seen] = {}
        self.points: list[Point] = []
        self.bases: list[Base] = []
        self.asked = 0
        self.compared = 0
        self.composition_checked = 0
        self.composition_differences = 0
        self.compare_seconds = 0.0
        self.discoveries = 0
        self.unstable = 0
        self.error = ""
        self._on_found = on_found
        self._pending: list[Seen] = []
        self._met: set[tuple[Any, ...]] = set()
        self._curious: list[tuple[Case, Json]] = []
        self._skip: frozenset[Place] = frozenset(
            {("apiVersion",), ("kind",), ("metadata", "managedFields"), ("metadata", "creationTimestamp")}
        )

    # The whole search

    def run(self) -> Search:
        """Search until the budget is used up."""
        yield from self._replay()
        yield from self._find_bases()
        if self.bases:
            for which, turns in SWEEPS:
                before = self.asked
                yield from self._sweep(self.bases[which], turns)
                yield from self._random_rounds(self.asked + (self.asked - before) // 2)
            yield from self._random_rounds(None)
        yield from self._settle()

    def fail(self, error: Exception) -> None:
        """Remember that the search ended on an internal problem."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        self.error = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"

    def findings(self) -> list[Finding]:
        """Return what was found, in the order of discovery; what could not be reduced any more as it was met."""
        return [
            msgspec.structs.replace(seen.finding or self._unexplained(seen), occurrences=seen.occurrences)
            for seen in self.seen.values()
        ]

    def _unexplained(self, seen: Seen) -> Finding:
        comparator = self.plan.comparators[seen.lane.info.key]
        return unexplained(seen.case, seen.answer, seen.mismatch, comparator, self.plan.subject)

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
            self._examine(cases, got, [base for _, _, _, base in chunk])
            answers += got
        if settle:
            yield from self._settle()
        return answers

    def _examine(self, cases: list[Case], answers: list[Answer], bases: Sequence[Json]) -> None:
        """Compare a batch and remember every new signature."""
        started = time.perf_counter()
        for case, answer, base in zip(cases, answers, bases, strict=True):
            state = self.states.get((_key_of(case), case.operation))
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
        comparator = self.plan.comparators.get(_key_of(case))
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
            self._pending.append(entry)
            self._keep_point(case.object)
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
        if not any(one is known for one in self._pending):
            self._pending.append(known)

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
        if fresh and len(self._curious) < 200 and not (case.served or case.versions or case.repeat):
            self.discoveries += 1
            self._keep_point(case.object)
            self._curious.append((case, base))

    def _keep_point(self, obj: Json) -> None:
        """Keep an object that showed something new as a place to start from; the oldest goes."""
        if len(self.points) > KEPT_POINTS:
            del self.points[len(self.bases) or 1]
        self.points.append(Point(obj))

    # Explaining

    def _settle(self) -> Search:
        """Look closer at what is new, reduce and explain every new signature."""
        yield from self._look_closer()
        while self._pending:
            yield from self._explain(self._pending.pop(0))

    def _look_closer(self) -> Search:
        """Ask again about cases with new errors: composed lists, other versions, and twice."""
        able = self.plan.abilities
        if not self._curious or not (able.served or able.versions or able.repeat) or self.plan.is_over():
            return
        curious, self._curious = self._curious[: self._left()], []
        cases = [
            self._numbered(
                msgspec.structs.replace(case, served=able.served, versions=able.versions, repeat=able.repeat)
            )
            for case, _ in curious
        ]
        if cases:
            answers = yield cases
            self._examine(cases, answers, [base for _, base in curious])

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
            self.unstable += 1
        if answer is None:
            return
        served = self.plan.abilities.served
        finding, composition = yield from self._counted(
            explained(case, answer, entry.mismatch, comparator, self.plan.subject, served)
        )
        self.composition_checked += served
        self.composition_differences += len(composition)
        is_new, entry.finding = entry.finding is None, finding
        self._keep_point(case.object)
        if is_new:
            self._on_found(finding)

    def _count(self, cases: list[Case], answers: list[Answer]) -> None:
        for case, answer in zip(cases, answers, strict=True):
            self.compared += answer.failure is None
            state = self.states.get((_key_of(case), case.operation))
            if state is not None:
                state.cases += 1
                state.failures += answer.failure is not None

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
                self._count(cases, answers)
                cases = steps.send(answers)
        except StopIteration as stop:
            return stop.value

    # Corpus and bases

    def _replay(self) -> Search:
        lanes = {(state.lane.info.key, state.lane.operation): state.lane for state in self.states.values()}
        wanted = []
        for case in self.plan.corpus:
            lane = lanes.get((_key_of(case), case.operation))
            if lane is not None:
                wanted.append((lane, case.object, case.old, None))
                self.points.append(Point(case.object))
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
        self.bases = grown
        self.points[:0] = [Point(base.obj, base.focus) for base in grown]
        for state in self.states.values():
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
            self.bases.append(Base(repaired.obj))
            self.points.insert(len(self.bases) - 1, Point(repaired.obj))

    def _grow_status(self, lane: Lane, plain: Json) -> Search:
        """Fill in the status through a subresource, the only way in: what is added is new to the stored object."""
        if not lane.info.subresource or "status" not in self.plan.shape.by_name or "status" in plain or self._spent():
            return
        before = stored(plain)

        def ask(objects: list[Json]) -> Search:
            return self._ask([(lane, stored(obj), before, obj) for obj in objects], settle=False)

        limit = min(self._left() // 8, 300)
        grown = yield from Growth(self.plan.shape, ask, self.harvest, limit, plain, skip=frozenset()).run()
        known = [base.obj for base in self.bases]
        for base in grown:
            if base.obj.get("status") and base.obj not in known:
                self.bases.append(Base(base.obj, ("status",)))
                self.points.insert(len(self.bases) - 1, Point(base.obj, ("status",)))

    # The deterministic pass

    def _sites(self, point: Point) -> list[Site]:
        if not point.sites:
            point.sites = sites_of(point.obj, self.plan.shape, point.focus, self._skip) or [
                Site((), self.plan.shape, point.obj)
            ]
        return point.sites

    def _sweep(self, bases: list[Base], turns: range) -> Search:
        """Put these probes at every place of every base: first probes of all places first, then second ones."""
        for base in bases:
            edits = self._probes(Point(base.obj, base.focus), turns)
            while not self._spent():
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.states)))))
                if not batch:
                    break
                yield from self._sweep_batch(base.obj, batch)

    def _probes(self, point: Point, turns: range) -> Iterator[Edit]:
        sites = self._sites(point)
        for turn in turns:
            for site in sites:
                values = site.values(self.harvest)
                if turn < len(values):
                    yield Edit(site.place, values[turn])

    def _sweep_batch(self, base: Json, edits: list[Edit]) -> Search:
        """Ask every lane about the edits; where an update is refused, about the related pairs too."""
        wanted: list[tuple[Lane, Json, Json, Json]] = []
        before = stored(base)
        for edit in edits:
            for state in self.states.values():
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
        lanes = [state.lane for state in self.states.values()]
        wanted = [self._draw(lanes[number % len(lanes)]) for number in range(min(BATCH, self._left()))]
        yield from self._ask(wanted)

    def _draw(self, lane: Lane) -> tuple[Lane, Json, Json, Json]:
        random = self.random
        # The first are accepted bases; the last showed something new most recently.
        if random.random() < 0.6:
            point = self.points[int(random.random() ** 2 * min(len(self.points), max(1, len(self.bases))))]
        else:
            point = self.points[int(random.random() * len(self.points))]
        sites = self._sites(point)
        base = point.obj

        def edit(obj: Json) -> Json:
            for _ in range(_number_of_edits(random)):
                obj = random_edit(random, sites, self.harvest, obj).apply(obj)
            return obj if isinstance(obj, dict) else base

        if lane.operation is Operation.CREATE:
            return lane, edit(base), None, base
        new, old = PATTERNS[int(random.random() * len(PATTERNS))](random, stored(base), edit)
        return lane, new, old, base


def _number_of_edits(random: Random) -> int:
    roll = random.random()
    return 1 if roll < 0.6 else 2 if roll < 0.88 else 3


def _touch(obj: Json) -> Json:
    """Change something that no rule minds: an annotation."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict):
        return obj
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, "touched": "a"}}}


def _key_of(case: Case) -> tuple[str, str, str, str]:
    return case.group, case.version, case.resource, case.subresource
