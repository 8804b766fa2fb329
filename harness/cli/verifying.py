"""One verification from the change to the report: both ends are opened, searched and compared, and a verdict given.

Whatever stops it, what was found until then is told.
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
from harness.cli.live import ProgressBar, loudness
from harness.cli.publishing import EXCEPTIONS, Files, publish, replay_command
from harness.cli.run import Search
from harness.cli.targets import spec_of
from harness.diagnostics import HarnessError
from harness.engine import RunConfig
from harness.engine.focus import Focus
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.trusted import own_wordings
from harness.events import Budget, Noted, Result
from harness.reporting.assembly import build_report, empty_report
from harness.reporting.document import Policy, Reach, Report
from harness.reporting.terminal import Loudness
from harness.reporting.text import lines
from harness.reporting.tolerance import tolerate
from harness.reporting.verification import BuildEntry, UserChange, Verification
from harness.rulecov.inventory import Inventory
from harness.subject import Example, SubjectSpec, open_subject
from harness.verify.building import (
    BaseAndHead,
    Shares,
    at_base,
    base_folder,
    ends_of,
    head_parts,
    name_place,
    user_parts,
)
from harness.verify.change import Change
from harness.verify.focus import NAME, EffortObserverFactory, efforts, focus_of, patterns_of
from harness.verify.git import Repository
from harness.verify.replaying import AtBase, known_at_base
from harness.verify.users import once, order_of, setting_of, user_change
from harness.verify.verdict import SearchEvidence, lint_of, names_of, revision, stale_of, verified
from harness.verify.view import rows_of

DEFAULT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What the command line asks for beside the change itself."""

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


