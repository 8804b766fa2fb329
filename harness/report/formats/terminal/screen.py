"""Renders the result of a run on one screen of a terminal.

Lines are rich Text, not markup, because they contain text of the tested objects and messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from rich.text import Text

from harness.report.escaping import count, cut, flat, lines, visible
from harness.report.formats.terminal.change import verdict_rows, verdict_screen
from harness.report.formats.terminal.overview import cause_rows, group_row, move_rows
from harness.report.model.cost import Cost
from harness.report.model.document import Report
from harness.report.model.gaps import allowance_rows, find_open_gaps
from harness.report.model.grouping import Group, by_cause, group
from harness.report.model.tolerance import describe_failing_exception
from harness.report.text.cost import cost_method, sum_tables, worst_tables
from harness.report.text.effort import describe_effort
from harness.report.text.finding import MAX_DETAIL, MAX_DETAILED_GROUPS, describe_groups
from harness.report.text.rules import lost_rows
from harness.report.text.verdict import describe_other_failures, describe_tolerated, headline
from harness.report.words import ALARM, DOUBT, FAULT, HINT, OF_TWO, SEVERITY

MAX_LINES = 60
"""At most about this many lines of the screen."""
MAX_GAPS, MAX_BLOCKING = 4, 4
"""At most this many incomplete kinds, and blocking errors of each, are shown."""
MAX_COST_ROWS = 8
"""At most this many objects of each table of the most expensive objects."""
_SUM_ROW = "{:<15} {:>6} {:>12} {:>9} {:>11} {:>9}   {:<19} {:>6} {:>12}"
_COST_ROW = "  {:<62} {:>9} {:>9} {:>9} {:>10}"
_LABEL_WIDTH = 62


class Verbosity(IntEnum):
    """What is shown: the verdict and a line for each group of findings, one screen, or all groups in full."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


def summary(report: Report, written: Sequence[str] = (), verbosity: Verbosity = Verbosity.NORMAL) -> list[Text]:
    """Render a run: verdict, severities, the worst groups in full, an overview of the others, and the effort.

    A quiet screen has the verdict and a line for each group, a verbose one all groups in full, and the timings.
    """
    if report.verification is not None:
        if verbosity is Verbosity.QUIET:
            return verdict_rows(report, report.verification)
        return verdict_screen(report, report.verification, written)
    groups = group(report.open_findings)
    problems = [Text(f"  {row}", style=ALARM) for row in [describe_other_failures(report)] if row] + _gaps(report)
    if verbosity is Verbosity.QUIET:
        rows = (group_row(one, one.cause) for one in groups)
        return [_headline(report, groups), *problems, *_exceptions(report), *rows]
    head = [_headline(report, groups), *_severities(report), *problems]
    foot = [Text(), *_effort(report), *_exceptions(report)]
    foot += _timings(report) if verbosity is Verbosity.VERBOSE else []
    foot += [Text(f"written: {visible(name)}") for name in written]
    if report.moves:
        body = move_rows(report.moves, MAX_LINES - len(head) - len(foot) - 1)
        body += [Text(f"one at length: {visible(groups[0].first.replay)}")] if groups and groups[0].first.replay else []
    elif verbosity is Verbosity.VERBOSE:
        body = describe_groups(groups, MAX_DETAIL)
    else:
        body = describe_groups(groups[:MAX_DETAILED_GROUPS], MAX_DETAIL)
        rest = groups[MAX_DETAILED_GROUPS:]
        room = MAX_LINES - len(head) - len(body) - len(foot) - 1
        body += [Text(), *cause_rows(rest, room)] if rest else []
    return head + body + foot


def _headline(report: Report, groups: Sequence[Group]) -> Text:
    words, style = headline(report)
    row = Text()
    row.append(words, style=style)
    row.append(f": {visible(report.target.name)}")
    if report.target.release:
        row.append(f" {visible(report.target.release)}")
    row.append(f", {count(report.totals.findings, 'finding')}")
    row.append(describe_tolerated(report))
    if report.coverage is not None and report.coverage.lost:
        row.append(f", {count(len(report.coverage.lost), report.coverage.lost_of)} lost coverage", style=ALARM)
    if groups:
        causes = count(len(by_cause(groups)), "cause")
        row.append(f", {causes} in {count(len(groups), 'group')}")
    return row


