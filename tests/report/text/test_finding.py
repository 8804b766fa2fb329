"""The file and line of a finding."""

from __future__ import annotations

import pytest

from harness.report.formats.html.page import render_html
from harness.report.formats.markdown import render_markdown
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach
from harness.report.text.finding import (
    FALLBACK_FILE,
    describe_briefly,
    describe_certainty,
    describe_fully,
    locate_check,
    locate_source,
    places_of,
)
from tests.report import made


@pytest.mark.parametrize(
    ("source", "owner", "expected"),
    [
        ("k8s.io/kubernetes/pkg/apis/core/types.go:9", "", ("pkg/apis/core/types.go", 9)),
        ("k8s.io/api/core/v1/types.go:3", "", ("staging/src/k8s.io/api/core/v1/types.go", 3)),
        ("suites/widgets_v1/types.go:3", "", ("suites/widgets_v1/types.go", 3)),
        ("", "k8s.io/api/resource.DeviceRequest", ("staging/src/k8s.io/api/resource/v1/types.go", 0)),
        ("", "", ("suites/widgets_v1/suite.py", 0)),
    ],
)
def test_paths_are_those_of_the_checkout(source: str, owner: str, expected: tuple[str, int]) -> None:
    """The file follows from the import path, without a line from the type, and without a type it is the suite."""
    reach = {"widgets_v1": Reach("suite", "suites/widgets_v1")}
    report = build_report(made.result(made.finding(source=source, owner=owner)), reaches=reach)
    assert expected == locate_source(report, report.findings[0])


def test_the_line_of_the_tag_is_preferred_to_that_of_the_field() -> None:
    """If the field has the tag of the finding, its line is the one to correct."""
    finding = made.finding(source="suites/w/types.go:9", rule_source="suites/w/types.go:7")
    report = build_report(made.result(finding))
    assert ("suites/w/types.go", 7) == locate_source(report, report.findings[0])


def test_a_finding_always_has_a_file() -> None:
    """Code hosts reject a SARIF file if a result has no file."""
    report = build_report(made.result(made.finding()))
    assert (FALLBACK_FILE, 0) == locate_source(report, report.findings[0])


@pytest.mark.parametrize(
    ("certainty", "experiment", "text"),
    [
        ("experiment", "other values at the same path", "by experiment: other values at the same path"),
        ("remains", "every other one", "what remains: every other one"),
        ("observed", "", "seen in the answer itself"),
        ("", "", ""),
    ],
)
def test_every_format_says_how_certain_a_cause_is(certainty: str, experiment: str, text: str) -> None:
    """And which experiment was behind it; a finding of an older document says nothing of it."""
    one = made.finding(certainty=certainty, experiment=experiment)
    report = build_report(made.result(one))
    finding = report.findings[0]
    assert text == describe_certainty(finding)
    texts = (
        describe_briefly(finding),
        "\n".join(row.plain for row in describe_fully(finding)),
        render_markdown(report),
        render_html(report),
    )
    for told in texts:
        assert not text or text in told.replace("\\", "")
        assert bool(text) == ("certainty" in told.lower())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("handwritten.py:41 in validate_order", ("suites/widgets_v1/handwritten.py", 41, "validate_order")),
        ("", None),
    ],
)
def test_the_check_of_a_suite_is_in_its_folder(source: str, expected: tuple[str, int, str] | None) -> None:
    """A target names it as the suite sees it, a code host wants the path in the checkout."""
    reach = {"widgets_v1": Reach("suite", "suites/widgets_v1")}
    report = build_report(made.result(made.finding(handwritten_source=source)), reaches=reach)
    assert expected == locate_check(report, report.findings[0])


def test_the_check_of_a_release_is_in_its_checkout() -> None:
    """The line that made the error comes first, the one that called it behind it."""
    place = (
        "pkg/apis/core/validation/validation.go:169 in ValidateDNS1123Label, called at pkg/apis/x/validation.go:2 in y"
    )
    report = build_report(made.result(made.finding(handwritten_source=place)))
    assert ("pkg/apis/core/validation/validation.go", 169, "ValidateDNS1123Label") == locate_check(
        report, report.findings[0]
    )


def test_places_are_told_once() -> None:
    """The rule and the check have a row each, unless the fix names them."""
    finding = made.finding(
        rule_source="w/types.go:7", handwritten_source="handwritten.py:4 in v", fix="see w/types.go:7"
    )
    report = build_report(made.result(finding))
    assert [("check", "handwritten.py:4 in v")] == places_of(report.findings[0])
    assert "check: handwritten.py:4 in v\nfix: see w/types.go:7" in describe_briefly(report.findings[0])