@dataclass(slots=True)
class Verifying:
    """A change on its way to its verdict. `base` and `head` are what the command line called them."""

    change: Change
    repository: Repository
    options: VerifyOptions
    base: str
    head: str | None
    log: EventLog
    searches: list[tuple[Search, BaseAndHead]] = field(default_factory=list)
    comparisons: list[tuple[Search, BaseAndHead]] = field(default_factory=list)
    builds: list[BuildEntry] = field(default_factory=list)
    unsearched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    focus: Focus = field(init=False)

    def __post_init__(self) -> None:
        # A number of cases is an order; a time is as much as it may take.
        self.focus = focus_of(self.change, until_saturated=self.options.max_cases is None)

    # The parts of a verification, in order

    def run(self) -> int:
        """Verify, write the report, show the verdict and return the exit code."""
        try:
            report = self._verified()
        except HarnessError as error:
            self.log.fail("", str(error))
            raise
        bug = next((one.bug for one, _ in (*self.searches, *self.comparisons) if one.bug is not None), None)
        code = self.log.code_of(publish(report, self.options.files))
        self.log.finish(report, code if bug is None else COULD_NOT_RUN)
        if bug is not None:
            raise bug
        return code

    def _verified(self) -> Report:
        if self.change.nothing_touched:
            return self._report(AtBase({}))
        subjects = self._ends()
        shares = Shares.of(self._seconds(), self.options.max_cases, len(subjects))
        for ends in subjects:
            if not self._verify(ends, shares):
                break
        if not self.searches and not self.unsearched:
            names = ", ".join(str(kind.name) for kind in self.change.kinds)
            self.unsearched.append(f"nothing that is served takes objects of {names}")
        return self._report(self._known())

    def _seconds(self) -> float | None:
        if self.options.max_time is None and self.options.max_cases is None:
            return DEFAULT_SECONDS
        return self.options.max_time

    def _ends(self) -> list[BaseAndHead]:
        """Write the files of the base, and say what is to be opened."""
        folder = base_folder(self.repository, self.change.base.commit, self.change.layout, self._note)
        return ends_of(self.change, self.change.checkout, folder)

    def _verify(self, ends: BaseAndHead, shares: Shares) -> bool:
        """Search one subject and compare it with its base. Returns: whether to go on with the next."""
        # The base first: what the compiler remembers of it, it need not compile again for the head.
        has_base = self._has_base(ends)
        heads = head_parts(ends, self.options.gates)
        patterns = self._patterns(heads)
        if not patterns:
            return True
        search = self._search(heads, patterns, shares.head, ends)
        self.searches.append((search, ends))
        if search.interrupted or search.bug is not None:
            self.unsearched.append(f"{ends.name}: base and head were not compared: the search was broken off")
            return False
        if not has_base:
            return True
        comparison = self._search(user_parts(ends, self.options.gates), patterns, shares.users, ends)
        self.comparisons.append((comparison, ends))
        return not comparison.interrupted and comparison.bug is None

    def _search(self, parts: list[SubjectSpec], patterns: list[str], budget: Budget, ends: BaseAndHead) -> Search:
        watched = {kind.name: kind for kind in self.change.kinds}
        paths = {
            (name.group, name.version, name.kind): ("",) * kind.whole + kind.paths for name, kind in watched.items()
        }
        config = RunConfig(
            seed=self.options.seed, budget=budget, jobs=self.options.jobs, kinds=patterns, focus=self.focus,
            trusted=own_wordings(), examples=self.options.examples, observers={NAME: EffortObserverFactory(paths)},
        )  # fmt: skip
        search = Search(config, self.log)
        search.run([parts])
        for trouble in search.troubles:
            self.unsearched.append(f"{ends.name}: {trouble}")
            if not search.results:
                click.echo(f"harness: {lines(str(trouble))}", err=True)
        return search

    def _patterns(self, parts: list[SubjectSpec]) -> list[str]:
        """Open the head, which builds it, and name what takes objects of the touched kinds."""
        found: dict[str, None] = {}
        for spec in parts:
            with self._opening("head", spec.location) as note, open_subject(spec, note) as subject:
                found |= dict.fromkeys(patterns_of(self.focus, subject.target.info.kinds))
        return list(found)

    def _has_base(self, ends: BaseAndHead) -> bool:
        """Open the base, which builds it. Without one the head's own findings are all that can be told."""
        if ends.base is None:
            self.notes.append(f"{ends.name} is new: there is no base to compare it with")
            return False
        try:
            with self._opening("base", ends.base.location) as note, open_subject(ends.base, note):
                return True
        except HarnessError as error:
            self.unsearched.append(f"the base of {ends.name} cannot be asked: {error}")
            click.echo(f"harness: {lines(self.unsearched[-1])}", err=True)
            self.log.fail(ends.name, self.unsearched[-1])
            return False

    def _note(self, text: str) -> None:
        note(text)
        self.log.hear("", Noted(text))

    @contextmanager
    def _opening(self, end: Any, location: str) -> Iterator[Callable[[str], None]]:
        """Show that an end is opened, which may mean that it is built, and take the time."""
        started = time.monotonic()
        with ProgressBar(f"{end} {Path(location).name}") as bar:

            def hear(text: str) -> None:
                bar.note(text)
                self.log.hear("", Noted(text))

            yield hear
        if not any(one.location == location for one in self.builds):
            self.builds.append(BuildEntry(end, location, round(time.monotonic() - started, 1)))

    def _known(self) -> AtBase:
        """Ask the base about the head's findings, for a tenth of the time."""
        found = []
        for search, ends in self.searches:
            for result in search.results:
                spec = at_base(spec_of(search.reaches[result.part or result.subject]), ends)
                if spec is not None and result.findings:
                    found.append((result, spec))
        if any(search.interrupted for search, _ in self.searches) or not found:
            return AtBase({})
        seconds = self._seconds()
        end = time.monotonic() + 0.1 * seconds if seconds is not None else None
        trusted = own_wordings()
        return known_at_base(found, trusted, self._note, lambda: end is not None and time.monotonic() > end)

    # The report

    def _report(self, at_base: AtBase) -> Report:
        results = [result for search, _ in self.searches for result in search.results]
        compared = [result for search, _ in self.comparisons for result in search.results]
        started = results[0].started if results else datetime.now(UTC).isoformat(timespec="seconds")
        change = self.change
        report = self._searched(results, compared, started)
        settings = [setting_of(spec) for _, ends in self.comparisons for spec in user_parts(ends, self.options.gates)]
        return verified(report, change, SearchEvidence(
            known=at_base.known, uncompared=at_base.uncompared, changes=self._changes(compared),
            efforts=efforts(results, compared), unsearched=tuple(self.unsearched),
        ), Verification(
            base=revision(change.base, self.base),
            head=revision(change.head, self.head or "the work tree"),
            layout=change.layout, stale=stale_of(change), lint=lint_of(change), notes=(*change.notes, *self.notes),
            files=tuple(one.path for one in change.files), settings=tuple(dict.fromkeys(settings)),
            unsearched=tuple(self.unsearched), builds=tuple(self.builds), nothing_touched=change.nothing_touched,
        ))  # fmt: skip

    def _searched(self, results: list[Result], compared: list[Result], started: str) -> Report:
        """Make the report of the searches: findings are the head's, what changes for users is told apart."""
        name = self.change.layout
        if not results:
            budget = Budget(self._seconds(), self.options.max_cases)
            return empty_report(name, "served", self.options.seed, budget, started)
        reaches: dict[str, Reach] = {}
        inventories: dict[str, Inventory] = {}
        for search, _ in (*self.searches, *self.comparisons):
            reaches |= {name: _portable(reach) for name, reach in search.reaches.items()}
            inventories |= search.inventories
        bare = [msgspec.structs.replace(result, findings=()) for result in compared]
        report = build_report(
            [*results, *bare],
            reaches=reaches,
            replay=lambda one: "" if one.case.object is None else replay_command(self.options.files, one.fingerprint),
            policy=Policy(allow_incomplete=self.options.allow_incomplete),
        )
        narrowed = tuple(f"--field {path}" for kind in self.change.kinds for path in kind.paths)
        report = msgspec.structs.replace(report, narrowed=narrowed or ("a change",))
        report = with_coverage(report, results, inventories, narrowed=True)
        return tolerate(report, self.options.entries, str(self.options.exceptions or EXCEPTIONS))

    def _changes(self, compared: list[Result]) -> tuple[UserChange, ...]:
        """Read what changes for users; an entry of the exceptions tolerates a change as it does a finding."""
        made: list[UserChange] = []
        entries = [one for one in self.options.entries.entries if one.until >= self.options.entries.today] if (
            self.options.entries is not None
        ) else []  # fmt: skip
        for result in compared:
            for finding in result.findings:
                entry = next((one for one in entries if one.tolerates(finding, result.subject)), None)
                known = msgspec.structs.replace(finding, exception=entry.id if entry else None)
                made.append(user_change(
                    known, result.subject, names_of(self.change, known),
                    replay_command(self.options.files, finding.fingerprint),
                ))  # fmt: skip
        return once(sorted(made, key=order_of))


def _portable(reach: Reach) -> Reach:
    """Name what was asked so that whoever reads the report in another clone can ask it too."""
    here = Path.cwd()
    return msgspec.structs.replace(
        reach, location=name_place(reach.location, here), against=reach.against and name_place(reach.against, here)
    )


def show_touched(change: Change) -> int:
    """Show what a change touches. Returns: 1 when generated code is stale or the linter refuses tags."""
    for row in rows_of(change):
        click.echo(row)
    return int(bool(change.not_regenerated or change.diagnostics))


def note(text: str) -> None:
    """Tell a person what goes on."""
    if loudness() is not Loudness.QUIET:
        click.echo(lines(text), err=True)
