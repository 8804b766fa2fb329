"""Builds optional sections of a report with any text in them: the verdict on a change, and the cost of validation."""

from __future__ import annotations

import msgspec

from harness.case import Answer
from harness.report.model.assembly import build_report
from harness.report.model.cost import Cost, CostRow, CostSum, Interval, PartCost, Unmeasured
from harness.report.model.coverage import RuleEntry
from harness.report.model.document import Report
from harness.report.model.verification import (
    BuildEntry,
    Effort,
    FieldEntry,
    KindPath,
    LintEntry,
    ReasonEntry,
    RevisionEntry,
    StaleEntry,
    UserChange,
    Verification,
)
from harness.report.words import FieldVerdict
from tests.report import made

HALF = Interval(0.5, 0.4, 0.6)


def field(
    name: str = "WidgetSpec.Size", verdict: FieldVerdict = "equivalent", text: str = "", **more: object
) -> FieldEntry:
    """Return a touched field; `text` is part of every untrusted text."""
    rule = RuleEntry(
        "widgets_v1", "example.io", "v1", "Widget", text or "spec.size", "FieldValueInvalid", tag=text or "k8s:maximum",
        limit=9, level="beta", declarative=("create",), accepted=True,
    )  # fmt: skip
    values: dict[str, object] = {
        "name": name, "type_name": "p.WidgetSpec", "json_name": "size", "verdict": verdict, "why": text,
        "reasons": (ReasonEntry("tags", "changed", text or "limit raised", text or "types.go:7", certain=False),),
        "paths": (KindPath("example.io", "v1", "Widget", text or "spec.size"),),
        "tags_before": ("+k8s:maximum=8",), "tags_after": (text or "+k8s:maximum=9",), "place": "types.go:8",
        "effort": Effort(1000, 400, 600, 300, 200, 500, 20, 30, 900), "rules": (rule,), "versions": ("v1",),
    }  # fmt: skip
    return FieldEntry(**{**values, **more})  # type: ignore[arg-type]  # a record of any of its fields


def user_change(text: str = "", **more: object) -> UserChange:
    """Return a change for users: an update that was accepted is rejected."""
    values: dict[str, object] = {
        "fingerprint": "cccccccccccc", "direction": "newly-rejected", "sentence": text or "it is now too large",
        "before": (), "after": (made.error(detail=text or "must be even"),), "settings": ("default gates",),
        "fields": ("WidgetSpec.Size",), "finding": made.finding("dddddddddddd", answer=Answer(1)),
        "replay": "harness replay r.json cccccccccccc",
    }  # fmt: skip
    return UserChange(**{**values, **more})  # type: ignore[arg-type]  # a record of any of its fields


def verified(*fields: FieldEntry, findings: int = 1, text: str = "", **more: object) -> Report:
    """Return a report on a change of these fields."""
    report = build_report(made.result(*(made.finding(f"{n:012}") for n in range(findings))))
    values: dict[str, object] = {
        "base": RevisionEntry("main", "a" * 40, text or "Begin"), "head": RevisionEntry("work tree", "", text),
        "layout": "suites", "fields": fields, "builds": (BuildEntry("base", text or "suites/widgets", 1.5),),
        "files": (text or "types.go",), "notes": (text or "a note",), "settings": ("default gates",),
    }  # fmt: skip
    told = Verification(**{**values, **more})  # type: ignore[arg-type]  # a record of any of its fields
    return msgspec.structs.replace(report, verification=told)


def whole(text: str = "") -> Report:
    """Return a report on a change with every optional part of the section."""
    return verified(
        field("WidgetSpec.Size", "different", text, findings=("000000000000",), changes=("cccccccccccc",)),
        field("WidgetSpec.Name", "not-tried", text, why=text or "no kind has it"),
        field("WidgetSpec.Other", "equivalent", text),
        text=text,
        changes=(user_change(text),),
        known=(made.finding("eeeeeeeeeeee", path=text or "spec.size"),),
        elsewhere=("000000000000",),
        stale=(StaleEntry("f", "zz.go", text or "not generated anew", "zz.go:1", text or "make generated"),),
        lint=(LintEntry("tag-payload", "types.go:7", text or "needs a number", text or "=10"),),
        unsearched=(text or "nothing takes it",),
    )


def row(number: int, time: float, text: str = "", **more: object) -> CostRow:
    """Return a measured kind: the rules take `time`, the handwritten code 2 µs."""
    parts = {
        "handwritten": PartCost(Interval(2000.0, 1900.0, 2100.0), 12, 345),
        "declarative": PartCost(Interval(time, time * 0.9, time * 1.1), 12, 345),
        "convert": PartCost(Interval(100.0, 90.0, 110.0)),
    }
    values: dict[str, object] = {
        "subject": "s", "group": "g", "version": f"v{number}", "kind": "K", "resource": text or "widgets",
        "subresource": "", "operation": "create", "valid": True, "size": "typical",
        "length": 99, "errors": 0, "samples": 25,
        "parts": parts, "ratio": HALF, "total": HALF,
    }  # fmt: skip
    return CostRow(**{**values, **more})  # type: ignore[arg-type]  # a record of any of its fields


def costing(*rows: CostRow, findings: int = 0, text: str = "") -> Report:
    """Return a report on the cost of these kinds."""
    parts = rows[0].parts if rows else {}
    sums = (CostSum(True, "typical", len(rows), parts, HALF, HALF, HALF),) if rows else ()
    missing = (Unmeasured("s", text or "gadgets", "update", text or "nothing changes it"),)
    cost = Cost("cpu", 5, 5, 200_000, 0.95, 2, (0.1, 0.1), text or "it costs little", sums, rows, missing)
    report = build_report(made.result(*(made.finding(f"{n:012}") for n in range(findings))))
    return msgspec.structs.replace(report, cost=cost)
