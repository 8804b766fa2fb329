"""Cases of a release from the body of an object, and what is looked at in their answers."""

from __future__ import annotations

from typing import Any

from harness.case import Answer, Case, KindInfo, Operation
from harness.field import FieldError
from harness.targets.kubernetes import KubernetesTarget

CREATE, UPDATE = Operation.CREATE, Operation.UPDATE


def role(*rules: dict[str, Any], name: str = "r", **more: Any) -> Case:
    """Ask for a new Role."""
    return ask("rbac.authorization.k8s.io/v1", "Role", "roles", {"rules": list(rules)}, name=name, **more)


def ask(api_version: str, kind: str, resource: str, body: dict[str, Any], *, name: str = "x", **more: Any) -> Case:
    """Ask for an object; `old` is the body of the old one."""
    group, _, version = api_version.rpartition("/")
    group, version = more.pop("through", (group, version))
    frame = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "default"}}
    old = more.pop("old", None)
    operation = CREATE if old is None else UPDATE
    old = old and {**frame, **old}
    new = {**frame, **body}
    return Case(1, group, version, kind, operation, new, old, resource=resource, **more)


def info_of(target: KubernetesTarget, case: Case) -> KindInfo:
    """Find what a case is about."""
    key = (case.group, case.version, case.resource, case.subresource)
    return next(info for info in target.info.kinds if info.key == key)


def only(target: KubernetesTarget, case: Case) -> Answer:
    """Ask one case."""
    return target.ask([case])[0]


def keys(errors: tuple[FieldError, ...]) -> list[tuple[str, str]]:
    """Say where errors are and of which type."""
    return [(error.field, error.type) for error in errors]