def _gaps(report: Report) -> list[Text]:
    """Render what makes the run incomplete: each kind, the errors that block it, and the fix."""
    found, advice = find_open_gaps(report), ""
    rows = []
    for gap in found[:MAX_GAPS]:
        row = Text("  ")
        row.append("not reached  ", style=DOUBT)
        row.append(cut(f"{gap.title}: {gap.sentence}", MAX_DETAIL))
        rows += [row, *(Text(cut(f"               {text}", MAX_DETAIL)) for text in gap.blocking(MAX_BLOCKING))]
        rows += [Text(f"               fix: {gap.advice}")] * (gap.advice != advice)
        advice = gap.advice
    if len(found) > MAX_GAPS:
        others = ", ".join(gap.title for gap in found[MAX_GAPS : MAX_GAPS + 4])
        rows.append(Text(cut(f"  … {count(len(found) - MAX_GAPS, 'more kind')} not reached: {others}", MAX_DETAIL)))
    rows += [Text(f"  {row}", style=HINT) for row in allowance_rows(report)]
    return rows


def _compares_two(report: Report) -> bool:
    """Whether every part compares two targets, or two validators."""
    return bool(report.parts) and all(part.between for part in report.parts)


def _severities(report: Report) -> list[Text]:
    rows = []
    for name, words in SEVERITY.items():
        if name not in report.totals.by_severity:
            continue
        row = Text(f"  {report.totals.by_severity[name]:>5,} ")
        row.append(f"{name:<12}", style=words.style)
        meaning = OF_TWO.get(name, words.meaning) if _compares_two(report) else words.meaning
        row.append(meaning, style="dim")
        rows.append(row)
    return rows


def _effort(report: Report) -> list[Text]:
    first, *rest = describe_effort(report)
    return [Text(f"tried: {first}"), *(Text(f"       {row}") for row in rest)]


def _timings(report: Report) -> Iterator[Text]:
    """Yield the timings of each part. Its phases overlap, so they can add up to more than the total."""
    for part in report.parts:
        spent = part.timings
        yield Text(
            f"timings: {flat(part.subject)}: {part.seconds:,.1f} s; generating {spent.generate:,.1f} s, encoding "
            f"{spent.encode:,.1f} s, waiting for the target {spent.wait:,.1f} s, comparing {spent.compare:,.1f} s; "
            f"{count(part.cases, 'case')}, {part.compared:,} compared, {count(part.restarts, 'restart')} of the worker"
        )


def _exceptions(report: Report) -> list[Text]:
    rows = []
    for word, entry in report.exceptions.failing:
        rows.append(Text(lines(describe_failing_exception(word, entry)), style=FAULT))
    for ratchet in report.coverage.ratchets if report.coverage is not None else ():
        rows += [Text(row, style=FAULT) for row in lost_rows(ratchet)]
    return rows


def cost_screen(cost: Cost) -> list[Text]:
    """Render the cost of validation: the answer, medians, the most expensive objects, and how it was measured."""
    rows = [Text(visible(cost.answer), style="bold"), Text()]
    for head, cells in sum_tables(cost):
        rows += [Text(_SUM_ROW.format(*head), style="dim"), *(Text(_SUM_ROW.format(*row)) for row in cells)]
    for (title, *_), cells in worst_tables(cost, MAX_COST_ROWS):
        rows += [Text(), Text(_COST_ROW.format(title, "handwr.", "rules", "convert", "ratio")[2:], style="dim")]
        rows += [Text(_COST_ROW.format(cut(label, _LABEL_WIDTH), *times)) for label, *times in cells]
    return [*rows, Text(), *(Text(line, style="dim") for line in cost_method(cost))]
