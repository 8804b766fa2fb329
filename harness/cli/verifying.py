"""One verification, from the change to the report and its verdict.

1. Build and open the base and the head of every subject (the Kubernetes tree, or each suite).
2. Search the head for differences between the handwritten and the declarative validators of the touched fields.
3. Compare what the base and the head serve to users.
4. Replay the findings of the head on the base, to tell new findings from known ones.

When a step fails or is interrupted, the report has the findings so far, and the reasons why it is incomplete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from harness.cli import COULD_NOT_RUN
from harness.cli.coverage import with_coverage
from harness.cli.eventlog import EventLog
from harness.cli.progress import ProgressBar, verbosity
from harness.cli.publishing import EXCEPTIONS, Files, publish, replay_command
from harness.cli.run import Search
from harness.cli.targets import spec_of
from harness.diagnostics import HarnessError
from harness.engine import RunConfig
from harness.engine.focus import Focus
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.trusted import own_wordings
from harness.events import Budget, Noted, Result
from harness.git import Repository
from harness.report.escaping import lines
from harness.report.formats.terminal.screen import Verbosity
from harness.report.model.assembly import build_report, empty_report
from harness.report.model.document import Policy, Reach, Report
from harness.report.model.tolerance import tolerate
from harness.report.model.verification import BuildEntry, UserChange, Verification
from harness.rulecov.inventory import Inventory
from harness.subject import Example, SubjectSpec, open_subject
from harness.verify.building import (
    BaseAndHead,
    Shares,
    base_and_head_of,
    base_folder,
    base_spec,
    head_parts,
    name_location,
    user_parts,
)
from harness.verify.change import Change
from harness.verify.focus import NAME, EffortObserverFactory, focus_of, patterns_of, sum_efforts
from harness.verify.replaying import BaseFindings, replay_on_base
from harness.verify.userchanges import deduplicate, make_user_change, setting_of, sort_key
from harness.verify.verdict import SearchEvidence, add_verdict, field_names, lint_entries, revision_entry, stale_entries
from harness.verify.view import rows_of

DEFAULT_SECONDS = 120.0
REPLAY_SHARE = 0.1
"""The share of the time budget for replaying the findings of the head on the base."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """The options of the command, except those that choose the change."""

    max_time: float | None
    max_cases: int | None
    seed: int
    jobs: int
    gates: dict[str, bool]
    files: Files
    exceptions: Path | None
    entries: ExceptionFile | None
    allow_incomplete: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    validator: str | None = None


@dataclass(slots=True)
class VerifyRun:
    """The verification of one change. `base` and `head` are the revisions as named on the command line.

    `searches` are those of the head, `comparisons` those of base against head. `incomplete_reasons` say what was not
    searched or compared, and why.
    """

    change: Change
    repository: Repository
    options: VerifyOptions
    base: str
    head: str | None
    log: EventLog
    searches: list[tuple[Search, BaseAndHead]] = field(default_factory=list)
    comparisons: list[tuple[Search, BaseAndHead]] = field(default_factory=list)
    builds: list[BuildEntry] = field(default_factory=list)
    incomplete_reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    focus: Focus = field(init=False)

    def __post_init__(self) -> None:
        # --max-cases is used up, so that a run can be repeated; --max-time is a limit, and the search may end earlier,
        # when it finds nothing new any more.
        self.focus = focus_of(self.change, until_saturated=self.options.max_cases is None)

    # The parts of a verification, in order

    def run(self) -> int:
        """Verify, write the report, show the verdict and return the exit code."""
        try:
            report = self._verify()
        except HarnessError as error:
            self.log.fail("", str(error))
            raise
        bug = next((search.bug for search, _ in (*self.searches, *self.comparisons) if search.bug is not None), None)
        code = self.log.code_of(publish(report, self.options.files))
        self.log.finish(report, code if bug is None else COULD_NOT_RUN)
        if bug is not None:
            raise bug
        return code

    def _verify(self) -> Report:
        if self.change.nothing_touched:
            return self._build_report(BaseFindings({}))
        subjects = self._open_base()
        shares = Shares.of(self._max_seconds(), self.options.max_cases, len(subjects))
        for revisions in subjects:
            if not self._verify_subject(revisions, shares):
                break
        if not self.searches and not self.incomplete_reasons:
            names = ", ".join(str(kind.name) for kind in self.change.kinds)
            self.incomplete_reasons.append(f"nothing that is served takes objects of {names}")
        return self._build_report(self._replay_on_base())

    def _max_seconds(self) -> float | None:
        if self.options.max_time is None and self.options.max_cases is None:
            return DEFAULT_SECONDS
        return self.options.max_time

    def _open_base(self) -> list[BaseAndHead]:
        """Write the files of the base, and say what is to be opened."""
        folder = base_folder(self.repository, self.change.base.commit, self.change.layout, self._report_note)
        return base_and_head_of(self.change, self.change.checkout, folder, self.options.validator)

    def _verify_subject(self, revisions: BaseAndHead, shares: Shares) -> bool:
        """Search one subject and compare it with its base. Returns: whether to continue with the next subject."""
        # The base first, because building the head then reuses its Go build cache.
        has_base = self._build_base(revisions)
        heads = head_parts(revisions, self.options.gates)
        users = user_parts(revisions, self.options.gates) if has_base else []
        patterns = self._patterns(heads or users)
        if not patterns:
            return True
        if not heads:
            return self._verify_users(users, patterns, shares, revisions)
        search = self._search(heads, patterns, shares.head, revisions)
        self.searches.append((search, revisions))
        if search.interrupted or search.bug is not None:
            self.incomplete_reasons.append(f"{revisions.name}: base and head were not compared: the search was aborted")
            return False
        if not has_base:
            return True
        comparison = self._search(users, patterns, shares.users, revisions)
        self.comparisons.append((comparison, revisions))
        return not comparison.interrupted and comparison.bug is None

    def _verify_users(
        self, parts: list[SubjectSpec], patterns: list[str], shares: Shares, revisions: BaseAndHead
    ) -> bool:
        """Compare a subject with its base where the head has no two sides; what was tried counts as its search."""
        comparison = self._search(parts, patterns, shares.head, revisions)
        tried = Search(comparison.config, self.log)
        tried.results = [msgspec.structs.replace(result, findings=()) for result in comparison.results]
        tried.reaches, tried.inventories = comparison.reaches, comparison.inventories
        tried.interrupted, tried.bug = comparison.interrupted, comparison.bug
        self.searches.append((tried, revisions))
        self.comparisons.append((comparison, revisions))
        return not comparison.interrupted and comparison.bug is None

    def _search(self, parts: list[SubjectSpec], patterns: list[str], budget: Budget, revisions: BaseAndHead) -> Search:
        paths = {
            (kind.name.group, kind.name.version, kind.name.kind): (("",) if kind.whole else ()) + kind.paths
            for kind in self.change.kinds
        }
        config = RunConfig(
            seed=self.options.seed, budget=budget, jobs=self.options.jobs, kinds=patterns, focus=self.focus,
            trusted=own_wordings(), examples=self.options.examples, observers={NAME: EffortObserverFactory(paths)},
        )  # fmt: skip
        search = Search(config, self.log)
        search.run([parts])
        for error in search.errors:
            self.incomplete_reasons.append(f"{revisions.name}: {error}")
            if not search.results:
                click.echo(f"harness: {lines(str(error))}", err=True)
        return search

    def _patterns(self, parts: list[SubjectSpec]) -> list[str]:
        """Open the head, which builds it. Returns: patterns of the resources that take objects of the touched kinds."""
        patterns: dict[str, None] = {}
        for spec in parts:
            with self._show_opening("head", spec.location) as note, open_subject(spec, note) as subject:
                patterns |= dict.fromkeys(patterns_of(self.focus, subject.target.info.kinds))
        return list(patterns)

    def _build_base(self, revisions: BaseAndHead) -> bool:
        """Open the base, which builds it. Returns: whether there is one; else only the head is searched."""
        if revisions.base is None:
            self.notes.append(f"{revisions.name} is new: there is no base to compare it with")
            return False
        try:
            with self._show_opening("base", revisions.base.location) as note, open_subject(revisions.base, note):
                return True
        except HarnessError as error:
            self.incomplete_reasons.append(f"the base of {revisions.name} cannot be asked: {error}")
            click.echo(f"harness: {lines(self.incomplete_reasons[-1])}", err=True)
            self.log.fail(revisions.name, self.incomplete_reasons[-1])
            return False

    def _report_note(self, text: str) -> None:
        print_note(text)
        self.log.record("", Noted(text))

    @contextmanager
    def _show_opening(self, revision: Any, location: str) -> Iterator[Callable[[str], None]]:
        """Show the progress of opening a revision, and measure the time, most of which is the build."""
        started = time.monotonic()
        with ProgressBar(f"{revision} {Path(location).name}") as bar:

            def report_note(text: str) -> None:
                bar.note(text)
                self.log.record("", Noted(text))

            yield report_note
        if not any(build.location == location for build in self.builds):
            self.builds.append(BuildEntry(revision, location, round(time.monotonic() - started, 1)))

    def _replay_on_base(self) -> BaseFindings:
        """Replay the findings of the head on the base, for at most a tenth of the time budget."""
        replays = []
        for search, revisions in self.searches:
            for result in search.results:
                spec = base_spec(spec_of(search.reaches[result.part or result.subject]), revisions)
                if spec is not None and result.findings:
                    replays.append((result, spec))
        if any(search.interrupted for search, _ in self.searches) or not replays:
            return BaseFindings({})
        seconds = self._max_seconds()
        deadline = time.monotonic() + REPLAY_SHARE * seconds if seconds is not None else None

        def is_over() -> bool:
            return deadline is not None and time.monotonic() > deadline

        return replay_on_base(replays, own_wordings(), self._report_note, is_over)

    # The report

    def _build_report(self, base_findings: BaseFindings) -> Report:
        results = [result for search, _ in self.searches for result in search.results]
        compared = [result for search, _ in self.comparisons for result in search.results]
        started = results[0].started if results else datetime.now(UTC).isoformat(timespec="seconds")
        change = self.change
        report = self._build_search_report(results, compared, started)
        settings = [
            setting_of(spec) for _, revisions in self.comparisons for spec in user_parts(revisions, self.options.gates)
        ]
        return add_verdict(report, change, SearchEvidence(
            known=base_findings.known, uncompared=base_findings.uncompared, changes=self._user_changes(compared),
            efforts=sum_efforts(results, compared), unsearched=tuple(self.incomplete_reasons),
        ), Verification(
            base=revision_entry(change.base, self.base),
            head=revision_entry(change.head, self.head or "the work tree"),
            layout=change.layout, stale=stale_entries(change), lint=lint_entries(change),
            notes=(*change.notes, *self.notes),
            files=tuple(one.path for one in change.files), settings=tuple(dict.fromkeys(settings)),
            unsearched=tuple(self.incomplete_reasons), builds=tuple(self.builds),
            nothing_touched=change.nothing_touched,
        ))  # fmt: skip

    def _build_search_report(self, results: list[Result], compared: list[Result], started: str) -> Report:
        """Build the report of the searches. Its findings are those of the head; user changes are a separate section."""
        name = self.change.layout
        if not results:
            budget = Budget(self._max_seconds(), self.options.max_cases)
            return empty_report(name, "served", self.options.seed, budget, started)
        target_specs: dict[str, Reach] = {}
        inventories: dict[str, Inventory] = {}
        for search, _ in (*self.searches, *self.comparisons):
            target_specs |= {name: _with_commits(reach) for name, reach in search.reaches.items()}
            inventories |= search.inventories
        named = {result.part for result in results}
        others = [result for result in compared if result.part not in named]
        without_findings = [msgspec.structs.replace(result, findings=()) for result in others]
        report = build_report(
            [*results, *without_findings],
            reaches=target_specs,
            replay=lambda one: "" if one.case.object is None else replay_command(self.options.files, one.fingerprint),
            policy=Policy(allow_incomplete=self.options.allow_incomplete),
        )
        narrowed = tuple(f"--field {path}" for kind in self.change.kinds for path in kind.paths)
        report = msgspec.structs.replace(report, narrowed=narrowed or ("a change",))
        report = with_coverage(report, results, inventories, narrowed=True)
        return tolerate(report, self.options.entries, str(self.options.exceptions or EXCEPTIONS))

    def _user_changes(self, compared: list[Result]) -> tuple[UserChange, ...]:
        """Return the changes for users, marked where an exception that has not expired tolerates them."""
        changes: list[UserChange] = []
        file = self.options.entries
        entries = [entry for entry in file.entries if entry.until >= file.today] if file is not None else []
        for result in compared:
            for finding in result.findings:
                tolerating = next((entry for entry in entries if entry.tolerates(finding, result.subject)), None)
                marked = msgspec.structs.replace(finding, exception=tolerating.id if tolerating else None)
                changes.append(make_user_change(
                    marked, result.subject, field_names(self.change, marked),
                    replay_command(self.options.files, finding.fingerprint),
                ))  # fmt: skip
        return deduplicate(sorted(changes, key=sort_key))


def _with_commits(reach: Reach) -> Reach:
    """Replace local paths by commits, so that a replay of the report finds the target in another clone too."""
    folder = Path.cwd()
    return msgspec.structs.replace(
        reach,
        location=name_location(reach.location, folder),
        against=reach.against and name_location(reach.against, folder),
    )


def show_touched(change: Change) -> int:
    """List what a change touches. Returns: 1 when generated code is stale or the linter reports errors, else 0."""
    for row in rows_of(change):
        click.echo(row)
    return int(bool(change.not_regenerated or change.diagnostics))


def print_note(text: str) -> None:
    """Print a progress note to standard error, except with --quiet."""
    if verbosity() is not Verbosity.QUIET:
        click.echo(lines(text), err=True)
