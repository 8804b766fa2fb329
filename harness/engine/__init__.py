"""Draws cases, asks the target, calls the comparator and yields events. Knows no report and no command line.

`run` is the whole of it. What is found depends on the seed and the number of cases, not on processes or timing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.engine import jobs as processes
from harness.engine.jobs import Job, Message, Note, Opener, Told, Turn
from harness.engine.local import Local, Order, Telling
from harness.engine.observe import Onlooker
from harness.engine.outcome import JobOutcome, UnitOutcome, merged
from harness.engine.rules import examine_rules
from harness.engine.search import UnitSearch
from harness.engine.units import WHOLE, Shard
from harness.events import Budget, Event, Finished, Found, Noted, Progress, Result, Started
from harness.fuzzers.budget import Clock
from harness.fuzzers.corpus import keep
from harness.subject import Subject, SubjectSpec, open_subject

__all__ = ["run"]

DEFAULT_SECONDS = 60.0


def run(
    spec: SubjectSpec,
    *,
    seed: int,
    budget: Budget,
    jobs: int = 1,
    kinds: Sequence[str] = (),
    operations: Sequence[str] = (),
    on_event: Callable[[Event], None] = lambda event: None,
    corpus: Path | None = None,
    trusted: Path | None = None,
    shard: Shard = WHOLE,
    onlookers: Mapping[str, Onlooker] = MappingProxyType({}),
    opener: Opener = open_subject,
) -> Result:
    """Search a subject for differences and explain them.

    `kinds` are patterns (`deployments`, `apps/*`, `*/status`), `operations` names; none means all. An interrupt or a
    lost target ends the run early, and the result holds what was found until then. Cases of `corpus` are replayed
    first, and reduced cases are kept there. `trusted` is the file of trusted wordings. `shard` is a part of the kinds:
    the shards of a run find together what the whole run finds. `onlookers` make the observers that see every answer;
    what they saw is in `Result.observed` under their names.
    Raises: HarnessError when the subject cannot be opened; UsageError when nothing matches.
    """
    if budget.max_time is None and budget.max_cases is None:
        budget = Budget(DEFAULT_SECONDS)
    order = Order(
        seed, budget, tuple(kinds), tuple(str(one) for one in operations), corpus, trusted, 0, max(1, jobs), shard,
        dict(onlookers),
    )  # fmt: skip

    with closing(opener(spec, lambda text: on_event(Noted(text)))) as subject:
        return _Run(subject, order, on_event, opener).result()


@dataclass(slots=True)
class _Run:
    """One run over an open subject."""

    subject: Subject
    order: Order
    on_event: Callable[[Event], None]
    opener: Opener
    clock: Clock = field(init=False)
    found: int = 0
    cases: int = 0
    _told: float = 0.0

    def result(self) -> Result:
        """Search, and say what came of it."""
        self.clock = Clock(self.order.budget.max_time)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        local = Local(self.subject, self.order, self._telling(), self.clock)
        units = local.units()
        if not units:
            wanted = ", ".join((*self.order.kinds, *self.order.operations)) or "anything"
            raise UsageError(f"{self.subject.name} serves nothing that matches {wanted}")
        units = tuple(unit for unit in units if self.order.shard.has(unit))
        if not units:
            raise UsageError(
                f"{self.subject.name} has nothing for shard {self.order.shard}\n  fix: ask for fewer shards"
            )
        info = self.subject.target.info
        self.on_event(Started(info, self.order.seed, self.order.budget, sum(len(unit.lanes) for unit in units)))
        outcome = self._in_processes() if self.order.jobs > 1 and len(units) > 1 else self._here(local)
        result = self._summed(outcome, started)
        self.on_event(Finished(result))
        return result

    def _telling(self) -> Telling:
        return Telling(lambda index, finding: self._tell(finding), lambda search: None, self._note)

    def _note(self, text: str) -> None:
        self.on_event(Noted(text))

    def _tell(self, finding: Finding) -> None:
        self.found += 1
        if self.order.corpus is not None:
            keep(self.order.corpus, finding.case, self._note)
        self.on_event(Found(finding))

    def _here(self, local: Local) -> JobOutcome:
        def on_turn(search: UnitSearch) -> None:
            if time.monotonic() - self._told >= 0.25:
                self._progress(sum(one.asked for one in local.searches), search.plan.unit.name)

        local.telling.on_turn = on_turn
        return local.run()

    def _progress(self, cases: int, current: str) -> None:
        self._told = time.monotonic()
        self.cases = cases
        budget, seconds = self.order.budget, self.clock.seconds
        parts = [cases / budget.max_cases] if budget.max_cases else []
        parts += [seconds / budget.max_time] if budget.max_time else []
        self.on_event(Progress(cases, seconds, self.found, min(1.0, max(parts, default=0.0)), current))

    def _in_processes(self) -> JobOutcome:
        running = processes.start(self.subject.spec, self.order, self.opener)
        interrupted = False

        def on_message(job: Job, message: Message) -> None:
            match message:
                case Told():
                    self._tell(message.finding)
                case Note():
                    self._note(message.text)
                case Turn():
                    if time.monotonic() - self._told >= 0.25:
                        self._progress(sum(one.cases for one in running), message.current)

        try:
            try:
                processes.collect(running, on_message)
            except KeyboardInterrupt:
                interrupted = True
                processes.ask_to_stop(running)
                processes.collect([job for job in running if job.outcome is None], on_message)
        finally:
            processes.end(running)
        outcome = merged([job.result() for job in running])
        return outcome if not interrupted else _interrupted(outcome)

    def _summed(self, outcome: JobOutcome, started: str) -> Result:
        units, target = outcome.units, self.subject.target
        return Result(
            subject=self.subject.name,
            target=target.info,
            mode=self.subject.spec.mode,
            seed=self.order.seed,
            budget=self.order.budget,
            started=started,
            seconds=self.clock.seconds,
            cases=sum(unit.cases for unit in units),
            compared=sum(unit.compared for unit in units),
            composition_checked=sum(unit.composition_checked for unit in units),
            composition_differences=sum(unit.composition_differences for unit in units),
            kinds=tuple(report for unit in units for report in unit.kinds),
            findings=(*(finding for unit in units for finding in unit.findings), *self._rule_findings(units)),
            excluded=target.info.excluded,
            timings=outcome.timings,
            stopped=outcome.stopped,
            stopped_detail=outcome.stopped_detail,
            restarts=outcome.restarts,
            shard=str(self.order.shard),
            observed={
                name: tuple(unit.observed[name] for unit in units if name in unit.observed)
                for name in self.order.onlookers
            },
        )

    def _rule_findings(self, units: Sequence[UnitOutcome]) -> list[Finding]:
        asked = [report.kind for unit in units for report in unit.kinds]
        return examine_rules(self.subject.target.info.kinds, asked, self.subject.shape, self.subject.name)


def _interrupted(outcome: JobOutcome) -> JobOutcome:
    return JobOutcome(outcome.units, outcome.timings, "interrupted", outcome.stopped_detail, outcome.restarts)
