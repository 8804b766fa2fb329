"""Renders a report as SARIF 2.1.0 for code hosts and editors: a rule for every cause, a result for every finding.

Tolerated findings are suppressed results. `build_log` does not depend on a run, so `harness lint` uses it too.

Code hosts reject files that are too large, so the mildest results are left out if necessary, and a notification states
how many. Source: OASIS, Static Analysis Results Interchange Format 2.1.0; GitHub's documentation of its support and
limits (2026-07).
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from harness import __version__
from harness.explain import pages_of
from harness.report.escaping import count, encode_json, visible
from harness.report.model.document import Report, ReportedFinding
from harness.report.text.alerts import Alert, AlertRule, Notice, alerts_of_change, change_rules, level_of, notices
from harness.report.text.finding import describe_briefly, describe_location, locate_check, locate_source
from harness.report.words import LEVELS, meaning_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_RESULTS = 25_000
"""GitHub rejects a run with more results."""
MAX_SHOWN = 5_000
"""GitHub shows at most this many results of a run, the most severe ones."""
MAX_BYTES = 10_000_000
"""GitHub rejects a file that is larger than this when compressed."""

_HOME = "%SRCROOT%"


@dataclass(frozen=True, slots=True)
class Invocation:
    """The run itself: whether it was successful, its exit code, its start (ISO 8601), and its problems."""

    successful: bool
    exit_code: int
    started: str = ""
    notices: tuple[Notice, ...] = ()


def render_sarif(report: Report) -> bytes:
    """Render a report as SARIF 2.1.0."""
    invocation = Invocation(
        successful=report.exit_code in (0, 1),
        exit_code=report.exit_code,
        started=_utc(report.started),
        notices=tuple(notices(report)),
    )
    results = [*alerts_of_change(report), *(_alert(report, finding) for finding in report.findings)]
    log = build_log(_rules(report), results, invocation=invocation, root="the root of the checkout")
    return msgspec.json.format(encode_json(log), indent=1) + b"\n"


def _utc(started: str) -> str:
    """Return a time in UTC in the form that SARIF requires; empty if it is not in UTC."""
    return f"{started[:19]}Z" if started.endswith(("+00:00", "Z")) else ""


def _rules(report: Report) -> list[AlertRule]:
    """Return a rule for each cause of the findings, with the page of the cause as its help."""
    rules = []
    for code in sorted({finding.code for finding in report.findings}):
        pages = pages_of(code)
        causes = [page for page in pages if page.category == "causes"] or pages
        summary = causes[0].summary if causes else f"`harness explain {code}` says what it means."
        rules.append(AlertRule(visible(code), summary, "\n\n".join(page.text for page in causes) or summary))
    return rules + (change_rules(report.verification) if report.verification is not None else [])


def _alert(report: Report, finding: ReportedFinding) -> Alert:
    file, line = locate_source(report, finding)
    check = locate_check(report, finding)
    return Alert(
        rule=visible(finding.code),
        level=level_of(report, finding.severity),
        message=f"{describe_location(finding)}: {meaning_of(finding)}\n{describe_briefly(finding)}",
        file=file,
        line=line,
        fingerprint=finding.fingerprint,
        tolerated=_tolerated(report, finding),
        name=describe_location(finding),
        is_new=report.verification is not None,
        related=() if check is None else ((*check[:2], f"the handwritten check, in {visible(check[2])}"),),
        properties={
            "severity": finding.severity, "mismatch": finding.mismatch, "errorType": finding.type,
            "origin": visible(finding.origin), "gates": finding.gates, "occurrences": finding.occurrences,
            "subject": visible(finding.subject), **({"confirmation": finding.outcome} if finding.outcome else {}),
        },
    )  # fmt: skip


def _tolerated(report: Report, finding: ReportedFinding) -> str:
    if finding.exception is None:
        return ""
    entry = next((one for one in report.exceptions.all_entries if one.id == finding.exception), None)
    if entry is None:
        return visible(f"exception {finding.exception}")
    return visible(f"{entry.reason} (exception {entry.id}, {entry.owner}, until {entry.until})")


def build_log(
    rules: Sequence[AlertRule],
    results: Sequence[Alert],
    *,
    home: str = "",
    invocation: Invocation | None = None,
    root: str = "the folder in which harness was started",
) -> dict[str, Any]:
    """Return a SARIF log with one run.

    `home` is the URL of the pages of the rules, empty without one; `root` describes the folder that paths are relative
    to.
    """
    most = min(len(results), MAX_RESULTS)
    while True:
        kept = _keep_worst(results, most)
        log = _log(rules, kept, home, _add_notices(invocation, len(results), len(kept)), root)
        if not _is_too_large(log) or not most:
            return log
        most //= 2


def _keep_worst(results: Sequence[Alert], most: int) -> list[Alert]:
    """Return at most `most` results, in their order: open ones are preferred to tolerated ones, then severe ones."""
    if len(results) <= most:
        return list(results)
    order = sorted(range(len(results)), key=lambda i: (bool(results[i].tolerated), LEVELS.index(results[i].level), i))
    return [results[index] for index in sorted(order[:most])]


def _is_too_large(log: dict[str, Any]) -> bool:
    data = encode_json(log)
    return len(data) > MAX_BYTES and len(gzip.compress(data, 6)) > MAX_BYTES


def _add_notices(invocation: Invocation | None, total: int, kept: int) -> Invocation | None:
    """Add notices about results that were left out, or that GitHub will not show."""
    notices = []
    if kept < total:
        notices.append(Notice("warning", f"{count(total - kept, 'result')} left out: code hosts refuse larger files"))
    if kept > MAX_SHOWN:
        notices.append(Notice("note", f"GitHub shows {MAX_SHOWN:,} of these {kept:,} results, the most severe ones"))
    if not notices:
        return invocation
    invocation = invocation or Invocation(True, 0)
    all_notices = (*invocation.notices, *notices)
    return Invocation(invocation.successful, invocation.exit_code, invocation.started, all_notices)


def _log(
    rules: Sequence[AlertRule], results: Sequence[Alert], home: str, invocation: Invocation | None, root: str
) -> dict[str, Any]:
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver: dict[str, Any] = {
        "name": "harness",
        "semanticVersion": __version__,
        "rules": [_rule(rule, home) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_HOME: {"description": {"text": root}}},
        "results": [_result(result, index) for result in results],
    }
    if invocation is not None:
        run["invocations"] = [_invocation(invocation)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(invocation: Invocation) -> dict[str, Any]:
    converted: dict[str, Any] = {
        "executionSuccessful": invocation.successful,
        "exitCode": invocation.exit_code,
        "toolExecutionNotifications": [
            {"level": notice.level, "message": {"text": notice.text}} for notice in invocation.notices
        ],
    }
    return converted | ({"startTimeUtc": invocation.started} if invocation.started else {})


def _rule(rule: AlertRule, home: str) -> dict[str, Any]:
    converted: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }
    return converted | ({"helpUri": f"{home}#{rule.id.lower()}"} if home else {})


def _result(result: Alert, index: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(result.file)}
    if result.line:
        physical["region"] = _region(result)
    location: dict[str, Any] = {"physicalLocation": physical}
    if result.name:
        location["logicalLocations"] = [{"fullyQualifiedName": result.name}]
    converted: dict[str, Any] = {
        "ruleId": result.rule,
        "level": result.level,
        # SARIF viewers turn `[text](target)` in a message into a link, and the message is untrusted text.
        "message": {"text": result.message.replace("](", "] (")},
        "locations": [location],
    }
    if result.related:
        converted["relatedLocations"] = [_convert_related(number, *one) for number, one in enumerate(result.related, 1)]
    if result.rule in index:
        converted["ruleIndex"] = index[result.rule]
    if result.fingerprint:
        converted["partialFingerprints"] = {"harness/v1": result.fingerprint}
    if result.tolerated:
        converted["suppressions"] = [{"kind": "external", "status": "accepted", "justification": result.tolerated}]
    if result.is_new:
        converted["baselineState"] = "new"
    if result.properties:
        converted["properties"] = dict(result.properties)
    return converted


def _convert_related(number: int, file: str, line: int, words: str) -> dict[str, Any]:
    place = {"artifactLocation": _artifact(file), "region": {"startLine": line}}
    return {"id": number, "physicalLocation": place, "message": {"text": words}}


def _region(result: Alert) -> dict[str, int]:
    region = {"startLine": result.line}
    if result.column:
        region["startColumn"] = result.column
        region["endColumn"] = result.column + max(1, result.width)
    return region


def _artifact(file: str) -> dict[str, str]:
    path = Path(file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix(), errors="replace"), "uriBaseId": _HOME}
