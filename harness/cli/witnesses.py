"""`harness exceptions witness` and `check`: the cases that show what is tolerated, written down and asked again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from harness.cli import completion
from harness.cli.publishing import EXCEPTIONS
from harness.cli.run import Search
from harness.cli.searching import lane_options
from harness.cli.targets import TargetChoice, embedded_suites, target_options
from harness.diagnostics import UsageError
from harness.engine import RunConfig
from harness.errormatch.exceptionentry import ANY, ExceptionSpec
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.errormatch.trusted import own_wordings
from harness.errormatch.witness import FOLDER, Witness, write_witness
from harness.events import Budget
from harness.reporting.assembly import build_report
from harness.reporting.document import Report, read_report
from harness.reporting.text import count, lines, visible
from harness.reporting.tolerance import Standing, idle_rules, standings
from harness.reporting.witnesses import Seen, held_by, seen_in, unseen, witness_of

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
    entries = load_exceptions(file, date.today())
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
            missing += [f"{entry.id}: no case shows the rule {rule}" for rule in unseen(entry, now)]
    for line in [*missing, *strangers(file, entries)]:
        click.echo(visible(line))
    left = sum(entry.suite != ANY and not _has(entry, entries, reports) for entry in entries.entries)
    click.echo(f"{count(left, 'exception')} without a witness" if left else "every exception has a witness")
    return 1 if left else 0


def _has(entry: ExceptionSpec, entries: ExceptionFile, reports: Sequence[Report]) -> bool:
    return _witness(entry, entries.witnesses.get(entry.id), reports) is not None


def _witness(entry: ExceptionSpec, before: Witness | None, reports: Sequence[Report]) -> Witness | None:
    stale = {
        one.case
        for report in reports
        for one in report.witnesses
        if one.exception == entry.id and not one.failure and not any(map(entry.speaks_of, one.shown))
    }
    seen: list[Seen] = [one for report in reports for one in seen_in(report, entry)]
    if before is not None:
        kept = tuple(case for number, case in enumerate(before.cases) if number not in stale)
        seen += held_by(Witness(before.exception, before.suite, before.release, kept))
    return witness_of(entry, entry.suite, seen) or before


def strangers(file: Path, entries: ExceptionFile) -> list[str]:
    """Say which files of the folder belong to no entry."""
    known = {entry.id for entry in entries.entries}
    found = sorted(place for place in (file.parent / FOLDER).glob("*.json") if place.stem not in known)
    return [f"{place}: belongs to no exception: remove it, or mend the entry that it was of" for place in found]


@click.command("check")
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=completion.suites)
@target_options
@lane_options
@file_option
def check(
    suites: tuple[str, ...], target: TargetChoice, kinds: tuple[str, ...], operations: tuple[str, ...], file: Path
) -> int:
    """Replay the witnesses of exceptions, without a search: which exceptions are still needed?

    Exit codes: 0 all replayed exceptions are needed, 1 one is not, or has no witness, 2 could not replay.
    """
    entries = load_exceptions(file, date.today())
    report = replayed(target, suites, entries, kinds, operations)
    rows = [one for one in standings(entries, report) if any(one.entry.of(part.subject) for part in report.parts)]
    for line in [line for one in rows for line in _told(one, entries, report)]:
        click.echo(lines(line))
    numbers = [f"{sum(one.state == state for one in rows)} {state}" for state in ("used", "idle", "not tried")]
    none = sum(one.state == "no witness" for one in rows)
    click.echo(", ".join([count(len(rows), "exception"), *numbers, *([f"{none} without a witness"] if none else [])]))
    return 1 if any(one.state in ("idle", "no witness", "expired") for one in rows) else 0


def replayed(
    target: TargetChoice, suites: Sequence[str], entries: ExceptionFile, kinds: Sequence[str] = (),
    operations: Sequence[str] = (),
) -> Report:  # fmt: skip
    """Ask the witnesses of targets and search for nothing. Raises: HarnessError."""
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
    search.raise_if_nothing()
    if search.bug is not None:
        raise search.bug
    return build_report(search.results, reaches=search.reaches)


def _told(one: Standing, entries: ExceptionFile, report: Report) -> list[str]:
    """Say of an entry what is not as it should be."""
    name = f"{one.entry.id}: {one.entry.about}: {one.entry.scope['cause']}"
    match one.state:
        case "idle":
            return [f"{name}: its witness shows it no more\n  fix: harness exceptions prune"]
        case "not tried":
            return [f"{name}: not tried: {one.why}"]
        case "expired":
            return [f"{name}: ended on {one.entry.until}"]
        case "no witness":
            return [f"{name}: no witness\n  fix: harness exceptions witness --report FILE, of a run that shows it"]
    rules = idle_rules(one.entry, entries.witnesses.get(one.entry.id), [report])
    return [f"{one.entry.id}: idle rule: {rule}" for rule in rules]
