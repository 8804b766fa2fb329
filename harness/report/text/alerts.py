"""Converts a report to alerts for code hosts: findings, problems of a change, and problems of the run itself.

An alert points at the line of a tag or of a field, by its path in the checkout. It is independent of the code host: the
formats SARIF and annotations render it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.compare.finding import Severity
from harness.report.escaping import count, cut, lines, pretty, visible
from harness.report.model.document import Report
from harness.report.model.gaps import allowance_rows, find_open_gaps
from harness.report.model.tolerance import describe_failing_exception
from harness.report.model.verification import Verification
from harness.report.text.confirmation import describe_outcome
from harness.report.text.finding import FALLBACK_FILE, describe_location, path_in_checkout
from harness.report.text.verdict import change_title
from harness.report.words import DIRECTION, SEVERITY, Level, rank

STALE = "stale-generated-code"
"""The id of the rule that generated code is up to date."""
_MAX_OBJECT = 600
"""At most this many characters of an object are part of a message."""
_MAX_CONTRADICTION = 1200
"""At most this many characters of what a server answers."""


@dataclass(frozen=True, slots=True)
class AlertRule:
    """The rule of an alert: an id that does not change, a sentence, and a page in Markdown."""

    id: str
    summary: str
    help: str
    level: Level = "warning"


@dataclass(frozen=True, slots=True)
class Alert:
    """A finding at a line of a file. Units: lines and columns count from 1 in characters, 0 means unknown.

    `file` is relative to the current folder if it is inside. `fingerprint` identifies the finding as long as the text
    of its line does not change, even if the line moves. `tolerated` is the reason why the finding is tolerated. `name`
    is the kind, operation and field of a finding. `is_new`: the base of the change does not have it. `related` are
    other lines of it: file, line, and what is there. `properties` are further facts for programs.
    """

    rule: str
    level: Level
    message: str
    file: str
    line: int = 0
    column: int = 0
    width: int = 0
    fingerprint: str = ""
    tolerated: str = ""
    name: str = ""
    is_new: bool = False
    related: tuple[tuple[str, int, str], ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """A problem of the run itself, which belongs to no file."""

    level: Level
    text: str


def notices(report: Report) -> Iterator[Notice]:
    """Yield the problems of a run besides its findings."""
    if report.stopped == "interrupted":
        yield Notice("warning", "the run was interrupted: findings that would have come later are missing")
    if report.verdict == "nothing-compared" and report.exit_code:
        yield Notice("error", "nothing was compared, which proves nothing")
    if report.stopped_detail:
        yield Notice("error", lines(report.stopped_detail))
    for kind in report.kinds:
        if kind.error:
            yield Notice("error", visible(f"{kind.name} {kind.operation}: the search stopped: {kind.error}"))
    for gap in find_open_gaps(report):
        blocking = "".join(f"; {text}" for text in gap.blocking(4))
        yield Notice("error", f"{gap.title}: {gap.sentence}{blocking}; fix: {gap.advice}")
    for row in allowance_rows(report):
        yield Notice("note", row)
    if report.composition_differences:
        differences = count(report.composition_differences, "case")
        yield Notice("error", f"in {differences} the target served another list than the rules of composition say")
    for finding in report.contradicted:
        text = f"{describe_location(finding)} [{finding.fingerprint}]: {describe_outcome(finding)}"
        yield Notice("error", cut(lines(text), _MAX_CONTRADICTION))
    for word, entry in report.exceptions.failing:
        yield Notice("error", lines(describe_failing_exception(word, entry)))
    for ratchet in report.coverage.ratchets if report.coverage is not None else ():
        for lost in ratchet.lost:
            yield Notice("error", visible(f"lost coverage: {lost.rule} is no longer {', '.join(lost.marks)}"))


def alerts_of_change(report: Report) -> list[Alert]:
    """Return the problems of a change besides the findings of the search."""
    if report.verification is None:
        return []
    results = change_alerts(report.verification)
    return [replace(one, file=path_in_checkout(one.file) or FALLBACK_FILE, is_new=True) for one in results]


def level_of(report: Report, severity: Severity) -> Level:
    """Return the level of a severity on a code host: at most a warning if it does not fail the run."""
    level = SEVERITY[severity].level
    is_milder = rank(severity) > rank(report.policy.fail_on)
    return "warning" if is_milder and level == "error" else level


def change_rules(verification: Verification) -> list[AlertRule]:
    """Return the rules of the alerts of a change, in a fixed order."""
    seen = {one.direction for one in verification.changes}
    rules = [
        (str(name), f"An object {row.words}." if name != "other-errors" else "An object is rejected with other errors.")
        for name, row in DIRECTION.items()
        if name in seen
    ]
    if verification.stale:
        rules.append((STALE, "Generated code does not say what the tags do: it was not generated anew."))
    for code in sorted({one.code for one in verification.lint}):
        rules.append((code, f"`harness explain {code}` says what it means."))
    return [AlertRule(visible(name), sentence, sentence) for name, sentence in rules]


def change_alerts(verification: Verification) -> Iterator[Alert]:
    """Yield an alert for each difference for users, each stale generated file, and each lint finding of a change."""
    for change in verification.changes:
        level: Level = "error" if change.is_verdict else "warning"
        message = f"{change_title(change)}: {DIRECTION[change.direction].words}\n{lines(change.sentence)}"
        message += f"\nobject: {pretty(change.finding.case.object, _MAX_OBJECT)}"
        message += f"\nreplay: {visible(change.replay)}" if change.replay else ""
        file, line = _split_position(change.finding.rule_source or change.finding.source)
        yield Alert(change.direction, level, message, file, line, fingerprint=change.fingerprint,
                     tolerated=f"exception {change.finding.exception}" if change.finding.exception else "")  # fmt: skip
    for one in verification.stale:
        file, line = _split_position(one.place)
        yield Alert(STALE, "error", f"{lines(one.sentence)}\nfix: {visible(one.command)}", file or one.file, line)
    for lint in verification.lint:
        file, line = _split_position(lint.place)
        message = lines(lint.message) + (f"\nfix: {lines(lint.fix)}" if lint.fix else "")
        yield Alert(visible(lint.code), "error", message, file, line)


def _split_position(position: str) -> tuple[str, int]:
    """Split `file:line`; the line is 0 if there is none."""
    file, _, number = position.rpartition(":")
    return (file, int(number)) if file and number.isdecimal() else (position, 0)


def fingerprints(keys: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a fingerprint for each key: a hash of it, and of the number of equal keys before it."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for key in keys:
        text = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        names.append(hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return names
