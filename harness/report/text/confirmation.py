"""Describes what a running server answered to the cases of findings."""

from __future__ import annotations

from collections import Counter

import msgspec

from harness.compare.confirmation import OUTCOMES, Outcome
from harness.report.escaping import count, lines
from harness.report.model.document import Report, ReportedFinding

_OUTCOME: dict[Outcome, str] = {
    "contradicted": "contradicts what we say, which is a defect of the harness",
    "confirmed": "answers as we say under every setting",
    "unreachable": "refuses the request, as we say",
    "not-asked": "was not asked",
}


def describe_outcome(finding: ReportedFinding) -> str:
    """Return what the server answered, as one sentence; empty where none was asked."""
    found = finding.confirmation
    if found is msgspec.UNSET:
        return ""
    return lines(f"{found.server} {_OUTCOME[found.outcome]}{f': {found.reason}' if found.reason else ''}")


def count_outcomes(report: Report) -> dict[Outcome, int]:
    """Count the findings by outcome, worst first; without those outcomes that none has."""
    numbers = Counter(finding.outcome for finding in report.findings if finding.outcome is not None)
    return {outcome: numbers[outcome] for outcome in OUTCOMES if numbers[outcome]}


def summarize_outcomes(report: Report) -> str:
    """Return the numbers of outcomes, as one sentence; empty where no server was asked."""
    numbers = count_outcomes(report)
    if not numbers:
        return ""
    servers = sorted({f.confirmation.server for f in report.findings if f.confirmation is not msgspec.UNSET})
    counted = ", ".join(f"{number:,} {outcome}" for outcome, number in numbers.items())
    return lines(f"{' and '.join(servers)} answered the cases of {count(sum(numbers.values()), 'finding')}: {counted}")


def describe_contradictions(report: Report) -> str:
    """Return why contradicted findings fail a run; empty without any."""
    number = len(report.contradicted)
    return f"a running server contradicts {count(number, 'finding')}, a defect of the harness" if number else ""
