"""`harness run`: search for differences between handwritten and declarative validation, and report them."""

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
from harness.cli.code import block_observers, counting, with_code
from harness.cli.confirmation import check_reach, confirm_report
from harness.cli.coverage import branch_folders, inventory_in, rule_observers, with_branches, with_coverage
from harness.cli.crashreport import save_findings_on_crash
from harness.cli.eventlog import EventLog, events_option, reserve_stdout
from harness.cli.progress import Live, verbosity_options
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
    objects_option,
    search_options,
    seed_of,
    selection_options,
)
from harness.cli.targets import TargetChoice, embedded_suites, pair_options, reach_of, target_options
from harness.collector import paused_collector
from harness.diagnostics import HarnessError, UsageError
from harness.engine import RunConfig
from harness.engine.shards import WHOLE, Shard
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.trusted import own_wordings
from harness.events import Event, Result, Timings
from harness.report.escaping import lines
from harness.report.model.assembly import build_report
from harness.report.model.document import Policy, Reach, Report
from harness.report.model.tolerance import tolerate
from harness.rulecov.branches import watched_branches
from harness.rulecov.inventory import Inventory
from harness.subject import Example, SubjectSpec
from harness.subject.namedvalidator import validator_name
from harness.subject.openers.crd import CRD, distinct_names
from harness.subject.opening import kind_of


@click.command("run")
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=completion.suites)
@target_options
@pair_options
@search_options("Cases per suite, without shrinking.")
@example_option
@objects_option
@click.option("--shard", metavar="I/N", help="Run shard I of N; merge the reports with `harness merge`.")
@click.option(
    "--cut-kinds", is_flag=True, help="With --shard: search a kind that outweighs a shard in pieces, in several shards."
)
@selection_options
@report_options
@policy_options
@ratchet_options
@click.option(
    "--branches",
    is_flag=True,
    help="Report handwritten code that no case reached: Python of suites and functions, Go of releases and validators.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Corpus folder: its objects are replayed first, and new accepted objects are added.",
)
@click.option("--confirm", is_flag=True, help="Ask the release's own API server, started for it, about every finding.")
@events_option
@verbosity_options
def command(
    suites: tuple[str, ...], target: TargetChoice, seed: str, max_time: float | None, max_cases: int | None,
    jobs: int | None, kinds: tuple[str, ...], operations: tuple[str, ...], files: Files, exceptions: Path | None,
    ratchet_file: Path | None, update_ratchet: bool, code_ratchet: Path | None, branches: bool,
    corpus: Path | None, shard: str | None, cut_kinds: bool, events: Path | None, policy: Policy,
    examples: tuple[Example, ...], objects: tuple[Example, ...],
    requests: tuple[Example, ...], confirm: bool,
) -> int:  # fmt: skip
    """Search for differences between the validators, shrink them, and determine their causes.

    SUITE is the folder of a suite. Without SUITE, --kubernetes and --command, all suites in ./suites are searched.
    The same seed and number of cases give the same findings, independent of --jobs.
    """
    specs = target.specs(suites) or target.specs(embedded_suites())
    if not specs:
        raise UsageError(
            "no target is named, and ./suites has no suite\n"
            "  fix: name a suite folder, --kubernetes RELEASE or --command PROGRAM, or use a checkout of the harness"
        )
    if any(spec.kind == CRD.name and spec.against is None for spec in specs):
        raise UsageError(
            "CRDs are compared with what users are served today, and nothing of that is named\n"
            "  fix: --before DIR, --before REV:DIR, --webhook URL or --function FILE.py:NAME"
        )
    for spec in specs if confirm else ():
        check_reach(reach_of(spec))
    files = reserve_stdout(files, events)
    entries = exceptions_in(exceptions)
    if corpus is not None:
        corpus.is_dir()  # a name that no file can have is an error of the user's, and not of the search
    folders = branch_folders(specs) if branches else []
    if branches:  # suites are measured in the processes of the search, Go in a worker with counters
        specs = [replace(counting(spec), in_process=spec.in_process or spec.kind == "suite") for spec in specs]
    is_alone = any(kind_of(spec.kind).in_one_process for spec in specs)
    config = RunConfig(
        seed=seed_of(seed), budget=budget_of(specs, max_time, max_cases), jobs=1 if is_alone else jobs or cores(),
        kinds=kinds, operations=operations, corpus=corpus, trusted=own_wordings(), shard=_shard(shard, cut_kinds),
        examples=(*examples, *objects, *requests),
        witnesses=tuple(entries.witnesses.values()) if entries is not None else (),
    )  # fmt: skip
    if code_ratchet is not None and not branches:
        raise UsageError("--code-ratchet holds what --branches counts\n  fix: add --branches")
    ratchets = Ratchets(ratchet_file, update_ratchet, code_ratchet)
    ratchets.check(specs)
    with EventLog(events) as log:
        with watched_branches(folders) if folders else nullcontext((None, None)) as (watch, watched):
            if watch is not None:
                config = replace(config, around=watch)
                specs = [replace(spec, branches=watch.folder) for spec in specs]
            search = Search(config, log)
            search.run([target.parts(spec) for spec in specs])
        search.raise_if_empty()
        narrowed = [f"--kind {kind}" for kind in kinds] + [f"--operation {operation}" for operation in operations]
        # A report may hold thousands of findings, and collecting garbage among them takes time and frees nothing.
        with paused_collector(), save_findings_on_crash(search.results):
            report = _build_report(search, entries, exceptions or EXCEPTIONS, narrowed, files, policy)
            report = with_coverage(report, search.results, search.inventories, bool(kinds or operations))
            report = with_code(report, search.results, search.specs)
            report = with_branches(ratchets.compare(report, bool(operations)), watched)
            report = ratchets.compare_code(report)
            report = search.confirm(report) if confirm and not search.interrupted else report
            code = publish(report, files)
        code = log.code_of(COULD_NOT_RUN if search.failed and code == 0 else code)
        log.finish(report, code if search.bug is None else COULD_NOT_RUN)
    if search.bug is not None:
        raise search.bug
    return code


