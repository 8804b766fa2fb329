"""Rules of reports, and reports with rules, for the tests of renderings."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.reporting.assembly import build_report
from harness.reporting.coverage import Lost, RatchetEntry, RuleEntry, UncoveredEntry, coverage_of
from harness.reporting.document import Report
from tests.reporting import made


def rule(**more: Any) -> RuleEntry:
    """One rule of a widget."""
    values = {
        "subject": "widgets_v1", "group": "example.io", "version": "v1", "kind": "Widget", "path": "spec.size",
        "type": "FieldValueInvalid", "origin": "maximum", "tag": "k8s:maximum",
    }  # fmt: skip
    return RuleEntry(**{**values, **more})


def ruled(*rules: RuleEntry, lost: bool = False, hostile: str = "", **more: Any) -> Report:
    """A report without findings in which these rules were looked at."""
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
        coverage=coverage_of(rules, (ratchet,) if lost else ()),
    )
