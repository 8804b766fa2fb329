"""Builds rules, and reports with rules, for the tests of formats."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.report.model.assembly import build_report
from harness.report.model.coverage import Lost, RatchetEntry, RuleEntry, UncoveredEntry, sum_coverage
from harness.report.model.document import Report
from tests.report import made


def rule(**more: Any) -> RuleEntry:
    """Return a rule of a widget."""
    values = {
        "subject": "widgets_v1", "group": "example.io", "version": "v1", "kind": "Widget", "path": "spec.size",
        "type": "FieldValueInvalid", "origin": "maximum", "tag": "k8s:maximum",
    }  # fmt: skip
    return RuleEntry(**{**values, **more})


def ruled(*rules: RuleEntry, lost: bool = False, hostile: str = "", **more: Any) -> Report:
    """Return a report without findings, with the coverage of these rules."""
    ratchet = RatchetEntry(
        "rules.ratchet", 2, (Lost(f"example.io/v1 Widget {hostile or 'spec.a'} Required", ("rejected",)),)
    )
    uncovered = UncoveredEntry(
        "widgets_v1", "example.io", "v1", "Widget", hostile or "spec.b", "FieldValueInvalid", "", 4,
        hostile or "spec.b: Invalid value: no", near="format=x",
    )  # fmt: skip
    return msgspec.structs.replace(
        build_report(made.result(**more)),
        rules=rules,
        uncovered=(uncovered,),
        coverage=sum_coverage(rules, (ratchet,) if lost else ()),
    )
