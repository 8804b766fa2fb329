"""`harness rules`: what an API declares, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.fakes import call

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


def test_types_that_do_not_compile_are_exit_code_2(capfd: Any, tmp_path: Path) -> None:
    """With every diagnostic, and a message when no API is named."""
    (tmp_path / "types.go").write_text(BROKEN, encoding="utf-8")
    told = call(capfd, "rules", tmp_path)
    assert (2, True) == (told.code, "types.go:4" in told.err)
    assert 2 == call(capfd, "rules").code
