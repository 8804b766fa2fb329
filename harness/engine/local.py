"""The searches of one process: opens nothing, starts nothing; drives units over a subject that is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from harness import tuning
from harness.case import Case, KindInfo
from harness.collector import collector_at_rest, seldom_collected
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.diagnostics import TargetError
from harness.engine.backlog import abreast, count_left, is_left, is_quiet, seconds_needed
from harness.engine.config import RunConfig
from harness.engine.lending import Lender, Lending
from harness.engine.outcome import Beyond, JobOutcome, UnitOutcome, describe_bug, timings_of
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import Abilities, UnitPlan
from harness.engine.recorded import RecordedSearch
from harness.engine.schedule import Schedule
from harness.engine.search import UnitSearch
from harness.engine.units import Lane, Unit, units_of
from harness.engine.witnesses import seed_cases
from harness.errormatch.trusted import Wordings, all_wordings
from harness.events import Met
from harness.fuzzers import corpus as kept
from harness.fuzzers.budget import Clock, shares
from harness.fuzzers.unlike import Way, unlike
from harness.jsonpath import canonical_path
from harness.subject import Subject
from harness.tags.registry import rule_facts

FEW = 4
"""Kinds of a run from which on the cases of one keep the target busy while another compares its own."""
LOOKING = 0.25
"""How often it is looked at how many searches have anything pending. Units: seconds."""


@dataclass(slots=True)
class Telling:
    """Who is told what while searches go on."""

    on_found: Callable[[int, PackedFinding], None] = lambda index, finding: None
    on_turn: Callable[[UnitSearch], None] = lambda search: None
    on_met: Callable[[Met], None] = lambda event: None
    note: Callable[[str], None] = lambda text: None


@dataclass
class Local:
    """The searches of one process over an open subject."""

    subject: Subject
    config: RunConfig
    telling: Telling
    clock: Clock
    searches: list[UnitSearch] = field(default_factory=list)
    _cases: list[Case] | None = None
    _seeds: list[Case] | None = None
    _wordings: Wordings | None = None
    _late: int | None = None
    _is_stopped: bool = False
    _many: int = tuning.ABREAST
    _abreast_until: float = 0.0

    def __post_init__(self) -> None:
        self.clock.needed = lambda: seconds_needed(self.searches)
        self.clock.asked = lambda: sum(search.asked for search in self.searches)
        self.clock.quiet = lambda: is_quiet(self.searches, self.clock.seconds)

    def units(self) -> tuple[Unit, ...]:
        """Return every unit of the run, those of other processes and shards too."""
        return units_of(self.subject.target.info.kinds, self.config.kinds, self.config.operations)

    def stop(self) -> None:
        """Interrupt the run after this turn; what was found until then is returned."""
        self._is_stopped = True
        self.clock.stop()

    def run(self) -> JobOutcome:
        """Search this process's units. Whatever stops it, what was found until then is returned."""
        every: list[UnitSearch] = []
        schedule = Schedule(self.subject.target, every, self.telling.on_turn, left=self.clock.left)
        self.clock.away = lambda: schedule.spent.away
        self.clock.pending = lambda: self._is_pending(schedule)
        stopped, detail = "budget", ""
        try:
            with collector_at_rest():  # a million objects of types are made, and none of them is garbage
                self.searches.extend(self._search(unit, cases) for unit, cases in self._own())
                every += [*self._lenders(), *self.searches]
            with seldom_collected():
                schedule.run()
                self._go_on(schedule)
            if schedule.unanswered and not (
                self._is_stopped or count_left(self.searches)
            ):  # what explanations asked is told of as not explained
                cases = f"{schedule.unanswered:,} case{'s' * (schedule.unanswered != 1)}"
                self.telling.note(f"{cases} had no answer when the time was up, and are not compared")
        except KeyboardInterrupt:
            stopped = "interrupted"
        except TargetError as error:
            stopped, detail = "target-lost", str(error)
        except BrokenPipeError:
            raise  # nobody is there to be told
        except Exception as error:
            stopped, detail = "internal-error", describe_bug(error)
        if stopped == "budget" and self._is_stopped:
            stopped = "interrupted"
        if stopped == "budget" and self.searches and all(search.is_saturated for search in self.searches):
            stopped = "saturated"
        outcomes = tuple(UnitOutcome.of(search) for search in self.searches)
        return JobOutcome(
            outcomes,
            timings_of(schedule.spent, self.searches),
            stopped,
            detail,
            self.subject.target.restarts,
            Beyond.of(self.clock, self._late or 0, count_left(self.searches)),
        )

    def _abreast(self) -> int:
        """Say how many findings a search should settle at once.

        Looked up a few times a second: of many thousand searches each asks for it.
        """
        now = self.clock.seconds
        if self._abreast_until <= now:
            self._many, self._abreast_until = abreast(self.searches), now + LOOKING
        return self._many

    def _is_pending(self, schedule: Schedule) -> bool:
        """Whether anything is to be finished when time is up: what is not explained, and what is not answered."""
        if self._late is None:
            self._late = count_left(self.searches)
        return is_left(self.searches) or schedule.unanswered > 0

    def _go_on(self, schedule: Schedule) -> None:
        """Use what is left of the time: what was pending may have taken less than was kept for it."""
        before, asked = -1, sum(search.asked for search in self.searches)
        while asked > before and self.clock.goes_on():
            again = Schedule(schedule.target, self.searches, schedule.on_turn, schedule.spent, left=schedule.left)
            again.run(lambda search: search.more())
            before, asked = asked, sum(search.asked for search in self.searches)

    @cached_property
    def lending(self) -> Lending:
        """Who lends to whom among the units of the run."""
        units = self.units()
        shapes = [self.subject.shape(unit.lanes[0].info) for unit in units]
        return Lending(units, shapes, self.config.budget.max_cases)

    def _lenders(self) -> list[Lender]:
        """Make the lenders of what this process's units borrow."""
        plans = [search.plan for search in self.searches]
        wanted = [stock for plan in plans if plan.kept is None or not plan.kept.done for stock in plan.stocks]
        lenders = self.lending.needed(wanted)
        for stock in self.lending.stocks.values():  # what nobody fills is as good as ready
            stock.is_ready = not any(stock is filled for _, _, filled, _ in lenders)
        return [
            Lender(replace(self._plan(unit, cases), stocks=before, observers={}, kept=None, keep=None), stock)
            for unit, cases, stock, before in lenders
        ]

    def _own(self) -> list[tuple[Unit, int | None]]:
        """Return this process's units with their shares, which depend neither on processes nor on shards."""
        units = self.units()
        cases: list[int | None] = [None] * len(units)
        if self.config.budget.max_cases is not None:
            cases = list(shares(self.config.budget.max_cases, [unit.weight for unit in units]))
        pairs = list(zip(units, cases, strict=True))
        config = self.config
        return [pair for pair in pairs if config.shard.has_for_job(pair[0], config.part, config.jobs) and pair[1] != 0]

    def _search(self, unit: Unit, cases: int | None) -> UnitSearch:
        plan, recording = self._plan(unit, cases), self.subject.recording

        def found(finding: PackedFinding) -> None:
            self.telling.on_found(unit.index, finding)

        if recording is not None:
            return RecordedSearch(plan, found, recording)
        return UnitSearch(replace(plan, stocks=self.lending.to_unit(unit.index)), found)

    def _plan(self, unit: Unit, cases: int | None) -> UnitPlan:
        infos = {lane.info.key: lane.info for lane in unit.lanes}
        folder = self.config.corpus
        file = None if folder is None else kept.seeds_file(folder, f"{self.subject.part} {unit.name}")
        return UnitPlan(
            unit=unit,
            seed=self.config.seed,
            shape=self.subject.shape(unit.lanes[0].info),
            comparators={key: self._comparator(info) for key, info in infos.items()},
            abilities=Abilities.of(self.subject.target.info.abilities),
            mode=self.subject.spec.mode,
            subject=self.subject.name,
            cases=cases,
            corpus=self._corpus(),
            witnesses=self._witnesses(),
            literals=self.subject.literals(unit.lanes[0].info),
            examples=[one for one in self.config.examples if any(one.is_of(lane.info) for lane in unit.lanes)],
            note=self.telling.note,
            unlike=self._unlike(unit.lanes[0].info),
            leads=unit.index in self._leading,
            draws_ahead=len(self._leading) <= FEW,
            near=self.config.focus.of(unit.lanes[0].info),
            kept=kept.load_seeds(file, self.telling.note) if file is not None else None,
            keep=None if file is None else lambda found: kept.keep_seeds(file, found, self.telling.note),
            is_late=self.clock.is_late,
            is_over=self.clock.is_over,
            abreast=self._abreast,
            observers={name: factory.observer(self.subject, unit) for name, factory in self.config.observers.items()},
            age=lambda: self.clock.seconds,
            met=lambda lane, mismatch, phase: self.telling.on_met(_met(lane, mismatch, phase)),
        )

    @cached_property
    def _leading(self) -> frozenset[int]:
        """The first unit of each kind among its versions."""
        first: dict[tuple[str, str, str], int] = {}
        for unit in self.units():
            info = unit.lanes[0].info
            first.setdefault((info.group, info.resource, info.kind), unit.index)
        return frozenset(first.values())

    def _unlike(self, info: KindInfo) -> frozenset[Way]:
        shape = self.subject.shape
        own = self._versions[info.group, info.resource, info.subresource]
        return unlike(shape(info), [shape(one) for one in own if one.version in info.versions])

    @cached_property
    def _versions(self) -> dict[tuple[str, str, str], list[KindInfo]]:
        """The versions of each resource and subresource: of thousands of kinds nobody goes through all for each."""
        found: dict[tuple[str, str, str], list[KindInfo]] = {}
        for one in self.subject.target.info.kinds:
            found.setdefault((one.group, one.resource, one.subresource), []).append(one)
        return found

    def _comparator(self, info: KindInfo) -> Comparator:
        known, ends = self.subject.is_known_path(info), self.subject.ends
        return Comparator(info, is_known_path=known, trusted=self._trusted(), ends=ends, facts=rule_facts())

    def _trusted(self) -> Wordings:
        if self._wordings is None:
            self._wordings = all_wordings(self.config.trusted)
        return self._wordings

    def _corpus(self) -> list[Case]:
        if self._cases is None:
            note = self.telling.note if self.config.part == 0 else lambda text: None
            folders = dict.fromkeys((self.subject.corpus, self.config.corpus))
            self._cases = [case for folder in folders for case in kept.load(folder, note)]
        return self._cases

    def _witnesses(self) -> list[Case]:
        if self._seeds is None:
            self._seeds = seed_cases(self.subject, self.config.witnesses)
        return self._seeds


def _met(lane: Lane, mismatch: Mismatch, phase: str) -> Met:
    return Met(
        lane.info.name, str(lane.operation), mismatch.kind, canonical_path(mismatch.path), mismatch.type,
        mismatch.origin, mismatch.side, phase,
    )  # fmt: skip
