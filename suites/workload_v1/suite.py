"""Workloads: a root with three subresources, one of which (scale) has a type of its own."""

from __future__ import annotations

from typing import Any

from harness.case import Operation
from harness.suite import Context, Suite, SuiteKind

from .handwritten import validate_scale, validate_workload


def set_defaults(workload: dict[str, Any]) -> dict[str, Any]:
    """One copy, and TCP."""
    spec = {"replicas": 1, **workload.get("spec", {})}
    template = dict(spec.get("template", {}))
    if template.get("containers"):
        template["containers"] = [_with_protocols(container) for container in template["containers"]]
        spec["template"] = template
    return {**workload, "spec": spec}


def _with_protocols(container: dict[str, Any]) -> dict[str, Any]:
    if not container.get("ports"):
        return container
    return {**container, "ports": [{"protocol": "TCP", **port} for port in container["ports"]]}


def prepare(new: dict[str, Any], old: dict[str, Any] | None, context: Context) -> dict[str, Any]:
    """Take from a request what it may change: the root all but status and pause, a subresource its own part."""
    spec = new.get("spec", {})
    if old is None:
        return {**_without(new, "status"), "spec": _without(spec, "paused")}
    match context.subresource:
        case "status":
            return _with(new, "spec", old)
        case "pause":
            old_spec = old.get("spec", {})
            return {**_with(new, "status", old), "spec": _with(old_spec, "paused", spec)}
        case _:
            return {**_with(new, "status", old), "spec": _with(spec, "paused", old.get("spec", {}))}


def _without(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != name}


def _with(value: dict[str, Any], name: str, source: dict[str, Any]) -> dict[str, Any]:
    """Replace one member by what it is in `source`, where it may be absent."""
    return {**_without(value, name), **({name: source[name]} if name in source else {})}


SUITE = Suite(
    name="workload_v1",
    group="fleet.example.com",
    kinds=[
        SuiteKind(
            kind="Workload",
            resource="workloads",
            versions={"v1": "types.go"},
            handwritten=validate_workload,
            subresources=("status", "pause"),
            operations={"status": (Operation.UPDATE,), "pause": (Operation.UPDATE,)},
            defaults={"v1": set_defaults},
            prepare=prepare,
        ),
        SuiteKind(
            kind="Scale",
            resource="workloads",
            versions={"v1": "types.go"},
            handwritten=validate_scale,
            root=False,
            subresources=("scale",),
        ),
    ],
)
