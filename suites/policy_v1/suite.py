"""Policies in two versions: v1 gathered fields that lay flat in v1beta1, and renamed one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.suite import Suite, SuiteKind

from .handwritten import validate_policy

TARGET = {"targetKind": "kind", "targetName": "name"}
LIMITS = {"maxConnections": "connections", "maxRequestsPerSecond": "requestsPerSecond"}


def to_v1(policy: dict[str, Any]) -> dict[str, Any]:
    """Gather the flat fields."""
    spec = dict(policy.get("spec", {}))
    for group, members in (("target", TARGET), ("limits", LIMITS)):
        gathered = {new: spec.pop(old) for old, new in members.items() if old in spec}
        if gathered:
            spec[group] = gathered
    return _converted(policy, "v1", _renamed(spec, {"verb": "action"}))


def to_v1beta1(policy: dict[str, Any]) -> dict[str, Any]:
    """Spread the gathered fields."""
    spec = dict(policy.get("spec", {}))
    for group, members in (("target", TARGET), ("limits", LIMITS)):
        gathered = spec.pop(group, {})
        spec |= {old: gathered[new] for old, new in members.items() if new in gathered}
    return _converted(policy, "v1beta1", _renamed(spec, {"action": "verb"}))


def _renamed(spec: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rename members of the rules."""
    if "rules" not in spec:
        return spec
    rules = [{names.get(name, name): value for name, value in rule.items()} for rule in spec["rules"]]
    return {**spec, "rules": rules}


def _converted(policy: dict[str, Any], version: str, spec: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in policy.items() if name not in ("apiVersion", "spec")}
    return {"apiVersion": f"traffic.example.com/{version}", **rest, **({"spec": spec} if spec else {})}


def set_defaults(policy: dict[str, Any]) -> dict[str, Any]:
    """Policies are enforced unless they say otherwise. Both versions agree."""
    return {**policy, "spec": {"mode": "Enforce", **policy.get("spec", {})}}


SUITE = Suite(
    name="policy_v1",
    group="traffic.example.com",
    kinds=[
        SuiteKind(
            kind="Policy",
            resource="policies",
            versions={"v1beta1": "v1beta1/types.go", "v1": "v1/types.go"},
            internal_version="v1",
            handwritten=validate_policy,
            conversions={("v1beta1", "v1"): to_v1, ("v1", "v1beta1"): to_v1beta1},
            normalization=(
                (r"^spec\.targetKind$", "spec.target.kind"),
                (r"^spec\.targetName$", "spec.target.name"),
                (r"^spec\.maxConnections$", "spec.limits.connections"),
                (r"^spec\.maxRequestsPerSecond$", "spec.limits.requestsPerSecond"),
                (r"^spec\.rules\[(\d+)\]\.verb$", "spec.rules[$1].action"),
            ),
            defaults={"v1beta1": set_defaults, "v1": set_defaults},
        ),
    ],
)
