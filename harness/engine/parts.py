"""Several runs that are parts of one: the same subject under other feature gates of the process.

With several processes the parts run side by side; with one, one after the other, each in its share of the time. In the
end every finding is asked once under the gates of the other parts: there it shows too, or it does not.

The time of a run begins when its targets are open: opening may build them, which takes minutes.
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
from harness.subject import SubjectSpec

OnEvent = Callable[[Event], None]


def run_one(
    spec: SubjectSpec, config: RunConfig, on_event: OnEvent, opener: Opener, clock: Clock | None = None
) -> Result:
    """Search one subject; who holds the `clock` can stop it.

    Raises: HarnessError when it cannot be opened; UsageError when nothing is wanted of it.
    """
    with closing(opener(spec, lambda text: on_event(Noted(text)))) as subject:
        reporter = ProgressReporter(on_event, config, clock or Clock(config.budget.max_time))
        run = SubjectRun(subject, config, reporter)
        reporter.runs.append(run)
        run.replay()
        run.begin()
        alone = config.jobs == 1 or len(run.units) <= 1
        outcome = run.here() if alone else _beside(run, opener)
        result = run.sum_up(outcome, reporter.clock.seconds)
    on_event(Finished(result))
    return result


def run_parts(specs: Sequence[SubjectSpec], config: RunConfig, on_event: OnEvent, opener: Opener) -> tuple[Result, ...]:
    """Search every specification as a part of one run. Raises as `run_one` does, before anything is searched."""
    if len(specs) == 1:
        return (run_one(specs[0], config, on_event, opener),)
    if config.jobs == 1:
        found, searched = _in_turn(specs, config, on_event, opener)
        askers = [partial(_asked_again, spec, config, on_event, opener) for spec in searched]
        return GateCheck(on_event).merge(found, askers)
    share = replace(
        config, jobs=max(1, config.jobs // len(specs)), budget=_share(config.budget, len(specs), at_once=True)
    )
    reporter = _open_all(specs, config, share, on_event, opener)
    for run in reporter.runs:
        run.begin()
    with _side_by_side(reporter.runs, opener) as outcomes:
        seconds = reporter.clock.seconds
        results = [
            msgspec.structs.replace(run.sum_up(outcome, seconds), beside=number > 0)
            for number, (run, outcome) in enumerate(zip(reporter.runs, outcomes, strict=True))
        ]
        told = GateCheck(on_event).merge(results, [partial(processes.ask, run.jobs) for run in reporter.runs])
    for result in told:
        on_event(Finished(result))
    return told


def _asked_again(
    spec: SubjectSpec, config: RunConfig, on_event: OnEvent, opener: Opener, findings: Sequence[Finding]
) -> list[Showing]:
    """Open a part again to ask it about findings."""
    with closing(opener(spec, lambda text: on_event(Noted(text)))) as subject:
        return find_showings(subject, findings, config.trusted)


def _in_turn(
    specs: Sequence[SubjectSpec], config: RunConfig, on_event: OnEvent, opener: Opener
) -> tuple[list[Result], list[SubjectSpec]]:
    """Run one part after the other; a part that has nothing of what is wanted is left out, unless all are like that."""
    share = replace(config, budget=_share(config.budget, len(specs), at_once=False))
    results: list[Result] = []
    searched, unwanted = [], []
    for spec in specs:
        try:
            results.append(run_one(spec, share, on_event, opener))
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
    """Open all parts, and make a run of every one that has something of what is wanted; raises when none has.

    The targets are closed again: the processes open their own, and memory is for those that work.
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


def _share(budget: Budget, parts: int, *, at_once: bool) -> Budget:
    """Return the budget of one part: of the cases a part, of the time all when the parts run at once."""
    cases = None if budget.max_cases is None else max(min(1, budget.max_cases), budget.max_cases // parts)
    time = budget.max_time if at_once or budget.max_time is None else budget.max_time / parts
    return Budget(time, cases)


def _beside(run: SubjectRun, opener: Opener) -> JobOutcome:
    """Run one run in processes of its own."""
    with _side_by_side([run], opener) as (outcome,):
        return outcome


@contextmanager
def _side_by_side(runs: Sequence[SubjectRun], opener: Opener) -> Iterator[list[JobOutcome]]:
    """Run every run in processes of its own, at once; an interrupt lets all of them end and tell.

    The processes can be asked with `processes.ask` until this is left.
    """
    owners: dict[int, SubjectRun] = {}
    beside = sum(run.config.jobs for run in runs)
    for run in runs:
        run.subject.target.close()  # each process has its own: what this one says of itself is known, and it is large
        run.jobs = processes.start(
            replace(run.subject.spec, beside=beside), run.config, opener, run.reporter.clock.seconds
        )
        owners.update((id(job), run) for job in run.jobs)
    every = [job for run in runs for job in run.jobs]
    interrupted = False

    def on_message(job: Job, message: Message) -> None:
        owners[id(job)].hear(message)

    try:
        try:
            processes.collect(every, on_message)
        except KeyboardInterrupt:
            interrupted = True
            processes.ask_to_stop(every)
            processes.collect([job for job in every if job.outcome is None], on_message)
        outcomes = [merge([job.result() for job in run.jobs]) for run in runs]
        yield [_interrupt(outcome) for outcome in outcomes] if interrupted else outcomes
    finally:
        processes.end(every)


def _interrupt(outcome: JobOutcome) -> JobOutcome:
    return msgspec.structs.replace(outcome, stopped="interrupted")
