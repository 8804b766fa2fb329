"""A report as Markdown for the page of a CI job: the verdict, the causes, the smallest objects and how to mend them.

Objects and messages were written by others. In tables and sentences every character that Markdown or HTML reads is
escaped; objects stand in fences longer than any they hold. The page is cut to size from the end, where the mildest
findings stand, and says what was left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from harness.compare.ends import served_after, served_before
from harness.compare.finding import SEVERITIES
from harness.field import FieldError
from harness.reporting import verified
from harness.reporting.alerts import notices, place_of
from harness.reporting.changealerts import change_markdown
from harness.reporting.costtable import cost_method, cost_tables
from harness.reporting.document import Report, ReportedFinding
from harness.reporting.grouping import SEVERITY_MEANING, Group, group
from harness.reporting.headline import also, headline
from harness.reporting.overview import by_cause
from harness.reporting.terminal import counted, describe, effort, tolerated_words
from harness.reporting.text import count, cut, fenced, lines, plain, pretty, visible

LIMIT = 1_000_000
"""Bytes: GitHub shows no summary that is larger than a mebibyte."""

_OBJECT = 6_000  # characters of one object
_SENTENCE = 1_500  # characters of one message
_NOTICES = 30
_PLACES = 40  # rows of the table
_ROOM = 300  # bytes for the line that says what was left out


def render_markdown(report: Report, limit: int = LIMIT) -> str:
    """Write a report as Markdown of at most so many bytes (some hundred at least: the verdict is always there)."""
    groups = group(report.open_findings)
    head = _head(report, groups) + _cost(report)
    blocks = [_block(report, number, one) for number, one in enumerate(groups, 1)]
    foot = _foot(report)
    room = limit - len((head + foot).encode()) - _ROOM
    sizes = accumulate(len(block.encode()) for block in blocks)
    kept = sum(size <= room for size in sizes)
    left = ""
    if kept < len(blocks):
        told = count(sum(one.size for one in groups[kept:]), "finding")
        places = count(len(groups) - kept, "group")
        left = (
            f"\n**{told} in {places} left out here**, the mildest: larger pages are not shown. The report has all.\n\n"
        )
    text = head + "".join(blocks[:kept]) + left + foot
    return text if len(text.encode()) <= limit else _cut(head, limit)


def _cut(head: str, limit: int) -> str:
    """Keep whole lines of the beginning."""
    words = "\n\n**The rest was left out**: no larger page is shown. The report has it all.\n"
    sizes = accumulate(len(line.encode()) for line in head.splitlines(keepends=True))
    fit = sum(size <= limit - len(words) for size in sizes)
    return "".join(head.splitlines(keepends=True)[: max(fit, 1)]).rstrip("\n") + words


def _head(report: Report, groups: Sequence[Group]) -> str:
    change = report.verification
    words = headline(report)[0] if change is None else verified.headline(report, change)
    release = f" {report.target.release}" if report.target.release else ""
    rows = [f"## {plain(f'{words}: {report.target.name}{release}')}", ""]
    told = f"**{count(report.totals.findings, 'finding')}**"
    told += tolerated_words(report)
    if groups:
        told += f", {count(len(by_cause(groups)), 'cause')} in {count(len(groups), 'group')}"
    rows += [f"{told}. {count(report.cases, 'case')} in {report.seconds:.0f} s, seed {report.seed}.", ""]
    rows += [plain(also(report)) + ".", ""] if change is None and also(report) else []
    rows += [plain(verified.lead(report, change)), ""] if change is not None else []
    wrong = list(notices(report))
    rows += [f"- **{notice.level}**: {plain(cut(notice.text, _SENTENCE))}" for notice in wrong[:_NOTICES]]
    rows += [f"- {len(wrong) - _NOTICES:,} more of these; the report has them all"] if len(wrong) > _NOTICES else []
    rows += [""] if wrong else []
    rows += [change_markdown(change)] if change is not None else []
    rows += [*_severities(report), *_causes(groups)]
    return "\n".join(rows) + "\n"


def _cost(report: Report) -> str:
    """Tell what validation costs, where that was measured."""
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
    for name in SEVERITIES:
        if number := report.totals.by_severity.get(name):
            yield f"| {name} | {number:,} | {SEVERITY_MEANING[name]} |"
    yield ""


def _causes(groups: Sequence[Group]) -> Iterator[str]:
    if not groups:
        return
    yield "| cause | worst | findings | place | kinds |"
    yield "|---|---|---:|---|---|"
    for one in groups[:_PLACES]:
        more = f" and {len(one.kinds) - 1} more" if len(one.kinds) > 1 else ""
        cells = plain(one.cause), one.severity, f"{one.size:,}", plain(cut(one.title, 120)), plain(one.kinds[0]) + more
        yield f"| {' | '.join(cells)} |"
    if len(groups) > _PLACES:
        yield f"\n{len(groups) - _PLACES:,} more places; the report has them all."
    yield ""


def _block(report: Report, number: int, one: Group) -> str:
    """Tell the finding that stands for a group, folded: what, why, the smallest object, how to mend and see it."""
    finding = one.first
    file, line = place_of(report, finding)
    title = f"{number}. {one.severity}, {one.cause}: {finding.name} {finding.operation} {finding.path}"
    rows = [f"<details><summary>{plain(title)}</summary>", ""]
    rows += [plain(cut(lines(finding.detail).replace("\n", " "), _SENTENCE)), ""] if finding.detail else []
    if one.size > 1:
        kinds = ", ".join(one.kinds[:8]) + (" and more" if len(one.kinds) > 8 else "")
        rows += [f"{one.size - 1:,} like it on {plain(one.title)}: {plain(kinds)}", ""]
    rows += [fenced("smallest object", "json", pretty(finding.case.object, _OBJECT))]
    if finding.case.old is not None:
        rows.append(fenced("old object", "json", pretty(finding.case.old, _OBJECT)))
    rows += list(_answers(finding))
    rows += [f"**Fix**: {plain(finding.fix)}", ""] if finding.fix else []
    rows += [f"**Declared** at {plain(file)} line {line}", ""] if line else []
    rows += [fenced("replay", "sh", visible(finding.replay))] if finding.replay else []
    return "\n".join([*rows, "</details>", "", ""])


def _answers(finding: ReportedFinding) -> Iterator[str]:
    if finding.answer.failure is not None:
        failure = finding.answer.failure
        at = f"\nat {failure.at}" * bool(failure.at)
        yield fenced("failure", "text", cut(lines(f"{failure.stage}: {failure.message}{at}"), _SENTENCE))
        return
    sides = [("handwritten errors", finding.answer.handwritten), ("declarative errors", finding.answer.declarative)]
    if finding.between:
        served = served_before(finding.answer), served_after(finding.answer)
        sides = [(plain(f"errors of {name}"), errors) for name, errors in zip(finding.between, served, strict=True)]
    for name, errors in sides:
        yield fenced(name, "text", "\n".join(_errors(errors)) or "none")


def _errors(errors: Sequence[FieldError]) -> Iterator[str]:
    told = counted(errors)
    for error, times in told[:8]:
        yield describe(error, _SENTENCE) + (f"  ×{times}" if times > 1 else "")
    if len(told) > 8:
        yield f"… {len(told) - 8} more"


def _foot(report: Report) -> str:
    return "How hard was tried:\n\n" + "".join(f"- {plain(row)}\n" for row in effort(report))
