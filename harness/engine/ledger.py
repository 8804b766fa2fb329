"""The records of one unit's search: counts, the signatures of differences, and the best case for each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Json
from harness.compare.comparator import Comparator, has_more_lists
from harness.compare.finding import SEVERITIES
from harness.compare.lists import ERRORS
from harness.compare.mismatch import Mismatch, failed
from harness.compare.severity import severity_of, worst_possible
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import RequestState, UnitPlan, key_of
from harness.engine.units import RequestKey, RequestKind
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.jsonpath import canonical_path, walk
from harness.memory import Memory, Room
from harness.objectmodel import is_metadata_field

MAX_ERRORS_TO_REGRADE = 200
"""A case with at least so many errors never replaces the case of a known signature: grading one difference looks at all
errors, and there may be thousands of both."""
KNOWN_LISTS = Room(8_000)
"""The memory shared by the caches of compared lists, in errors."""

Lists: TypeAlias = tuple[tuple[FieldError, ...], tuple[FieldError, ...]]
"""The handwritten and the declarative list of an answer."""


class Sighting(NamedTuple):
    """One observation of a difference: a case and its answer, the mismatch, and the base object of the case."""

    case: Case
    answer: Answer
    mismatch: Mismatch
    base: Json


class Suspect(NamedTuple):
    """A case that failed under another mode or other options, converted to those of the run, and its base object."""

    case: Case
    base: Json


class NewErrorCase(NamedTuple):
    """A case with an error not seen before, and its base object; `composed`: ask for its composed lists too."""

    case: Case
    base: Json
    composed: bool


@dataclass(slots=True)
class SignatureRecord:
    """A signature that was seen, the best sighting of it so far, and the number of occurrences.

    `worst` is the rank of the worst severity on any case with it, `age` the age of the run when it was first seen, and
    `phase` the phase of the search then. Settling it (reducing and explaining) sets `finding` and clears `sighting`;
    both are set while it waits to be settled again. `repeated` is how often the case of the finding was asked again.
    """

    request: RequestKind
    sighting: Sighting | None
    worst: int
    age: float = 0.0
    occurrences: int = 1
    finding: PackedFinding | None = None
    repeated: int = 0
    phase: str = ""


class Ledger:
    """The records of one search. `keep` is called with every object that showed a new error or difference.

    `pending` are the signatures to settle, `new_error_cases` and `suspects` the cases to ask again. `judged` are the
    canonical paths of errors that are declarative or covered: values that both validators may check. Metadata is left
    out, because it is common to all kinds. `is_flaky`: a case got two different answers. `phase` is the current phase.
    """

    def __init__(self, plan: UnitPlan, harvest: Harvest, keep: Callable[[Json], None]) -> None:
        self.plan, self.harvest, self._keep = plan, harvest, keep
        self.states = {request.key: RequestState(request) for request in plan.unit.requests}
        self.seen: dict[tuple[Any, ...], SignatureRecord] = {}
        self.pending: list[SignatureRecord] = []
        self.new_error_cases: list[NewErrorCase] = []
        self.suspects: list[Suspect] = []
        self.is_flaky = False
        self.phase = ""
        self.compared = 0
        self.composition_checked = 0
        self.composition_differences = 0
        self.generated_checked = 0
        self.round_trips_checked = 0
        self._turned: set[int] = set()
        self.compare_seconds = 0.0
        self.discoveries = 0
        self.judged: set[str] = set()
        self._seen_errors: set[int] = set()  # hashes, to save memory: hundreds of searches each keep thousands
        self._seen_forms: set[int] = set()
        self._reported: set[int] = set()
        self._followed: Counter[bool] = Counter()
        self._suspected: Counter[tuple[Any, ...]] = Counter()
        self._known_lists: dict[RequestKey, Memory[Lists, tuple[SignatureRecord, ...]]] = {
            request: Memory(KNOWN_LISTS) for request in self.states
        }

    @property
    def last(self) -> float:
        """The age of the run when the last new signature was seen."""
        return next(reversed(self.seen.values())).age if self.seen else 0.0

    def findings(self, stopped: str = "") -> list[PackedFinding]:
        """Return the findings in the order of discovery; those that were not settled are unexplained, as first seen,
        because of what stopped the run (`harness.events`).
        """
        return [
            msgspec.structs.replace(self._finding_of(seen, stopped), occurrences=seen.occurrences)
            for seen in self.seen.values()
        ]

    def _finding_of(self, seen: SignatureRecord, stopped: str) -> PackedFinding:
        if seen.sighting is None:
            assert seen.finding is not None  # a sighting is cleared only when there is a finding
            return seen.finding
        case, answer, mismatch, _ = seen.sighting
        comparator = self.plan.comparators[seen.request.info.key]
        found = self.plan.explainer.leave_unexplained(case, answer, mismatch, comparator, stopped)
        return PackedFinding.of(msgspec.structs.replace(found, phase=seen.phase))

    def examine(self, cases: list[Case], answers: list[Answer], seeds: Sequence[Json]) -> None:
        """Compare a batch of drawn cases and record every new signature."""
        started = time.perf_counter()
        self._notify_observers(cases, answers)
        for case, answer, base in zip(cases, answers, seeds, strict=True):
            state = self._count(case, answer)
            if state is not None:
                state.accepted += _is_accepted(answer)
                self._compare_new_lists(case, answer, base, state, is_drawn=True)
        self.compare_seconds += time.perf_counter() - started

    def follow(self, cases: list[Case], answers: list[Answer], base: Json) -> None:
        """Record cases that were not drawn: those of reductions and explanations, and those asked for observers.

        Their new signatures are recorded too, but they add no occurrences and no errors to learn from. A case with
        another mode or other options than those of the run is not compared; if it failed, it is asked again with those
        of the run.
        """
        started = time.perf_counter()
        self._notify_observers(cases, answers)
        for case, answer in zip(cases, answers, strict=True):
            state = self._count(case, answer)
            if state is None:
                continue
            drawn = self._as_drawn(case)
            if drawn is case:
                self._compare_new_lists(case, answer, base, state, is_drawn=False)
            else:
                self._add_suspect(drawn, answer, base)
        self.compare_seconds += time.perf_counter() - started

    def _count(self, case: Case, answer: Answer) -> RequestState | None:
        """Count a case. Returns: the state of its request; None if the case is not to be compared."""
        state = self.states.get((key_of(case), case.operation))
        self.compared += answer.failure is None
        self.composition_checked += bool(answer.served)
        self.generated_checked += answer.compiled is not None
        if case.round_trip and answer.failure is None and not (answer.handwritten or answer.declarative):
            self.round_trips_checked += 1
            self._turned.add(_shape_of(case.object))
        if state is not None:
            state.cases += 1
            state.failures += answer.failure is not None
            state.too_large += answer.failure is not None and answer.failure.stage == "limit"
        failed_without_finding = answer.failure is not None and not (
            answer.failure.panic or answer.failure.stage == "self"
        )
        return None if failed_without_finding else state

    def has_turned(self, obj: Json) -> bool:
        """Whether an accepted object with the same fields was converted to all versions and back."""
        return _shape_of(obj) in self._turned

    def _as_drawn(self, case: Case) -> Case:
        """Return a case with the mode and options of the run, which are those that a request can have."""
        options = case.options if self.plan.abilities.switches else {}
        if case.mode == self.plan.mode and case.options == options:
            return case
        return msgspec.structs.replace(case, mode=self.plan.mode, options=options)

    def _add_suspect(self, case: Case, answer: Answer, base: Json) -> None:
        for mismatch in failed(answer.failure) if answer.failure is not None else ():
            signature = key_of(case), case.operation, *mismatch.signature
            self._suspected[signature] += 1
            if self._suspected[signature] <= tuning.SUSPECTS:
                self.suspects.append(Suspect(case, base))

    def _compare_new_lists(self, case: Case, answer: Answer, base: Json, state: RequestState, is_drawn: bool) -> None:
        """Compare the lists of an answer, unless equal lists were compared for the same request before."""
        request = state.request.key
        is_plain = answer.failure is None and not (has_more_lists(answer) or answer.unreachable or answer.parent)
        if is_plain:
            if _is_accepted(answer):
                return
            known = self._known_lists[request].get((answer.handwritten, answer.declarative))
            if known is not None:
                for seen in known:
                    seen.occurrences += is_drawn
                return
        records = self._compare(case, answer, base, state, is_drawn)
        if is_plain and is_drawn:  # cases that were not drawn may still show errors to learn from when they are drawn
            self._cache_lists(request, answer, records)

    def _cache_lists(self, request: RequestKey, answer: Answer, records: tuple[SignatureRecord, ...]) -> None:
        """Remember the signatures of two lists: in the same request, equal lists have the same ones."""
        lists = ERRORS.shared(answer.handwritten), ERRORS.shared(answer.declarative)
        self._known_lists[request].put(lists, records, 1 + len(answer.handwritten) + len(answer.declarative))

    def _compare(
        self, case: Case, answer: Answer, base: Json, state: RequestState, is_drawn: bool
    ) -> tuple[SignatureRecord, ...]:
        """Count known signatures and record new ones. Returns: the records of all signatures of the answer."""
        comparator = self.plan.comparators[state.request.info.key]
        request = state.request.key
        possible: int | None = None
        records = []
        mismatches: list[Mismatch] = []
        for number, signature in enumerate(comparator.signatures(case, answer)):
            self.composition_differences += signature[0] == "composition"
            self.is_flaky = self.is_flaky or signature[0] == "self"
            known = self.seen.get((*request, *signature))
            if known is None and not is_drawn and not self._may_follow(signature[0] == "panic"):
                continue
            if known is not None:
                known.occurrences += is_drawn
                possible = self._rank_possible(answer, comparator) if possible is None else possible
                if possible < known.worst:
                    mismatches = mismatches or comparator.compare(case, answer)
                    self._regrade(known, Sighting(case, answer, mismatches[number], base))
            else:
                self.discoveries += 1
                mismatches = mismatches or comparator.compare(case, answer)
                sighting = Sighting(case, answer, mismatches[number], base)
                known = SignatureRecord(state.request, sighting, self._rank(state.request, sighting), self.plan.age())
                known.phase = self.phase
                self.seen[(*request, *signature)] = known
                self.pending.append(known)
                self._keep(case.object)
                self.plan.on_new_signature(state.request, mismatches[number], self.phase)
            records.append(known)
        if is_drawn:
            self._learn_errors(case, answer, base)
        return tuple(records)

    def _may_follow(self, is_panic: bool) -> bool:
        """Whether one more signature is recorded that only a reduction or explanation has shown.

        Settling it may show others again; without a limit this might never end, for example with a validator that
        invents paths.
        """
        drawn = len(self.seen) - self._followed.total()
        is_allowed = self._followed[is_panic] < tuning.FOLLOWED + drawn * (not is_panic)
        self._followed[is_panic] += is_allowed
        return is_allowed

    def _rank_possible(self, answer: Answer, comparator: Comparator) -> int:
        """Return the rank of the worst severity that a mismatch of an answer may have."""
        if len(answer.handwritten) + len(answer.declarative) >= MAX_ERRORS_TO_REGRADE:
            return len(SEVERITIES)
        return SEVERITIES.index(worst_possible(answer, comparator))

    def _regrade(self, known: SignatureRecord, sighting: Sighting) -> None:
        """Replace the sighting of a known signature if it is more severe there than on any case before.

        Other errors lower the severity: only a case without them shows that the verdict (accept or reject) differs.
        """
        rank = self._rank(known.request, sighting)
        if rank < known.worst:
            known.worst, known.sighting = rank, sighting
            if not any(one is known for one in self.pending):
                self.pending.append(known)

    def failed_cases(self) -> list[Case]:
        """Return the pending cases that crashed a validator or got two answers, for another search to ask again."""
        sightings = [seen.sighting for seen in self.pending if seen.sighting is not None]
        return [one.case for one in sightings if one.mismatch.kind in ("panic", "self")]

    def add_suspects(self, cases: Sequence[Case]) -> None:
        """Add cases that failed in another search, if they are of this unit's requests."""
        self.suspects += [Suspect(case, case.object) for case in cases if (key_of(case), case.operation) in self.states]

    def sort_pending(self) -> None:
        """Sort the pending signatures by severity, most severe first, and drop those that were settled meanwhile."""
        self.pending[:] = [seen for seen in self.pending if seen.sighting is not None]
        self.pending.sort(key=lambda seen: seen.worst)

    def _rank(self, request: RequestKind, sighting: Sighting) -> int:
        comparator = self.plan.comparators[request.info.key]
        return SEVERITIES.index(severity_of(sighting.case, sighting.answer, sighting.mismatch, comparator))

    def _learn_errors(self, case: Case, answer: Answer, base: Json) -> None:
        """Learn values from new error messages, and queue the case to be asked again if it has a new error."""
        has_new, handwritten = False, len(answer.handwritten)
        for number, error in enumerate((*answer.handwritten, *answer.declarative)):
            path = canonical_path(error.field)
            is_judged = error.covered or number >= handwritten
            if is_judged and path not in self.judged and not is_metadata_field(path):
                self.judged.add(path)
            self._learn_side(case, error, path, number >= handwritten)
            key = hash((case.subresource, case.operation, error.type, error.origin, path, error.covered))
            if key not in self._seen_errors:
                self._seen_errors.add(key)
                has_new = True
                self.harvest.learn((error,))
        if (
            has_new
            and len(self.new_error_cases) < tuning.MOST_NEW_ERRORS
            and not (case.served or case.versions or case.repeat)
        ):
            self.discoveries += 1
            self._keep(case.object)
            if self.plan.abilities.closer:
                composed = bool(answer.declarative) or any(error.covered for error in answer.handwritten)
                self.new_error_cases.append(NewErrorCase(case, base, composed))

    def _learn_side(self, case: Case, error: FieldError, path: str, is_declarative: bool) -> None:
        """Remember that a side reported an error of a type and origin at a path, whatever the operation."""
        if error.level and not is_declarative:  # of either side: see `encode_pair`
            return
        form = hash((case.version, case.subresource, is_declarative, error.type, error.origin, path))
        if form not in self._seen_forms:
            self._seen_forms.add(form)
            self._reported.add(self._key_of(case, is_declarative, error.type, error.origin, error.field))

    def _key_of(self, case: Case, is_declarative: bool, type: str, origin: str, field: str) -> int:
        path = canonical_path(self.plan.comparators[key_of(case)].matcher.normalize(field))
        return hash((case.version, case.subresource, is_declarative, type, origin, path))

    def has_reported(self, case: Case, side: str, mismatch: Mismatch) -> bool:
        """Whether a side has reported the error of a mismatch for any drawn object of this search."""
        return (
            self._key_of(case, side == "declarative", mismatch.type, mismatch.origin, mismatch.path) in self._reported
        )

    def _notify_observers(self, cases: list[Case], answers: list[Answer]) -> None:
        for observer in self.plan.observers.values():
            observer.examine(cases, answers, self.plan.age())


def _shape_of(obj: Json) -> int:
    """Return a hash of the fields that are set in an object, whatever their values and however many items have them."""
    return hash(frozenset(tuple(step for step in path if isinstance(step, str)) for path, _ in walk(obj)))


def _is_accepted(answer: Answer) -> bool:
    return answer.failure is None and not (answer.handwritten or answer.declarative or has_more_lists(answer))
