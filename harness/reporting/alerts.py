"""A report as alerts beside the code: SARIF for code hosts, annotations for the change that is looked at.

Both name the line of the tag concerned, or of the field, by its path in the checkout. SARIF has every finding,
tolerated ones as suppressed; annotations are few and short, so one stands for all findings of a cause on one type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from harness.compare.finding import SEVERITIES, Severity
from harness.explain import pages_of
from harness.reporting.annotations import commands
from harness.reporting.changealerts import change_results, change_rules
from harness.reporting.document import Report, ReportedFinding
from harness.reporting.gaps import allowance_rows, open_gaps
from harness.reporting.grouping import SEVERITY_MEANING, Group, group
from harness.reporting.sarif import Invocation, Level, Notice, SarifResult, SarifRule, sarif
from harness.reporting.terminal import where
from harness.reporting.text import compact, count, cut, encode_json, lines, visible
from harness.reporting.tolerance import must_go

LEVELS: dict[Severity, Level] = {
    "verdict": "error",
    "graduation": "error",
    "visible": "warning",
    "shadow": "note",
    "unreachable": "note",
}
"""What a severity is to a code host: an error changes what is accepted, a warning is seen by users."""

NOWHERE = "equivalence_exceptions.yaml"
"""Code hosts refuse a finding without a file: where no type is known, the place where it would be tolerated."""

_OBJECT = 600  # characters of an object in a message
_STAGING = "staging/src/"
_KUBERNETES = "k8s.io/kubernetes/"


def render_sarif(report: Report) -> bytes:
    """Write a report as SARIF 2.1.0: a rule for every cause, a result for every finding."""
    invocation = Invocation(
        successful=report.exit_code in (0, 1),
        exit_code=report.exit_code,
        started=_utc(report.started),
        notices=tuple(notices(report)),
    )
    results = [*_changed(report), *(_result(report, finding) for finding in report.findings)]
    log = sarif(_rules(report), results, invocation=invocation, root="the root of the checkout")
    return msgspec.json.format(encode_json(log), indent=1) + b"\n"


def render_annotations(report: Report) -> str:
    """Write a report as commands that GitHub turns into annotations, within its limits."""
    told = [SarifResult("harness", notice.level, notice.text, "") for notice in notices(report)]
    told += [one for one in _changed(report) if not one.tolerated]
    told += [_annotation(report, one) for one in group(report.open_findings)]
    return "".join(f"{line}\n" for line in commands(told))


def notices(report: Report) -> Iterator[Notice]:
    """Say what is wrong with a run besides its findings."""
    if report.stopped == "interrupted":
        yield Notice("warning", "the run was interrupted: findings that would have come later are missing")
    if report.verdict == "nothing-compared" and report.exit_code:
        yield Notice("error", "nothing was compared, which proves nothing")
    if report.stopped_detail:
        yield Notice("error", lines(report.stopped_detail))
    for kind in report.kinds:
        if kind.error:
            yield Notice("error", visible(f"{kind.name} {kind.operation}: the search stopped: {kind.error}"))
    for gap in open_gaps(report):
        blocking = "".join(f"; {text}" for text in gap.blocking(4))
        yield Notice("error", f"{gap.title}: {gap.sentence}{blocking}; fix: {gap.advice}")
    for row in allowance_rows(report):
        yield Notice("note", row)
    if report.composition_differences:
        differences = count(report.composition_differences, "case")
        yield Notice("error", f"in {differences} the target served another list than the rules of composition say")
    for word, entry in report.exceptions.failing:
        yield Notice("error", lines(must_go(word, entry)))
    for ratchet in report.coverage.ratchets if report.coverage is not None else ():
        for lost in ratchet.lost:
            yield Notice("error", visible(f"lost coverage: {lost.rule} is no longer {', '.join(lost.marks)}"))


def _changed(report: Report) -> list[SarifResult]:
    """What is to be said of a change besides its findings."""
    if report.verification is None:
        return []
    results = change_results(report.verification)
    return [replace(one, file=_in_checkout(one.file) or NOWHERE, is_new=True) for one in results]


def _utc(started: str) -> str:
    """A time of day as SARIF wants it; nothing where it is none."""
    return f"{started[:19]}Z" if started.endswith(("+00:00", "Z")) else ""


def _rules(report: Report) -> list[SarifRule]:
    """One rule for each cause among the findings, with its page as help."""
    rules = []
    for code in sorted({finding.code for finding in report.findings}):
        pages = pages_of(code)
        causes = [page for page in pages if page.category == "causes"] or pages
        words = causes[0].summary if causes else f"`harness explain {code}` says what it means."
        rules.append(SarifRule(visible(code), words, "\n\n".join(page.text for page in causes) or words))
    return rules + (change_rules(report.verification) if report.verification is not None else [])


def _result(report: Report, finding: ReportedFinding) -> SarifResult:
    file, line = place_of(report, finding)
    return SarifResult(
        rule=visible(finding.code),
        level=_level(report, finding.severity),
        message=f"{where(finding)}: {_meaning(finding)}\n{told(finding)}",
        file=file,
        line=line,
        fingerprint=finding.fingerprint,
        tolerated=_tolerated(report, finding),
        name=where(finding),
        is_new=report.verification is not None,
        properties={
            "severity": finding.severity, "mismatch": finding.mismatch, "errorType": finding.type,
            "origin": visible(finding.origin), "gates": finding.gates, "occurrences": finding.occurrences,
            "subject": visible(finding.subject),
        },
    )  # fmt: skip


def _level(report: Report, severity: Severity) -> Level:
    """What a severity is to a code host: no error where it does not fail the run."""
    is_milder = SEVERITIES.index(severity) > SEVERITIES.index(report.policy.fail_on)
    return "warning" if is_milder and LEVELS[severity] == "error" else LEVELS[severity]


def _tolerated(report: Report, finding: ReportedFinding) -> str:
    if finding.exception is None:
        return ""
    entry = next((one for one in report.exceptions.every if one.id == finding.exception), None)
    if entry is None:
        return visible(f"exception {finding.exception}")
    return visible(f"{entry.reason} (exception {entry.id}, {entry.owner}, until {entry.until})")


def _annotation(report: Report, one: Group) -> SarifResult:
    finding = one.first
    file, line = place_of(report, finding)
    more = f" and {one.size - 1:,} like it" if one.size > 1 else ""
    message = f"{where(finding)}{more}: {_meaning(finding)}\n{told(finding)}"
    title = f"{one.severity}, {visible(one.cause)}: {visible(one.title)}"
    return SarifResult(title, _level(report, one.severity), message, file if line else "", line)


def _meaning(finding: ReportedFinding) -> str:
    return SEVERITY_MEANING[finding.severity]


def told(finding: ReportedFinding) -> str:
    """Tell a finding in lines: what, the smallest object, how to mend it, how to see it again."""
    rows = [cut(lines(finding.detail), 2 * _OBJECT)] if finding.detail else []
    rows.append(f"object: {compact(finding.case.object, _OBJECT)}")
    if finding.case.old is not None:
        rows.append(f"old: {compact(finding.case.old, _OBJECT)}")
    rows += [f"fix: {lines(finding.fix)}"] if finding.fix else []
    rows += [f"replay: {visible(finding.replay)}"] if finding.replay else []
    return "\n".join(rows)


def place_of(report: Report, finding: ReportedFinding) -> tuple[str, int]:
    """Return the file in the checkout and the line of the tag concerned, else of the field; 0 where it is unknown."""
    file, _, number = (finding.rule_source or finding.source).rpartition(":")
    if file and number.isdecimal():
        return _in_checkout(file), int(number)
    package = finding.owner.rpartition(".")[0]
    if package and finding.version:
        return _in_checkout(f"{package}/{finding.version}/types.go"), 0
    reaches = {part.subject: part.reach for part in report.parts}
    reach = reaches.get(finding.subject)
    return (f"{reach.location}/suite.py" if reach is not None and reach.kind == "suite" else NOWHERE), 0


def _in_checkout(file: str) -> str:
    """Where a checkout of Kubernetes has a file that is named by the import path of its package."""
    if file.startswith(_KUBERNETES):
        return file.removeprefix(_KUBERNETES)
    return f"{_STAGING}{file}" if file.startswith("k8s.io/") else file
