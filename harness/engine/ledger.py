"""What one unit's search knows so far: counts, signatures, and the cases that show them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Json
from harness.compare.comparator import tells_more
from harness.compare.finding import SEVERITIES, Severity
from harness.compare.lists import ERRORS
from harness.compare.mismatch import Mismatch, failed
from harness.compare.severity import severity_of
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import LaneState, UnitPlan, key_of
from harness.engine.units import Lane, LaneKey
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.jsonpath import canonical_path
from harness.memory import Memory, Room
from harness.objectmodel import is_metadata_field

CROWD = 200
"""Errors of one case among which no difference is graded anew: there may be thousands, and each would look at all."""
KNOWN_LISTS = Room(8_000)
"""For what pairs of lists have shown, by their errors."""

Lists: TypeAlias = tuple[tuple[FieldError, ...], tuple[FieldError, ...]]


class Sighting(NamedTuple):
    """What shows a difference: a case and its answer, the mismatch, and the base that the case was made of."""

    case: Case
    answer: Answer
    mismatch: Mismatch
    base: Json


class Suspect(NamedTuple):
    """A case that failed, as the run would ask it, and the base it was made of."""

    case: Case
    base: Json


class NewErrorCase(NamedTuple):
    """A case with an error never met before, and the base it was made of; whether its lists have to be composed."""

    case: Case
    base: Json
    composed: bool


@dataclass(slots=True)
class SignatureRecord:
    """A signature that was met, what shows it best so far, and how often.

    `errors` is the least number of errors that it was met with, `age` that of the run when it was met first. `shown`
    is let go once it is settled: then there is a `finding`. One that is to be settled again has both. `repeated` is how
    often the case of the finding was asked again, `phase` the phase of the search that met it first.
    """

    lane: Lane
    shown: Sighting | None
    errors: int
    age: float = 0.0
    occurrences: int = 1
    finding: PackedFinding | None = None
    repeated: int = 0
    phase: str = ""


class Ledger:
    """The books of one search. `keep` is told of every object that showed something new.

    `judged` are the canonical paths of errors that are declared or covered: there both sides may look at the value.
    Those of the metadata are left out, which all kinds have in common. `suspects` failed under another mode or other
    options than those of the run, `is_flaky` says that one case got two answers, `phase` where the search is.
    """

    def __init__(self, plan: UnitPlan, harvest: Harvest, keep: Callable[[Json], None]) -> None:
        self.plan, self.harvest, self._keep = plan, harvest, keep
        self.states = {lane.key: LaneState(lane) for lane in plan.unit.lanes}
        self.seen: dict[tuple[Any, ...], SignatureRecord] = {}
        self.pending: list[SignatureRecord] = []
        self.new_error_cases: list[NewErrorCase] = []
        self.suspects: list[Suspect] = []
        self.is_flaky = False
        self.phase = ""
        self.compared = 0
        self.composition_checked = 0
        self.composition_differences = 0
        self.compare_seconds = 0.0
        self.discoveries = 0
        self.judged: set[str] = set()
        self._met: set[int] = set()  # hashes: of hundreds of searches each keeps thousands
        self._followed: Counter[bool] = Counter()
        self._suspected: Counter[tuple[Any, ...]] = Counter()
        self._known_lists: dict[LaneKey, Memory[Lists, tuple[SignatureRecord, ...]]] = {
            lane: Memory(KNOWN_LISTS) for lane in self.states
        }

    @property
    def last(self) -> float:
        """The age of the run when something new was met last."""
        return next(reversed(self.seen.values())).age if self.seen else 0.0

    def findings(self) -> list[PackedFinding]:
        """Return what was found, in the order of discovery; what could not be explained any more as it was met."""
        return [
            msgspec.structs.replace(self._finding_of(seen), occurrences=seen.occurrences) for seen in self.seen.values()
        ]

    def _finding_of(self, seen: SignatureRecord) -> PackedFinding:
        if seen.shown is None:
            assert seen.finding is not None  # only what has a finding has let go what shows it
            return seen.finding
        case, answer, mismatch, _ = seen.shown
        comparator = self.plan.comparators[seen.lane.info.key]
        found = self.plan.explainer.leave_unexplained(case, answer, mismatch, comparator)
        return PackedFinding.of(msgspec.structs.replace(found, phase=seen.phase))

    def examine(self, cases: list[Case], answers: list[Answer], bases: Sequence[Json]) -> None:
        """Compare a batch and remember every new signature."""
        started = time.perf_counter()
        self._show(cases, answers)
        for case, answer, base in zip(cases, answers, bases, strict=True):
            state = self._count(case, answer)
            if state is not None:
                state.accepted += _is_accepted(answer)
                self._take(case, answer, base, state, is_drawn=True)
        self.compare_seconds += time.perf_counter() - started

    def follow(self, cases: list[Case], answers: list[Answer], base: Json) -> None:
        """Take note of cases that were not drawn: they follow from a finding, or are shown to observers.

        Whatever they show that is new is taken up as well, but nothing is learnt from them and no occurrence counted.
        Those that no request of the run would be asked as show nothing by themselves; where they fail, they are asked
        again as the run would ask them.
        """
        started = time.perf_counter()
        self._show(cases, answers)
        for case, answer in zip(cases, answers, strict=True):
            state = self._count(case, answer)
            if state is None:
                continue
            usual = self._as_drawn(case)
            if usual is case:
                self._take(case, answer, base, state, is_drawn=False)
            else:
                self._suspect(usual, answer, base)
        self.compare_seconds += time.perf_counter() - started

    def _count(self, case: Case, answer: Answer) -> LaneState | None:
        """Count a case. Returns the lane that it is of, None when there is nothing to compare or nobody asks for it."""
        state = self.states.get((key_of(case), case.operation))
        self.compared += answer.failure is None
        self.composition_checked += bool(answer.served)
        if state is not None:
            state.cases += 1
            state.failures += answer.failure is not None
        is_mute = answer.failure is not None and not (answer.failure.panic or answer.failure.stage == "self")
        return None if is_mute else state

    def _as_drawn(self, case: Case) -> Case:
        """Return a case as the run asks it: an option turned for one side alone is no option of a request."""
        options = case.options if self.plan.abilities.switches else {}
        if case.mode == self.plan.mode and case.options == options:
            return case
        return msgspec.structs.replace(case, mode=self.plan.mode, options=options)

    def _suspect(self, case: Case, answer: Answer, base: Json) -> None:
        for mismatch in failed(answer.failure) if answer.failure is not None else ():
            name = key_of(case), case.operation, *mismatch.signature
            self._suspected[name] += 1
            if self._suspected[name] <= tuning.SUSPECTS:
                self.suspects.append(Suspect(case, base))

    def _take(self, case: Case, answer: Answer, base: Json, state: LaneState, is_drawn: bool) -> None:
        """Compare the lists of an answer, unless these were compared before."""
        lane = state.lane.key
        is_plain = answer.failure is None and not tells_more(answer)
        if is_plain:
            if _is_accepted(answer):
                return
            known = self._known_lists[lane].get((answer.handwritten, answer.declarative))
            if known is not None:
                for seen in known:
                    seen.occurrences += is_drawn
                return
        shown = self._compare(case, answer, base, state, is_drawn)
        if is_plain and is_drawn:  # else nothing was learnt of it
            self._remember(lane, answer, shown)

    def _remember(self, lane: LaneKey, answer: Answer, shown: tuple[SignatureRecord, ...]) -> None:
        """Remember what two lists show: in this lane they have nothing new to say any more, whatever the case."""
        lists = ERRORS.shared(answer.handwritten), ERRORS.shared(answer.declarative)
        self._known_lists[lane].put(lists, shown, 1 + len(answer.handwritten) + len(answer.declarative))

    def _compare(
        self, case: Case, answer: Answer, base: Json, state: LaneState, is_drawn: bool
    ) -> tuple[SignatureRecord, ...]:
        """Count what is known, take up what is new. Returns what was shown."""
        comparator = self.plan.comparators[state.lane.info.key]
        errors = len(answer.handwritten) + len(answer.declarative)
        lane = state.lane.key
        shown = []
        mismatches: list[Mismatch] = []
        for number, signature in enumerate(comparator.signatures(case, answer)):
            self.composition_differences += signature[0] == "composition"
            self.is_flaky = self.is_flaky or signature[0] == "self"
            known = self.seen.get((*lane, *signature))
            if known is None and not is_drawn and not self._may_follow(signature[0] == "panic"):
                continue
            if known is None or errors < min(known.errors, CROWD):
                mismatches = mismatches or comparator.compare(case, answer)
            if known is not None:
                known.occurrences += is_drawn
                if errors < min(known.errors, CROWD):
                    self._reconsider(known, Sighting(case, answer, mismatches[number], base), errors)
            else:
                self.discoveries += 1
                shows = Sighting(case, answer, mismatches[number], base)
                known = SignatureRecord(state.lane, shows, errors, self.plan.age(), phase=self.phase)
                self.seen[(*lane, *signature)] = known
                self.pending.append(known)
                self._keep(case.object)
                self.plan.met(state.lane, mismatches[number], self.phase)
            shown.append(known)
        if is_drawn:
            self._note_errors(case, answer, base)
        return tuple(shown)

    def _may_follow(self, is_panic: bool) -> bool:
        """Whether one more difference is taken up that only reductions and explanations met.

        Each is reduced and explained, which may meet others: a validator that makes its paths up would never end it.
        """
        drawn = len(self.seen) - self._followed.total()
        may = self._followed[is_panic] < tuning.FOLLOWED + drawn * (not is_panic)
        self._followed[is_panic] += may
        return may

    def _reconsider(self, known: SignatureRecord, shown: Sighting, errors: int) -> None:
        """Take a case with fewer other errors for a known signature, when somebody would notice more on it.

        An error beside it hides what is served: only a case that is otherwise fine shows that a verdict changes.
        """
        known.errors = errors
        before = [known.finding.severity] if known.finding else []
        before += [self._severity(known.lane, known.shown)] if known.shown else []
        if SEVERITIES.index(self._severity(known.lane, shown)) >= min(map(SEVERITIES.index, before)):
            return
        known.shown = shown
        if not any(one is known for one in self.pending):
            self.pending.append(known)

    def failed_cases(self) -> list[Case]:
        """Return what crashed a validator or got two answers and was not explained: no search asks for less."""
        shown = [seen.shown for seen in self.pending if seen.shown is not None]
        return [one.case for one in shown if one.mismatch.kind in ("panic", "self")]

    def suspect(self, cases: Sequence[Case]) -> None:
        """Have cases that failed elsewhere asked again, those of our lanes."""
        self.suspects += [Suspect(case, case.object) for case in cases if (key_of(case), case.operation) in self.states]

    def sort(self) -> None:
        """Bring what is pending into the order in which somebody would notice it, worst first."""
        self.pending[:] = [seen for seen in self.pending if seen.shown is not None]  # settled while it waited
        self.pending.sort(key=lambda seen: SEVERITIES.index(self._severity(seen.lane, seen.shown)))

    def _severity(self, lane: Lane, shown: Sighting | None) -> Severity:
        assert shown is not None  # it has not been settled
        return severity_of(shown.case, shown.answer, shown.mismatch, self.plan.comparators[lane.info.key])

    def _note_errors(self, case: Case, answer: Answer, base: Json) -> None:
        """Learn from messages, and look closer at cases that show an error never met before."""
        fresh, handwritten = False, len(answer.handwritten)
        for number, error in enumerate((*answer.handwritten, *answer.declarative)):
            path = canonical_path(error.field)
            is_judged = error.covered or number >= handwritten
            if is_judged and path not in self.judged and not is_metadata_field(path):
                self.judged.add(path)
            key = hash((case.subresource, case.operation, error.type, error.origin, path, error.covered))
            if key not in self._met:
                self._met.add(key)
                fresh = True
                self.harvest.learn((error,))
        if (
            fresh
            and len(self.new_error_cases) < tuning.MOST_NEW_ERRORS
            and not (case.served or case.versions or case.repeat)
        ):
            self.discoveries += 1
            self._keep(case.object)
            if self.plan.abilities.closer:
                composed = bool(answer.declarative) or any(error.covered for error in answer.handwritten)
                self.new_error_cases.append(NewErrorCase(case, base, composed))

    def _show(self, cases: list[Case], answers: list[Answer]) -> None:
        for observer in self.plan.observers.values():
            observer.examine(cases, answers, self.plan.age())


def _is_accepted(answer: Answer) -> bool:
    return answer.failure is None and not (answer.handwritten or answer.declarative or tells_more(answer))
