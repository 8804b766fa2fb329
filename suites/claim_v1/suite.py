"""Claims: list-maps, every kind of union, updates that may happen once, and a feature that can be off."""

from __future__ import annotations

from typing import Any

from harness.suite import Context, Suite, SuiteKind

from .handwritten import CLAIM_PRIORITY, validate_claim


def prepare(new: dict[str, Any], old: dict[str, Any] | None, context: Context) -> dict[str, Any]:
    """The status belongs to controllers, everything else to users."""
    kept = "spec" if context.subresource == "status" else "status"
    source = old or {}
    result = {name: value for name, value in new.items() if name != kept}
    return {**result, kept: source[kept]} if kept in source else result


SUITE = Suite(
    name="claim_v1",
    group="devices.example.com",
    gates={CLAIM_PRIORITY: True},
    kinds=[
        SuiteKind(
            kind="Claim",
            resource="claims",
            versions={"v1": "types.go"},
            handwritten=validate_claim,
            subresources=("status",),
            prepare=prepare,
            options={CLAIM_PRIORITY: True},
        ),
    ],
)
