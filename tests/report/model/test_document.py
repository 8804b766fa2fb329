"""The report document, its published schema, and reading it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from harness.diagnostics import InputError
from harness.report.formats.json import encode
from harness.report.model import document
from harness.report.model.assembly import build_report
from harness.report.model.reading import read_report
from tests.report import made


def test_the_published_schema_is_up_to_date() -> None:
    """The published schema is that of the code."""
    assert json.loads(document.SCHEMA.read_text(encoding="utf-8")) == json.loads(json.dumps(document.schema()))


@pytest.mark.parametrize("result", [made.result(), made.result(made.finding()), made.hostile()])
def test_reports_follow_the_published_schema(result: Any) -> None:
    """Written reports are valid by the published schema; a document with incomplete findings is not."""
    validator = jsonschema_rs.validator_for(json.loads(document.SCHEMA.read_text(encoding="utf-8")))
    value = json.loads(encode(build_report(result)))
    assert [str(error) for error in validator.iter_errors(value)] == []
    del value["findings"]
    assert not validator.is_valid(value)


def test_a_report_is_read_unchanged(tmp_path: Path) -> None:
    """Writing and reading restores the report."""
    path = tmp_path / "report.json"
    path.write_bytes(encode(build_report(made.hostile())))
    assert build_report(made.hostile()) == read_report(path)


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
def test_a_file_that_is_not_a_report_gets_a_diagnostic(tmp_path: Path, data: bytes, said: str) -> None:
    """A damaged, foreign or newer file is rejected with a message that names it."""
    path = tmp_path / "report.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_report(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}")


def test_a_missing_report_gets_a_diagnostic(tmp_path: Path) -> None:
    """A missing file is rejected with a message that names it."""
    with pytest.raises(InputError, match="report-unreadable: cannot be read"):
        read_report(tmp_path / "none.json")
