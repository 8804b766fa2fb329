"""`harness rules`: what an API declares, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.field.unaccepted import ErrorAt, Unaccepted
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from tests.cli.fakes import call
from tests.report import made
from tests.report.ruled import rule, ruled

SUITE = Path(__file__).parents[2] / "suites" / "claim_v1"
BROKEN = 'package v1\n\ntype T struct {\n\t// +k8s:maxItems=three\n\tF []string `json:"f"`\n}\n'


def test_rules_are_listed_by_kind(capfd: Any) -> None:
    """A line for each, with path, type, origin, level and tag, and the sums at the end."""
    told = call(capfd, "rules", SUITE)
    assert (0, "") == (told.code, told.err)
    lines = told.out.splitlines()
    assert "v1/Claim" in lines[0] or "Claim" in lines[0]
    assert ["status.reservedFor[*]", "Duplicate", "-", "standard", "+k8s:listType"] in [line.split() for line in lines]
    assert lines[-1].startswith("claim_v1: 43 rules of 1 kind: 1 alpha, 40 beta, 2 standard")


def test_rules_are_chosen(capfd: Any) -> None:
    """By kind and by level."""
    told = call(capfd, "rules", SUITE, "--kind", "claim", "--level", "standard", "--json")
    assert {"standard"} == {rule["level"] for rule in json.loads(told.out)}
    told = call(capfd, "rules", SUITE, "--kind", "Clam")
    assert (2, True) == (told.code, "did you mean Claim?" in told.err)


def test_json_names_everything(capfd: Any) -> None:
    """One object for each rule."""
    first = json.loads(call(capfd, "rules", SUITE, "--json").out)[0]
    assert ["group", "kind", "level", "origin", "path", "tag", "type", "version"] == sorted(first)


def test_rules_of_crds_are_listed(capfd: Any) -> None:
    """Each constraint and each CEL rule of a schema, and what declares it."""
    crds = Path(__file__).parents[1] / "crds" / "after"
    told = call(capfd, "rules", "--crd", crds)
    assert (0, "") == (told.code, told.err)
    lines = [line.split(maxsplit=4) for line in told.out.splitlines()]
    assert ["spec.hooks[*].name", "TooLong", "-", "standard", "maxLength"] in lines
    rule = "spec.source.x-kubernetes-validations[2]"
    assert ["spec.source", "Invalid", rule, "standard", "self.type == oldSelf.type"] in lines
    assert " 36 rules of 1 kind" in told.out.splitlines()[-1]
    for arguments, words in (((SUITE,), "leave out the path"), (("--crd", SUITE / "nothing"), "there is no")):
        told = call(capfd, "rules", "--crd", crds, *arguments)
        assert (2, True) == (told.code, words in told.err)


def test_validations_of_policies_are_listed(capfd: Any) -> None:
    """Each by its policy, with its expression; CRDs have other rules."""
    policies = Path(__file__).parents[1] / "policies"
    told = call(capfd, "rules", "--policy", policies / "after")
    assert (0, "ValidatingAdmissionPolicy/pods") == (told.code, told.out.splitlines()[0])
    assert "pods.validations[1]" in told.out
    assert " 2 rules of 1 kind" in told.out.splitlines()[-1]
    told = call(capfd, "rules", "--policy", policies / "after", "--crd", policies)
    assert (2, True) == (told.code, "leave out the path" in told.err)


def test_types_that_do_not_compile_are_exit_code_2(capfd: Any, tmp_path: Path) -> None:
    """With every diagnostic, and a message when no API is named."""
    (tmp_path / "types.go").write_text(BROKEN, encoding="utf-8")
    told = call(capfd, "rules", tmp_path)
    assert (2, True) == (told.code, "types.go:4" in told.err)
    assert 2 == call(capfd, "rules").code


@pytest.fixture
def report(tmp_path: Path) -> str:
    """The report of a run that saw one of two rules at work."""
    seen = rule(declarative=("create",), handwritten=("create",), accepted=True, rejected=True)
    place = tmp_path / "report.json"
    place.write_bytes(encode(ruled(seen, rule(path="spec.other", level="beta"))))
    return str(place)


def test_a_report_tells_what_was_seen(report: str, capfd: Any) -> None:
    """All rules, those of which something is missing, those of a level, and what no rule covers."""
    told = call(capfd, "rules", "--report", report).out
    assert "spec.size Invalid/maximum: declarative create, handwritten create, accepted" in told
    assert "spec.other Invalid/maximum: never fired" in told
    assert "rules: 1 of 2 fired" in told
    assert "spec.size" not in call(capfd, "rules", "--report", report, "--unseen").out
    assert "spec.size" not in call(capfd, "rules", "--report", report, "--level", "beta").out
    assert "spec.b Invalid: 4 errors" in call(capfd, "rules", "--report", report, "--uncovered").out
    assert [4] == [
        one["count"] for one in json.loads(call(capfd, "rules", "--report", report, "--uncovered", "--json").out)
    ]


def test_a_report_tells_why_a_limit_is_not_accepted(tmp_path: Path, capfd: Any) -> None:
    """As text and as JSON."""
    place = tmp_path / "report.json"
    why = Unaccepted("rejected", 1, (ErrorAt("spec.other", "FieldValueRequired"),))
    place.write_bytes(encode(ruled(rule(limit=9, unaccepted=why))))
    told = call(capfd, "rules", "--report", str(place), "--unseen")
    assert "not accepted at 9 (rejected for other errors: spec.other Required)" in told.out
    assert "limits not accepted: 1 rejected for other errors" in told.out
    (entry,) = json.loads(call(capfd, "rules", "--report", str(place), "--unseen", "--json").out)
    errors = [{"path": "spec.other", "type": "FieldValueRequired"}]
    assert {"reason": "rejected", "count": 1, "errors": errors} == entry["unaccepted"]


def test_a_report_tells_how_much_is_migrated(tmp_path: Path, capfd: Any) -> None:
    """Handwritten checks with a rule among all that were met, by type of error and by kind; of native rules none."""
    native = rule(path="spec.native", type="FieldValueTooMany", handwritten=())
    seen = [rule(path=path, handwritten=("create",)) for path in ("spec.a", "spec.c")]
    file = tmp_path / "r.json"
    file.write_bytes(encode(ruled(native, *seen)))
    told = call(capfd, "rules", "--report", file, "--migrated")
    assert (0, "") == (told.code, told.err)
    rows = [line.split() for line in told.out.splitlines() if line]
    assert ["all", "2", "3", "67%"] == rows[-1]
    assert ["CATEGORY", "MIGRATED", "CHECKS", "SHARE"] == rows[0]
    assert not any("TooMany" in row for row in rows)
    nothing = call(capfd, "rules", "--report", file, "--migrated", "--kind", "nothing")
    assert ["all", "0", "0", "-"] == nothing.out.split()[-4:]
    assert 2 == call(capfd, "rules", SUITE, "--migrated").code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--unseen", "--kubernetes", "1.37.1"), "require a report"),
        (("--uncovered", "--kubernetes", "1.37.1"), "require a report"),
        (("--report", "nowhere.json"), "cannot be read"),
    ],
)
def test_reports_are_told_from_apis(capfd: Any, arguments: tuple[str, ...], words: str) -> None:
    """What does not go together is said."""
    told = call(capfd, "rules", *arguments)
    assert 2 == told.code
    assert words in told.err


def test_a_report_and_an_api_are_one_too_many(report: str, capfd: Any) -> None:
    """As is a report that knows no rules."""
    assert (
        "--report has the rules of its run already"
        in call(capfd, "rules", "--report", report, "--kubernetes", "1.37.1").err
    )
    Path(report).write_bytes(encode(build_report(made.result())))
    assert "has no rules: the Go types" in call(capfd, "rules", "--report", report).err
