"""Reports of older versions of the schema are read completely, with the present names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from harness.diagnostics import InputError
from harness.report.formats.json import encode
from harness.report.model import document
from harness.report.model.document import Report
from harness.report.model.reading import read_report

OLDER = Path(__file__).parent / "older"
FIRST = OLDER / "report-1.json"
"""Written by a release whose schema was of version 1."""


@pytest.fixture(scope="module")
def report() -> Report:
    """Read the report of version 1."""
    return read_report(FIRST)


def test_keys_of_kinds_have_their_present_names(report: Report) -> None:
    """The values of each kind are those of the former keys in the file."""
    before = json.loads(FIRST.read_bytes())["kinds"]
    assert [
        (one["base"], one["sought"], one["places"], one["reached"], one["refused"], tuple(one["changed"]))
        for one in before
    ] == [
        (
            kind.has_seed, kind.seed_search_complete, kind.paths, kind.accepted_paths, kind.rejected_paths,
            kind.changed_paths,
        )
        for kind in report.kinds
    ]  # fmt: skip
    assert [[one["path"] for one in kind["unreached"]] for kind in before] == [
        [one.path for one in kind.unaccepted_paths] for kind in report.kinds
    ]


def test_causes_have_their_present_names(report: Report) -> None:
    """Causes of findings and of the sums are renamed."""
    assert b"no-twin" in FIRST.read_bytes()
    assert "no-counterpart" in {finding.cause for finding in report.findings}
    assert {finding.cause for finding in report.findings} == {finding.code for finding in report.findings}
    assert {finding.cause for finding in report.findings} == set(report.totals.by_cause)


def test_examples_are_rejected(report: Report) -> None:
    """The word `refused` of version 1 is now `rejected`."""
    assert {"accepted", "rejected"} == {example.expected for example in report.examples}


def test_a_migrated_report_follows_the_present_schema(report: Report) -> None:
    """An old report that is read and written again is of the present version."""
    written = json.loads(encode(report))
    validator = jsonschema_rs.validator_for(json.loads(document.SCHEMA.read_text(encoding="utf-8")))
    assert [str(error) for error in validator.iter_errors(written)] == []
    assert (document.SCHEMA_ID, document.SCHEMA_VERSION) == (written["schema"], written["schema_version"])


def test_moves_and_changes_have_their_present_names(tmp_path: Path) -> None:
    """Changes between targets have a field, touched fields have paths, and both have the present names of causes."""
    value = json.loads(FIRST.read_bytes())
    value["moves"] = [{
        "subject": "s", "before": "1", "after": "2", "directions": {"newly-rejected": 1}, "causes": {"no-twin": 1},
        "changes": [{
            "direction": "newly-rejected", "cause": "no-twin", "place": "Spec.a", "sentence": "", "kinds": [],
            "findings": [],
        }],
    }]  # fmt: skip
    revision = {"asked": "main", "commit": "", "subject": ""}
    value["verification"] = {
        "base": revision, "head": revision, "layout": "suites", "known": [value["findings"][0]],
        "fields": [{
            "name": "Spec.A", "type_name": "p.Spec", "json_name": "a", "verdict": "equivalent", "why": "",
            "reasons": [], "places": [{"group": "g", "version": "v1", "kind": "K", "path": "spec.a"}],
        }],
    }  # fmt: skip
    value["verification"]["known"][0] |= {"cause": "no-twin"}
    value["witnesses"] = [
        {"exception": "e", "case": 0, "shown": [{"kind": "K", "path": "a", "mismatch": "extra", "cause": "no-twin"}]}
    ]
    file = tmp_path / "report.json"
    file.write_text(json.dumps(value))
    report = read_report(file)
    [moves], verification = report.moves, report.verification
    assert ({"no-counterpart": 1}, "Spec.a", "no-counterpart") == (
        moves.causes, moves.changes[0].field, moves.changes[0].cause,
    )  # fmt: skip
    assert verification is not None
    assert "no-counterpart" == verification.known[0].cause == report.witnesses[0].shown[0].cause
    assert ["spec.a"] == [one.path for one in verification.fields[0].paths]


@pytest.mark.parametrize("key", ["kinds", "findings", "examples", "witnesses", "moves", "verification", "totals"])
@pytest.mark.parametrize("value", [3, None, [3], {"x": 3}, [{"cause": 3}], "text"])
def test_a_damaged_report_gets_a_diagnostic(tmp_path: Path, key: str, value: Any) -> None:
    """An unexpected value results in a diagnostic, or in a report without that section."""
    damaged = {**json.loads(FIRST.read_bytes()), key: value}
    file = tmp_path / "report.json"
    file.write_text(json.dumps(damaged))
    told = ""
    try:
        read_report(file)
    except InputError as error:
        told = str(error)
    assert not told or "breaks the schema" in told
