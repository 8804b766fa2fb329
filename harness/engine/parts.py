"""The entry points of the engine: `run` for one subject, `run_parts` for several feature-gate settings of it.

Each setting is a part of the run. With several processes the parts run concurrently; with one process they run one
after the other, each with its share of the time. At the end every finding is checked under the gates of the other
parts.

The clock of a run starts when its targets are open, because opening may build them, which takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial

import msgspec

from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.engine import jobs as processes
from harness.engine.config import RunConfig
from harness.engine.gatecheck import GateCheck, Showing, find_showings
from harness.engine.jobs import Job, Message, Opener
from harness.engine.outcome import JobOutcome, merge
from harness.engine.subjectrun import ProgressReporter, SubjectRun
from harness.events import Budget, Event, Finished, Noted, Result
from harness.fuzzers.budget import Clock
from harness.subject import SubjectSpec, open_subject

OnEvent = Callable[[Event], None]


def _ignore(event: Event) -> None:
    """Do nothing with an event."""


def run(
    spec: SubjectSpec,
    config: RunConfig,
    on_event: OnEvent = _ignore,
    opener: Opener = open_subject,
    clock: Clock | None = None,
) -> Result:
    """Search a subject for differences and explain them.

    An interrupt or a lost target ends the run early; the result holds the findings so far. The outcomes of observers
    are in `Result.observed` by name, the replayed witnesses in `Result.replayed`. Stopping the `clock` interrupts the
    run.
    Raises: HarnessError when the subject cannot be opened; UsageError when nothing matches.
    """
    with closing(opener(spec, lambda text: on_event(Noted(text)))) as subject:
        reporter = ProgressReporter(on_event, config, clock or Clock(config.budget.max_time))
        own = SubjectRun(subject, config, reporter)
        reporter.runs.append(own)
        own.replay()
        own.begin()
        alone = config.jobs == 1 or len(own.units) <= 1
        outcome = own.search_locally() if alone else _search_in_processes(own, opener)
        result = own.sum_up(outcome, reporter.clock.seconds)
    on_event(Finished(result))
    return result


def run_parts(
    specs: Sequence[SubjectSpec], config: RunConfig, on_event: OnEvent = _ignore, opener: Opener = open_subject
) -> tuple[Result, ...]:
    """Search one subject under several settings of its feature gates: one part, and one result, for each.

    The budget is that of all parts together; with several processes they run concurrently. Each finding is in the
    result of the part that found it first, and `Finding.parts` names all parts that have it. Everything else is as in
    `run`. When parts run one after the other, an interrupt skips those that have not started.
    """
    with config.around():
        return _run_parts(specs, config, on_event, opener)


def _run_parts(
    specs: Sequence[SubjectSpec], config: RunConfig, on_event: OnEvent, opener: Opener
) -> tuple[Result, ...]:
    if len(specs) == 1:
        return (run(specs[0], config, on_event, opener),)
    if config.jobs == 1:
        found, searched = _run_sequentially(specs, config, on_event, opener)
        askers = [partial(_find_showings_in, spec, config, on_event, opener) for spec in searched]
        return GateCheck(on_event).merge(found, askers)
    share = replace(
        config, jobs=max(1, config.jobs // len(specs)), budget=_share(config.budget, len(specs), concurrent=True)
    )
    reporter = _open_all(specs, config, share, on_event, opener)
    for one in reporter.runs:
        one.begin()
    with _run_concurrently(reporter.runs, opener) as outcomes:
        seconds = reporter.clock.seconds
        results = [
            msgspec.structs.replace(one.sum_up(outcome, seconds), beside=number > 0)
            for number, (one, outcome) in enumerate(zip(reporter.runs, outcomes, strict=True))
        ]
        merged = GateCheck(on_event).merge(results, [partial(processes.ask, one.jobs) for one in reporter.runs])
    for result in merged:
        on_event(Finished(result))
    return merged


def _find_showings_in(
    spec: SubjectSpec, config: RunConfig, on_event: OnEvent, opener: Opener, findings: Sequence[Finding]
) -> list[Showing]:
    """Open a part again to check findings of other parts."""
    with closing(opener(spec, lambda text: on_event(Noted(text)))) as subject:
        return find_showings(subject, findings, config.trusted)


def _run_sequentially(
    specs: Sequence[SubjectSpec], config: RunConfig, on_event: OnEvent, opener: Opener
) -> tuple[list[Result], list[SubjectSpec]]:
    """Run one part after the other; skip parts without any selected kind, unless that is all of them."""
    share = replace(config, budget=_share(config.budget, len(specs), concurrent=False))
    results: list[Result] = []
    searched, unwanted = [], []
    for spec in specs:
        try:
            results.append(run(spec, share, on_event, opener))
            searched.append(spec)
        except UsageError as error:
            unwanted.append(error)
        if results and results[-1].stopped == "interrupted":
            break
    if not results:
        raise unwanted[0]
    return results, searched


def _open_all(
    specs: Sequence[SubjectSpec], config: RunConfig, share: RunConfig, on_event: OnEvent, opener: Opener
) -> ProgressReporter:
    """Open all parts, and prepare a run of every part with a selected kind; raises when there is none.

    The targets are closed again to free memory, because the processes open their own.
    """
    unwanted = []
    with ExitStack() as stack:
        subjects = [stack.enter_context(closing(opener(spec, lambda text: on_event(Noted(text))))) for spec in specs]
        reporter = ProgressReporter(on_event, config, Clock(config.budget.max_time))
        for subject in subjects:
            try:
                reporter.runs.append(SubjectRun(subject, share, reporter))
            except UsageError as error:
                unwanted.append(error)
        for run in reporter.runs:
            run.replay()
    if not reporter.runs:
        raise unwanted[0]
    return reporter


def _share(budget: Budget, parts: int, *, concurrent: bool) -> Budget:
    """Return the budget of one part: its share of the cases, and of the time unless the parts run concurrently."""
    cases = None if budget.max_cases is None else max(min(1, budget.max_cases), budget.max_cases // parts)
    time = budget.max_time if concurrent or budget.max_time is None else budget.max_time / parts
    return Budget(time, cases)


def _search_in_processes(run: SubjectRun, opener: Opener) -> JobOutcome:
    """Search one run in its own processes."""
    with _run_concurrently([run], opener) as (outcome,):
        return outcome


@contextmanager
def _run_concurrently(runs: Sequence[SubjectRun], opener: Opener) -> Iterator[list[JobOutcome]]:
    """Search every run in its own processes, all at once. After an interrupt, all send their outcomes before they end.

    Inside the block, `processes.ask` can ask the processes about findings.
    """
    owners: dict[int, SubjectRun] = {}
    processes_at_once = sum(run.config.jobs for run in runs)
    for run in runs:
        run.subject.target.close()  # each process opens its own; only the info of this one is needed now
        run.jobs = processes.start(
            replace(run.subject.spec, beside=processes_at_once), run.config, opener, run.reporter.clock.seconds
        )
        owners.update((id(job), run) for job in run.jobs)
    jobs = [job for run in runs for job in run.jobs]
    interrupted = False

    def on_message(job: Job, message: Message) -> None:
        owners[id(job)].receive(message)

    try:
        try:
            processes.collect(jobs, on_message)
        except KeyboardInterrupt:
            interrupted = True
            processes.ask_to_stop(jobs)
            processes.collect([job for job in jobs if job.outcome is None], on_message)
        outcomes = [merge([job.result() for job in run.jobs]) for run in runs]
        yield [_interrupt(outcome) for outcome in outcomes] if interrupted else outcomes
    finally:
        processes.end(jobs)


def _interrupt(outcome: JobOutcome) -> JobOutcome:
    return msgspec.structs.replace(outcome, stopped="interrupted")
