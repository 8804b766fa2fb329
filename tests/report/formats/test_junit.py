"""JUnit XML for CI servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema

from harness.report.formats.junit import render_junit
from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions, Report
from tests.report import made, sections
from tests.report.ruled import rule, ruled

GOLDEN = Path(__file__).parents[2] / "golden"


def parsed(*args: Any, **more: Any) -> ElementTree.Element:
    """Render a report as XML, and parse it."""
    return ElementTree.fromstring(render_junit(build_report(*args, **more)).encode())


def test_the_file_of_a_small_run() -> None:
    """It has one suite, a test case per kind and operation, and a failure with both error lists."""
    report = build_report(made.result(made.finding()))
    assert (GOLDEN / "junit.xml").read_text(encoding="utf-8") == render_junit(report)


def test_sums_equal_the_number_of_elements() -> None:
    """The sums in attributes equal the numbers of elements."""
    root = parsed(made.hostile())
    for name, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        assert root.get(name) == str(len(root.findall(f"testsuite/{tag}")))


def test_hostile_texts_stay_text() -> None:
    """There is no control character that XML cannot encode, and no text becomes an element."""
    text = render_junit(build_report(made.hostile()))
    assert not [char for char in text if ord(char) < 32 and char not in "\n\t"]
    assert ElementTree.fromstring(text.encode()).findall(".//script") == []


def test_kinds_without_cases_do_not_pass() -> None:
    """A kind without cases is skipped, and an aborted search is an error."""
    root = parsed(made.result(kinds=(made.kind_report(cases=0), made.kind_report(operation="create", error="broke"))))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {"widgets-v1-update": ["skipped", "system-out"], "widgets-v1-create": ["error", "system-out"]}


def test_a_run_that_compared_nothing_has_an_error() -> None:
    """A CI server must not show it as passed."""
    assert [error.get("message") for error in parsed(made.result(compared=0)).iter("error")] == ["nothing was compared"]


def test_tolerated_findings_pass_and_are_listed() -> None:
    """The output of the case names the exception."""
    root = parsed(made.result(made.finding(exception="1a2b")))
    assert list(root.iter("failure")) == []
    assert "tolerated by 1a2b" in "".join(case.findtext("system-out") or "" for case in root.iter("testcase"))


def test_failing_exceptions_are_failures() -> None:
    """They have a test suite of their own."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2027-01-31")
    root = parsed(made.result(), exceptions=Exceptions("f.yaml", unused=(entry,), expired=(entry,)))
    assert [failure.get("type") for failure in root.iter("failure")] == ["unused", "expired"]


def test_a_ratchet_is_a_test_case() -> None:
    """It fails if and only if a rule lost coverage."""
    root = ElementTree.fromstring(render_junit(ruled(rule(), lost=True)))
    assert [case.get("name") for case in root.iterfind(".//testcase[failure]")] == ["rules.ratchet"]
    assert "no longer rejected" in (root.findtext(".//failure") or "")
    assert root.get("failures") == "1"
    assert [] == ElementTree.fromstring(render_junit(ruled(rule()))).findall(".//failure")


ENTRY = ExceptionEntry("1a2b", "widgets_v1", made.HOSTILE, made.HOSTILE, "2027-01-31")
REPORTS = {
    "findings": build_report(made.result(made.finding())),
    "hostile": build_report(made.hostile(), exceptions=Exceptions("f.yaml", unused=(ENTRY,), expired=(ENTRY,))),
    "nothing": build_report(made.result(compared=0, kinds=())),
    "lost": build_report(made.result(stopped="target-lost", stopped_detail=made.HOSTILE)),
    "long": build_report(made.result(seconds=123456.789)),
    "change": sections.whole(made.HOSTILE),
    "ruled": ruled(rule(), lost=True, hostile=made.HOSTILE),
}


def test_a_change_is_a_test_suite() -> None:
    """Different fields, changed verdicts, stale code and lint findings are failures; searches left out are errors."""
    root = ElementTree.fromstring(render_junit(sections.whole()))
    suite = next(suite for suite in root if suite.get("name") == "verify")
    found = {case.get("name"): [child.tag for child in case if child.tag != "system-out"] for case in suite}
    assert {
        "WidgetSpec.Size": ["failure"], "WidgetSpec.Name": ["skipped"], "WidgetSpec.Other": [],
        "1 newly-rejected": ["failure"], "2 stale-generated-code": ["failure"], "3 tag-payload": ["failure"],
        "unsearched": ["error"],
    } == found  # fmt: skip


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_schema_of_jenkins_accepts_it(report: Report) -> None:
    """The schema is that of Jenkins' xUnit plugin (MIT licence) for files of Surefire."""
    schema = xmlschema.XMLSchema(str(Path(__file__).parent / "schemas" / "junit-10.xsd"))
    assert [] == [str(error) for error in schema.iter_errors(render_junit(report))]


def test_the_schema_rejects_unknown_elements() -> None:
    """This shows that the test above can fail."""
    schema = xmlschema.XMLSchema(str(Path(__file__).parent / "schemas" / "junit-10.xsd"))
    assert not schema.is_valid('<testsuites><testsuite name="a" tests="0" mood="good"/></testsuites>')
