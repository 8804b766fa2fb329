"""The Kubernetes target: real validators of a release or checkout, in a Go worker that we build."""

from __future__ import annotations

from harness.targets.kubernetes.release import type_folders
from harness.targets.kubernetes.target import KubernetesTarget

__all__ = ["KubernetesTarget", "type_folders"]
