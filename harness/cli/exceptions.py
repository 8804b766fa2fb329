"""`harness exceptions`: add, list, check and remove the tolerated findings of equivalence_exceptions.yaml."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import click
import msgspec

from harness.cli.publishing import newest_kept
from harness.cli.targets import TargetChoice, target_options
from harness.cli.witnesses import check, file_option, replay_witnesses, witness
from harness.compare.finding import CAUSE_CODES
from harness.diagnostics import HarnessError, UsageError, near_miss
from harness.errormatch.exceptionedit import ExceptionText, read_text
from harness.errormatch.exceptionentry import SEVERITIES, UNEXPLAINED, ExceptionSpec
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.errormatch.witness import remove_witness, write_witness
from harness.files import locked
from harness.ratchets import exceptions as ratchet
from harness.report.escaping import count, encode_json, visible
from harness.report.model.document import Report, ReportedFinding
from harness.report.model.exceptions import (
    AuthorFields,
    create_exception,
    create_group_exception,
    create_witness,
    find_witness_cases,
    merge_rules,
    rules_of,
    split_witness,
)
from harness.report.model.grouping import Group, find_group, group
from harness.report.model.reading import read_report
from harness.report.model.tolerance import ExceptionStatus, determine_statuses, find_idle, idle_rules

Wanted: TypeAlias = ReportedFinding | Group


class ListedException(msgspec.Struct, frozen=True):
    """One exception as printed by `list --json`, with its state. `findings` is 0 without a report."""

    id: str
    suite: str
    about: str
    cause: str
    severity: str
    rules: tuple[str, ...]
    reason: str
    owner: str
    until: str
    days: int
    link: str
    line: int
    state: str
    findings: int
    why: str


@click.group("exceptions")
def command() -> None:
    """Add exceptions for known findings, list them, and remove those that are not needed.

    \b
    harness exceptions add 1f0c9a7b3d52 --reason "..." --owner sig-apps --until 2027-01-31
    harness exceptions witness --report r.json
    harness exceptions check --kubernetes 1.37.1
    harness exceptions list --report r.json
    harness exceptions prune --report r.json
    harness exceptions expire --within 30
    harness exceptions count
    """


command.add_command(witness)
command.add_command(check)


@command.command("add")
@click.argument("names", nargs=-1, required=True, metavar="FINDING...")
@click.option("--report", "report_file", metavar="FILE", help="The report. Default: the newest cached one.")
@click.option("--reason", default="", help="Why the finding is tolerated.")
@click.option("--owner", default="", help="Who will resolve it.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="The expiry date, such as 2027-01-31.")
@click.option("--link", default="", help="The issue or discussion.")
@file_option
def add(
    names: tuple[str, ...], report_file: str | None, reason: str, owner: str, until: datetime | None, link: str,
    file: Path,
) -> int:  # fmt: skip
    """Tolerate findings: FINDING is the fingerprint of one, or the ID of a group of findings.

    The smallest cases are written beside the file, as the witness of the exception.

    If a group already has an exception, missing rules are added to it; its reason, owner and expiry date stay. A
    fingerprint may be shortened while it is unique.
    """
    words = _check_words(reason, owner, until, link)
    report = read_report(report_file or newest_kept())
    _lock_folder(file)
    text, known = read_text(file, date.today(), CAUSE_CODES)
    done = [_add(one, report, text, words) for one in _find_named(names, report)]
    changed = [entry for entry, _ in filter(None, done)]
    if changed:
        text.write(known.today)
    for entry in changed:
        cases = [*find_witness_cases(report, entry), *split_witness(known.witnesses.get(entry.id))]
        witness = create_witness(entry, entry.suite, cases)
        assert witness is not None, "the report shows it"
        write_witness(file, witness)
    click.echo("\n".join(told for _, told in filter(None, done)) or "nothing to add: already tolerated")
    return 0


def _lock_folder(file: Path) -> None:
    """Lock the folder of the file until the command ends, because a concurrent change would be overwritten."""
    folder = file.absolute().parent
    if folder.is_dir():
        click.get_current_context().with_resource(locked(folder))


def _check_words(reason: str, owner: str, until: datetime | None, link: str) -> AuthorFields | None:
    """Return the reason, owner, date and link of a new entry, None when none of them is given. Raises: UsageError."""
    missing = [
        name
        for name, value in (("--reason", reason.strip()), ("--owner", owner.strip()), ("--until", until))
        if not value
    ]
    if len(missing) == 3 and not link:
        return None
    if missing or until is None:
        raise UsageError(
            f"missing {', '.join(missing)}\n  fix: an exception requires a reason, an owner and an expiry date"
        )
    if until.date() < date.today():
        raise UsageError(f"--until {until.date()} is in the past\n  fix: name the last day on which it is tolerated")
    return AuthorFields(reason.strip(), owner.strip(), until.date(), link.strip())


def _find_named(names: Sequence[str], report: Report) -> list[Wanted]:
    """Return the findings and groups with these IDs. Raises: UsageError with every ID that was not found."""
    groups = [one.id for one in group(report.findings)]
    wrong, found = list[str](), list[Wanted]()
    for name in dict.fromkeys(names):
        some = [f for f in report.findings if re.fullmatch("[0-9a-f]+", name) and f.fingerprint.startswith(name)]
        if (of_group := find_group(report.findings, name)) is not None:
            found += [kind for one in of_group.split() for kind in ((one,) if one.first.owner else one.findings)]
        elif len({f.fingerprint for f in some}) == 1:
            found.append(min(some, key=lambda f: SEVERITIES.index(f.severity)))
        elif some:
            wrong.append(f"{name} is a prefix of {count(len(some), 'fingerprint')}\n  fix: add more digits")
        else:
            hint = near_miss(name, [*(f.fingerprint for f in report.findings), *groups])
            hint = hint or "copy the fingerprint or ID from the report"
            wrong.append(f"the report has neither a finding nor a group {visible(name)!r}\n  fix: {hint}")
    if wrong:
        raise UsageError("\n".join(wrong))
    return found


def _add(
    one: Wanted, report: Report, text: ExceptionText, words: AuthorFields | None
) -> tuple[ExceptionSpec, str] | None:
    """Add the entry of a finding or group to the text. Returns: it and a message, None when nothing is missing."""
    findings = one.findings if isinstance(one, Group) else (one,)
    today = date.today()
    valid = [block.entry for block in text.blocks if block.entry.until >= today]
    open_ = [f for f in findings if not any(entry.tolerates(f, f.subject) for entry in valid)]
    if not open_:
        return None
    if any(finding.cause == UNEXPLAINED for finding in open_):
        raise UsageError(
            f"{open_[0].fingerprint} has no cause yet, and an exception requires one\n"
            f"  fix: let a run explain it: harness run --kind {shlex.quote(open_[0].name)} --max-time 300"
        )
    # Without a reason, owner and date, the only valid change is adding rules to the existing entry of a group.
    placeholders = words or AuthorFields("-", "-", today)
    entry = (
        create_group_exception(one, report, placeholders)
        if isinstance(one, Group)
        else create_exception(one, report, placeholders)
    )
    existing = next((block.entry for block in text.blocks if block.entry.id == entry.id), None)
    if existing is not None and isinstance(one, Group) and existing.until >= today:
        rules = merge_rules((*existing.rules, *rules_of(one)))
        text.set_rules(existing.id, rules)
        more = count(len(set(rules) - set(existing.rules)), "rule")
        return replace(existing, rules=rules), f"{existing.id}: {more} more on {visible(existing.scope['owner'])}"
    if existing is not None:
        raise UsageError(
            f"{existing.id} is in the file and expired on {existing.until}\n  fix: set a new date in the file"
        )
    if words is None:
        raise UsageError(
            "missing --reason, --owner, --until\n  fix: an exception requires a reason, an owner and an expiry date"
        )
    text.add(entry)
    return (
        entry,
        f"{entry.id}: {visible(entry.about)}: {entry.scope['cause']}, at worst {entry.severity}, until {entry.until}",
    )


@command.command("list")
@click.option("--report", "report_file", metavar="FILE", help="Show which exceptions this report uses.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@file_option
def list_(report_file: str | None, as_json: bool, file: Path) -> int:
    """List exceptions with owner and expiry date, and with --report whether each is used."""
    entries = load_exceptions(file, date.today(), CAUSE_CODES)
    report = read_report(report_file) if report_file else None
    rows = [_list_exception(one, entries.today) for one in determine_statuses(entries, report)]
    if as_json:
        click.echo(msgspec.json.format(encode_json(rows), indent=1).decode())
    else:
        click.echo("\n".join(_table(rows, report is not None)))
    return 0


def _list_exception(one: ExceptionStatus, today: date) -> ListedException:
    entry = one.entry
    return ListedException(
        entry.id, entry.suite, entry.about, entry.scope["cause"], entry.severity, tuple(map(str, entry.rules)),
        entry.reason, entry.owner, entry.until.isoformat(), (entry.until - today).days, entry.link,
        entry.position.line, one.state, one.findings, one.why,
    )  # fmt: skip


def _table(rows: Sequence[ListedException], judged: bool) -> list[str]:
    head = ("ID", "SUITE", "CAUSE", "WORST", "UNTIL", "OWNER", *(("STATE",) if judged else ()), "ABOUT")
    lines = [head, *(_row(row, judged) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return [*(shown if rows else ()), *([""] if rows else []), _sum(rows, judged)]


def _row(row: ListedException, judged: bool) -> tuple[str, ...]:
    days = "expired" if row.days < 0 else f"{row.until} ({row.days} d)"
    state = {"used": count(row.findings, "finding"), "not tried": f"not tried: {row.why}"}.get(row.state, row.state)
    cells = (row.id, row.suite, row.cause, row.severity, days, row.owner, *((state,) if judged else ()), row.about)
    return tuple(visible(cell) for cell in cells)


def _sum(rows: Sequence[ListedException], judged: bool) -> str:
    expired = sum(row.days < 0 for row in rows)
    parts = [count(len(rows), "exception")] + ([f"{expired} expired"] if expired else [])
    if judged:
        parts += [f"{sum(row.state == state for row in rows)} {state}" for state in ("used", "idle", "not tried")]
        none = sum(row.state == "no witness" for row in rows)
        parts += [f"{none} without a witness"] if none else []
        parts.append(f"{count(sum(row.findings for row in rows), 'finding')} tolerated")
    return ", ".join(parts)


@command.command("prune")
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@target_options
@click.option("--report", "report_files", multiple=True, metavar="FILE", help="Reports that replayed the witnesses.")
@click.option("--dry-run", is_flag=True, help="Only list what would be removed; exit with 1 if anything.")
@file_option
def prune(
    suites: tuple[str, ...], target: TargetChoice, report_files: tuple[str, ...], dry_run: bool, file: Path
) -> int:
    """Remove exceptions, and rules of group exceptions, whose witness no longer differs.

    Witnesses are replayed on the named targets, or were replayed by the runs of these reports. Exceptions whose
    witness was not replayed stay.
    """
    _lock_folder(file)
    text, entries = read_text(file, date.today(), CAUSE_CODES)
    reports = [read_report(name) for name in report_files] or [replay_witnesses(target, suites, entries)]
    idle = find_idle(entries, reports)
    text.remove(one.entry.id for one in idle)
    told = [f"{one.entry.id}: {visible(one.entry.about)}: {one.entry.scope['cause']}" for one in idle]
    for entry in entries.entries:
        witness = entries.witnesses.get(entry.id)
        rules = () if entry.id in {one.entry.id for one in idle} else idle_rules(entry, witness, reports)
        if rules:
            text.set_rules(entry.id, [rule for rule in entry.rules if rule not in rules])
            told += [f"{entry.id}: {visible(entry.scope['owner'])}: {visible(str(rule))}" for rule in rules]
    if told and not dry_run:
        text.write(entries.today)
        for one in idle:
            remove_witness(file, one.entry.id)
    click.echo("\n".join([*told, *_list_kept(entries, reports, bool(told)), _removal_summary(len(told), dry_run)]))
    return 1 if dry_run and told else 0


def _list_kept(entries: ExceptionFile, reports: Sequence[Report], told: bool) -> list[str]:
    """List the entries that are kept because no report replayed their witness, with the reason."""
    lines = []
    idle = {one.entry.id for one in find_idle(entries, reports)}
    for rows in zip(*(determine_statuses(entries, report) for report in reports), strict=True):
        if all(row.state in ("not tried", "no witness") for row in rows) and rows[0].entry.id not in idle:
            lines.append(f"{rows[0].entry.id}: kept: {visible(rows[0].why or 'it has no witness')}")
    return [*([""] if told and lines else []), *lines]


def _removal_summary(number: int, dry_run: bool) -> str:
    if not number:
        return "nothing to remove"
    return f"{number:,} to remove" if dry_run else f"{number:,} removed"


@command.command("expire")
@click.option(
    "--within", type=click.IntRange(0, 36500), default=30, show_default=True, metavar="DAYS", help="Days until expiry."
)
@file_option
def expire(within: int, file: Path) -> int:
    """List exceptions that expire soon, by owner. Exits with 1 if there are any."""
    today = date.today()
    due = [
        entry
        for entry in load_exceptions(file, today, CAUSE_CODES).entries
        if entry.until < today + timedelta(days=within)
    ]
    for owner in sorted({entry.owner for entry in due}):
        click.echo(f"{visible(owner)}:")
        for entry in sorted((one for one in due if one.owner == owner), key=lambda one: (one.until, one.key)):
            click.echo(f"  {_when(entry, today)}  {entry.id}  {visible(entry.about)}: {entry.scope['cause']}")
    what = (
        f"{count(len(due), 'exception')} {'expires' if len(due) == 1 else 'expire'}" if due else "no exception expires"
    )
    click.echo(f"{what} within {count(within, 'day')}")
    return 1 if due else 0


def _when(entry: ExceptionSpec, today: date) -> str:
    left = (entry.until - today).days
    return f"{entry.until} ({f'{left} days left' if left >= 0 else 'expired'})"


@command.command("count")
@click.option("--update-ratchet", is_flag=True, help="Lower the ratchet; never raise it.")
@file_option
def count_(update_ratchet: bool, file: Path) -> int:
    """Check the number of exceptions against exceptions.ratchet beside their file: it may only fall.

    Exits with 1 if a suite has more. To allow more, raise the number in the file by hand, so that it is reviewed.
    """
    today = date.today()
    entries = load_exceptions(file, today, CAUSE_CODES).entries
    now, place = ratchet.count(entry.suite for entry in entries), file.parent / ratchet.NAME
    held = ratchet.read_counts(place)
    if update_ratchet:
        held = held.lowered(now, today) if place.exists() else ratchet.first(now, today)
        try:
            ratchet.write_counts(place, held)
        except OSError as error:
            raise HarnessError(f"{place} cannot be written: {error.strerror or error}") from None
    more = held.more(now) if place.exists() else {}
    for suite, number in now.items():
        since = f" since {held.since(suite)}" if held.since(suite) else ""
        limit = f", and at most {held.held(suite)}{since}" if place.exists() else ""
        click.echo(visible(f"{suite}: {count(number, 'exception')}{limit}"))
    for suite in more:
        click.echo(
            f"harness: {visible(suite)} has more exceptions than {visible(str(place))} allows\n"
            "  fix: fix a difference and prune its exception, or raise the number by hand in the same commit",
            err=True,
        )
    return 1 if more else 0
