"""Writes structural schemas as the CustomResourceDefinitions of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

APPROVED = "api-approved.kubernetes.io"
"""The annotation without which a server takes no CRD of a group of Kubernetes."""
_UNAPPROVED = "unapproved, compiled from types"


def crd_group(group: str) -> str:
    """Return the group of a CRD, which needs a dot: `apps` becomes `apps.k8s.io`, the core group `core.k8s.io`."""
    return group if "." in group else f"{group or 'core'}.k8s.io"


def plural_of(kind: str) -> str:
    """Return the plural of a kind as Kubernetes forms it: `policies`, `classes`, `endpoints`."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def definition(
    group: str,
    kind: str,
    versions: Mapping[str, Mapping[str, Any]],
    *,
    plural: str = "",
    namespaced: bool = True,
    subresources: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a CRD with a schema for each version, of which the first is stored."""
    group, plural = crd_group(group), plural or plural_of(kind)
    served = [
        {
            "name": version, "served": True, "storage": not number, "schema": {"openAPIV3Schema": schema},
            **({"subresources": {name: {} for name in subresources}} if subresources else {}),
        }
        for number, (version, schema) in enumerate(versions.items())
    ]  # fmt: skip
    metadata: dict[str, Any] = {"name": f"{plural}.{group}"}
    if group.endswith((".k8s.io", ".kubernetes.io")):
        metadata["annotations"] = {APPROVED: _UNAPPROVED}
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata,
        "spec": {
            "group": group, "names": names, "scope": "Namespaced" if namespaced else "Cluster", "versions": served,
        },
    }  # fmt: skip
