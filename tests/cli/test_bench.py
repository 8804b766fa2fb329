"""`harness bench`: what validation costs, told on one screen and written down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs

from harness.report.model.document import SCHEMA
from harness.report.model.reading import read_report
from tests.cli.fakes import call

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "migration"


def test_a_suite_is_measured(tmp_path: Path, capfd: Any) -> None:
    """The answer, the table, a report that follows the schema and can be shown again, and Markdown."""
    document, page, text = (tmp_path / name for name in ("r.json", "r.html", "r.md"))
    told = call(
        capfd, "bench", EXAMPLE, "--max-cases", 300, "--jobs", 1, "--json", document, "--html", page, "--markdown", text
    )
    assert 0 == told.code, told.err
    assert told.out.startswith("declarative validation costs ")
    assert "valid typical" in told.out
    jsonschema_rs.validator_for(json.loads(SCHEMA.read_text())).validate(json.loads(document.read_text()))
    report = read_report(document)
    assert report.cost is not None
    assert {"create", "update"} == {row.operation for row in report.cost.rows}
    assert "suite" == report.parts[0].reach.kind
    assert "## What declarative validation costs" in text.read_text()
    assert page.stat().st_size > 1000
    assert report.cost.answer in call(capfd, "render", document).out


def test_what_cannot_be_measured_is_exit_code_2(tmp_path: Path, capfd: Any) -> None:
    """With a message that says what to do, and no traceback."""
    told = call(capfd, "bench", EXAMPLE, "--kind", "nosuch", "--max-cases", 50)
    assert 2 == told.code
    assert "nothing with declarative rules that matches nosuch" in told.err
    assert "leave --declarative out" in call(capfd, "bench", EXAMPLE, "--declarative", "python").err
    assert 2 == call(capfd, "bench", tmp_path).code


def test_one_bad_suite_does_not_lose_the_others(tmp_path: Path, capfd: Any) -> None:
    """It is told, the other is measured, and the exit code says that not all was done."""
    told = call(capfd, "bench", EXAMPLE, tmp_path / "none", "--max-cases", 50, "--jobs", 1)
    assert 2 == told.code
    assert "valid typical" in told.out
    assert "none" in told.err
