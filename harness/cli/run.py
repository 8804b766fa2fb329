"""`harness run`: search for differences between the two sides and report them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from harness import engine
from harness.cli import COULD_NOT_RUN, completion
from harness.cli.apology import rescued
from harness.cli.coverage import branch_folders, inventory_in, rule_observers, with_branches, with_coverage
from harness.cli.eventlog import EventLog, beside_events, events_option
from harness.cli.live import Live, loudness_options
from harness.cli.publishing import (
    EXCEPTIONS,
    Files,
    exceptions_in,
    policy_options,
    publish,
    replay_command,
    report_options,
)
from harness.cli.ratchets import Ratchets, ratchet_options
from harness.cli.searching import (
    budget_of,
    cores,
    example_option,
    lane_options,
    search_options,
    seed_of,
    sigterm_interrupts,
)
from harness.cli.targets import TargetChoice, embedded_suites, pair_options, reach_of, target_options
from harness.collector import collector_at_rest
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.engine.units import WHOLE, Shard
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.trusted import own_wordings
from harness.events import Event, Result, Timings
from harness.reporting.assembly import build_report
from harness.reporting.document import Policy, Reach, Report
from harness.reporting.text import lines
from harness.reporting.tolerance import tolerate
from harness.rulecov.branches import watched_branches
from harness.rulecov.inventory import Inventory
from harness.subject import Example, SubjectSpec
from harness.subject.opening import kind_of


@click.command("run")
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=completion.suites)
@target_options
@pair_options
@search_options("Cases per suite, without shrinking.")
@example_option
@click.option("--shard", metavar="I/N", help="Run shard I of N; merge the reports with `harness merge`.")
@lane_options
@report_options
@policy_options
@ratchet_options
@click.option("--branches", is_flag=True, help="Report untaken branches of the suites' Python; runs in one process.")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Corpus: replayed first; accepted objects are added to it.",
)
@events_option
@loudness_options
def command(
    suites: tuple[str, ...], target: TargetChoice, seed: str, max_time: float | None, max_cases: int | None,
    jobs: int | None, kinds: tuple[str, ...], operations: tuple[str, ...], files: Files, exceptions: Path | None,
    ratchet_file: Path | None, update_ratchet: bool, branches: bool, corpus: Path | None, shard: str | None,
    events: Path | None, policy: Policy, examples: tuple[Example, ...],
) -> int:  # fmt: skip
    """Search for differences between both sides, shrink them, and determine their causes.

    SUITE is the folder of a suite. Without SUITE, --kubernetes and --command, all suites in ./suites are searched.
    The same seed and number of cases give the same findings, independent of --jobs.
    """
    specs = target.specs(suites) or target.specs(embedded_suites())
    if not specs:
        raise UsageError(
            "there is no suite in ./suites\n"
            "  fix: name a suite folder, or --kubernetes RELEASE, or --command PROGRAM, or start in a checkout"
        )
    files = beside_events(files, events)
    entries = exceptions_in(exceptions)
    folders = branch_folders(specs, jobs) if branches else []
    if branches:  # which are measured in this process
        specs = [replace(spec, in_process=True) for spec in specs]
    config = RunConfig(
        seed=seed_of(seed), budget=budget_of(specs, max_time, max_cases), jobs=1 if branches else jobs or cores(),
        kinds=kinds, operations=operations, corpus=corpus, trusted=own_wordings(), shard=_shard(shard),
        examples=examples, witnesses=tuple(entries.witnesses.values()) if entries is not None else (),
    )  # fmt: skip
    ratchets = Ratchets(ratchet_file, update_ratchet)
    ratchets.check(specs)
    with sigterm_interrupts(), EventLog(events) as log:
        search = Search(config, log)
        with watched_branches(folders) if branches else nullcontext() as watched:
            search.run([target.parts(spec) for spec in specs])
        search.raise_if_nothing()
        narrowed = [f"--kind {kind}" for kind in kinds] + [f"--operation {operation}" for operation in operations]
        # Thousands of findings are held, and none of them is garbage.
        with collector_at_rest(), rescued(search.results):
            report = _judge(search, entries, exceptions or EXCEPTIONS, narrowed, files, policy)
            report = with_coverage(report, search.results, search.inventories, bool(kinds or operations))
            report = with_branches(ratchets.hold(report, bool(operations)), watched)
            code = publish(report, files)
        code = log.code_of(COULD_NOT_RUN if search.failed and code == 0 else code)
        log.finish(report, code if search.bug is None else COULD_NOT_RUN)
    if search.bug is not None:
        raise search.bug
    return code


class Search:
    """Runs against each subject in turn. What goes wrong with one is told, and the others are searched all the same.

    Those that see rules look on besides the observers of `config`; `log` is told what happens.
    """

    def __init__(self, config: RunConfig, log: EventLog | None = None) -> None:
        self.config, self.log = config, log or EventLog(None)
        self.results: list[Result] = []
        self.reaches: dict[str, Reach] = {}
        self.inventories: dict[str, Inventory] = {}
        self.troubles: list[HarnessError] = []
        self.bug: BaseException | None = None
        self.interrupted = False

    def run(self, subjects: Sequence[Sequence[SubjectSpec]]) -> None:
        """Search until all are searched or somebody interrupts."""
        for parts in subjects:
            self._one(parts)
            if self.interrupted or self.bug is not None:
                break
        for trouble in self.troubles if self.results else ():
            click.echo(f"harness: {lines(str(trouble))}", err=True)

    @property
    def failed(self) -> bool:
        """Whether a subject could not be searched. One that has no kind of the wanted names has not failed."""
        narrow = self.config.kinds or self.config.operations
        return any(not (narrow and isinstance(trouble, UsageError)) for trouble in self.troubles)

    def raise_if_nothing(self) -> None:
        """Raise what went wrong when there is no result at all."""
        if not self.results:
            if self.bug is not None:
                raise self.bug
            if self.interrupted or not self.troubles:
                raise KeyboardInterrupt
            raise HarnessError("\n".join(str(trouble) for trouble in self.troubles))

    def _one(self, parts: Sequence[SubjectSpec]) -> None:
        spec = parts[0]
        with Live(_title(spec)) as live:

            def on_event(event: Event) -> None:
                live(event)
                self.log.hear(live.name, event)

            try:
                observers = {**rule_observers(spec), **self.config.observers}
                found = engine.run_parts(parts, replace(self.config, observers=observers), on_event)
                for result in found:
                    if (inventory := inventory_in(observers)) is not None:
                        self.inventories[result.subject] = inventory
                    self._keep(_spec_of(parts, result), result)
            except KeyboardInterrupt:
                self.interrupted = True
                self._rest(live, spec, "interrupted", "")
            except HarnessError as error:
                self.troubles.append(error)
                self.log.fail(live.name, str(error))
                self._rest(live, spec, "target-lost", str(error))
            except BaseException as error:  # a suite may raise anything, and nothing found is lost by it
                self.bug = error
                words = f"a bug of the harness: {type(error).__name__}: {error}"
                self.log.fail(live.name, words)
                self._rest(live, spec, "internal-error", words)

    def _keep(self, spec: SubjectSpec, result: Result) -> None:
        self.results.append(result)
        self.reaches[result.part or result.subject] = reach_of(spec)
        self.interrupted = self.interrupted or result.stopped == "interrupted"

    def _rest(self, live: Live, spec: SubjectSpec, stopped: str, detail: str) -> None:
        """Make a result of what was seen of a run that returned none, so that no finding is lost."""
        if live.started is None:
            return
        target, seen = live.started.target, live.last
        cases, seconds = (seen.cases, seen.seconds) if seen else (0, 0.0)
        subject = "kubernetes" if spec.kind == "kubernetes" else target.name
        self._keep(spec, Result(
            subject=subject, target=target, mode=spec.mode, seed=self.config.seed, budget=self.config.budget,
            started=datetime.now(UTC).isoformat(timespec="seconds"), seconds=seconds, cases=cases, compared=cases,
            composition_checked=0, composition_differences=0, kinds=(),
            findings=tuple(one.unpack() for one in live.findings), excluded=target.excluded, timings=Timings(),
            stopped=stopped, stopped_detail=detail,
        ))  # fmt: skip


def _spec_of(parts: Sequence[SubjectSpec], result: Result) -> SubjectSpec:
    """Find the part that a result belongs to: its name ends in the gates that were asked for."""
    return next((spec for spec in parts[1:] if result.part.endswith(f" {spec.gates_text}")), parts[0])


def _title(spec: SubjectSpec) -> str:
    name = kind_of(spec.kind).titled(spec.location)
    return name if spec.against is None else f"{name} against {Path(spec.against).name}"


def _judge(
    search: Search, entries: ExceptionFile | None, file: Path, narrowed: Sequence[str], files: Files, policy: Policy
) -> Report:
    report = build_report(
        search.results,
        reaches=search.reaches,
        replay=lambda one: "" if one.case.object is None else replay_command(files, one.fingerprint),
        policy=policy,
    )
    return tolerate(msgspec.structs.replace(report, narrowed=tuple(narrowed)), entries, str(file))


def _shard(text: str | None) -> Shard:
    if text is None:
        return WHOLE
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise UsageError(f"--shard wants a part and how many there are, got {text!r}\n  fix: --shard 1/4")
    return Shard(int(number), int(count))
