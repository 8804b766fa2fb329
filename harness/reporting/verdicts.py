"""The verdict on a change, for people at a terminal: one screen, every touched field on it, the worst at length.

Lines are rich Text, never markup, because what they show was written by others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from harness.reporting.coverage import RuleEntry
from harness.reporting.document import Report, ReportedFinding
from harness.reporting.gaps import allowance_rows, open_gaps
from harness.reporting.overview import STYLES
from harness.reporting.text import compact, count, cut, visible
from harness.reporting.verification import FieldEntry, UserChange, Verification

WIDTH = 160
"""Characters of a line, about."""
MOST_FIELDS = 16
"""Touched fields that have a line of their own."""
MOST_TOLD = 1
"""Findings, and changes for users, that are told at length for one field."""
_OBJECT = 240

_WORDS = {"equivalent": ("equivalent", "bold green"), "different": ("DIFFERENT", "bold red"),
          "not-tried": ("NOT TRIED", "bold yellow")}  # fmt: skip
HEADLINES = {
    "equivalent": ("Equivalent as far as we looked", "bold green"),
    "different": ("Not fit to merge as it is", "bold red"),
    "nothing-compared": ("Nothing was compared", "bold red"),
    "incomplete": ("Incomplete: nothing speaks against it, but not everything could be tried", "bold yellow"),
}
_DIRECTIONS = {"newly-rejected": "bold red", "newly-accepted": "bold red", "other-errors": "yellow"}
_ORDER = ("different", "not-tried", "equivalent")


def verdict_screen(report: Report, told: Verification, written: Sequence[str] = ()) -> list[Text]:
    """Tell a verification on one screen; the whole is in the report."""
    rows = [_headline(report, told), _ends(told)]
    if told.nothing_touched:
        rows.append(Text(f"nothing was built or searched: {visible(told.nothing_touched)}"))
        return [*rows, *_foot(report, told, written)]
    rows += _stale(told)
    rows += _lint(told)
    fields = sorted(told.fields, key=lambda one: _ORDER.index(one.verdict))
    rows += [row for one in fields[:MOST_FIELDS] for row in _field(one)]
    if len(fields) > MOST_FIELDS:
        rows.append(Text(f"  … {count(len(fields) - MOST_FIELDS, 'field')} more; the report has them all"))
    findings = {one.fingerprint: one for one in report.findings}
    changes = {one.fingerprint: one for one in told.changes}
    for one in fields[:MOST_FIELDS]:
        rows += _at_length(one, findings, changes)
    rows += _around(told, findings)
    return [*rows, *_foot(report, told, written)]


def verdict_rows(report: Report, told: Verification) -> list[Text]:
    """Tell no more than the verdict, and what speaks against the change."""
    named = {*told.elsewhere, *(name for one in told.fields for name in one.findings)}
    findings = [finding for finding in report.open_findings if finding.fingerprint in named]
    rows = [_headline(report, told), *_stale(told), *_lint(told)]
    rows += [next(_field(one)) for one in sorted(told.fields, key=lambda one: _ORDER.index(one.verdict))]
    return [*rows, *(next(_finding(finding)) for finding in findings)]


def _headline(report: Report, told: Verification) -> Text:
    if told.nothing_touched:
        return Text("Nothing touched", style="bold green")
    words, style = HEADLINES[report.verdict]
    row = Text(words + (" (interrupted)" if report.stopped == "interrupted" else ""), style=style)
    sides = sum(one.is_verdict for one in told.changes)
    parts = [count(len(told.fields), "field") + " touched", count(report.totals.findings, "finding") + " of its own"]
    parts += [f"{count(sides, 'object')} change sides for users"] if sides else []
    parts += [f"{count(len(told.known), 'finding')} at the base already"] if told.known else []
    parts += [f"{count(len(told.uncompared), 'finding')} not compared with the base"] if told.uncompared else []
    row.append(": " + ", ".join(parts), style="default")
    return row


def _ends(told: Verification) -> Text:
    base, head = told.base, told.head
    text = f"  base {base.asked} ({base.commit[:12]} {base.subject})  head {head.asked} (on {head.commit[:12]})"
    return Text(cut(visible(text), WIDTH), style="dim")


def _stale(told: Verification) -> Iterator[Text]:
    for one in told.stale:
        what = "edited by hand" if one.edited else "not generated anew"
        yield Text(visible(f"  STALE  {one.field}: {one.file} is {what}: {one.sentence}"), style="bold red")
        yield Text(visible(f"         fix: {one.command}"))


def _lint(told: Verification) -> Iterator[Text]:
    for one in told.lint:
        yield Text(cut(visible(f"  LINT   {one.place}: {one.code}: {one.message}"), WIDTH), style="red")
        if one.fix:
            yield Text(cut(visible(f"         fix: {one.fix}"), WIDTH))


def _field(one: FieldEntry) -> Iterator[Text]:
    word, style = _WORDS[one.verdict]
    row = Text("  ")
    row.append(f"{word:<11}", style=style)
    row.append(visible(one.name), style="bold")
    where = one.paths[0].name if one.paths else one.json_name
    more = f" and {count(len(one.paths) - 1, 'path')} more" if len(one.paths) > 1 else ""
    events = ", ".join(dict.fromkeys(f"{why.cause} {why.event}" for why in one.reasons))
    row.append(visible(f"  {where}{more}  ({events})"), style="dim")
    yield row
    if one.verdict == "not-tried":
        yield _labelled("why", one.why)
        return
    yield _labelled("tried", _tried(one))
    if one.why:
        yield _labelled("note", one.why)
    rules = [_rule(rule) for rule in one.rules[:3]]
    if rules:
        more = f"; {count(len(one.rules) - 3, 'rule')} more" if len(one.rules) > 3 else ""
        yield _labelled("rules", "; ".join(rules) + more)


def _tried(one: FieldEntry) -> str:
    tried = one.effort
    versions = ", ".join(one.versions)
    return (
        f"{count(tried.cases, 'case')}: {count(tried.creates, 'create')}, {count(tried.updates, 'update')} "
        f"({tried.changed:,} change it, {tried.kept:,} keep it); {tried.accepted:,} accepted, rejected there "
        f"{tried.handwritten:,} by handwritten, {tried.declarative:,} by declarative; {tried.compared:,} cases base "
        f"against head; {versions}"
    )


def _rule(rule: RuleEntry) -> str:
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


def _at_length(one: FieldEntry, findings: dict[str, ReportedFinding], changes: dict[str, UserChange]) -> Iterator[Text]:
    mine = [findings[name] for name in one.findings if name in findings and findings[name].exception is None]
    users = [changes[name] for name in one.changes if name in changes]
    if not mine and not users:
        return
    yield Text()
    versions = f" ({', '.join(one.versions)})" if one.versions else ""
    yield Text(visible(one.name + versions), style="bold")
    for finding in mine[:MOST_TOLD]:
        yield from _finding(finding)
    sides = [one for one in users if one.is_verdict]
    told = sides[:MOST_TOLD] if mine or sides else users[:MOST_TOLD]
    for change in told:
        yield from _change(change)
    left = [count(len(mine) - MOST_TOLD, "finding")] if len(mine) > MOST_TOLD else []
    left += [count(len(users) - len(told), "change") + " for users"] if len(users) > len(told) else []
    if left:
        yield _labelled("", f"… {' and '.join(left)} more of this field; the report has them all")


def _finding(finding: ReportedFinding) -> Iterator[Text]:
    row = Text("   ")
    row.append(finding.severity, style=STYLES[finding.severity])
    row.append(
        visible(f"  {finding.cause}  {finding.name} {finding.operation}  {finding.path}  [{finding.fingerprint}]")
    )
    yield row
    yield _labelled("what", finding.detail)
    yield from _objects(finding.case.object, finding.case.old)
    if finding.fix:
        yield _labelled("fix", finding.fix)
    if finding.replay:
        yield _labelled("replay", finding.replay)


def _change(change: UserChange) -> Iterator[Text]:
    row = Text("   ")
    row.append(change.direction, style=_DIRECTIONS[change.direction])
    settings = f"  ({'; '.join(change.settings)})" if change.settings else ""
    tolerated = "  tolerated" if change.finding.exception else ""
    finding = change.finding
    name = f"{finding.group}/{finding.version}".lstrip("/")
    row.append(visible(f"  {name} {finding.resource} {finding.operation}{settings}  [{change.fingerprint}]{tolerated}"))
    yield row
    yield _labelled("users", change.sentence)
    yield from _objects(finding.case.object, finding.case.old)
    if change.replay:
        yield _labelled("replay", change.replay)


def _objects(new: object, old: object) -> Iterator[Text]:
    yield _labelled("object", compact(new, _OBJECT))
    if old is not None:
        yield _labelled("old", "the same" if old == new else compact(old, _OBJECT))


def _around(told: Verification, findings: dict[str, ReportedFinding]) -> Iterator[Text]:
    """What shows at no touched field: a change may reach further than what was read of it."""
    loose = [findings[name] for name in told.elsewhere if name in findings and findings[name].exception is None]
    users = [one for one in told.changes if not one.fields]
    if loose or users:
        yield Text()
        yield Text("Elsewhere on the touched kinds", style="bold")
    for finding in loose[:MOST_TOLD]:
        yield from _finding(finding)
    for change in users[:MOST_TOLD]:
        yield from _change(change)
    left = max(0, len(loose) - MOST_TOLD) + max(0, len(users) - MOST_TOLD)
    if left:
        yield _labelled("", f"… {left:,} more; the report has them all")


def _foot(report: Report, told: Verification, written: Sequence[str]) -> Iterator[Text]:
    yield Text()
    for sentence in told.unsearched:
        yield Text(cut(visible(f"not searched: {sentence}"), 4 * WIDTH), style="yellow")
    for gap in open_gaps(report):
        yield Text(cut(visible("; ".join([f"not reached: {gap.title}: {gap.sentence}", *gap.blocking(2)])), 2 * WIDTH))
        yield Text(cut(f"             fix: {gap.advice}", 2 * WIDTH))
    for row in allowance_rows(report):
        yield Text(cut(row, WIDTH), style="dim")
    if report.cases:
        yield Text(f"tried: {count(report.cases, 'case')} in {report.seconds:,.0f} s, seed {report.seed}; base against "
                   f"head under {visible(', '.join(told.settings)) or 'no setting'}")  # fmt: skip
    for note in told.notes:
        yield Text(cut(visible(f"note: {note}"), WIDTH), style="dim")
    for name in written:
        yield Text(f"written: {visible(name)}")


def _labelled(label: str, text: str) -> Text:
    row = Text("     ")
    row.append(f"{label:<8} ", style="dim")
    row.append(cut(visible(text.replace("\n", " ")), 3 * WIDTH))
    return row
