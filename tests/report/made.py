"""Builds reports for tests of formats, also with hostile text in every field that can contain untrusted text."""

from __future__ import annotations

from typing import Any

from harness.case import Answer, Case, Excluded, Failure, KindInfo, Operation, TargetInfo
from harness.compare.finding import Finding
from harness.events import Budget, KindReport, Result, Timings
from harness.field import FieldError

HOSTILE = "<script>alert(1)</script>\x1b[31mred\x07 \u202eback ]]> & \"'"
WIDGET = KindInfo(
    "example.io", "v1", "Widget", "widgets", "example.io/v1", type="suites/widgets/v1.Widget", versions=("v1beta1",)
)
STATUS = KindInfo(
    "example.io", "v1", "Widget", "widgets", "example.io/v1", subresource="status", operations=(Operation.UPDATE,)
)


def error(field: str = "spec.size", **more: Any) -> FieldError:
    """Return an error on a field."""
    return FieldError(**{"type": "FieldValueInvalid", "field": field, "detail": "must be even", "value": "3", **more})


def finding(fingerprint: str = "0123456789ab", **more: Any) -> Finding:
    """Return a finding on an update of a widget: only the handwritten validator reports the error."""
    operation = more.get("operation", "update")
    case = Case(
        1, "example.io", "v1", "Widget", Operation(operation), {"spec": {"size": 3, "name": "a"}},
        {"spec": {"size": 2}} if operation == "update" else None, "widgets", more.get("subresource", ""),
    )  # fmt: skip
    values: dict[str, Any] = {
        "fingerprint": fingerprint, "code": "no-rule", "cause": "no-rule", "severity": "graduation",
        "mismatch": "unmatched", "group": "example.io", "version": "v1", "kind": "Widget", "resource": "widgets",
        "subresource": "", "operation": "update", "path": "spec.size", "type": "FieldValueInvalid", "origin": "",
        "side": "handwritten", "gates": {}, "detail": "no declarative error matches it", "fix": "declare a rule",
        "occurrences": 7, "case": case, "answer": Answer(1, handwritten=(error(covered=True),)),
    }  # fmt: skip
    return Finding(**{**values, **more})


def kind_report(kind: KindInfo = WIDGET, operation: str = "update", **more: Any) -> KindReport:
    """Return the report on one kind."""
    return KindReport(**{"kind": kind, "operation": operation, "cases": 50, "accepted": 20, "has_seed": True, **more})


def result(*findings: Finding, **more: Any) -> Result:
    """Return the result of a run of a hundred cases against a small target."""
    target = TargetInfo("widgets_v1", kinds=(WIDGET, STATUS), gates={"Wide": False}, excluded=())
    values: dict[str, Any] = {
        "subject": "widgets_v1", "target": target, "mode": "served", "seed": 1, "budget": Budget(None, 100),
        "started": "2026-11-21T09:00:00+00:00", "seconds": 2.0, "cases": 100, "compared": 98,
        "composition_checked": 10, "composition_differences": 0,
        "kinds": (kind_report(operation="create"), kind_report()), "findings": tuple(findings), "excluded": (),
        "timings": Timings(),
    }  # fmt: skip
    return Result(**{**values, **more})


def hostile() -> Result:
    """Return the result of a run in which every untrusted text tries to be markup or a control sequence."""
    case = Case(1, "example.io", "v1", "Widget", Operation.CREATE, {HOSTILE: [HOSTILE]}, None, "widgets")
    bad = error(f"spec[{HOSTILE}]", detail=HOSTILE, value=HOSTILE, origin=HOSTILE)
    return result(
        finding(
            "aaaaaaaaaaaa", case=case, operation="create", path=f"spec[{HOSTILE}]", detail=HOSTILE, fix=HOSTILE,
            origin=HOSTILE, severity="verdict", cause="no-counterpart", answer=Answer(1, declarative=(bad,)),
        ),
        finding(
            "bbbbbbbbbbbb", cause="panic", mismatch="panic", severity="visible",
            answer=Answer(1, failure=Failure("declarative", HOSTILE, panic=True)),
        ),
        finding("cccccccccccc"),
        kinds=(kind_report(operation="create", has_seed=False, remaining=(HOSTILE,)), kind_report(error=HOSTILE)),
        excluded=(Excluded("example.io", "v1", "gadgets", HOSTILE),),
    )  # fmt: skip
