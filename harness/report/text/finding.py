"""Describes a finding for readers, in one line, in a few lines, or in full, and locates its declaration.

Lines are rich Text, not markup, because they contain text of the tested objects and messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.text import Text

from harness.compare.two_servers import served_after, served_before
from harness.field import FieldError
from harness.report.escaping import compact, cut, lines, visible
from harness.report.model.document import Report, ReportedFinding
from harness.report.model.grouping import Group
from harness.report.text.confirmation import describe_outcome
from harness.report.words import CERTAINTY, SEVERITY

FALLBACK_FILE = "equivalence_exceptions.yaml"
"""The file of a finding without a known type, because code hosts reject findings without a file. An exception for the
finding would be added there."""
_MAX_OBJECT = 600
"""At most this many characters of an object in a description of a few lines."""
_MAX_ERRORS = 8
"""At most this many errors of a list."""
_STAGING = "staging/src/"
_KUBERNETES = "k8s.io/kubernetes/"
_CHECK = re.compile(r"([^:]+):(\d+) in ([^,]+)")

MAX_DETAIL = 800
"""At most this many characters of an object or text of a finding on a screen; the document has all of it."""
MAX_DETAILED_GROUPS = 3
"""At most this many groups are described in full, on the screen of a run and for each item of pytest."""


def describe_location(finding: ReportedFinding) -> str:
    """Return the kind, operation and field of a finding."""
    return visible(f"{finding.name} {finding.operation}  {finding.path or '(the object itself)'}")


def count_equal(errors: Sequence[FieldError]) -> list[tuple[FieldError, int]]:
    """Return the distinct errors of a list, each with its number of occurrences."""
    return list(Counter(errors).items())


def describe_error(error: FieldError, limit: int = 1000) -> str:
    """Return an error as users read it, followed by what the server does not return: origin, level, covered."""
    notes = [f"origin {error.origin}"] if error.origin else []
    notes += [error.level] if error.level else []
    notes += ["covered"] if error.covered else []
    return cut(lines(error.text), limit) + (f"  ({visible(', '.join(notes))})" if notes else "")


def describe_certainty(finding: ReportedFinding) -> str:
    """Return how certain the cause is, with the experiment behind it; empty if no cause was searched for."""
    word = CERTAINTY.get(finding.certainty, "")
    return f"{word}: {visible(finding.experiment)}" if word and finding.experiment else word


def describe_briefly(finding: ReportedFinding) -> str:
    """Describe a finding in a few lines: the difference, the smallest object, the fix, the command that replays it."""
    rows = [cut(lines(finding.detail), 2 * _MAX_OBJECT)] if finding.detail else []
    rows.append(f"object: {compact(finding.case.object, _MAX_OBJECT)}")
    if finding.case.old is not None:
        rows.append(f"old: {compact(finding.case.old, _MAX_OBJECT)}")
    certainty = describe_certainty(finding)
    rows += [f"certainty: {certainty}"] if certainty else []
    rows += [f"{label}: {visible(place)}" for label, place in places_of(finding)]
    rows += [f"fix: {lines(finding.fix)}", f"tried: {lines(finding.tried)}"] if finding.fix else []
    outcome = describe_outcome(finding)
    rows += [f"server: {cut(outcome, 2 * _MAX_OBJECT)}"] if outcome else []
    rows += [f"replay: {visible(finding.replay)}"] if finding.replay else []
    return "\n".join(rows)


def places_of(finding: ReportedFinding) -> list[tuple[str, str]]:
    """Return where the rule and the handwritten check of a finding are, unless its fix names the place already."""
    places = (("rule", finding.rule_source), ("check", finding.handwritten_source))
    failure = finding.answer.failure
    told = finding.fix if failure is None else f"{finding.fix} {failure.at}"
    return [(label, place) for label, place in places if place and place not in told]


def locate_check(report: Report, finding: ReportedFinding) -> tuple[str, int, str] | None:
    """Return the file in the checkout, the line and the function of the handwritten check; None if unknown."""
    found = _CHECK.match(finding.handwritten_source)
    if found is None:
        return None
    file, line, function = found.groups()
    reach = {part.subject: part.reach for part in report.parts}.get(finding.subject)
    folder = f"{reach.location}/" if reach is not None and reach.kind == "suite" else ""
    return f"{folder}{path_in_checkout(file)}", int(line), function


def locate_source(report: Report, finding: ReportedFinding) -> tuple[str, int]:
    """Return the file in the checkout, and the line of the tag that the finding is about, else of the field.

    Returns: line 0 if the line is unknown, and `FALLBACK_FILE` if the type is.
    """
    file, _, number = (finding.rule_source or finding.source).rpartition(":")
    if file and number.isdecimal():
        return path_in_checkout(file), int(number)
    package = finding.owner.rpartition(".")[0]
    if package and finding.version:
        return path_in_checkout(f"{package}/{finding.version}/types.go"), 0
    reaches = {part.subject: part.reach for part in report.parts}
    reach = reaches.get(finding.subject)
    return (f"{reach.location}/suite.py" if reach is not None and reach.kind == "suite" else FALLBACK_FILE), 0


def path_in_checkout(file: str) -> str:
    """Return the path in a checkout of Kubernetes of a file that is named by its package's import path."""
    if file.startswith(_KUBERNETES):
        return file.removeprefix(_KUBERNETES)
    return f"{_STAGING}{file}" if file.startswith("k8s.io/") else file


