"""Events as JSON Lines: all follow the published schema, and none can control a terminal."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from harness import events
from harness.report.model.assembly import build_report
from harness.report.model.eventlines import SCHEMA, FailedLine, encode_line, event_lines, finished_line, schema
from tests.report import made

NOW = "2026-11-21T09:00:00.000+00:00"


def told(*happened: events.Event) -> list[dict[str, Any]]:
    """Encode events as lines, and parse these."""
    return [json.loads(encode_line(line)) for event in happened for line in event_lines(event, "widgets", NOW)]


def everything(result: events.Result) -> list[events.Event]:
    """Return an event of every sort."""
    return [
        events.Started(result.target, 1, result.budget, 2),
        events.Noted(made.HOSTILE),
        events.Progress(50, 1.0, 1, 0.5, made.HOSTILE),
        events.Met("v1 widgets", "update", "unmatched", "spec.size"),
        *(events.Found(finding) for finding in result.findings),
        events.Finished(result),
    ]


def test_the_published_schema_is_that_of_the_code() -> None:
    """The published file is generated again when a line changes."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == schema()


def test_the_schema_accepts_every_line() -> None:
    """It rejects objects that are not lines."""
    validator = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    rows = told(*everything(made.hostile()))
    rows.append(json.loads(encode_line(finished_line(build_report(made.hostile()), 1, NOW))))
    rows.append(json.loads(encode_line(FailedLine(time=NOW, subject="x", message=made.HOSTILE))))
    assert [] == [str(error) for row in rows for error in validator.iter_errors(row)]
    assert 9 == len({row["event"] for row in rows})
    assert not validator.is_valid({"event": "started", "time": NOW})
    assert not validator.is_valid({"event": "else", "time": NOW})


def test_a_part_ends_with_its_kinds() -> None:
    """Kinds are interleaved, so all of their lines are at the end."""
    rows = told(events.Finished(made.result(made.finding())))
    assert ["kind", "kind", "part"] == [row["event"] for row in rows]
    assert ("example.io/v1 widgets", "create", 50) == tuple(rows[0][name] for name in ("kind", "operation", "cases"))
    assert ("budget", 100, 1) == tuple(rows[2][name] for name in ("stopped", "cases", "findings"))


def test_a_finding_has_the_fields_to_find_it_in_the_report() -> None:
    """Its fingerprint identifies it in the report, which has the object."""
    (row,) = told(events.Found(made.finding()))
    assert ("0123456789ab", "no-rule", "graduation", "example.io/v1 widgets", "update", "spec.size") == tuple(
        row[name] for name in ("fingerprint", "cause", "severity", "kind", "operation", "path")
    )
    assert not row.keys() & {"case", "answer", "object"}


@pytest.mark.parametrize("text", [made.HOSTILE, "a\nb\r\x1b[2J\x9b2J\u202e", "\ud800"])
def test_no_line_can_control_a_terminal(text: str) -> None:
    """A line has printable characters only, and parsing restores the text."""
    (line,) = event_lines(events.Noted(text), "widgets", NOW)
    data = encode_line(line)
    assert data.endswith(b"}\n")
    assert all(32 <= byte < 127 for byte in data[:-1])
    assert text == json.loads(data)["text"]


def test_the_same_run_gives_the_same_lines() -> None:
    """The lines of two runs differ in their times only."""
    assert told(*everything(made.hostile())) == told(*everything(made.hostile()))
