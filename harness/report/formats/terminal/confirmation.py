"""Renders what a running server answered to the cases of a report on one screen of a terminal."""

from __future__ import annotations

from collections import Counter

import msgspec
from rich.text import Text

from harness.compare.confirmation import OUTCOMES
from harness.report.escaping import count, cut
from harness.report.formats.terminal.screen import Verbosity
from harness.report.model.document import Report, ReportedFinding
from harness.report.text.confirmation import describe_contradictions, summarize_outcomes
from harness.report.text.finding import MAX_DETAIL, describe_fully, describe_location
from harness.report.words import ALARM, GOOD, SEVERITY

_MAX_FULL, _MAX_NAMED = 3, 20
"""At most this many contradicted findings are described in full, and at most this many others are named."""
_MAX_REASONS = 8
"""At most this many reasons why requests are refused, or were not asked."""


def confirmation_screen(report: Report, verbosity: Verbosity = Verbosity.NORMAL) -> list[Text]:
    """Render the numbers by severity and outcome, each contradicted finding, and why requests are refused."""
    head = describe_contradictions(report)
    rows = [Text(f"Contradicted: {head}", style=ALARM) if head else Text("No finding is contradicted", style=GOOD)]
    rows.append(Text(summarize_outcomes(report)))
    if verbosity is Verbosity.QUIET:
        return [*rows, *(_name(finding) for finding in report.contradicted)]
    rows += [Text(), *_table(report)]
    most = len(report.contradicted) if verbosity is Verbosity.VERBOSE else _MAX_FULL
    for finding in report.contradicted[:most]:
        rows += [Text(), *describe_fully(finding)]
    rest = report.contradicted[most:]
    rows += [Text(), *map(_name, rest[:_MAX_NAMED])] if rest else []
    more = len(rest) - _MAX_NAMED
    rows += [Text(f"… {count(more, 'more finding')}; the report has them all")] if more > 0 else []
    return rows + _reasons(report)


def _name(finding: ReportedFinding) -> Text:
    return Text(f"  {finding.severity:<12} {describe_location(finding)}  [{finding.fingerprint}]")


def _table(report: Report) -> list[Text]:
    """Render the number of findings of each severity and outcome."""
    numbers = Counter((finding.severity, finding.outcome) for finding in report.findings)
    rows = [Text(f"  {'':<12}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES), style="dim")]
    for severity, words in SEVERITY.items():
        own = [numbers[severity, outcome] for outcome in OUTCOMES]
        if any(own):
            row = Text("  ")
            row.append(f"{severity:<12}", style=words.style)
            rows.append(row.append("".join(f"{number:>14,}" for number in own)))
    return rows


def _reasons(report: Report) -> list[Text]:
    """Render why requests are refused or were not asked, the most frequent reason first."""
    found = [finding.confirmation for finding in report.findings if finding.confirmation is not msgspec.UNSET]
    shown = [one for one in found if one.outcome in ("unreachable", "not-asked")]
    reasons = Counter((one.outcome, one.reason.partition(":")[0]) for one in shown)
    examples = {(one.outcome, one.reason.partition(":")[0]): one.reason for one in reversed(shown)}
    rows = [Text()] * bool(reasons)
    for (outcome, reason), number in reasons.most_common(_MAX_REASONS):
        example = examples[outcome, reason]
        words = example if number == 1 or example == reason else f"{reason}, such as {example.removeprefix(reason)[2:]}"
        rows.append(Text(cut(f"  {number:>5,} {outcome}: {words}", MAX_DETAIL)))
    more = len(reasons) - _MAX_REASONS
    return rows + ([Text(f"        … {count(more, 'other reason')}")] if more > 0 else [])
