"""Renders a report as Markdown for the page of a CI job: verdict, causes, smallest objects, and fixes.

Objects and messages are untrusted text. In tables and sentences, characters with a meaning in Markdown or HTML are
escaped; objects are in fences longer than any fence inside them. If the page is too long, the mildest findings at its
end are left out, and it states how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from harness.compare.two_servers import served_after, served_before
from harness.field import FieldError
from harness.report.escaping import count, cut, fence, lines, plain, pretty, visible
from harness.report.model.document import Report, ReportedFinding
from harness.report.model.grouping import Group, by_cause, group
from harness.report.model.verification import UserChange, Verification
from harness.report.text.alerts import notices
from harness.report.text.confirmation import describe_outcome
from harness.report.text.cost import cost_method, cost_tables
from harness.report.text.effort import describe_effort
from harness.report.text.finding import count_equal, describe_certainty, describe_error, locate_source
from harness.report.text.verdict import (
    change_title,
    describe_field_effort,
    describe_other_failures,
    describe_tolerated,
    fields_worst_first,
    headline,
    summarize_change,
)
from harness.report.words import DIRECTION, FIELD_VERDICT, SEVERITY

LIMIT = 1_000_000
"""GitHub shows no summary that is larger than a mebibyte. Units: bytes."""

_MAX_OBJECT = 6_000  # characters of an object of a finding
_MAX_SENTENCE = 1_500  # characters of a message
_MAX_NOTICES = 30
_MAX_GROUPS = 40  # rows of the table of causes
_MAX_ERRORS = 8  # errors of a list
_MAX_KINDS = 8  # kinds that a group names
_MAX_CHANGE_OBJECT = 3_000  # characters of an object of a change for users
_MAX_CHANGE_SENTENCE = 600
_MAX_CHANGES = 30
_MAX_FIELDS = 100
_RESERVED = 300  # bytes for the line about the findings that were left out


def render_markdown(report: Report, limit: int = LIMIT) -> str:
    """Render a report as Markdown of at most `limit` bytes, but always with the verdict, which takes a few hundred."""
    groups = group(report.open_findings)
    head = _head(report, groups) + _cost(report)
    blocks = [_block(report, number, one) for number, one in enumerate(groups, 1)]
    foot = _foot(report)
    room = limit - len((head + foot).encode()) - _RESERVED
    sizes = accumulate(len(block.encode()) for block in blocks)
    kept = sum(size <= room for size in sizes)
    left = ""
    if kept < len(blocks):
        findings = count(sum(one.size for one in groups[kept:]), "finding")
        number = count(len(groups) - kept, "group")
        left = f"\n**{findings} in {number} left out here**, the mildest: larger pages are not shown. "
        left += "The report has all.\n\n"
    text = head + "".join(blocks[:kept]) + left + foot
    return text if len(text.encode()) <= limit else _cut(head, limit)


def _cut(head: str, limit: int) -> str:
    """Return as many lines of the beginning as fit, with a remark that the rest was left out."""
    remark = "\n\n**The rest was left out**: no larger page is shown. The report has it all.\n"
    sizes = accumulate(len(line.encode()) for line in head.splitlines(keepends=True))
    fit = sum(size <= limit - len(remark) for size in sizes)
    return "".join(head.splitlines(keepends=True)[: max(fit, 1)]).rstrip("\n") + remark


def _head(report: Report, groups: Sequence[Group]) -> str:
    change = report.verification
    release = f" {report.target.release}" if report.target.release else ""
    rows = [f"## {plain(f'{headline(report)[0]}: {report.target.name}{release}')}", ""]
    totals = f"**{count(report.totals.findings, 'finding')}**"
    totals += describe_tolerated(report)
    if groups:
        totals += f", {count(len(by_cause(groups)), 'cause')} in {count(len(groups), 'group')}"
    rows += [f"{totals}. {count(report.cases, 'case')} in {report.seconds:.0f} s, seed {report.seed}.", ""]
    failures = describe_other_failures(report)
    rows += [plain(failures) + ".", ""] if change is None and failures else []
    rows += [plain(summarize_change(report, change)), ""] if change is not None else []
    problems = list(notices(report))
    more = len(problems) - _MAX_NOTICES
    rows += [f"- **{notice.level}**: {plain(cut(notice.text, _MAX_SENTENCE))}" for notice in problems[:_MAX_NOTICES]]
    rows += [f"- {more:,} more of these; the report has them all"] if more > 0 else []
    rows += [""] if problems else []
    rows += [change_markdown(change)] if change is not None else []
    rows += [*_severities(report), *_causes(groups)]
    return "\n".join(rows) + "\n"


def _cost(report: Report) -> str:
    """Render the section on the cost of validation; empty if it was not measured."""
    if report.cost is None:
        return ""
    rows = ["## What declarative validation costs", "", plain(report.cost.answer) + ".", ""]
    for head, cells in cost_tables(report.cost):
        rows += [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
        rows += [*(f"| {' | '.join(map(plain, row))} |" for row in cells), ""]
    return "\n".join([*rows, *(f"- {plain(line)}" for line in cost_method(report.cost)), "", ""])


def _severities(report: Report) -> Iterator[str]:
    if not report.totals.by_severity:
        return
    yield "| severity | findings | meaning |"
    yield "|---|---:|---|"
    for name, words in SEVERITY.items():
        if number := report.totals.by_severity.get(name):
            yield f"| {name} | {number:,} | {words.summary} |"
    yield ""


def _causes(groups: Sequence[Group]) -> Iterator[str]:
    if not groups:
        return
    yield "| cause | worst | findings | place | kinds |"
    yield "|---|---|---:|---|---|"
    for one in groups[:_MAX_GROUPS]:
        more = f" and {len(one.kinds) - 1} more" if len(one.kinds) > 1 else ""
        cells = plain(one.cause), one.severity, f"{one.size:,}", plain(cut(one.title, 120)), plain(one.kinds[0]) + more
        yield f"| {' | '.join(cells)} |"
    if len(groups) > _MAX_GROUPS:
        yield f"\n{len(groups) - _MAX_GROUPS:,} more places; the report has them all."
    yield ""


def _block(report: Report, number: int, one: Group) -> str:
    """Render the first finding of a group, folded: the difference, the smallest object, the fix, and its replay."""
    finding = one.first
    file, line = locate_source(report, finding)
    title = f"{number}. {one.severity}, {one.cause}: {finding.name} {finding.operation} {finding.path}"
    rows = [f"<details><summary>{plain(title)}</summary>", ""]
    rows += [plain(cut(lines(finding.detail).replace("\n", " "), _MAX_SENTENCE)), ""] if finding.detail else []
    if one.size > 1:
        kinds = ", ".join(one.kinds[:_MAX_KINDS]) + (" and more" if len(one.kinds) > _MAX_KINDS else "")
        rows += [f"{one.size - 1:,} like it on {plain(one.title)}: {plain(kinds)}", ""]
    rows += [fence("smallest object", "json", pretty(finding.case.object, _MAX_OBJECT))]
    if finding.case.old is not None:
        rows.append(fence("old object", "json", pretty(finding.case.old, _MAX_OBJECT)))
    rows += list(_answers(finding))
    certainty = describe_certainty(finding)
    rows += [f"**Certainty**: {plain(certainty)}", ""] if certainty else []
    rows += [f"**Fix**: {plain(finding.fix)} (tried: {plain(finding.tried)})", ""] if finding.fix else []
    outcome = describe_outcome(finding)
    rows += [f"**Server**: {plain(cut(outcome, _MAX_SENTENCE))}", ""] if outcome else []
    rows += [f"**Declared** at {plain(file)} line {line}", ""] if line else []
    rows += [fence("replay", "sh", visible(finding.replay))] if finding.replay else []
    return "\n".join([*rows, "</details>", "", ""])


def _answers(finding: ReportedFinding) -> Iterator[str]:
    if finding.answer.failure is not None:
        failure = finding.answer.failure
        at = f"\nat {failure.at}" * bool(failure.at)
        yield fence("failure", "text", cut(lines(f"{failure.stage}: {failure.message}{at}"), _MAX_SENTENCE))
        return
    sides = [("handwritten errors", finding.answer.handwritten), ("declarative errors", finding.answer.declarative)]
    if finding.between:
        served = served_before(finding.answer), served_after(finding.answer)
        sides = [(plain(f"errors of {name}"), errors) for name, errors in zip(finding.between, served, strict=True)]
    for name, errors in sides:
        yield fence(name, "text", "\n".join(_errors(errors)) or "none")


def _errors(errors: Sequence[FieldError]) -> Iterator[str]:
    counted = count_equal(errors)
    for error, times in counted[:_MAX_ERRORS]:
        yield describe_error(error, _MAX_SENTENCE) + (f"  ×{times}" if times > 1 else "")
    if len(counted) > _MAX_ERRORS:
        yield f"… {len(counted) - _MAX_ERRORS} more"


def _foot(report: Report) -> str:
    return "How hard was tried:\n\n" + "".join(f"- {plain(row)}\n" for row in describe_effort(report))


def change_markdown(verification: Verification) -> str:
    """Render the verdict on every touched field, the changes for users, and the problems of the change itself."""
    rows = [f"- **not searched**: {plain(text)}" for text in verification.unsearched]
    rows += [
        f"- **stale**: {plain(one.sentence)} ({plain(one.place)}): {plain(one.command)}" for one in verification.stale
    ]
    rows += [f"- **lint** {plain(one.code)} ({plain(one.place)}): {plain(one.message)}" for one in verification.lint]
    rows += [""] if rows else []
    fields = list(fields_worst_first(verification))
    if fields:
        rows += ["| field | verdict | how hard it was tried |", "|---|---|---|"]
        for field in fields[:_MAX_FIELDS]:
            why = plain(cut(field.why, _MAX_CHANGE_SENTENCE)) or describe_field_effort(field.effort)
            rows.append(f"| {plain(field.name)} | {FIELD_VERDICT[field.verdict].marked} | {why} |")
        more = len(fields) - _MAX_FIELDS
        rows += [f"\n{more:,} more fields; the report has them all."] if more > 0 else []
        rows.append("")
    rows += [_user_change(change) for change in verification.changes[:_MAX_CHANGES]]
    more = len(verification.changes) - _MAX_CHANGES
    rows += [f"{more:,} more changes for users; the report has them all.", ""] if more > 0 else []
    return "\n".join(rows) + "\n" if rows else ""


def _user_change(change: UserChange) -> str:
    title = f"{change_title(change)}: {DIRECTION[change.direction].words}"
    rows = [f"<details><summary>{plain(title)}</summary>", "", plain(cut(change.sentence, _MAX_CHANGE_SENTENCE)), ""]
    rows.append(fence("smallest object", "json", pretty(change.finding.case.object, _MAX_CHANGE_OBJECT)))
    if change.finding.case.old is not None:
        rows.append(fence("old object", "json", pretty(change.finding.case.old, _MAX_CHANGE_OBJECT)))
    for name, errors in (("before", change.before), ("after", change.after)):
        listed = "\n".join(describe_error(error, _MAX_CHANGE_SENTENCE) for error in errors[:_MAX_ERRORS])
        rows.append(fence(name, "text", listed or "accepted"))
    rows += [fence("replay", "sh", visible(change.replay))] if change.replay else []
    return "\n".join([*rows, "</details>", ""])
