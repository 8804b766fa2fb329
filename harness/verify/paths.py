"""Import paths of the folders of a checkout of Kubernetes."""

from __future__ import annotations

from pathlib import PurePosixPath

STAGING = "staging/src/"


def import_path(path: str) -> str:
    """Return the import path of the package that a file belongs to, by its path in the checkout."""
    folder = PurePosixPath(path).parent.as_posix()
    inside = folder.removeprefix(STAGING)
    return inside if inside != folder else f"k8s.io/kubernetes/{folder}"
