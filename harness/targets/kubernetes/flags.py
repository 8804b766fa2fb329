"""Errors of a release that a flag of its server decides about, and not the object alone.

Workers run with the flags that kube-apiserver has if none is given, as the release's own tests do.
"""

from __future__ import annotations

from typing import Final

from harness.field import ErrorType, FieldError

_PRIVILEGED: Final = "disallowed by cluster policy"
"""Source: ValidateSecurityContext of k8s.io/kubernetes pkg/apis/core/validation (2026-11)."""


def is_about_privileged(error: FieldError) -> bool:
    """Whether a server reports an error only without `--allow-privileged`, which clusters are started with."""
    return error.type == ErrorType.FORBIDDEN and error.detail.endswith(_PRIVILEGED)
