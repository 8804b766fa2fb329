"""Renders the verdict on a change for the terminal: a line per touched field, and the worst findings in full.

Lines are rich Text, not markup, because they contain text of the tested objects and messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from harness.case import group_version
from harness.report.escaping import compact, count, cut, visible
from harness.report.model.coverage import RuleEntry
from harness.report.model.document import Report, ReportedFinding
from harness.report.model.gaps import allowance_rows, find_open_gaps
from harness.report.model.verification import FieldEntry, UserChange, Verification
from harness.report.text.verdict import fields_worst_first, headline
from harness.report.words import ALARM, DIRECTION, FAULT, FIELD_VERDICT, HINT, SEVERITY

MAX_WIDTH = 160
"""Lines are cut at about this many characters."""
MAX_FIELDS = 16
"""At most this many touched fields have a line of their own."""
MAX_DETAILED = 1
"""At most this many findings, and changes for users, are described in full for one field."""
_MAX_OBJECT = 240


def verdict_screen(report: Report, verification: Verification, written: Sequence[str] = ()) -> list[Text]:
    """Render a verification on one screen, shortened where necessary. `written` are the names of written files."""
    rows = [_headline(report, verification), _revisions(verification)]
    rows += _stale(verification)
    rows += _lint(verification)
    if verification.nothing_touched:
        rows.append(Text(f"nothing was built or searched: {visible(verification.nothing_touched)}"))
        return [*rows, *_foot(report, verification, written)]
    fields = list(fields_worst_first(verification))
    rows += [row for one in fields[:MAX_FIELDS] for row in _field(one)]
    if len(fields) > MAX_FIELDS:
        rows.append(Text(f"  … {count(len(fields) - MAX_FIELDS, 'field')} more; the report has them all"))
    findings = {one.fingerprint: one for one in report.findings}
    changes = {one.fingerprint: one for one in verification.changes}
    for one in fields[:MAX_FIELDS]:
        rows += _field_details(one, findings, changes)
    rows += _findings_elsewhere(verification, findings)
    return [*rows, *_foot(report, verification, written)]


def verdict_rows(report: Report, verification: Verification) -> list[Text]:
    """Render the verdict with a line for each field, finding, stale file and lint finding, for `--quiet`."""
    named = {*verification.elsewhere, *(name for one in verification.fields for name in one.findings)}
    findings = [finding for finding in report.open_findings if finding.fingerprint in named]
    rows = [_headline(report, verification), *_stale(verification), *_lint(verification)]
    rows += [next(_field(one)) for one in list(fields_worst_first(verification))]
    return [*rows, *(next(_finding(finding)) for finding in findings)]


def _headline(report: Report, verification: Verification) -> Text:
    words, style = headline(report)
    row = Text(words, style=style)
    if verification.nothing_touched:
        return row
    fields, known, uncompared = (
        len(some) for some in (verification.fields, verification.known, verification.uncompared)
    )
    verdicts = sum(one.is_verdict for one in verification.changes)
    parts = [count(fields, "field") + " touched", count(report.totals.findings, "finding") + " of its own"]
    parts += [f"{count(verdicts, 'object')} change sides for users"] if verdicts else []
    parts += [f"{count(known, 'finding')} at the base already"] if known else []
    parts += [f"{count(uncompared, 'finding')} not compared with the base"] if uncompared else []
    row.append(": " + ", ".join(parts), style="default")
    return row


def _revisions(verification: Verification) -> Text:
    base, head = verification.base, verification.head
    text = f"  base {base.asked} ({base.commit[:12]} {base.subject})  head {head.asked} (on {head.commit[:12]})"
    return Text(cut(visible(text), MAX_WIDTH), style="dim")


def _stale(verification: Verification) -> Iterator[Text]:
    for one in verification.stale:
        what = "edited by hand" if one.edited else "not generated anew"
        yield Text(visible(f"  STALE  {one.field}: {one.file} is {what}: {one.sentence}"), style=ALARM)
        yield Text(visible(f"         fix: {one.command}"))


def _lint(verification: Verification) -> Iterator[Text]:
    for one in verification.lint:
        yield Text(cut(visible(f"  LINT   {one.place}: {one.code}: {one.message}"), MAX_WIDTH), style=FAULT)
        if one.fix:
            yield Text(cut(visible(f"         fix: {one.fix}"), MAX_WIDTH))


def _field(one: FieldEntry) -> Iterator[Text]:
    verdict = FIELD_VERDICT[one.verdict]
    row = Text("  ")
    row.append(f"{verdict.loud:<11}", style=verdict.style)
    row.append(visible(one.name), style="bold")
    path = one.paths[0].name if one.paths else one.json_name
    more = f" and {count(len(one.paths) - 1, 'path')} more" if len(one.paths) > 1 else ""
    events = ", ".join(dict.fromkeys(f"{why.cause} {why.event}" for why in one.reasons))
    row.append(visible(f"  {path}{more}  ({events})"), style="dim")
    yield row
    if one.verdict == "not-tried":
        yield _label("why", one.why)
        return
    yield _label("tried", _describe_tries(one))
    if one.why:
        yield _label("note", one.why)
    rules = [_describe_rule(rule) for rule in one.rules[:3]]
    if rules:
        more = f"; {count(len(one.rules) - 3, 'rule')} more" if len(one.rules) > 3 else ""
        yield _label("rules", "; ".join(rules) + more)


def _describe_tries(one: FieldEntry) -> str:
    tried = one.effort
    versions = ", ".join(one.versions)
    return (
        f"{count(tried.cases, 'case')}: {count(tried.creates, 'create')}, {count(tried.updates, 'update')} "
        f"({tried.changed:,} change it, {tried.kept:,} keep it); {tried.accepted:,} accepted, rejected there "
        f"{tried.handwritten:,} by handwritten, {tried.declarative:,} by declarative; {tried.compared:,} cases base "
        f"against head; {versions}"
    )


def _describe_rule(rule: RuleEntry) -> str:
    name = rule.tag or rule.origin or rule.type
    level = f" ({rule.level})" if rule.level else ""
    if rule.cannot:
        return f"{name}{level} cannot fire: {rule.cannot}"
    sides = [
        f"{side} {'+'.join(operations) or 'never'}"
        for side, operations in (("declarative", rule.declarative), ("handwritten", rule.handwritten))
    ]
    limit = f" at {rule.limit}" if rule.limit is not None else ""
    accepted = f"accepted{limit}" if rule.accepted else f"not seen accepted{limit}"
    return f"{name}{level} fired {', '.join(sides)}, {accepted}"


def _field_details(
    one: FieldEntry, findings: dict[str, ReportedFinding], changes: dict[str, UserChange]
) -> Iterator[Text]:
    own = [findings[name] for name in one.findings if name in findings and findings[name].exception is None]
    users = [changes[name] for name in one.changes if name in changes]
    if not own and not users:
        return
    yield Text()
    versions = f" ({', '.join(one.versions)})" if one.versions else ""
    yield Text(visible(one.name + versions), style="bold")
    for finding in own[:MAX_DETAILED]:
        yield from _finding(finding)
    verdicts = [one for one in users if one.is_verdict]
    shown = verdicts[:MAX_DETAILED] if own or verdicts else users[:MAX_DETAILED]
    for change in shown:
        yield from _change(change)
    left_out = [count(len(own) - MAX_DETAILED, "finding")] if len(own) > MAX_DETAILED else []
    left_out += [count(len(users) - len(shown), "change") + " for users"] if len(users) > len(shown) else []
    if left_out:
        yield _label("", f"… {' and '.join(left_out)} more of this field; the report has them all")


def _finding(finding: ReportedFinding) -> Iterator[Text]:
    row = Text("   ")
    row.append(finding.severity, style=SEVERITY[finding.severity].style)
    row.append(
        visible(f"  {finding.cause}  {finding.name} {finding.operation}  {finding.path}  [{finding.fingerprint}]")
    )
    yield row
    yield _label("what", finding.detail)
    yield from _objects(finding.case.object, finding.case.old)
    if finding.fix:
        yield _label("fix", finding.fix)
        yield _label("tried", finding.tried)
    if finding.replay:
        yield _label("replay", finding.replay)


def _change(change: UserChange) -> Iterator[Text]:
    row = Text("   ")
    row.append(change.direction, style=DIRECTION[change.direction].of_change)
    settings = f"  ({'; '.join(change.settings)})" if change.settings else ""
    tolerated = "  tolerated" if change.finding.exception else ""
    finding = change.finding
    name = group_version(finding.group, finding.version)
    row.append(visible(f"  {name} {finding.resource} {finding.operation}{settings}  [{change.fingerprint}]{tolerated}"))
    yield row
    yield _label("users", change.sentence)
    yield from _objects(finding.case.object, finding.case.old)
    if change.replay:
        yield _label("replay", change.replay)


def _objects(new: object, old: object) -> Iterator[Text]:
    yield _label("object", compact(new, _MAX_OBJECT))
    if old is not None:
        yield _label("old", "the same" if old == new else compact(old, _MAX_OBJECT))


def _findings_elsewhere(verification: Verification, findings: dict[str, ReportedFinding]) -> Iterator[Text]:
    """Yield findings and changes for users at other fields, which a change can affect too."""
    others = [
        findings[name] for name in verification.elsewhere if name in findings and findings[name].exception is None
    ]
    users = [one for one in verification.changes if not one.fields]
    if others or users:
        yield Text()
        yield Text("Elsewhere on the touched kinds", style="bold")
    for finding in others[:MAX_DETAILED]:
        yield from _finding(finding)
    for change in users[:MAX_DETAILED]:
        yield from _change(change)
    left_out = max(0, len(others) - MAX_DETAILED) + max(0, len(users) - MAX_DETAILED)
    if left_out:
        yield _label("", f"… {left_out:,} more; the report has them all")


def _foot(report: Report, verification: Verification, written: Sequence[str]) -> Iterator[Text]:
    yield Text()
    for sentence in verification.unsearched:
        yield Text(cut(visible(f"not searched: {sentence}"), 4 * MAX_WIDTH), style=HINT)
    for gap in find_open_gaps(report):
        yield Text(
            cut(visible("; ".join([f"not reached: {gap.title}: {gap.sentence}", *gap.blocking(2)])), 2 * MAX_WIDTH)
        )
        yield Text(cut(f"             fix: {gap.advice}", 2 * MAX_WIDTH))
    for row in allowance_rows(report):
        yield Text(cut(row, MAX_WIDTH), style="dim")
    if report.cases:
        yield Text(f"tried: {count(report.cases, 'case')} in {report.seconds:,.0f} s, seed {report.seed}; base against "
                   f"head under {visible(', '.join(verification.settings)) or 'no setting'}")  # fmt: skip
    for note in verification.notes:
        yield Text(cut(visible(f"note: {note}"), MAX_WIDTH), style="dim")
    for name in written:
        yield Text(f"written: {visible(name)}")


def _label(label: str, text: str) -> Text:
    row = Text("     ")
    row.append(f"{label:<8} ", style="dim")
    row.append(cut(visible(text.replace("\n", " ")), 3 * MAX_WIDTH))
    return row
