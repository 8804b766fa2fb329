"""Reads from the sources of a release or checkout, without a worker: its minor release, the subresources it serves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from harness.limits import read_checkout_text
from harness.targets.kubernetes.release import find_release

VERSION_FILE = "staging/src/k8s.io/component-base/version/base.go"
_BINARY_VERSION = re.compile(r'DefaultKubeBinaryVersion\s*=\s*"(\d+\.\d+)"')
_RESOURCE = re.compile(r'resource := "([a-z]+)"|resource ?\+ ?"(/[a-z/]+)"')


def minor_release(location: str | Path) -> str:
    """Return the minor release that the sources are of or become, such as `1.37`; empty if a checkout does not say."""
    release = find_release(location)
    if release.folder is None:
        return ".".join(map(str, release.minor))
    file = release.folder / VERSION_FILE
    found = _BINARY_VERSION.search(read_checkout_text(file)) if file.is_file() else None
    return found[1] if found else ""


def served_subresources(root: Path) -> frozenset[str]:
    """Return the paths of all subresources that storages are made for: `/status`, `/scale`."""
    folders = sorted((root / "pkg" / "registry").glob("*/rest"))
    paths = (path for folder in folders for listed in read_resources(folder).values() for path in listed)
    return frozenset(f"/{path.partition('/')[2]}" for path in paths if "/" in path)


def read_resources(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the resources of a group, each with its subresources, from the source that makes their storages."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*.go")) if folder.is_dir() else ():
        resource = ""
        for name, subresource in _RESOURCE.findall(read_checkout_text(file)):
            resource = name or resource
            if resource:
                listed = found.setdefault(resource, [resource])
                listed += [f"{resource}{subresource}"] if subresource else []
    return {name: tuple(dict.fromkeys(listed)) for name, listed in found.items()}
