"""The report document: complete, published and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from harness.diagnostics import InputError
from harness.reporting import document
from harness.reporting.assembly import build_report
from tests.reporting import made


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


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not JSON"),
        (b'{"schema": "urn:equi', "is not JSON"),
        (b"[1, 2]", "not a report"),
        (b'{"schema": "urn:equivalence-harness:report:9", "harness_version": "9.1"}', "9.1"),
        (b'{"schema": "urn:equivalence-harness:report:1", "findings": 3}', "breaks the schema"),
        (b'{"schema": "urn:equivalence-harness:report:1", "schema_version": 99}', "is of version 99 of the schema"),
        (b"[" * 100_000, "input-limit"),
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
