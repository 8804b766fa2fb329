"""The report document: complete, published, read back, and honest about what it does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from harness.diagnostics import InputError
from harness.reporting import document
from harness.reporting.document import ExceptionEntry, Exceptions, Reach, Report, build_report
from tests.reporting import made


def report(*findings: Any, **more: Any) -> Report:
    """A report of a small run."""
    return build_report(made.result(*findings, **more))


def test_the_published_schema_is_up_to_date() -> None:
    """The file that consumers read is the schema of the code."""
    assert json.loads(document.SCHEMA.read_text(encoding="utf-8")) == json.loads(json.dumps(document.schema()))


@pytest.mark.parametrize("result", [made.result(), made.result(made.finding()), made.hostile()])
def test_reports_follow_the_published_schema(result: Any) -> None:
    """What is written is valid by the published schema, and a document without findings' names is not."""
    validator = jsonschema_rs.validator_for(json.loads(document.SCHEMA.read_text(encoding="utf-8")))
    value = json.loads(document.encode(build_report(result)))
    assert [str(error) for error in validator.iter_errors(value)] == []
    del value["findings"]
    assert not validator.is_valid(value)


def test_a_report_is_read_back_whole(tmp_path: Path) -> None:
    """Writing and reading change nothing."""
    path = tmp_path / "report.json"
    path.write_bytes(document.encode(build_report(made.hostile())))
    assert build_report(made.hostile()) == document.read_report(path)


def test_findings_stand_worst_first_and_are_counted() -> None:
    """Order and sums follow severity; the occurrence of a finding is not a finding."""
    shadow = made.finding("b" * 12, severity="shadow", cause="unmarked")
    made_report = report(shadow, made.finding("a" * 12, severity="verdict"), made.finding("c" * 12))
    assert [f.severity for f in made_report.findings] == ["verdict", "graduation", "shadow"]
    assert made_report.totals.by_severity == {"verdict": 1, "graduation": 1, "shadow": 1}
    assert made_report.totals.by_cause == {"no-rule": 2, "unmarked": 1}
    assert made_report.totals.by_kind == {"example.io/v1 widgets": 3}
    assert made_report.totals.findings == 3
    assert made_report.totals.cases_per_second == 50.0


def test_every_finding_says_what_is_served_under_each_setting() -> None:
    """A covered handwritten error without a twin is served today and gone when graduated."""
    served = report(made.finding()).findings[0].answer.served
    assert [(one.setting, len(one.errors)) for one in served] == [("beta-on", 1), ("beta-off", 1), ("graduated", 0)]


@pytest.mark.parametrize(
    ("findings", "more", "verdict", "code"),
    [
        ([], {}, "equivalent", 0),
        ([made.finding()], {}, "different", 1),
        ([], {"composition_differences": 1}, "different", 1),
        ([], {"compared": 0}, "nothing-compared", 2),
        ([], {"stopped": "target-lost"}, "incomplete", 2),
        ([made.finding()], {"stopped": "target-lost"}, "different", 1),
        ([], {"kinds": (made.kind_report(error="it broke"),)}, "incomplete", 2),
        ([], {"stopped": "interrupted"}, "equivalent", 130),
        ([made.finding()], {"stopped": "interrupted"}, "different", 130),
        ([made.finding(exception="1a2b")], {}, "equivalent", 0),
    ],
)
def test_the_verdict_decides_the_exit_code(findings: Any, more: Any, verdict: str, code: int) -> None:
    """0 needs a comparison without difference; silence and loss are never agreement."""
    made_report = report(*findings, **more)
    assert (verdict, code) == (made_report.verdict, made_report.exit_code)


@pytest.mark.parametrize("words", ["unused", "expired"])
def test_an_exception_that_must_go_fails_the_run(words: str) -> None:
    """An unused or expired exception is no less than a finding."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2026-01-31")
    made_report = build_report(made.result(), exceptions=Exceptions("f.yaml", **{words: (entry,)}))
    assert made_report.exit_code == 1


def test_several_suites_make_one_report() -> None:
    """Each subject keeps its part, its way to be opened again, and its findings."""
    second = made.result(made.finding("d" * 12), subject="gadgets_v1", cases=1, seconds=1.0)
    reaches = {"gadgets_v1": Reach("suite", "suites/gadgets_v1")}
    made_report = build_report([made.result(), second], reaches=reaches)
    assert [part.subject for part in made_report.parts] == ["widgets_v1", "gadgets_v1"]
    assert made_report.parts[1].reach.location == "suites/gadgets_v1"
    assert [f.subject for f in made_report.findings] == ["gadgets_v1"]
    assert (made_report.cases, made_report.seconds) == (101, 3.0)
    assert made_report.target.name == "widgets_v1, gadgets_v1"


def test_a_suite_where_nothing_was_compared_is_not_hidden_by_the_others() -> None:
    """One silent part makes the whole run a run that could not be done."""
    assert build_report([made.result(), made.result(subject="gadgets_v1", compared=0)]).exit_code == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not JSON"),
        (b'{"schema": "urn:equi', "is not JSON"),
        (b"[1, 2]", "not a report"),
        (b'{"schema": "urn:equivalence-harness:report:9", "harness_version": "9.1"}', "9.1"),
        (b'{"schema": "urn:equivalence-harness:report:1", "findings": 3}', "breaks the schema"),
        (b"[" * 100_000, "is not JSON"),
        (b'"\xff"', "is not JSON"),
    ],
)
def test_what_is_no_report_gets_a_diagnostic(tmp_path: Path, data: bytes, said: str) -> None:
    """A damaged, foreign or newer file is refused in words that name the file."""
    path = tmp_path / "report.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        document.read_report(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}")


def test_a_missing_report_gets_a_diagnostic(tmp_path: Path) -> None:
    """So is a file that is not there."""
    with pytest.raises(InputError, match="report-unreadable: cannot be read"):
        document.read_report(tmp_path / "none.json")


def test_a_replaced_finding_keeps_its_place() -> None:
    """Findings marked by exceptions come in by fingerprint, not by position."""
    first, second = made.finding("a" * 12), made.finding("b" * 12)
    marked = msgspec.structs.replace(second, exception="1a2b")
    made_report = build_report(made.result(first, second), findings=[marked])
    assert [f.fingerprint for f in made_report.open_findings] == ["a" * 12]
    assert made_report.totals.tolerated == 1
