"""One run over an open subject: prepares its units, reports progress and findings as events, and builds the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.engine.config import RunConfig
from harness.engine.jobs import Job, JobNote, JobProgress, Message, UnitFinding
from harness.engine.local import Callbacks, Local
from harness.engine.outcome import JobOutcome, discovery
from harness.engine.rules import examine_rules
from harness.engine.search import UnitSearch
from harness.engine.units import RequestKey, Unit, unknown_patterns
from harness.engine.witnesses import replay, replay_rules
from harness.events import Event, Found, Met, Noted, Progress, Replayed, Result, Started
from harness.fuzzers.budget import Clock
from harness.fuzzers.corpus import keep
from harness.subject import Subject
from harness.subject.examples import check_example_types, suite_examples


@dataclass(slots=True)
class ProgressReporter:
    """Emits the progress of the runs of one call, about four times a second.

    `found` are the fingerprints of their findings: a finding of several parts counts once, as in the report.
    """

    on_event: Callable[[Event], None]
    config: RunConfig
    clock: Clock
    runs: list[SubjectRun] = field(default_factory=list)
    found: set[str] = field(default_factory=set)
    _last_time: float = 0.0

    def report(self, current: str) -> None:
        """Emit a progress event, unless the last one was less than a quarter of a second ago."""
        now = time.monotonic()
        if now - self._last_time < 0.25:
            return
        self._last_time = now
        budget, seconds = self.config.budget, self.clock.seconds
        cases = sum(run.cases for run in self.runs)
        parts = [cases / budget.max_cases] if budget.max_cases else []
        parts += [seconds / budget.max_time] if budget.max_time else []
        self.on_event(Progress(cases, seconds, len(self.found), min(1.0, max(parts, default=0.0)), current))


@dataclass
class SubjectRun:
    """One run over an open subject. Raises: UsageError when no kind or operation of it is selected."""

    subject: Subject
    config: RunConfig
    reporter: ProgressReporter
    local: Local = field(init=False)
    units: tuple[Unit, ...] = ()
    jobs: list[Job] = field(default_factory=list)
    started: str = ""
    replayed: tuple[Replayed, ...] = ()

    def __post_init__(self) -> None:
        # Examples are read here once and sent to the processes, so that an error in them ends the run before it starts.
        self.config = replace(self.config, examples=(*self.config.examples, *suite_examples(self.subject.examples)))
        if not self.subject.is_plain:
            check_example_types(self.config.examples)
        self.local = Local(self.subject, self.config, self._callbacks(), self.reporter.clock)
        units = self.local.units
        if not units:
            wanted = ", ".join((*self.config.kinds, *self.config.operations)) or "anything"
            hints = unknown_patterns(self.subject.target.info.kinds, self.config.kinds).values()
            near = next(filter(None, hints), "harness kinds lists what it serves")
            raise UsageError(f"{self.subject.name} serves nothing that matches {wanted}\n  fix: {near}")
        # A shard may have no units; its report is merged with those of the others.
        self.units = tuple(unit for unit, _ in self.local.shard_units)

    @property
    def cases(self) -> int:
        """The number of cases asked so far, in this process and in others."""
        return sum(job.cases for job in self.jobs) + sum(one.asked for one in self.local.searches)

    def replay(self) -> None:
        """Ask the witnesses of exceptions before the clock of the search starts. Raises: TargetError."""
        self.replayed = replay(self.subject, self.config.witnesses, self._requests, self.config.trusted)
        self.reporter.clock.restart()

    @cached_property
    def _requests(self) -> frozenset[RequestKey]:
        return frozenset(request.key for unit in self.units for request in unit.requests)

    def begin(self) -> None:
        """Emit the start event, and notes about examples of unknown kinds."""
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        requests = sum(len(unit.requests) for unit in self.units)
        self.reporter.on_event(Started(self.subject.target.info, self.config.seed, self.config.budget, requests))
        self._note_unknown_examples()

    def _note_unknown_examples(self) -> None:
        """Emit a note about examples whose kind the subject does not serve."""
        unknown: dict[str, list[str]] = {}
        for example in self.config.examples:
            if not any(example.is_of(info) for info in self.subject.target.info.kinds):
                unknown.setdefault(" ".join(example.names), []).append(example.source)
        for names, sources in unknown.items():
            more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
            self._note(f"example {sources[0]}{more}: {self.subject.name} does not serve {names}, so it is not asked")

    def search_locally(self) -> JobOutcome:
        """Search in this process."""
        return self.local.run()

    def receive(self, message: Message) -> None:
        """Turn a message of one of its processes into an event."""
        match message:
            case UnitFinding():
                self._add_finding(message.finding.unpack())
            case JobNote():
                self._note(message.text)
            case Met():
                self.reporter.on_event(message)
            case JobProgress():
                self.reporter.report(message.current)

    def _callbacks(self) -> Callbacks:
        return Callbacks(
            lambda index, finding: self._add_finding(finding.unpack()),
            self._on_turn,
            self.reporter.on_event,
            self._note,
        )

    def _on_turn(self, search: UnitSearch) -> None:
        self.reporter.report(search.plan.unit.name)

    def _note(self, text: str) -> None:
        self.reporter.on_event(Noted(text))

    def _add_finding(self, finding: Finding) -> None:
        self.reporter.found.add(finding.fingerprint)
        if self.config.corpus is not None:
            keep(self.config.corpus, finding.case, self._note)
        self.reporter.on_event(Found(finding))

    def sum_up(self, outcome: JobOutcome, seconds: float) -> Result:
        """Return the result from the outcome of its searches, which took so many seconds."""
        units, target = outcome.units, self.subject.target
        if outcome.overrun:
            self._note(str(outcome.overrun))
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
            generated_checked=sum(unit.generated_checked for unit in units),
            round_trips_checked=sum(unit.round_trips_checked for unit in units),
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
            between=self.subject.comparison.names,
            allow_incomplete=self.subject.allow_incomplete,
            discovery=discovery(units, seconds),
            replayed=(*self.replayed, *replay_rules(self.subject, self.config.witnesses, self._requests, rules)),
            examples=tuple(report for unit in units for report in unit.examples),
        )

    def _rule_findings(self) -> list[Finding]:
        asked = [request.info for unit in self.units for request in unit.requests]
        return examine_rules(self.subject.target.info.kinds, asked, self.subject.shape, self.subject.name)
