"""Annotations of a pull request: few, short, and with untrusted text escaped."""

from __future__ import annotations

import re

from harness.report.formats.annotations import MAX_PER_LEVEL, render_annotations, workflow_commands
from harness.report.model.assembly import build_report
from harness.report.text.alerts import Alert
from tests.report import made
from tests.report.formats.test_sarif import RESULT


def test_annotations_are_few_and_name_the_line() -> None:
    """There is one for each group of findings, worst first, independent of the number of kinds."""
    alike = [
        made.finding(f"{number:012x}", source="k8s.io/api/apps/v1/types.go:7", owner="k8s.io/api/apps.Spec", member="a")
        for number in range(30)
    ]
    other = made.finding("f" * 12, severity="shadow", cause="no-counterpart")
    first, second = render_annotations(build_report(made.result(*alike, other))).splitlines()
    assert first.startswith(
        "::error file=staging/src/k8s.io/api/apps/v1/types.go,line=7,title=graduation%2C no-rule%3A"
    )
    assert "and 29 like it" in first
    assert second.startswith("::notice title=shadow%2C no-counterpart")


def test_no_text_starts_a_command_of_its_own() -> None:
    """An untrusted text cannot begin another workflow command."""
    text = "a\n::error::b\r\n::set-output name=x::y"
    report = build_report(made.result(made.finding(detail=text, fix=text), stopped_detail=text))
    rows = render_annotations(report).splitlines()
    assert [True, True] == [bool(re.match("::(error|warning|notice) [^\r]+::", row)) for row in rows]


def test_more_than_github_shows_are_counted() -> None:
    """There are ten of a level, and a notice with the number of the others."""
    many = [made.finding(f"{number:012x}", owner=f"x/y.T{number}", member="a") for number in range(MAX_PER_LEVEL + 5)]
    rows = render_annotations(build_report(made.result(*many))).splitlines()
    assert [MAX_PER_LEVEL, 1] == [sum(row.startswith(f"::{name} ") for row in rows) for name in ("error", "notice")]
    assert "5 errors left out" in rows[-1]


def test_annotations_are_escaped() -> None:
    """Percent signs and line breaks are escaped in messages, also colons and commas in properties."""
    (line,) = workflow_commands([Alert("some-rule", "note", RESULT.message, "a:b,c%.go", 3, 5, 4)])
    assert line == "::notice file=a%3Ab%2Cc%25.go,line=3,col=5,endColumn=9,title=some-rule::50%25: a, b%0Awhy: c"


def test_no_more_than_github_shows() -> None:
    """Ten of a level are written, and the last line counts the others."""
    warning = Alert("r", "warning", "m", "f")
    told = list(workflow_commands([RESULT] * (MAX_PER_LEVEL + 3) + [warning] * (MAX_PER_LEVEL + 1)))
    assert 2 * MAX_PER_LEVEL + 1 == len(told)
    assert "::warning file=f,title=r::m" == told[MAX_PER_LEVEL]
    assert told[-1].startswith("::notice title=harness::3 errors, 1 warning left out")