def to_plain_text(rows: Iterable[Text]) -> str:
    """Return lines as plain text."""
    return "".join(row.plain + "\n" for row in rows)


def describe_groups(groups: Sequence[Group], limit: int, ids: bool = True) -> list[Text]:
    """Describe groups by their first finding, for the terminal and for the message of a failed test."""
    return [row for number, one in enumerate(groups, 1) for row in (Text(), *_group(number, one, limit, ids))]


def _group(number: int, one: Group, limit: int, ids: bool) -> list[Text]:
    finding = one.first
    row = Text(f"{number}. ")
    row.append(finding.severity, style=SEVERITY[finding.severity].style)
    row.append(f"  {visible(one.cause)}  {describe_location(finding)}")
    if ids:
        row.append(f"  [{one.id}]", style="dim")
    if one.size > 1:
        row.append(f"  (and {one.size - 1:,} like it on {visible(one.title)})", style="dim")
    return [row, *_body(finding, limit)]


def describe_fully(finding: ReportedFinding) -> list[Text]:
    """Describe a finding in full, with the errors that are served under every gate setting."""
    row = Text()
    row.append(finding.severity, style=SEVERITY[finding.severity].style)
    row.append(f"  {visible(finding.cause)}  {describe_location(finding)}  [{visible(finding.fingerprint)}]")
    rows = [row, *_body(finding, 4000)]
    for served in finding.answer.served if not finding.between else ():
        verdict = "rejected" if served.errors else "accepted"
        rows += _label(f"served {visible(served.setting)}", verdict)
        rows += _errors("", served.errors, 1000)
    if finding.exception:
        rows += _label("tolerated by", visible(finding.exception))
    return rows


def _body(finding: ReportedFinding, limit: int) -> list[Text]:
    """Return the lines below a finding's title: the difference, the smallest object, both error lists, the fix."""
    rows = _label("what", cut(lines(finding.detail), limit)) if finding.detail else []
    rows += _label("severity", lines(finding.severity_note)) if finding.severity_note else []
    rows += _label("object", compact(finding.case.object, limit))
    if finding.case.old is not None:
        is_same = finding.case.old == finding.case.object
        rows += _label("old", "the same" if is_same else compact(finding.case.old, limit))
    if finding.between:
        before, after = finding.between
        rows += _errors(visible(before), served_before(finding.answer), limit)
        rows += _errors(visible(after), served_after(finding.answer), limit)
    else:
        rows += _errors("handwritten", finding.answer.handwritten, limit)
        rows += _errors("declarative", finding.answer.declarative, limit)
    if finding.answer.failure is not None:
        failure = finding.answer.failure
        rows += _label("failure", cut(lines(f"{failure.stage}: {failure.message}"), limit))
        rows += _label("at", visible(failure.at)) if failure.at else []
    if certainty := describe_certainty(finding):
        rows += _label("certainty", certainty)
    for label, place in places_of(finding):
        rows += _label(label, visible(place))
    if finding.fix:
        rows += [*_label("fix", lines(finding.fix)), *_label("tried", cut(lines(finding.tried), limit))]
    if outcome := describe_outcome(finding):
        rows += _label("server", cut(outcome, limit))
    if finding.replay:
        rows += _label("replay", visible(finding.replay))
    return rows


def _errors(label: str, errors: Sequence[FieldError], limit: int) -> list[Text]:
    if not errors:
        return _label(label, "no errors", "dim") if label else []
    counted = count_equal(errors)
    rows = []
    for index, (error, times) in enumerate(counted[:_MAX_ERRORS]):
        text = describe_error(error, limit) + (f"  ×{times}" if times > 1 else "")
        rows += _label("" if index else label, text)
    if len(counted) > _MAX_ERRORS:
        rows += _label("", f"… {len(counted) - _MAX_ERRORS} more", "dim")
    return rows


def _label(label: str, text: str, style: str = "") -> list[Text]:
    """Return the lines of a text, the first one after its label, the others indented like it."""
    rows = []
    for number, line in enumerate(text.split("\n")):
        row = Text("   ")
        row.append(f"{label if not number else '':<12} ", style="dim")
        row.append(line, style=style)
        rows.append(row)
    return rows
