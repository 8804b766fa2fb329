"""The run over one open subject: what it is made of before it starts, who is told meanwhile, and its sum at the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.engine.config import RunConfig
from harness.engine.jobs import Job, Message, Note, Turn, UnitFinding
from harness.engine.local import Local, Telling
from harness.engine.outcome import JobOutcome, discovery
from harness.engine.rules import examine_rules
from harness.engine.search import UnitSearch
from harness.engine.units import LaneKey, Unit
from harness.engine.witnesses import of_rules, replay
from harness.events import Event, Found, Met, Noted, Progress, Replayed, Result, Started
from harness.fuzzers.budget import Clock
from harness.fuzzers.corpus import keep
from harness.subject import Subject
from harness.subject.examples import suite_examples


@dataclass(slots=True)
class ProgressReporter:
    """Tells how far the runs of one call are, about four times a second.

    `found` are the fingerprints of what they found: a finding that shows in several parts is one, as in the report.
    """

    on_event: Callable[[Event], None]
    config: RunConfig
    clock: Clock
    runs: list[SubjectRun] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    _told: float = 0.0

    def report(self, current: str) -> None:
        """Tell, when it is time to."""
        now = time.monotonic()
        if now - self._told < 0.25:
            return
        self._told = now
        budget, seconds = self.config.budget, self.clock.seconds
        cases = sum(run.cases for run in self.runs)
        parts = [cases / budget.max_cases] if budget.max_cases else []
        parts += [seconds / budget.max_time] if budget.max_time else []
        self.on_event(Progress(cases, seconds, len(self.found), min(1.0, max(parts, default=0.0)), current))


@dataclass
class SubjectRun:
    """One run over an open subject. Raises UsageError when nothing of it is wanted."""

    subject: Subject
    config: RunConfig
    reporter: ProgressReporter
    local: Local = field(init=False)
    units: tuple[Unit, ...] = ()
    jobs: list[Job] = field(default_factory=list)
    started: str = ""
    replayed: tuple[Replayed, ...] = ()

    def __post_init__(self) -> None:
        # Read once, here: processes are told, and what is wrong in them ends the run before it has begun.
        self.config = replace(self.config, examples=(*self.config.examples, *suite_examples(self.subject.examples)))
        self.local = Local(self.subject, self.config, self._telling(), self.reporter.clock)
        units = self.local.units()
        if not units:
            wanted = ", ".join((*self.config.kinds, *self.config.operations)) or "anything"
            raise UsageError(f"{self.subject.name} serves nothing that matches {wanted}")
        # A shard may have none: its report says so, and adds up with those of the others.
        self.units = tuple(unit for unit in units if self.config.shard.has(unit))

    @property
    def cases(self) -> int:
        """The cases asked so far, here or by its processes. Counted when it is told, not at every turn."""
        return sum(job.cases for job in self.jobs) + sum(one.asked for one in self.local.searches)

    def replay(self) -> None:
        """Ask the witnesses of exceptions, before the time of the search begins. Raises: TargetError."""
        self.replayed = replay(self.subject, self.config.witnesses, self._lanes, self.config.trusted)
        self.reporter.clock.restart()

    @cached_property
    def _lanes(self) -> frozenset[LaneKey]:
        return frozenset(lane.key for unit in self.units for lane in unit.lanes)

    def begin(self) -> None:
        """Tell that it starts."""
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        lanes = sum(len(unit.lanes) for unit in self.units)
        self.reporter.on_event(Started(self.subject.target.info, self.config.seed, self.config.budget, lanes))
        self._tell_unknown()

    def _tell_unknown(self) -> None:
        """Tell of examples that nothing here takes."""
        strange: dict[str, list[str]] = {}
        for example in self.config.examples:
            if not any(example.is_of(info) for info in self.subject.target.info.kinds):
                strange.setdefault(" ".join(example.names), []).append(example.source)
        for names, sources in strange.items():
            more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
            self._note(f"example {sources[0]}{more}: {self.subject.name} does not serve {names}, so it is not asked")

    def here(self) -> JobOutcome:
        """Search in this process."""
        return self.local.run()

    def hear(self, message: Message) -> None:
        """Take what one of its processes tells."""
        match message:
            case UnitFinding():
                self._tell(message.finding.unpack())
            case Note():
                self._note(message.text)
            case Met():
                self.reporter.on_event(message)
            case Turn():
                self.reporter.report(message.current)

    def _telling(self) -> Telling:
        return Telling(
            lambda index, finding: self._tell(finding.unpack()), self._on_turn, self.reporter.on_event, self._note
        )

    def _on_turn(self, search: UnitSearch) -> None:
        self.reporter.report(search.plan.unit.name)

    def _note(self, text: str) -> None:
        self.reporter.on_event(Noted(text))

    def _tell(self, finding: Finding) -> None:
        self.reporter.found.add(finding.fingerprint)
        if self.config.corpus is not None:
            keep(self.config.corpus, finding.case, self._note)
        self.reporter.on_event(Found(finding))

    def sum_up(self, outcome: JobOutcome, seconds: float) -> Result:
        """Make the result of what its searches came to in so much time."""
        units, target = outcome.units, self.subject.target
        if outcome.beyond:
            self._note(str(outcome.beyond))
        rules = self._rule_findings()
        return Result(
            subject=self.subject.name,
            part=self.subject.part,
            target=target.info,
            mode=self.subject.spec.mode,
            seed=self.config.seed,
            budget=self.config.budget,
            started=self.started,
            seconds=seconds,
            cases=sum(unit.cases for unit in units),
            compared=sum(unit.compared for unit in units),
            composition_checked=sum(unit.composition_checked for unit in units),
            composition_differences=sum(unit.composition_differences for unit in units),
            kinds=tuple(report for unit in units for report in unit.kinds),
            findings=(*(one.unpack() for unit in units for one in unit.findings), *rules),
            excluded=target.info.excluded,
            timings=outcome.timings,
            stopped=outcome.stopped,
            stopped_detail=outcome.stopped_detail,
            restarts=outcome.restarts,
            shard=str(self.config.shard),
            observed={
                name: tuple(unit.observed[name] for unit in units if name in unit.observed)
                for name in self.config.observers
            },
            between=tuple(self.subject.ends or ()),
            allow_incomplete=self.subject.allow_incomplete,
            discovery=discovery(units, seconds),
            replayed=(*self.replayed, *of_rules(self.subject, self.config.witnesses, self._lanes, rules)),
            examples=tuple(report for unit in units for report in unit.examples),
        )

    def _rule_findings(self) -> list[Finding]:
        asked = [lane.info for unit in self.units for lane in unit.lanes]
        return examine_rules(self.subject.target.info.kinds, asked, self.subject.shape, self.subject.name)