class Search:
    """Searches one subject after the other. The error of one goes to `errors`, and the others are still searched.

    Rule coverage is observed in addition to the observers of `config`. `log` records the events. `bug` is an unexpected
    exception, which ends the search; the findings so far are kept.
    """

    def __init__(self, config: RunConfig, log: EventLog | None = None) -> None:
        self.config, self.log = config, log or EventLog(None)
        self.results: list[Result] = []
        self.reaches: dict[str, Reach] = {}
        self.specs: dict[str, SubjectSpec] = {}
        self.inventories: dict[str, Inventory] = {}
        self.errors: list[HarnessError] = []
        self.bug: BaseException | None = None
        self.interrupted = False

    def run(self, subjects: Sequence[Sequence[SubjectSpec]]) -> None:
        """Search all subjects, until an interrupt or a bug. Each subject is a list of parts."""
        for parts in subjects:
            self._search(parts)
            if self.interrupted or self.bug is not None:
                break
        for error in self.errors if self.results else ():
            click.echo(f"harness: {lines(str(error))}", err=True)

    @property
    def failed(self) -> bool:
        """Whether a subject could not be searched. One without the kinds of --kind has not failed."""
        narrow = self.config.kinds or self.config.operations
        return any(not (narrow and isinstance(error, UsageError)) for error in self.errors)

    def confirm(self, report: Report) -> Report:
        """Return the report with what a running server answers; if it cannot be asked, the report as it is."""
        try:
            return confirm_report(report, report.findings)
        except KeyboardInterrupt:
            return msgspec.structs.replace(report, stopped="interrupted")
        except HarnessError as error:
            self.errors.append(error)
            click.echo(f"harness: {lines(str(error))}", err=True)
            return report

    def raise_if_empty(self) -> None:
        """Raise the errors when there is no result at all."""
        if not self.results:
            if self.bug is not None:
                raise self.bug
            if self.interrupted or not self.errors:
                raise KeyboardInterrupt
            raise HarnessError("\n".join(str(error) for error in self.errors))

    def _search(self, parts: Sequence[SubjectSpec]) -> None:
        spec = parts[0]
        with Live(title_of(spec)) as live:

            def on_event(event: Event) -> None:
                live(event)
                self.log.record(live.name, event)

            try:
                observers = {**rule_observers(spec), **block_observers(spec), **self.config.observers}
                found = engine.run_parts(parts, replace(self.config, observers=observers), on_event)
                for result in found:
                    if (inventory := inventory_in(observers)) is not None:
                        self.inventories[result.subject] = inventory
                    self._keep(_spec_of(parts, result), result)
            except KeyboardInterrupt:
                self.interrupted = True
                self._keep_partial(live, spec, "interrupted", "")
            except HarnessError as error:
                self.errors.append(error)
                self.log.fail(live.name, str(error))
                self._keep_partial(live, spec, "target-lost", str(error))
            except BaseException as error:  # a suite may raise anything; the findings so far are kept
                self.bug = error
                words = f"a bug of the harness: {type(error).__name__}: {error}"
                self.log.fail(live.name, words)
                self._keep_partial(live, spec, "internal-error", words)

    def _keep(self, spec: SubjectSpec, result: Result) -> None:
        self.results.append(result)
        self.specs[result.part or result.subject] = spec
        self.reaches[result.part or result.subject] = reach_of(spec)
        self.interrupted = self.interrupted or result.stopped == "interrupted"

    def _keep_partial(self, live: Live, spec: SubjectSpec, stopped: str, detail: str) -> None:
        """Build a result from the events of a run that returned none, so that no finding is lost."""
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
    """Return the part that a result belongs to: the name of the result ends in the gates of the part."""
    return next((spec for spec in parts[1:] if result.part.endswith(f" {spec.gates_text}")), parts[0])


def title_of(spec: SubjectSpec) -> str:
    """Return what is compared with what, as it was named; a suite beside another one without its folder."""
    kind = kind_of(spec.kind)
    ours, before = spec.location, Path(spec.against).name if spec.against is not None else ""
    if spec.against is not None and kind.open_pair is not None:
        ours, before = distinct_names(spec.location, spec.against)
    others = [before] if before else []
    if spec.validator is not None:
        others.append(validator_name(spec.validator))
    name = kind.title_of(ours)
    return f"{name} against {' with '.join(others)}" if others else name


def _build_report(
    search: Search, entries: ExceptionFile | None, file: Path, narrowed: Sequence[str], files: Files, policy: Policy
) -> Report:
    report = build_report(
        search.results,
        reaches=search.reaches,
        replay=lambda one: "" if one.case.object is None else replay_command(files, one.fingerprint),
        policy=policy,
    )
    return tolerate(msgspec.structs.replace(report, narrowed=tuple(narrowed)), entries, str(file))


def _shard(text: str | None, cut: bool) -> Shard:
    if text is None:
        if cut:
            raise UsageError("--cut-kinds cuts kinds for several shards\n  fix: add --shard I/N")
        return WHOLE
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise UsageError(f"--shard requires I/N with 1 <= I <= N, got {text!r}\n  fix: --shard 1/4")
    return Shard(int(number), int(count), cut)
