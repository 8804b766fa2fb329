"""Renders a report as JUnit XML for CI servers: one test suite per subject, one test case per kind and operation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from harness.events import LOST
from harness.report.escaping import visible
from harness.report.model.coverage import RatchetEntry
from harness.report.model.document import KindEntry, Part, Report, ReportedFinding, fails, has_no_kinds
from harness.report.model.gaps import Gap, find_open_gaps
from harness.report.model.grouping import Group, group
from harness.report.model.tolerance import describe_failing_exception
from harness.report.model.verification import Verification
from harness.report.text.alerts import change_alerts
from harness.report.text.confirmation import describe_outcome
from harness.report.text.finding import describe_fully, describe_location, to_plain_text
from harness.report.text.rules import lost_rows
from harness.report.text.verdict import describe_field_effort
from harness.report.words import FIELD_VERDICT

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(report: Report) -> str:
    """Render a report as JUnit XML.

    * Failure: a kind with findings that fail the run; a target whose composed error lists differ from ours; an
      exception that is unused, expired or without a witness; a coverage ratchet whose rules lost coverage; a touched
      field with the verdict `different`; a finding that a running server contradicts.
    * Error: a search that stopped; a kind that makes the run incomplete.
    * Skipped, with the reason: a kind that was not asked, and resources that the target excludes.
    """
    root = ElementTree.Element("testsuites", {"name": "harness"})
    for part in report.parts:
        root.append(_suite(report, part))
    if report.exceptions.failing:
        root.append(_exceptions(report))
    if report.coverage is not None and report.coverage.ratchets:
        root.append(_ratchets(report, report.coverage.ratchets))
    if report.verification is not None:
        root.append(_change(report, report.verification))
    suites = root.findall("testsuite")
    # Jenkins' schema has no sum of skipped test cases here, only in each suite.
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{report.seconds:.3f}")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report, part: Part) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": _clean(part.subject), "timestamp": report.started[:19]})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(report, part):
        ElementTree.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    incomplete = {id(kind): gap for gap in find_open_gaps(report) for kind in gap.kinds}
    for kind in report.kinds:
        if kind.subject == part.subject:
            suite.append(_kind(report, part, kind, incomplete.get(id(kind))))
    for excluded in report.excluded:
        if excluded.subject == part.subject:
            name = f"{excluded.resource}-{excluded.version}"
            case = _case(part.subject, excluded.group, excluded.version, name, 0.0)
            ElementTree.SubElement(case, "skipped", {"message": _clean(f"excluded: {excluded.reason}")})
            suite.append(case)
    if has_no_kinds(part, report.kinds):
        case = _case(part.subject, "", "", "compared", part.seconds)
        ElementTree.SubElement(case, "skipped", {"message": f"no kind belongs to shard {_clean(part.shard)}"})
        suite.append(case)
    elif not part.compared:
        case = _case(part.subject, "", "", "compared", part.seconds)
        ElementTree.SubElement(case, "error", {"message": "nothing was compared", "type": "nothing-compared"})
        suite.append(case)
    if part.stopped == "interrupted" or part.stopped in LOST:
        case = _case(part.subject, "", "", "target", part.seconds)
        message = _clean(part.stopped_detail or part.stopped)
        ElementTree.SubElement(case, "error", {"message": message, "type": part.stopped})
        suite.append(case)
    if part.composition_differences:
        case = _case(part.subject, "", "", "composition", 0.0)
        differences = f"in {part.composition_differences} of {part.composition_checked} cases"
        message = f"{differences} the target served another list than the rules of composition say"
        ElementTree.SubElement(case, "failure", {"message": message, "type": "composition"})
        suite.append(case)
    for finding in report.contradicted:
        if finding.subject == part.subject:
            case = _case(part.subject, "", "", f"confirmation-{finding.fingerprint}", 0.0)
            message = _clean(f"{describe_location(finding)}: {describe_outcome(finding)}")
            ElementTree.SubElement(case, "failure", {"message": message, "type": "contradicted"})
            suite.append(case)
    _count(suite, part.seconds)
    return suite


def _properties(report: Report, part: Part) -> Iterable[tuple[str, str]]:
    yield "seed", str(report.seed)
    yield "mode", report.mode
    yield "release", part.target.release
    yield "cases", str(part.cases)
    yield "harness", report.harness_version


def _kind(report: Report, part: Part, kind: KindEntry, gap: Gap | None) -> ElementTree.Element:
    share = part.seconds * kind.cases / part.cases if part.cases else 0.0
    case = _case(part.subject, kind.group, kind.version, kind.id, share)
    findings = [f for f in report.findings if f.subject == part.subject and _belongs(f, kind)]
    opened = [f for f in findings if fails(f, report.policy)]
    if opened:
        groups = group(opened)
        message = f"{len(opened)} finding(s) in {len(groups)} group(s), worst: {_headline(groups[0])}"
        failure = ElementTree.SubElement(case, "failure", {"message": _clean(message), "type": opened[0].severity})
        failure.text = _clean("\n".join(_group(one) for one in groups))
    elif kind.error:
        error = ElementTree.SubElement(case, "error", {"message": _clean(kind.error), "type": "search"})
        error.text = _clean(kind.error)
    elif gap is not None:
        error = ElementTree.SubElement(case, "error", {"message": _clean(gap.sentence), "type": "incomplete"})
        error.text = _clean("\n".join([*gap.blocking(), f"fix: {gap.advice}"]))
    elif not kind.cases:
        ElementTree.SubElement(case, "skipped", {"message": "not reached within the budget"})
    output = ElementTree.SubElement(case, "system-out")
    milder = [f for f in findings if f.exception is None and not fails(f, report.policy)]
    output.text = _clean(_write_output(kind, findings, milder))
    return case


def _headline(one: Group) -> str:
    return f"{one.severity} {one.cause} {describe_location(one.first)}"


def _group(one: Group) -> str:
    """Describe the first finding of a group in full, and list the others."""
    rest = [f"   like it      {describe_location(finding)}  [{finding.fingerprint}]\n" for finding in one.findings[1:]]
    title = f"{one.title} [{one.id}]\n" if rest else ""
    return title + to_plain_text(describe_fully(one.first)) + "".join(rest)


def _write_output(kind: KindEntry, findings: list[ReportedFinding], milder: list[ReportedFinding]) -> str:
    rows = [f"{kind.cases} cases, {kind.accepted} accepted, {kind.failures} failures"]
    if not kind.has_accepted:
        rows.append("no object that both sides accept was found; these errors remained:")
        rows += [f"  {text}" for text in kind.remaining]
    rows += [f"incomplete, which --allow-incomplete {kind.allowed!r} accepts"] if kind.allowed else []
    rows += [f"tolerated by {f.exception}: {describe_location(f)}" for f in findings if f.exception]
    rows += [f"too mild to fail the run: {f.severity}, {describe_location(f)}" for f in milder]
    return "\n".join(rows)


def _belongs(finding: ReportedFinding, kind: KindEntry) -> bool:
    return (finding.group, finding.version, finding.resource, finding.subresource, finding.operation) == (
        kind.group, kind.version, kind.resource, kind.subresource, kind.operation,
    )  # fmt: skip


def _case(subject: str, group: str, version: str, name: str, seconds: float) -> ElementTree.Element:
    classname = ".".join(part for part in (subject, group.replace(".", "_"), version) if part)
    return ElementTree.Element(
        "testcase", {"classname": _clean(classname), "name": _clean(name), "time": f"{seconds:.3f}"}
    )


def _exceptions(report: Report) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": "equivalence_exceptions", "timestamp": report.started[:19]})
    for word, entry in report.exceptions.failing:
        case = _case("equivalence_exceptions", "", "", entry.id, 0.0)
        ElementTree.SubElement(
            case, "failure", {"message": _clean(describe_failing_exception(word, entry)), "type": word}
        )
        suite.append(case)
    _count(suite, 0.0)
    return suite


def _ratchets(report: Report, ratchets: Iterable[RatchetEntry]) -> ElementTree.Element:
    """Return a suite with a test case for each ratchet file, which fails if a rule lost coverage."""
    suite = ElementTree.Element("testsuite", {"name": "rule coverage", "timestamp": report.started[:19]})
    for one in ratchets:
        case = _case("rule coverage", "", "", one.file, 0.0)
        if one.lost:
            message = f"{len(one.lost)} {one.of}(s) lost coverage"
            failure = ElementTree.SubElement(case, "failure", {"message": message, "type": "rule-coverage"})
            failure.text = _clean("\n".join(lost_rows(one, len(one.lost))))
        elif one.skipped:
            ElementTree.SubElement(case, "skipped", {"message": _clean(one.skipped)})
        suite.append(case)
    _count(suite, 0.0)
    return suite


def _change(report: Report, verification: Verification) -> ElementTree.Element:
    """Return a suite with a test case for each touched field, and for each problem of the change itself."""
    suite = ElementTree.Element("testsuite", {"name": "verify", "timestamp": report.started[:19]})
    for field in verification.fields:
        case = _case("verify", "", "", field.name, 0.0)
        message = _clean(field.why or FIELD_VERDICT[field.verdict].marked)
        if field.verdict == "different":
            ElementTree.SubElement(case, "failure", {"message": message, "type": "different"})
        elif field.verdict == "not-tried":
            is_certain = any(reason.certain for reason in field.reasons)
            ElementTree.SubElement(
                case, "error" if is_certain else "skipped", {"message": message, "type": "not-tried"}
            )
        ElementTree.SubElement(case, "system-out").text = _clean(describe_field_effort(field.effort))
        suite.append(case)
    for number, result in enumerate(change_alerts(verification), 1):
        case = _case("verify", "", "", f"{number} {result.rule}", 0.0)
        if result.level == "error" and not result.tolerated:
            failure = ElementTree.SubElement(case, "failure", {"message": _clean(result.message), "type": result.rule})
            failure.text = _clean(f"{result.file}:{result.line}")
        suite.append(case)
    for text in verification.unsearched:
        case = _case("verify", "", "", "unsearched", 0.0)
        ElementTree.SubElement(case, "error", {"message": _clean(text), "type": "unsearched"})
        suite.append(case)
    _count(suite, 0.0)
    return suite


def _count(suite: ElementTree.Element, seconds: float) -> None:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("time", f"{seconds:.3f}")


def _clean(text: str) -> str:
    """Replace control characters by visible escapes, because XML 1.0 cannot encode most of them."""
    return _NOT_XML.sub("�", visible(text, keep="\n\t"))
