"""`harness exceptions witness` and `check`: write the cases that show tolerated findings, and replay them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from harness.cli import completion
from harness.cli.publishing import EXCEPTIONS
from harness.cli.run import Search
from harness.cli.searching import selection_options
from harness.cli.targets import TargetChoice, embedded_suites, target_options
from harness.compare.finding import CAUSE_CODES
from harness.diagnostics import UsageError
from harness.engine import RunConfig
from harness.errormatch.exceptionentry import ANY, ExceptionSpec
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.errormatch.trusted import own_wordings
from harness.errormatch.witness import FOLDER, Witness, write_witness
from harness.events import Budget
from harness.report.escaping import count, lines, visible
from harness.report.model.assembly import build_report
from harness.report.model.document import Report
from harness.report.model.exceptions import (
    ReleaseCase,
    create_witness,
    find_witness_cases,
    rules_without_case,
    split_witness,
)
from harness.report.model.reading import read_report
from harness.report.model.tolerance import ExceptionStatus, determine_statuses, idle_rules

file_option = click.option(
    "--exceptions", "file", type=click.Path(path_type=Path), default=EXCEPTIONS, show_default=True, metavar="FILE",
    help="The exceptions file.",
)  # fmt: skip


@click.command("witness")
@click.option(
    "--report", "report_files", multiple=True, required=True, metavar="FILE", help="Reports with the findings."
)
@file_option
def witness(report_files: tuple[str, ...], file: Path) -> int:
    """Write the witnesses of exceptions: the smallest case of these reports for each rule of an exception.

    Smaller cases of an existing witness stay, unless a report says that they no longer differ. Exits with 1 if an
    exception remains without a witness.
    """
    reports = [read_report(name) for name in report_files]
    entries = load_exceptions(file, date.today(), CAUSE_CODES)
    missing = []
    for entry in entries.entries:
        before = entries.witnesses.get(entry.id)
        now = _witness(entry, before, reports)
        if now is not None and now != before:
            place = write_witness(file, now)
            click.echo(visible(f"{place}: {count(len(now.cases), 'case')} of {entry.about}"))
        if now is None and entry.suite != ANY:
            missing.append(f"{entry.id}: no witness: no report shows {entry.about}: {entry.scope['cause']}")
        elif now is not None:
            missing += [f"{entry.id}: no case shows the rule {rule}" for rule in rules_without_case(entry, now)]
    for line in [*missing, *orphaned_files(file, entries)]:
        click.echo(visible(line))
    left = sum(entry.suite != ANY and not _has_witness(entry, entries, reports) for entry in entries.entries)
    click.echo(f"{count(left, 'exception')} without a witness" if left else "every exception has a witness")
    return 1 if left else 0


def _has_witness(entry: ExceptionSpec, entries: ExceptionFile, reports: Sequence[Report]) -> bool:
    return _witness(entry, entries.witnesses.get(entry.id), reports) is not None


def _witness(entry: ExceptionSpec, before: Witness | None, reports: Sequence[Report]) -> Witness | None:
    stale = {
        one.case
        for report in reports
        for one in report.witnesses
        if one.exception == entry.id and not one.failure and not any(map(entry.matches_finding, one.shown))
    }
    seen: list[ReleaseCase] = [one for report in reports for one in find_witness_cases(report, entry)]
    if before is not None:
        kept = tuple(case for number, case in enumerate(before.cases) if number not in stale)
        seen += split_witness(Witness(before.exception, before.suite, before.release, kept))
    return create_witness(entry, entry.suite, seen) or before


def orphaned_files(file: Path, entries: ExceptionFile) -> list[str]:
    """Report the witness files that belong to no entry."""
    known = {entry.id for entry in entries.entries}
    found = sorted(place for place in (file.parent / FOLDER).glob("*.json") if place.stem not in known)
    return [f"{place}: belongs to no exception: delete it, or restore its entry" for place in found]


@click.command("check")
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=completion.suites)
@target_options
@selection_options
@file_option
def check(
    suites: tuple[str, ...], target: TargetChoice, kinds: tuple[str, ...], operations: tuple[str, ...], file: Path
) -> int:
    """Replay the witnesses of exceptions, without a search, to find exceptions that are no longer needed.

    Exit codes: 0 all replayed exceptions are needed, 1 one is not, or has no witness, 2 could not replay.
    """
    entries = load_exceptions(file, date.today(), CAUSE_CODES)
    report = replay_witnesses(target, suites, entries, kinds, operations)
    rows = [
        one for one in determine_statuses(entries, report) if any(one.entry.of(part.subject) for part in report.parts)
    ]
    for line in [line for one in rows for line in _describe_problems(one, entries, report)]:
        click.echo(lines(line))
    numbers = [f"{sum(one.state == state for one in rows)} {state}" for state in ("used", "idle", "not tried")]
    none = sum(one.state == "no witness" for one in rows)
    click.echo(", ".join([count(len(rows), "exception"), *numbers, *([f"{none} without a witness"] if none else [])]))
    return 1 if any(one.state in ("idle", "no witness", "expired") for one in rows) else 0


def replay_witnesses(
    target: TargetChoice, suites: Sequence[str], entries: ExceptionFile, kinds: Sequence[str] = (),
    operations: Sequence[str] = (),
) -> Report:  # fmt: skip
    """Replay the witnesses on targets, without a search. Returns: a report with the results. Raises: HarnessError."""
    specs = target.specs(suites) or target.specs(embedded_suites())
    if not specs:
        raise UsageError("no target is named\n  fix: name a suite folder, --kubernetes RELEASE, or --command PROGRAM")
    search = Search(
        RunConfig(
            seed=1, budget=Budget(None, 0), kinds=kinds, operations=operations, trusted=own_wordings(),
            witnesses=tuple(entries.witnesses.values()),
        )
    )  # fmt: skip
    search.run([target.parts(spec) for spec in specs])
    search.raise_if_empty()
    if search.bug is not None:
        raise search.bug
    return build_report(search.results, reaches=search.reaches)


def _describe_problems(one: ExceptionStatus, entries: ExceptionFile, report: Report) -> list[str]:
    """Describe what is wrong with an entry."""
    name = f"{one.entry.id}: {one.entry.about}: {one.entry.scope['cause']}"
    match one.state:
        case "idle":
            return [f"{name}: its witness no longer shows it\n  fix: harness exceptions prune"]
        case "not tried":
            return [f"{name}: not tried: {one.why}"]
        case "expired":
            return [f"{name}: expired on {one.entry.until}"]
        case "no witness":
            return [f"{name}: no witness\n  fix: harness exceptions witness --report FILE, of a run that shows it"]
    rules = idle_rules(one.entry, entries.witnesses.get(one.entry.id), [report])
    return [f"{one.entry.id}: idle rule: {rule}" for rule in rules]
