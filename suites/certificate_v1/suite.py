"""Certificate requests: a spec that never changes, and two subresources that decide and answer."""

from __future__ import annotations

from typing import Any

from harness.suite import Context, Suite, SuiteKind

from .handwritten import validate_request


def prepare(new: dict[str, Any], old: dict[str, Any] | None, context: Context) -> dict[str, Any]:
    """Users make requests, approvers write conditions, signers write the rest of the status."""
    if old is None:
        return {name: value for name, value in new.items() if name != "status"}
    match context.subresource:
        case "status":
            return _with(new, "spec", old)
        case "approval":
            status = _with(old.get("status", {}), "conditions", new.get("status", {}))
            return {**_with(new, "spec", old), "status": status}
        case _:
            return _with(new, "status", old)


def _with(value: dict[str, Any], name: str, source: dict[str, Any]) -> dict[str, Any]:
    """Replace one member by what it is in `source`, where it may be absent."""
    kept = {key: item for key, item in value.items() if key != name}
    return {**kept, name: source[name]} if name in source else kept


SUITE = Suite(
    name="certificate_v1",
    group="certs.example.com",
    kinds=[
        SuiteKind(
            kind="CertificateRequest",
            resource="certificaterequests",
            versions={"v1": "types.go"},
            handwritten=validate_request,
            subresources=("status", "approval"),
            prepare=prepare,
            namespaced=False,
        ),
    ],
)
