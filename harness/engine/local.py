"""Runs the searches of one process over a subject that is already open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from harness import tuning
from harness.case import Case, KindInfo
from harness.collector import paused_collector, rare_collections
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.diagnostics import TargetError
from harness.engine.backlog import choose_batch, count_left, is_left, is_quiet, seconds_needed
from harness.engine.config import RunConfig
from harness.engine.donorsearch import DonorPlan, DonorSearch
from harness.engine.firstcases import FirstCaseObserver, FirstCases, KnownBlocks
from harness.engine.fixtrial import FixTrials
from harness.engine.observers import Observer
from harness.engine.outcome import JobOutcome, Overrun, UnitOutcome, describe_bug, timings_of
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import Abilities, UnitPlan
from harness.engine.recorded import RecordedSearch
from harness.engine.retelling import explained_of, keep_explained, load_explained, run_digest
from harness.engine.schedule import Schedule
from harness.engine.search import UnitSearch
from harness.engine.shards import UnitCases
from harness.engine.storedbases import StoredBases
from harness.engine.units import RequestKind, Unit, units_of, with_fields
from harness.engine.witnesses import seed_cases
from harness.errormatch.trusted import Wordings, all_wordings
from harness.events import Met
from harness.fuzzers import corpus as kept
from harness.fuzzers.budget import Clock, shares
from harness.fuzzers.shape import Shape
from harness.fuzzers.versiondiff import PathPattern, differing_paths
from harness.jsonpath import canonical_path
from harness.subject import Subject
from harness.tags.registry import rule_facts

MAX_KINDS_THAT_DRAW_AHEAD = 4
"""With more kinds, the cases of one search keep the target busy while another compares its answers."""
BATCH_SIZE_SECONDS = 0.25
"""How long a computed batch size for settling findings is reused. Units: seconds."""


@dataclass(slots=True)
class Callbacks:
    """The functions that searches call while they run."""

    on_found: Callable[[int, PackedFinding], None] = lambda index, finding: None
    on_turn: Callable[[UnitSearch], None] = lambda search: None
    on_met: Callable[[Met], None] = lambda event: None
    note: Callable[[str], None] = lambda text: None


@dataclass
class Local:
    """The searches of one process over an open subject."""

    subject: Subject
    config: RunConfig
    callbacks: Callbacks
    clock: Clock
    searches: list[UnitSearch] = field(default_factory=list)
    _corpus_cases: list[Case] | None = None
    _witness_cases: list[Case] | None = None
    _wordings: Wordings | None = None
    _left_at_end: int | None = None
    _batch_size: int = tuning.EXPLAINED_AT_ONCE
    _batch_size_until: float = 0.0

    def __post_init__(self) -> None:
        self.clock.needed = lambda: seconds_needed(self.searches)
        self.clock.asked = lambda: sum(search.asked for search in self.searches)
        self.clock.quiet = lambda: is_quiet(self.searches, self.clock.seconds)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Every unit of the run, including those of other processes and shards."""
        kinds = self.subject.target.info.kinds
        units = self._stored.updatable(units_of(kinds, self.config.kinds, self.config.operations))
        return with_fields(units, [self.subject.shape(unit.requests[0].info) for unit in units])

    def run(self) -> JobOutcome:
        """Search this process's units. Returns: the outcome so far, whatever ends the search.

        Stopping the clock interrupts the search after its current turn.
        """
        scheduled: list[UnitSearch] = []
        schedule = Schedule(self.subject.target, scheduled, self.callbacks.on_turn, left=self.clock.left)
        self.clock.away = lambda: schedule.spent.away
        self.clock.pending = lambda: self._is_pending(schedule)
        stopped, detail = "budget", ""
        try:
            with paused_collector():  # creates a million objects of types, none of them garbage
                self.searches.extend(self._search(unit, cases) for unit, cases in self._own_units())
                scheduled += [*self._donor_searches(), *self.searches]
            with rare_collections():
                schedule.run()
                self._use_time_left(schedule)
            # Unanswered cases of explanations are reported as findings that are not explained.
            if schedule.unanswered and not (self.clock.is_stopped or count_left(self.searches)):
                cases = f"{schedule.unanswered:,} case{'s' * (schedule.unanswered != 1)}"
                self.callbacks.note(f"{cases} had no answer when the time was up, and are not compared")
        except KeyboardInterrupt:
            stopped = "interrupted"
        except TargetError as error:
            stopped, detail = "target-lost", str(error)
        except BrokenPipeError:
            raise  # the reader of our output has gone
        except Exception as error:
            stopped, detail = "internal-error", describe_bug(error)
        if stopped == "budget" and self.clock.is_stopped:
            stopped = "interrupted"
        if stopped == "budget" and self.searches and all(search.is_saturated for search in self.searches):
            stopped = "saturated"
        self._keep_first_cases()
        self._keep_explained()
        outcomes = tuple(UnitOutcome.of(search, stopped) for search in self.searches)
        return JobOutcome(
            outcomes,
            timings_of(schedule.spent, self.searches),
            stopped,
            detail,
            self.subject.target.restarts,
            Overrun.of(self.clock, self._left_at_end or 0, count_left(self.searches)),
        )

    def _settle_batch_size(self) -> int:
        """Return how many findings a search should settle at once.

        The number is computed a few times a second and reused, because each of many thousand searches asks for it.
        """
        now = self.clock.seconds
        if self._batch_size_until <= now:
            self._batch_size, self._batch_size_until = choose_batch(self.searches), now + BATCH_SIZE_SECONDS
        return self._batch_size

    def _is_pending(self, schedule: Schedule) -> bool:
        """Whether there are differences to explain or cases to answer when the time is up."""
        if self._left_at_end is None:
            self._left_at_end = count_left(self.searches)
        return is_left(self.searches) or schedule.unanswered > 0

    def _use_time_left(self, schedule: Schedule) -> None:
        """Draw more cases while time is left: settling may have taken less than was reserved for it."""
        before, asked = -1, sum(search.asked for search in self.searches)
        while asked > before and self.clock.goes_on():
            again = Schedule(schedule.target, self.searches, schedule.on_turn, schedule.spent, left=schedule.left)
            again.run(lambda search: search.more())
            before, asked = asked, sum(search.asked for search in self.searches)

    @cached_property
    def _stored(self) -> StoredBases:
        """What the subject's server stores."""
        return StoredBases(self.subject, self.callbacks.note)

    @cached_property
    def donor_plan(self) -> DonorPlan:
        """The donors of each unit: searches whose objects it splices in."""
        units = self.units
        shapes = [self.subject.shape(unit.requests[0].info) for unit in units]
        return DonorPlan(units, shapes, self.config.budget.max_cases)

    def _donor_searches(self) -> list[DonorSearch]:
        """Return the searches that fill the donors of this process's units."""
        plans = [search.plan for search in self.searches]
        wanted = [donor for plan in plans if plan.kept is None or not plan.kept.done for donor in plan.donors]
        donor_searches = self.donor_plan.needed(wanted)
        for donor in self.donor_plan.donors.values():  # no search waits for one that is not filled
            donor.is_ready = not any(donor is filled for _, _, filled, _ in donor_searches)
        return [
            DonorSearch(
                replace(
                    self._plan(unit, cases),
                    donors=before,
                    observers={},
                    kept=None,
                    keep=None,
                    counts_blocks=False,
                    reaching=(),
                    firsts=None,
                    explained={},
                ),
                donor,
            )
            for unit, cases, donor, before in donor_searches
        ]

    @cached_property
    def shard_units(self) -> list[UnitCases]:
        """The units of this shard with their shares of cases, which are independent of processes and other shards."""
        units = self.units
        cases: list[int | None] = [None] * len(units)
        if self.config.budget.max_cases is not None:
            cases = list(shares(self.config.budget.max_cases, [unit.weight for unit in units]))
        pairs = list(zip(units, cases, strict=True))
        return self.config.shard.own(pairs, lambda unit: self.subject.shape(unit.requests[0].info))

    def _own_units(self) -> list[UnitCases]:
        """Return this process's units of those of the shard, without those that get no case."""
        return [pair for pair in self.shard_units[self.config.part :: self.config.jobs] if pair[1] != 0]

    def _search(self, unit: Unit, cases: int | None) -> UnitSearch:
        plan, recording = self._plan(unit, cases), self.subject.recording

        def found(finding: PackedFinding) -> None:
            self.callbacks.on_found(unit.index, finding)

        if recording is not None:
            return RecordedSearch(plan, found, recording)
        return UnitSearch(replace(plan, donors=self.donor_plan.to_unit(unit.index)), found)

    def _plan(self, unit: Unit, cases: int | None) -> UnitPlan:
        infos = {request.info.key: request.info for request in unit.requests}
        folder = self.config.corpus
        name = f"{self.subject.part} {unit.name}"
        file = None if folder is None else kept.seeds_file(folder, name)
        reaching = None if folder is None else kept.load_reaching(kept.reaching_file(folder, name), self.callbacks.note)
        observers = {name: factory.observer(self.subject, unit) for name, factory in self.config.observers.items()}
        abilities = Abilities.of(self.subject.target.info.abilities)
        return UnitPlan(
            unit=unit,
            seed=self.config.seed,
            shape=self.subject.shape(unit.requests[0].info),
            comparators={key: self._comparator(info) for key, info in infos.items()},
            abilities=abilities,
            mode=self.subject.spec.mode,
            subject=self.subject.name,
            cases=cases,
            corpus=self._corpus(),
            witnesses=self._witnesses(),
            literals=self.subject.literals(unit.requests[0].info),
            rules=self.subject.rules,
            code=self.subject.code,
            examples=[one for one in self.config.examples if any(one.is_of(request.info) for request in unit.requests)],
            stored=self._stored.of(unit),
            note=self.callbacks.note,
            other_shapes=self._other_shapes(unit.requests[0].info),
            differing_paths=self._differing_paths(unit.requests[0].info),
            compares_versions=unit.index in self._first_units,
            draws_ahead=len(self._first_units) <= MAX_KINDS_THAT_DRAW_AHEAD,
            counts_blocks=abilities.blocks,
            focused=self.config.focus.of(unit.requests[0].info),
            kept=kept.load_seeds(file, self.callbacks.note) if file is not None else None,
            keep=None if file is None else lambda found: kept.keep_file(file, found, self.callbacks.note),
            is_late=self.clock.is_late,
            is_over=self.clock.is_over,
            settle_batch_size=self._settle_batch_size,
            reaching=[one.case for one in reaching.cases] if reaching is not None else (),
            firsts=None if folder is None else self._collector(observers.values()),
            explained=self._explained(name),
            observers=observers,
            age=lambda: self.clock.seconds,
            fixes=self._fixes,
            on_new_signature=lambda request, mismatch, phase: self.callbacks.on_met(_event(request, mismatch, phase)),
        )

    @cached_property
    def _known_blocks(self) -> KnownBlocks:
        """The blocks that the searches of this process have seen."""
        return KnownBlocks(self.subject.target.info.release)

    def _collector(self, observers: Iterable[Observer]) -> FirstCases:
        """Return what collects the first cases of a search, and have its observers tell theirs."""
        firsts = FirstCases(self._known_blocks)
        for observer in observers:
            if isinstance(observer, FirstCaseObserver):
                observer.on_first = firsts.add
        return firsts

    def _keep_first_cases(self) -> None:
        """Write the first cases of this process's searches."""
        folder = self.config.corpus
        for plan in (search.plan for search in self.searches):
            if folder is not None and plan.firsts is not None and (found := plan.firsts.result()).cases:
                file = kept.reaching_file(folder, f"{self.subject.part} {plan.unit.name}")
                kept.keep_file(file, found, self.callbacks.note)

    @cached_property
    def _digest(self) -> str:
        """What all that was explained depends on besides the cases."""
        return run_digest(self.subject, self.config) if self.config.corpus is not None else ""

    def _explained(self, name: str) -> dict[str, PackedFinding]:
        """Return what an earlier run that depends on the same found out about the findings of a type."""
        if self.config.corpus is None or not self._digest:
            return {}
        return load_explained(kept.explained_file(self.config.corpus, name), self._digest, self.callbacks.note)

    def _keep_explained(self) -> None:
        """Write what this process's searches found out about their findings."""
        if self.config.corpus is None or not self._digest:
            return
        for plan, ledger in ((search.plan, search.ledger) for search in self.searches):
            file = kept.explained_file(self.config.corpus, f"{self.subject.part} {plan.unit.name}")
            found = explained_of(ledger.seen.values(), plan, self._digest)
            keep_explained(file, {**plan.explained, **found}, self._digest, self.callbacks.note)

    @cached_property
    def _fixes(self) -> FixTrials:
        """The trials of fixes, which share what they compiled."""
        return FixTrials(self.subject, self._comparator)

    @cached_property
    def _first_units(self) -> frozenset[int]:
        """The units of the first served version of each kind: one is enough to compare the lists of all versions."""
        first: dict[tuple[str, str, str], int] = {}
        for unit in sorted(self.units, key=lambda unit: not unit.requests[0].info.served):
            info = unit.requests[0].info
            first.setdefault((info.group, info.resource, info.kind), unit.index)
        return frozenset(first.values())

    def _other_shapes(self, info: KindInfo) -> dict[str, Shape]:
        shape, versions = self.subject.shape, self.subject.versions(info)
        found = {one.version: shape(one) for one in versions if one.served and one.version != info.version}
        others = [one for one in self.subject.in_other_groups(info) if one.served]
        return {**found, **{f"{one.group or 'core'}/{one.version}": shape(one) for one in others}}

    def _differing_paths(self, info: KindInfo) -> frozenset[PathPattern]:
        shape, versions = self.subject.shape, self.subject.versions(info)
        return differing_paths(shape(info), [shape(one) for one in versions if one.version in info.versions])

    def _comparator(self, info: KindInfo) -> Comparator:
        return self.subject.comparator(info, self._trusted(), rule_facts())

    def _trusted(self) -> Wordings:
        if self._wordings is None:
            self._wordings = all_wordings(self.config.trusted)
        return self._wordings

    def _corpus(self) -> list[Case]:
        if self._corpus_cases is None:
            note = self.callbacks.note if self.config.part == 0 else lambda text: None
            folders = dict.fromkeys((self.subject.corpus, self.config.corpus))
            self._corpus_cases = [case for folder in folders for case in kept.load(folder, note)]
        return self._corpus_cases

    def _witnesses(self) -> list[Case]:
        if self._witness_cases is None:
            self._witness_cases = seed_cases(self.subject, self.config.witnesses)
        return self._witness_cases


def _event(request: RequestKind, mismatch: Mismatch, phase: str) -> Met:
    return Met(
        request.info.name, str(request.operation), mismatch.kind, canonical_path(mismatch.path), mismatch.type,
        mismatch.origin, mismatch.side, phase,
    )  # fmt: skip
